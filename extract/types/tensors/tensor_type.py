"""The type of one tensor: element type, class of the Python object, symbolic shape."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.bfloat16 import FLOAT32, is_bfloat16


class Kind(Enum):
    """The class that Python would give the value; part of its type (NEP 50)."""

    ARRAY = "array"
    """`np.ndarray`, of any rank (rank 0 included)."""
    NUMPY = "numpy"
    """A NumPy scalar such as `np.float32`; rank 0."""
    PYTHON = "python"
    """A Python `bool`, `int`, `float` or `complex`: weakly typed; rank 0; dtype bool, int64, float64 or complex128."""


@dataclass(frozen=True)
class TensorType:
    """`float32 [n, 4]`; a NumPy scalar prints as `np.float32`, a Python number as `float`."""

    dtype: np.dtype
    shape: tuple[Dim, ...] = ()
    kind: Kind = Kind.ARRAY

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        if self.kind is Kind.PYTHON:
            return self.python_class.__name__
        if self.kind is Kind.NUMPY:
            return f"{'ml_dtypes' if self.is_bfloat16 else 'np'}.{self.dtype.name}"
        return f"{self.dtype.name} [{', '.join(map(str, self.shape))}]"

    @property
    def is_complex(self) -> bool:
        return self.dtype.kind == "c"

    @property
    def is_bfloat16(self) -> bool:
        return is_bfloat16(self.dtype)

    @property
    def python_class(self) -> type:
        """`bool`, `int`, `float` or `complex`, for a Python number; unsigned ones are `int`, too."""
        return {"b": bool, "i": int, "u": int, "f": float, "c": complex}[self.dtype.kind]


BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)
FLOAT64 = np.dtype(np.float64)
COMPLEX128 = np.dtype(np.complex128)

PY_BOOL = TensorType(BOOL, (), Kind.PYTHON)
PY_INT = TensorType(INT64, (), Kind.PYTHON)
PY_FLOAT = TensorType(FLOAT64, (), Kind.PYTHON)
PY_COMPLEX = TensorType(COMPLEX128, (), Kind.PYTHON)
PY_TYPES = {bool: PY_BOOL, int: PY_INT, float: PY_FLOAT, complex: PY_COMPLEX}


def carrier(type_: TensorType) -> TensorType:
    """The type of the graph's variables for values of a type: float32 for bfloat16."""
    return replace(type_, dtype=FLOAT32) if type_.is_bfloat16 else type_


def part_dtype(dtype: np.dtype) -> np.dtype:
    """The element type of the real and the imaginary parts of a complex one."""
    return np.dtype(np.float32) if dtype == np.complex64 else FLOAT64
