"""Functions that make arrays, and those of element types of arrays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from graph_program.tensor_api.array_api import dtypes
from graph_program.tensor_api.array_api.array import Array, Scalar, check_device, elements
from graph_program.tensor_api.array_api.dtypes import COMPLEX, DType, FloatInfo, IntInfo

Shape = int | tuple[int, ...]


def asarray(obj: Any, /, *, dtype: DType | None = None, device: str | None = None, copy: bool | None = None) -> Array:
    """An array of numbers, of nested sequences of numbers and arrays, of a NumPy array or of an `Array`.

    Parameters
    ----------
    copy : bool, optional
        False raises where the elements cannot be shared; the result never changes with `obj` in a program.

    Raises
    ------
    TypeError
        The standard has no such element type.
    ValueError
        `copy` is False and a copy is needed, or there is no such device.
    """
    check_device(device)
    if isinstance(obj, Array):
        if copy is False:
            if dtype is not None and dtype != obj.dtype:
                raise ValueError("Unable to avoid copy while creating an array as requested.")
            return obj
        return Array(np.array(obj._array, dtype=dtype))
    if copy is False:
        return Array(np.asarray(obj, dtype=dtype, copy=False))
    return Array(_of_standard(np.array(_plain(obj), dtype=dtype)))


def _plain(obj: Any) -> Any:
    """Nested sequences with NumPy arrays for arrays."""
    if isinstance(obj, (list, tuple)):
        return [_plain(element) for element in obj]
    return obj._array if isinstance(obj, Array) else obj


def _of_standard(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "biufc":
        raise TypeError(f"the Array API standard has no element type {array.dtype}")
    return array


def arange(
    start: int | float,
    /,
    stop: int | float | None = None,
    step: int | float = 1,
    *,
    dtype: DType | None = None,
    device: str | None = None,
) -> Array:
    """The numbers from `start` up to `stop`, without it; from 0 where only one number is given."""
    check_device(device)
    if stop is None:
        return Array(np.arange(0, start, step, dtype=dtype))
    return Array(np.arange(start, stop, step, dtype=dtype))


def empty(shape: Shape, *, dtype: DType | None = None, device: str | None = None) -> Array:
    """An array of zeros: a program has no memory that nobody has written."""
    return zeros(shape, dtype=dtype, device=device)


def empty_like(x: Array, /, *, dtype: DType | None = None, device: str | None = None) -> Array:
    """An array of zeros with the shape of another."""
    return zeros_like(x, dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: DType | None = None, device: str | None = None
) -> Array:
    """A matrix with ones on its k-th diagonal, above the main one for positive `k`, and zeros elsewhere."""
    check_device(device)
    return Array(np.eye(n_rows, n_cols, k=k, dtype=_or_default(dtype)))


def _sizes(shape: Shape | Array) -> Shape:
    """A shape; one size may be an array of rank 0."""
    return int(shape) if isinstance(shape, Array) else shape


def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> Array:
    """An array of the elements of any object with `__dlpack__`."""
    check_device(device)
    if isinstance(x, Array):
        return Array(x._array.copy())
    return Array(np.from_dlpack(x, copy=copy))


def full(shape: Shape, fill_value: Scalar, *, dtype: DType | None = None, device: str | None = None) -> Array:
    """An array of one number; float64, int64, complex128 or bool where no element type is given."""
    check_device(device)
    return Array(np.full(_sizes(shape), fill_value, dtype=dtype))


def full_like(x: Array, /, fill_value: Scalar, *, dtype: DType | None = None, device: str | None = None) -> Array:
    """An array of one number with the shape of another."""
    check_device(device)
    return Array(np.full_like(elements("full_like", x), fill_value, dtype=dtype))


def linspace(
    start: int | float | complex,
    stop: int | float | complex,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: str | None = None,
    endpoint: bool = True,
) -> Array:
    """`num` numbers at equal distances from `start` to `stop`; `stop` itself is one of them with `endpoint`."""
    check_device(device)
    return Array(np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint))


def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
    """The coordinates of a grid: an array for each axis."""
    return tuple([Array(a) for a in np.meshgrid(*[elements("meshgrid", a) for a in arrays], indexing=indexing)])


def ones(shape: Shape, *, dtype: DType | None = None, device: str | None = None) -> Array:
    """An array of ones."""
    check_device(device)
    return Array(np.ones(_sizes(shape), dtype=_or_default(dtype)))


def ones_like(x: Array, /, *, dtype: DType | None = None, device: str | None = None) -> Array:
    """An array of ones with the shape of another."""
    check_device(device)
    return Array(np.ones_like(elements("ones_like", x), dtype=dtype))


def tril(x: Array, /, *, k: int = 0) -> Array:
    """The elements below the k-th diagonal and on it, zeros above."""
    return Array(np.tril(_matrices("tril", x), k=k))


def triu(x: Array, /, *, k: int = 0) -> Array:
    """The elements above the k-th diagonal and on it, zeros below."""
    return Array(np.triu(_matrices("triu", x), k=k))


def _matrices(name: str, x: Array) -> np.ndarray:
    if x.ndim < 2:
        raise ValueError(f"{name}() takes arrays with at least 2 dimensions")
    return elements(name, x)


def zeros(shape: Shape, *, dtype: DType | None = None, device: str | None = None) -> Array:
    """An array of zeros."""
    check_device(device)
    return Array(np.zeros(_sizes(shape), dtype=_or_default(dtype)))


def zeros_like(x: Array, /, *, dtype: DType | None = None, device: str | None = None) -> Array:
    """An array of zeros with the shape of another."""
    check_device(device)
    return Array(np.zeros_like(elements("zeros_like", x), dtype=dtype))


def _or_default(dtype: DType | None) -> DType:
    return dtypes.float64 if dtype is None else dtype


def astype(x: Array, dtype: DType, /, *, copy: bool = True, device: str | None = None) -> Array:
    """The elements converted to another element type; complex numbers have no real one."""
    check_device(device)
    array = elements("astype", x)
    if not copy and dtype == x.dtype:
        return x
    if x.dtype.kind in COMPLEX and dtype.kind not in COMPLEX:
        raise TypeError(f"astype() does not drop imaginary parts: {x.dtype} to {dtype}; real() gives the real parts")
    return Array(array.astype(dtype))


def can_cast(from_: DType | Array, to: DType, /) -> bool:
    """Whether each value of an element type has one in another."""
    return bool(np.can_cast(from_.dtype if isinstance(from_, Array) else from_, to))


def finfo(type: DType | Array, /) -> FloatInfo:
    """What is known of a floating-point element type; of a complex one that of its parts."""
    dtype = type.dtype if isinstance(type, Array) else np.dtype(type)
    known = np.finfo(dtype)
    return FloatInfo(
        bits=int(known.bits),
        eps=float(known.eps),
        max=float(known.max),
        min=float(known.min),
        smallest_normal=float(known.smallest_normal),
        dtype=known.dtype,
    )


def iinfo(type: DType | Array, /) -> IntInfo:
    """What is known of an integer element type."""
    dtype = type.dtype if isinstance(type, Array) else np.dtype(type)
    known = np.iinfo(dtype)
    return IntInfo(bits=int(known.bits), max=int(known.max), min=int(known.min), dtype=known.dtype)


def result_type(*arrays_and_dtypes: Array | Scalar | DType) -> DType:
    """The element type that the operands of an operation have in common."""
    known = [_dtype_of(v) for v in arrays_and_dtypes if not _is_scalar(v)]
    if not known:
        raise ValueError("result_type() takes at least one array or dtype")
    result = known[0]
    for dtype in known[1:]:
        result = dtypes.promoted(result, dtype)
    for value in arrays_and_dtypes:
        if _is_scalar(value):
            dtypes.check_scalar("result_type", value, result)
            if isinstance(value, complex) and result.kind not in COMPLEX:
                result = np.result_type(result, dtypes.complex64)
    return result


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex))


def _dtype_of(value: Any) -> DType:
    return value.dtype if isinstance(value, Array) else np.dtype(value)


__all__ = [
    "arange",
    "asarray",
    "astype",
    "can_cast",
    "empty",
    "empty_like",
    "eye",
    "finfo",
    "from_dlpack",
    "full",
    "full_like",
    "iinfo",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "result_type",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]
