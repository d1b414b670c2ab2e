"""The element types that a graph can have: their names, and words for sets of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from graph_program.extract.types.tensors.bfloat16 import NAME, bfloat16, is_bfloat16

DType = np.dtype[Any]
DTYPES: dict[str, DType] = {
    t.__name__: np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
} | {t.__name__: np.dtype(t) for t in (np.float16, np.float32, np.float64, np.complex64, np.complex128)}
DTYPES |= {"bool": np.dtype(bool), "bool_": np.dtype(bool)}
"""Element types that a graph can have, by the names that jaxtyping gives them."""
SUPPORTED = frozenset(DTYPES.values())
"""Those that may be inferred; bfloat16 is one that must be said."""


def is_supported(dtype: DType) -> bool:
    """Whether a graph can have an element type."""
    return dtype in SUPPORTED or is_bfloat16(dtype)


def named_dtype(name: str) -> DType | None:
    """The element type of this name; None for others."""
    return bfloat16() if name == NAME else DTYPES.get(name)


def kind_word(dtypes: frozenset[DType] | None) -> str:
    """What the shape language calls a set of element types; "" for any, and where it has no word."""
    if dtypes is None or len(dtypes) == 1:
        return next(iter(dtypes)).name if dtypes else ""
    real = (
        frozenset(d for d in dtypes if d.kind != "c") or dtypes
    )  # a word for real ones is theirs with complex ones, too
    return next((word for word, kinds in KIND_WORDS.items() if real == of_kinds(kinds)), "")


def of_kinds(kinds: Iterable[str]) -> frozenset[DType]:
    """The supported element types of these kinds, as `np.dtype.kind` gives them."""
    return frozenset(d for d in SUPPORTED if d.kind in kinds)


KIND_WORDS = {
    "float": "f",
    "int": "i",
    "uint": "u",
    "integer": "iu",
    "number": "iuf",
    "discrete": "biu",
    "complex": "c",
}
"""Words for sets of element types, with their kinds."""
