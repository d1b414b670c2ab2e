"""What the namespace says of itself."""

from __future__ import annotations

from typing import Any

from graph_program.tensor_api.array_api import dtypes
from graph_program.tensor_api.array_api.array import check_device
from graph_program.tensor_api.array_api.dtypes import DType


class Info:
    """The inspection functions of the standard."""

    def capabilities(self) -> dict[str, Any]:
        """What the library can do: everything, with up to 64 axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The device of new arrays."""
        return "cpu"

    def default_dtypes(self, *, device: str | None = None) -> dict[str, DType]:
        """The element types of arrays that are made without one."""
        check_device(device)
        return {
            "real floating": dtypes.float64,
            "complex floating": dtypes.complex128,
            "integral": dtypes.int64,
            "indexing": dtypes.int64,
        }

    def dtypes(self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """The element types of a kind, by name."""
        check_device(device)
        if kind is None:
            return dict(dtypes.ALL)
        return {name: dtype for name, dtype in dtypes.ALL.items() if dtypes.isdtype(dtype, kind)}

    def devices(self) -> tuple[str, ...]:
        """The devices there are."""
        return ("cpu",)


def __array_namespace_info__() -> Info:
    """The inspection functions of the standard."""
    return Info()


__all__ = ["Info", "__array_namespace_info__"]
