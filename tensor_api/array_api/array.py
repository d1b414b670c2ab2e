"""`Array`: the array class of the Array API standard, over a NumPy array.

It is ordinary code in the language: in a program its methods are inlined and the object dissolves into the array in it,
so `x + 1` is one operation.  An array computed from others shares nothing with them that can be seen: there are no
views.  What changes an `Array` is `x[key] = value`, and then this object only; `x += y` is `x = x + y`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from graph_program.tensor_api.array_api import dtypes
from graph_program.tensor_api.array_api.dtypes import BOOL, COMPLEX, FLOAT, INTEGER, NUMERIC, REAL, check_kind

Scalar = bool | int | float | complex
"""What may stand for an array beside one."""

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""Of the standard; each has what the ones before it have."""


@dataclass(eq=False, repr=False)
class Array:
    """An array of the Array API standard; `asarray` makes one.

    Attributes
    ----------
    dtype : dtype
        Element type.
    shape : tuple of int
        Sizes of the axes.
    ndim, size : int
        Number of axes and of elements.
    device : str
        Always ``"cpu"``.
    T, mT : Array
        The matrix transposed; the last two axes transposed.
    """

    _array: np.ndarray

    __array_ufunc__: ClassVar[None] = None
    """`numpy_array + x` is an error and no array of objects."""

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._array.dtype

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def size(self) -> int:
        return self._array.size

    @property
    def T(self) -> Array:
        if self._array.ndim != 2:
            raise ValueError("x.T requires x to have 2 dimensions. Use x.mT to transpose stacks of matrices.")
        return Array(self._array.T)

    @property
    def mT(self) -> Array:
        if self._array.ndim < 2:
            raise ValueError("x.mT requires x to have at least 2 dimensions")
        return Array(np.swapaxes(self._array, -1, -2))

    def __abs__(self, /) -> Array:
        return unary("abs", np.abs, self, NUMERIC)

    def __neg__(self, /) -> Array:
        return unary("negative", np.negative, self, NUMERIC)

    def __pos__(self, /) -> Array:
        return unary("positive", np.positive, self, NUMERIC)

    def __invert__(self, /) -> Array:
        return unary("bitwise_invert", np.invert, self, INTEGER + BOOL)

    def __add__(self, other: Array | Scalar, /) -> Array:
        return operate("+", np.add, self, other, NUMERIC)

    def __radd__(self, other: Scalar, /) -> Array:
        return operate("+", np.add, other, self, NUMERIC)

    def __sub__(self, other: Array | Scalar, /) -> Array:
        return operate("-", np.subtract, self, other, NUMERIC)

    def __rsub__(self, other: Scalar, /) -> Array:
        return operate("-", np.subtract, other, self, NUMERIC)

    def __mul__(self, other: Array | Scalar, /) -> Array:
        return operate("*", np.multiply, self, other, NUMERIC)

    def __rmul__(self, other: Scalar, /) -> Array:
        return operate("*", np.multiply, other, self, NUMERIC)

    def __truediv__(self, other: Array | Scalar, /) -> Array:
        return operate("/", np.true_divide, self, other, NUMERIC)

    def __rtruediv__(self, other: Scalar, /) -> Array:
        return operate("/", np.true_divide, other, self, NUMERIC)

    def __floordiv__(self, other: Array | Scalar, /) -> Array:
        return operate("//", floor_quotient, self, other, REAL)

    def __rfloordiv__(self, other: Scalar, /) -> Array:
        return operate("//", floor_quotient, other, self, REAL)

    def __mod__(self, other: Array | Scalar, /) -> Array:
        return operate("%", np.remainder, self, other, REAL)

    def __rmod__(self, other: Scalar, /) -> Array:
        return operate("%", np.remainder, other, self, REAL)

    def __pow__(self, other: Array | Scalar, /) -> Array:
        return operate("**", np.power, self, other, NUMERIC)

    def __rpow__(self, other: Scalar, /) -> Array:
        return operate("**", np.power, other, self, NUMERIC)

    def __and__(self, other: Array | Scalar, /) -> Array:
        return operate("&", np.bitwise_and, self, other, INTEGER + BOOL)

    def __rand__(self, other: Scalar, /) -> Array:
        return operate("&", np.bitwise_and, other, self, INTEGER + BOOL)

    def __or__(self, other: Array | Scalar, /) -> Array:
        return operate("|", np.bitwise_or, self, other, INTEGER + BOOL)

    def __ror__(self, other: Scalar, /) -> Array:
        return operate("|", np.bitwise_or, other, self, INTEGER + BOOL)

    def __xor__(self, other: Array | Scalar, /) -> Array:
        return operate("^", np.bitwise_xor, self, other, INTEGER + BOOL)

    def __rxor__(self, other: Scalar, /) -> Array:
        return operate("^", np.bitwise_xor, other, self, INTEGER + BOOL)

    def __lshift__(self, other: Array | Scalar, /) -> Array:
        return operate("<<", np.left_shift, self, other, INTEGER)

    def __rlshift__(self, other: Scalar, /) -> Array:
        return operate("<<", np.left_shift, other, self, INTEGER)

    def __rshift__(self, other: Array | Scalar, /) -> Array:
        return operate(">>", np.right_shift, self, other, INTEGER)

    def __rrshift__(self, other: Scalar, /) -> Array:
        return operate(">>", np.right_shift, other, self, INTEGER)

    def __matmul__(self, other: Array, /) -> Array:
        if not isinstance(other, Array):
            return NotImplemented
        check_kind("@", self.dtype, NUMERIC)
        dtypes.promoted(self.dtype, other.dtype)
        return Array(np.asarray(np.matmul(self._array, other._array)))

    def __eq__(self, other: Array | Scalar, /) -> Array:  # type: ignore[override]
        return operate("==", np.equal, self, other, NUMERIC + BOOL)

    def __ne__(self, other: Array | Scalar, /) -> Array:  # type: ignore[override]
        return operate("!=", np.not_equal, self, other, NUMERIC + BOOL)

    def __lt__(self, other: Array | Scalar, /) -> Array:
        return operate("<", np.less, self, other, REAL)

    def __le__(self, other: Array | Scalar, /) -> Array:
        return operate("<=", np.less_equal, self, other, REAL)

    def __gt__(self, other: Array | Scalar, /) -> Array:
        return operate(">", np.greater, self, other, REAL)

    def __ge__(self, other: Array | Scalar, /) -> Array:
        return operate(">=", np.greater_equal, self, other, REAL)

    __hash__ = None  # type: ignore[assignment]

    def __iadd__(self, other: Array | Scalar, /) -> Array:
        return self._with(self + other)

    def __isub__(self, other: Array | Scalar, /) -> Array:
        return self._with(self - other)

    def __imul__(self, other: Array | Scalar, /) -> Array:
        return self._with(self * other)

    def __itruediv__(self, other: Array | Scalar, /) -> Array:
        return self._with(self / other)

    def __ifloordiv__(self, other: Array | Scalar, /) -> Array:
        return self._with(self // other)

    def __imod__(self, other: Array | Scalar, /) -> Array:
        return self._with(self % other)

    def __ipow__(self, other: Array | Scalar, /) -> Array:
        return self._with(self**other)

    def __imatmul__(self, other: Array, /) -> Array:
        return self._with(self @ other)

    def __iand__(self, other: Array | Scalar, /) -> Array:
        return self._with(self & other)

    def __ior__(self, other: Array | Scalar, /) -> Array:
        return self._with(self | other)

    def __ixor__(self, other: Array | Scalar, /) -> Array:
        return self._with(self ^ other)

    def __ilshift__(self, other: Array | Scalar, /) -> Array:
        return self._with(self << other)

    def __irshift__(self, other: Array | Scalar, /) -> Array:
        return self._with(self >> other)

    def _with(self, result: Array) -> Array:
        """The result of an augmented assignment, which changes neither element type nor shape."""
        if result.dtype != self.dtype:
            raise TypeError(f"an augmented assignment cannot change the dtype from {self.dtype} to {result.dtype}")
        if result.shape != self.shape:
            raise ValueError(f"an augmented assignment cannot change the shape from {self.shape} to {result.shape}")
        return result

    def __getitem__(self, key: Any, /) -> Array:
        return Array(np.asarray(self._array[indices(key)]))

    def __setitem__(self, key: Any, value: Array | Scalar, /) -> None:
        if isinstance(value, Array):
            if dtypes.promoted(self.dtype, value.dtype) != self.dtype:
                raise TypeError(f"cannot assign {value.dtype} to an array of {self.dtype}")
            given: Any = value._array
        else:
            dtypes.check_scalar("x[key] = value", value, self.dtype)
            given = value
        written = self._array.copy()
        written[indices(key)] = given
        self._array = written

    def __len__(self, /) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of unsized object")
        return len(self._array)

    def __iter__(self, /) -> Iterator[Array]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return iter([Array(np.asarray(row)) for row in self._array])

    def __bool__(self, /) -> bool:
        _require_one(self)
        return bool(self._array)

    def __int__(self, /) -> int:
        _require_one(self)
        _require_real(self, "int")
        return int(self._array)

    def __float__(self, /) -> float:
        _require_one(self)
        _require_real(self, "float")
        return float(self._array)

    def __complex__(self, /) -> complex:
        _require_one(self)
        return complex(self._array)

    def __index__(self, /) -> int:
        _require_one(self)
        if self.dtype.kind not in INTEGER:
            raise TypeError(f"only integer arrays are indices, not {self.dtype}")
        return int(self._array)

    def __repr__(self) -> str:
        return f"Array({self._array}, dtype={self.dtype})"

    def __str__(self) -> str:
        return str(self._array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The NumPy array of these elements, for `np.asarray(x)`."""
        return np.array(self._array, dtype=dtype)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """The namespace, `graph_program.tensor_api`."""
        if api_version is not None and api_version not in VERSIONS:
            raise ValueError(f"the Array API version {api_version!r} is not one of {', '.join(VERSIONS)}")
        import graph_program.tensor_api

        return graph_program.tensor_api

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[Any, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule of a copy of the elements."""
        array = self._array.copy()
        return array.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self, /) -> tuple[Any, int]:
        return self._array.__dlpack_device__()

    def to_device(self, device: str, /, *, stream: Any = None) -> Array:
        """This array: there is one device."""
        check_device(device)
        if stream is not None:
            raise ValueError(f"there are no streams on {self.device}, got {stream!r}")
        return self


def check_device(device: str | None) -> None:
    """Raise for anything but the one device."""
    if device is not None and device != "cpu":
        raise ValueError(f"the only device is 'cpu', got {device!r}")


def wrap(value: Any) -> Array:
    """The array of a NumPy result, which is a number where it has no axes."""
    return Array(np.asarray(value))


def elements(name: str, x: Array, kinds: str = NUMERIC + BOOL) -> np.ndarray:
    """The NumPy array in an argument.

    Raises
    ------
    TypeError
        It is no `Array`, or its element type is none of these kinds.
    """
    if not isinstance(x, Array):
        raise TypeError(f"{name}() takes arrays of graph_program.tensor_api, got {type(x).__name__}")
    check_kind(name, x.dtype, kinds)
    return x._array


def unary(name: str, function: Any, x: Array, kinds: str) -> Array:
    """An elementwise function of one array."""
    return wrap(function(elements(name, x, kinds)))


def binary(name: str, function: Any, x1: Array | Scalar, x2: Array | Scalar, kinds: str) -> Array:
    """An elementwise function of two arrays, or of an array and a number that takes its element type."""
    a, b = operands(name, x1, x2, kinds)
    return wrap(function(a, b))


def operands(name: str, x1: Array | Scalar, x2: Array | Scalar, kinds: str = NUMERIC + BOOL) -> tuple[Any, Any]:
    """Two arrays whose element types have a common one, or an array and a number that can take its element type."""
    if isinstance(x1, Array):
        check_kind(name, x1.dtype, kinds)
        if isinstance(x2, Array):
            check_kind(name, x2.dtype, kinds)
            dtypes.promoted(x1.dtype, x2.dtype)
            return x1._array, x2._array
        dtypes.check_scalar(name, x2, x1.dtype)
        return x1._array, x2
    if not isinstance(x2, Array):
        raise TypeError(f"{name}() takes at least one array of graph_program.tensor_api")
    check_kind(name, x2.dtype, kinds)
    dtypes.check_scalar(name, x1, x2.dtype)
    return x1, x2._array


def floor_quotient(x1: Any, x2: Any) -> Any:
    """The quotient rounded down; where a number is infinite that of the standard, for which NumPy has NaN or -1."""
    result = np.floor_divide(x1, x2)
    if result.dtype.kind != FLOAT:
        return result
    return np.where(np.isinf(x1) | np.isinf(x2), np.floor(np.true_divide(x1, x2)), result)


def operate(name: str, function: Any, x1: Any, x2: Any, kinds: str) -> Array:
    """An operator: other objects may know what to do."""
    if not (_is_operand(x1) and _is_operand(x2)):
        return NotImplemented  # type: ignore[no-any-return]
    return binary(name, function, x1, x2, kinds)


def _is_operand(x: Any) -> bool:
    return isinstance(x, (Array, bool, int, float, complex))


def indices(key: Any) -> Any:
    """An index with NumPy arrays in it."""
    if isinstance(key, tuple):
        return tuple([k._array if isinstance(k, Array) else k for k in key])
    return key._array if isinstance(key, Array) else key


def _require_one(x: Array) -> None:
    if x.size != 1 or x.ndim != 0:
        raise TypeError("only 0-dimensional arrays are Python numbers")


def _require_real(x: Array, name: str) -> None:
    if x.dtype.kind in COMPLEX:
        raise TypeError(f"{name}() takes no complex numbers")


__all__ = ["Array", "Scalar", "binary", "check_device", "elements", "floor_quotient", "unary", "wrap"]
