"""Conversions between classes of numbers: `int(x)`, `float(x)`, `bool(x)`, indices, real arguments.

int(x) of a float      ->   check isnan(x): ValueError        t = cast(trunc(x), int64)
                            check isinf(x): OverflowError
                            check x beyond int64: OverflowError
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from graph_program.extract.stage.machine import emission
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic, python_numbers
from graph_program.extract.stage.operations.of_numbers.number_protocol import converted, type_error
from graph_program.extract.stage.operations.static_evaluation import OPAQUE, call_now, python_object, try_now
from graph_program.extract.stage.paths.several import member_numbers, mixed_numbers
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.questions import is_array_of_graph, is_known, is_known_as, is_optional
from graph_program.extract.stage.values.structure import class_name
from graph_program.extract.stage.values.values import Static, Tensor, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, INT64, Kind, TensorType

LIMIT = 2.0**63


def is_array(m: Machine, value: Value) -> bool:
    """Whether a value is an `np.ndarray`: of the graph, or captured."""
    return value.is_array or m.is_captured_array(value)


def number(m: Machine, value: Value, refusal: str, real: bool = True) -> Value:
    """A number, or an array of one element as NumPy converts it; else a TypeError, whose text names the class.

    A complex one is none that a `real` one can be made of.
    """
    value = entries.settled(m, value)
    if is_optional(value):
        return entries.numeric(m, value)
    if is_known_as(value, Fraction | Decimal):
        return Static(call_now(m, float, (value.value,)))
    if not (is_numeric(value) or is_array(m, value)):
        raise type_error(m, refusal.format(class_name(value)))
    value = entries.numeric(m, value)
    if real and type_of(value).is_complex and isinstance(value, Tensor):
        if value.is_python:
            raise type_error(m, refusal.format(class_name(value)))
        emission.require_complex(m, value.type.dtype, FLOAT64)
    return scalar_element(m, value) if is_array_of_graph(value) and value.rank else value


def scalar_element(m: Machine, value: Tensor) -> Tensor:
    """The element of an array with one element, where the installed NumPy converts it to a number."""
    sizes = [d.constant for d in value.type.shape]
    if all(n == 1 for n in sizes) and _converts_one_element():
        return m.op("reshape", value)
    raise type_error(m, python_text(lambda: int(np.ones(2)))[1], "index the array, or reduce it")


def _converts_one_element() -> bool:
    """NumPy 2.0 to 2.3 convert `np.ones(1)` with a deprecation; later ones refuse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            int(np.ones(1))
        except TypeError:
            return False
    return True


# ---------------------------------------------------------------- int


def to_int(
    m: Machine,
    value: Tensor,
    rounding: str = "trunc",
    too_large: Callable[[Machine, Value], None] = python_numbers.overflow_where,
) -> Value:
    """A scalar of the graph as a Python int; floats are rounded by the operation `rounding`.

    What is `too_large` for 64 bits is a limit of ours, unless Python has one there as well.
    """
    dtype = value.type.dtype
    if dtype == BOOL or dtype.kind in "iu":
        if dtype == np.uint64:
            limit = m.constant(np.asarray(2**63, np.uint64))
            too_large(m, m.op("greater_equal", value, limit, kind=Kind.PYTHON))
        result = m.cast(value, INT64, Kind.PYTHON)
        width = 1 if dtype == BOOL else min(63, 8 * dtype.itemsize - (dtype.kind == "i"))
        if result is not value:
            python_numbers.tagged(result, min(width, value.bits), value)
        return result
    x = m.cast(value, FLOAT64)
    m.check(m.op("isnan", x, kind=Kind.PYTHON), *python_text(lambda: int(float("nan"))))
    m.check(m.op("isinf", x, kind=Kind.PYTHON), *python_text(lambda: int(float("inf"))))
    x = m.op(rounding, x)
    high = m.op("greater_equal", x, m.constant(np.asarray(LIMIT)), kind=Kind.PYTHON)
    low = m.op("less", x, m.constant(np.asarray(-LIMIT)), kind=Kind.PYTHON)
    too_large(m, booleans.either(m, high, low))
    return m.cast(x, INT64, Kind.PYTHON)


def as_element(m: Machine, value: Value, dtype: np.dtype[Any]) -> Tensor:
    """A number or array as contents of an array of element type `dtype`.

    NumPy asks a single number for its `int` and refuses what does not fit, as it does for `x[0] = nan`;
    arrays, and NumPy's own numbers that go into unsigned integers, wrap instead.
    """
    type_ = type_of(value)
    if may_raise(type_, dtype) and (type_.kind, type_.dtype) != (Kind.PYTHON, INT64):
        if dtype == np.uint64:
            return m.reclassed(_to_uint64(m, value), Kind.NUMPY)
        value = try_now(m, int, value) or to_int(m, entries.tensor(m, value), too_large=_too_large_for_c)
    contents = arithmetic.convert(m, value, dtype)
    return contents if contents.is_array else m.reclassed(contents, Kind.NUMPY)


