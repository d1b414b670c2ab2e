"""Element types, what they promote to, and what is known of them."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

import numpy as np

DType = np.dtype[Any]

bool = np.dtype("bool")
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float32 = np.dtype("float32")
float64 = np.dtype("float64")
complex64 = np.dtype("complex64")
complex128 = np.dtype("complex128")

BOOL, SIGNED, UNSIGNED, FLOAT, COMPLEX = "b", "i", "u", "f", "c"
"""Kinds of element types, as `dtype.kind` has them."""
INTEGER = SIGNED + UNSIGNED
REAL = INTEGER + FLOAT
FLOATING = FLOAT + COMPLEX
NUMERIC = REAL + COMPLEX

KINDS: dict[str, str] = {
    "bool": BOOL,
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": INTEGER,
    "real floating": FLOAT,
    "complex floating": COMPLEX,
    "numeric": NUMERIC,
}
"""The kinds that have names in the standard."""

NAMES: dict[str, str] = {
    BOOL: "bool",
    INTEGER: "integer",
    INTEGER + BOOL: "integer or bool",
    FLOAT: "real floating-point",
    FLOATING: "floating-point",
    REAL: "real numeric",
    NUMERIC: "numeric",
    COMPLEX: "complex",
}
"""What messages call several kinds."""

ALL: dict[str, DType] = {
    "bool": bool,
    "int8": int8,
    "int16": int16,
    "int32": int32,
    "int64": int64,
    "uint8": uint8,
    "uint16": uint16,
    "uint32": uint32,
    "uint64": uint64,
    "float32": float32,
    "float64": float64,
    "complex64": complex64,
    "complex128": complex128,
}


def check_kind(name: str, dtype: DType, kinds: str) -> None:
    """Raise TypeError for an element type of another kind."""
    if dtype.kind not in kinds:
        raise TypeError(f"{name} takes {NAMES.get(kinds, 'other')} element types, got {dtype}")


def promoted(a: DType, b: DType) -> DType:
    """The element type of two.

    Raises
    ------
    TypeError
        The standard has none: of an integer and a float, of a bool and a number, of int64 and uint64.
    """
    if a == b:
        return a
    kinds = a.kind + b.kind
    if kinds in ("bb", "ii", "uu", "ff", "cc", "fc", "cf"):
        return np.result_type(a, b)
    if kinds in ("iu", "ui") and a != uint64 and b != uint64:
        return np.result_type(a, b)
    raise TypeError(f"the Array API standard has no common element type of {a} and {b}; convert one with astype")


def check_scalar(name: str, value: Any, dtype: DType) -> None:
    """Raise TypeError for a Python number that cannot take this element type."""
    if isinstance(value, builtins.bool):
        fits = dtype.kind == BOOL
    elif isinstance(value, int):
        fits = dtype.kind in NUMERIC
    elif isinstance(value, (float, complex)):
        fits = dtype.kind in FLOATING
    else:
        raise TypeError(f"{name} takes arrays and Python numbers, got {type(value).__name__}")
    if not fits:
        raise TypeError(f"{name}: a Python {type(value).__name__} does not go with {dtype}")


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> builtins.bool:
    """Whether an element type is of a kind.

    Raises
    ------
    ValueError
        There is no kind of this name.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"unknown kind of dtype {kind!r}; there are {', '.join(KINDS)}")
        return dtype.kind in KINDS[kind]
    return dtype == kind


@dataclass(frozen=True)
class FloatInfo:
    """What `finfo` says: bits of a number, the distance from 1 to the next, the bounds, the smallest normal number."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntInfo:
    """What `iinfo` says: bits of a number and the bounds."""

    bits: int
    max: int
    min: int
    dtype: DType


__all__ = ["ALL", "KINDS", "DType", "FloatInfo", "IntInfo", "check_kind", "check_scalar", "isdtype", "promoted"]
