"""NumPy 2 type promotion (NEP 50), asked of NumPy itself, and the merge of types where paths join.

Python numbers are weak: `float32 + 1.5` is float32.  Nothing here knows a promotion table; ufuncs
answer through `ufunc.resolve_dtypes`, which takes the classes `int`, `float` and `complex` for Python numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.bfloat16 import is_bfloat16
from graph_program.extract.types.tensors.rule_errors import TypeRuleError, UFuncCastError
from graph_program.extract.types.tensors.tensor_type import BOOL, COMPLEX128, FLOAT64, INT64, Kind, TensorType

DType = np.dtype[Any]
Weak = DType | type[int] | type[float] | type[complex]
"""An element type, or `int`, `float` or `complex` for a Python number."""


def weak_dtype(t: TensorType) -> Weak:
    """What NumPy's promotion sees of a value; a Python bool is an ordinary `np.bool_`."""
    if t.kind is Kind.PYTHON and t.dtype != BOOL:
        return {"f": float, "c": complex}.get(t.dtype.kind, int)
    return t.dtype


def python_dtype(dtype: DType) -> DType:
    """The element type of the Python number that `item` and `tolist` make of a NumPy one."""
    if is_bfloat16(dtype):
        return FLOAT64
    return {"b": BOOL, "f": FLOAT64, "c": COMPLEX128}.get(dtype.kind, INT64)


# ---------------------------------------------------------------- ufuncs


def ufunc_dtypes(ufunc: Any, operands: Sequence[TensorType]) -> tuple[tuple[DType, ...], DType]:
    """The element types that `ufunc(*operands)` computes with: those of its inputs, and its result's.

    Raises
    ------
    TypeRuleError
        With NumPy's text, where the ufunc has no loop for these types.
    """
    return _resolve(ufunc, tuple(weak_dtype(t) for t in operands))


@lru_cache(maxsize=4096)
def _resolve(ufunc: np.ufunc, operands: tuple[Weak, ...]) -> tuple[tuple[DType, ...], DType]:
    try:
        resolved = ufunc.resolve_dtypes((*operands, *(None,) * ufunc.nout))
    except TypeError as error:
        raise TypeRuleError("dtype", str(error)) from None
    if any(d.kind == "O" for d in resolved) and int in operands:  # two Python ints, compared as objects
        return _resolve(ufunc, tuple(INT64 if o is int else o for o in operands))
    return tuple(resolved[: ufunc.nin]), resolved[ufunc.nin]


# ---------------------------------------------------------------- everything else


def result_type(types: Sequence[TensorType]) -> DType:
    """The common element type of values, as `where`, `concatenate` and `stack` find it.

    `np.concatenate` of a list that holds Python numbers only sees arrays made of them: pass their
    types with kind ARRAY.
    """
    return _result_type(tuple(weak_dtype(t) for t in types))


@lru_cache(maxsize=4096)
def _result_type(operands: tuple[Weak, ...]) -> DType:
    try:
        return np.result_type(*(o if isinstance(o, np.dtype) else o(0) for o in operands))
    except TypeError as error:
        raise TypeRuleError("dtype", str(error)) from None


def fits_in_place(result: DType, target: DType) -> bool:
    """Whether `x += y` may store a result of one element type in an array of another."""
    return np.can_cast(result, target, "same_kind")


def check_in_place(ufunc: np.ufunc, result: DType, target: DType) -> None:
    """Refuse an in-place operation whose result cannot be stored, in NumPy's words."""
    if not fits_in_place(result, target):
        raise UFuncCastError(ufunc, result, target)


# ---------------------------------------------------------------- reductions


def sum_dtype(dtype: DType) -> DType:
    """The element type in which `np.sum`, `np.prod`, `np.cumsum` and `np.cumprod` add up.

    Integers narrower than 64 bits, and booleans, widen to 64 bits of the same signedness.
    """
    if dtype.kind in "bi":
        return INT64
    if dtype.kind == "u":
        return np.dtype(np.uint64)
    return dtype


def mean_dtype(dtype: DType) -> DType:
    """The element type of `np.mean`, `np.var` and `np.std`."""
    return FLOAT64 if dtype.kind in "biu" else dtype


def mean_accumulator(dtype: DType) -> DType:
    """The element type in which they add up: float16 is added in float32 and rounded once."""
    return np.dtype(np.float32) if dtype == np.float16 else mean_dtype(dtype)


# ---------------------------------------------------------------- joins


def join_types(a: TensorType, b: TensorType, fresh: Callable[[], Dim]) -> TensorType | None:
    """The type of a variable that is an `a` on one path and a `b` on another; None if there is none.

    Dims that differ become unknown.  A Python number joins a NumPy one as its class, if the NumPy
    element type is of its kind or higher; two Python numbers of different classes do not join.
    A 0-d array joins no number: what is written to it, other names of it see.
    """
    if a == b:
        return a
    if a.rank != b.rank or (a.kind is Kind.ARRAY) is not (b.kind is Kind.ARRAY):
        return None
    if a.kind is b.kind is Kind.PYTHON:
        return None
    if Kind.PYTHON in (a.kind, b.kind):
        return _join_weak(a, b) if a.kind is Kind.PYTHON else _join_weak(b, a)
    if a.dtype != b.dtype:
        return None
    shape = tuple(x if x == y else fresh() for x, y in zip(a.shape, b.shape, strict=True))
    return TensorType(a.dtype, shape, a.kind)


def _join_weak(number: TensorType, other: TensorType) -> TensorType | None:
    """The NumPy value's type, unless the Python number would not keep its meaning in it."""
    if number.dtype == BOOL or other.dtype == BOOL:
        return other if number.dtype == other.dtype else None
    return other if _result_type((other.dtype, weak_dtype(number))) == other.dtype else None