def _too_large_for_c(m: Machine, bad: Value) -> None:
    m.check(bad, OverflowError, "Python int too large to convert to C long")


def may_raise(type_: TensorType, dtype: np.dtype[Any]) -> bool:
    """Whether NumPy refuses some numbers of a type as elements of type `dtype`."""
    wraps = type_.kind is Kind.ARRAY or (type_.kind is Kind.NUMPY and dtype.kind == "u")
    fits = type_.dtype.kind in "biu" and np.can_cast(type_.dtype, dtype)
    return dtype.kind in "iu" and type_.dtype.kind != "c" and not wraps and not fits


def _to_uint64(m: Machine, value: Value) -> Tensor:
    """A Python float as an element of type uint64, whose numbers are not all ints of the graph."""
    x, zero = m.cast(value, FLOAT64), m.constant(np.zeros(()))
    negative = to_int(m, m.op("minimum", x, zero), too_large=_too_large_for_c)  # NaN stays
    arithmetic.check_fits(m, negative, np.dtype(np.uint64))
    high = m.op("greater_equal", x, m.constant(np.asarray(2 * LIMIT)), kind=Kind.PYTHON)
    m.check(m.op("isinf", x, kind=Kind.PYTHON), *python_text(lambda: int(float("inf"))))
    _too_large_for_c(m, high)
    return m.cast(x, np.dtype(np.uint64))


def may_not_fit(value: Value, dtype: np.dtype[Any]) -> bool:
    """Whether a number may be one that an array of integers refuses."""
    if dtype.kind not in "iu" or not is_numeric(value) or type_of(value).kind is Kind.ARRAY:
        return False
    if arithmetic.is_python_int(value):
        return not arithmetic.fits(value, dtype)
    return not np.can_cast(type_of(value).dtype, dtype)


def int_of(m: Machine, value: Value) -> Value:
    """`int(value)`."""
    value = number(m, value, "int() argument must be a string, a bytes-like object or a real number, not '{}'")
    return try_now(m, int, value) or to_int(m, entries.tensor(m, value))


def index_of(m: Machine, value: Value) -> Value:
    """`operator.index(value)`: what `range`, `round` and shapes take."""
    value = entries.settled(m, mixed_numbers.as_integer(m, member_numbers.number(m, own_index(m, value))))
    known = python_object(m, value)
    if known is not OPAQUE:
        return Static(call_now(m, operator.index, (known,)))
    if is_array(m, value) or is_optional(value):
        value = entries.numeric(m, value)
    if not isinstance(value, Tensor):
        raise type_error(m, f"'{class_name(value)}' object cannot be interpreted as an integer")
    if value.rank or (value.is_array and value.type.dtype.kind not in "iu"):
        raise type_error(m, "only integer scalar arrays can be converted to a scalar index")
    weak_bool = value.is_python and value.type.dtype == BOOL
    if not weak_bool and value.type.dtype.kind not in "iu":
        raise type_error(m, f"'{class_name(value)}' object cannot be interpreted as an integer")
    return to_int(m, value)


def own_index(m: Machine, value: Value) -> Value:
    """What `__index__` of the user's class gives; a value without one as it is."""
    return converted(m, operator.index, value) or value


def list_position(m: Machine, key: Value) -> Value:
    """An index of a list, or a slice; what is neither is refused in Python's words."""
    key = own_index(m, key)
    cls = user_classes.class_of(key)
    if is_numeric(key):
        is_index = type_of(key).kind is Kind.ARRAY or type_of(key).dtype.kind in "biu"
    else:
        is_index = cls in (None, np.ndarray) or hasattr(cls, "__index__")
    if not is_index:
        raise type_error(m, f"list indices must be integers or slices, not {class_name(key)}")
    return key


# ---------------------------------------------------------------- float


def float_of(m: Machine, value: Value) -> Value:
    """`float(value)`."""
    value = number(m, value, "float() argument must be a string or a real number, not '{}'")
    return try_now(m, float, value) or m.cast(value, FLOAT64, Kind.PYTHON)


def real(m: Machine, value: Value) -> Value:
    """An argument of a `math` function: a static number, or a Python float in the graph."""
    value = number(m, converted(m, float, value) or value, "must be real number, not {}")
    if is_known(value):
        return value
    return m.cast(value, FLOAT64, Kind.PYTHON)


def is_python_int(value: Value) -> bool:
    """Whether a value is a Python int or bool."""
    return is_numeric(value) and type_of(value).kind is Kind.PYTHON and type_of(value).dtype != FLOAT64
