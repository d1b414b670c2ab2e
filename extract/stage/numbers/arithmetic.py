"""Arithmetic and comparison of numbers and arrays: Python's of Python numbers, NumPy's of anything else.

What Python checks, the residual program checks: division by zero, int64 overflow (the language's ints are int64),
negative shift counts, real powers that would be complex.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.checks.booleans import either
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import complex_numbers, exact_comparisons
from graph_program.extract.stage.numbers.python_numbers import is_python_number, python_arithmetic
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.questions import are_known, is_array_of_graph, is_known, known_value
from graph_program.extract.stage.values.structure import SIZE_BITS
from graph_program.extract.stage.values.values import Static, Tensor, Value, size_of, type_of
from graph_program.extract.types import dims
from graph_program.extract.types.rules.facts import condition
from graph_program.extract.types.tensors.promotion import ufunc_dtypes
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, INT64, Kind
from graph_program.tensor_api.numpy_names import UFUNCS

BINARY: dict[str, tuple[Callable[[Any, Any], Any], np.ufunc, str]] = {
    "+": (operator.add, np.add, "add"),
    "-": (operator.sub, np.subtract, "sub"),
    "*": (operator.mul, np.multiply, "mul"),
    "/": (operator.truediv, np.true_divide, "truediv"),
    "//": (operator.floordiv, np.floor_divide, "floordiv"),
    "%": (operator.mod, np.remainder, "mod"),
    "**": (operator.pow, np.power, "pow"),
    "@": (operator.matmul, np.matmul, "matmul"),
    "&": (operator.and_, np.bitwise_and, "and"),
    "|": (operator.or_, np.bitwise_or, "or"),
    "^": (operator.xor, np.bitwise_xor, "xor"),
    "<<": (operator.lshift, np.left_shift, "lshift"),
    ">>": (operator.rshift, np.right_shift, "rshift"),
}


COMPARE: dict[str, tuple[Callable[[Any, Any], Any], np.ufunc, str, str]] = {
    "<": (operator.lt, np.less, "lt", "gt"),
    "<=": (operator.le, np.less_equal, "le", "ge"),
    ">": (operator.gt, np.greater, "gt", "lt"),
    ">=": (operator.ge, np.greater_equal, "ge", "le"),
    "==": (operator.eq, np.equal, "eq", "eq"),
    "!=": (operator.ne, np.not_equal, "ne", "ne"),
}


COMPARISONS = frozenset(np_function for _, np_function, _, _ in COMPARE.values())


UNARY: dict[str, tuple[Callable[[Any], Any], np.ufunc, str]] = {
    "-": (operator.neg, np.negative, "neg"),
    "+": (operator.pos, np.positive, "pos"),
    "~": (operator.invert, np.invert, "invert"),
}

NUMBER_BITS = 31
"""Numbers of what a program writes out are less than 2 to this power."""


def ufunc(m: Machine, function: np.ufunc, *operands: Value) -> Value:
    """A NumPy ufunc on numbers and arrays: promotion, operation, class of the result."""
    values = [entries.numeric(m, v) for v in operands]
    types = [type_of(v) for v in values]
    inputs, _ = m.by_rule(ufunc_dtypes, function, types)
    if function in COMPARISONS:
        beyond = compared_beyond(m, function, values, inputs)
        if beyond is None and len(set(inputs)) == 2:
            beyond = compared_with_unsigned(m, function, values, inputs)
        if beyond is not None:
            return beyond
        inputs = compared_as(values, inputs)
    name = UFUNCS[function]
    cast = [convert(m, v, d) for v, d in zip(values, inputs, strict=True)]
    if function is np.power and inputs[0].kind == "i":
        check_power(m, *cast)
    rank = max(v.rank for v in cast)
    return m.op(name, *cast, kind=Kind.ARRAY if rank else Kind.NUMPY)


def compared_beyond(
    m: Machine, function: np.ufunc, values: Sequence[Value], dtypes: Sequence[np.dtype]
) -> Tensor | None:
    """A comparison of integers with a Python int that no int64, or none of them, is equal to; None for any other.

    NumPy compares by value: all of them are on one side of it.
    """
    dtype = dtypes[0]
    ints = [(i, v) for i, v in enumerate(values) if is_python_int(v)]
    if dtype.kind not in "iu" or len(ints) != 1:
        return None
    place, number = ints[0]
    if dtype.itemsize < INT64.itemsize and fits(number, INT64):
        return None
    if fits(number, dtype) or (not is_known(number) and dtype.kind == "i"):
        return None
    array = m.cast(values[1 - place], dtype)
    kind = Kind.ARRAY if array.rank else Kind.NUMPY

    def found(below: bool) -> Tensor:
        """What every comparison gives, of arrays of any shape."""
        holds = function(*((0, 1) if below == (place == 0) else (1, 0)))
        return m.op("equal" if holds else "not_equal", array, array, kind=kind)

    if is_known(number):
        return found(number.value < 0)
    zero = m.constant(np.zeros((), INT64))
    low = m.op("less", number, zero)
    held = m.cast(m.op("maximum", number, zero), dtype)
    plain = (held, array) if place == 0 else (array, held)
    return m.op("where", low, found(True), m.op(UFUNCS[function], *plain, kind=kind), kind=kind)


def compared_with_unsigned(
    m: Machine, function: np.ufunc, values: Sequence[Value], dtypes: Sequence[np.dtype]
) -> Tensor:
    """A comparison of int64 with uint64, which NumPy does by value: no type of integers has all of both."""
    cast = [m.cast(v, d, None if type_of(v).rank else Kind.NUMPY) for v, d in zip(values, dtypes, strict=True)]
    place = 0 if dtypes[0].kind == "i" else 1
    kind = Kind.ARRAY if max(v.rank for v in cast) else Kind.NUMPY
    zero = m.constant(np.zeros((), INT64))
    below = m.op("less", cast[place], zero, kind=cast[place].type.kind)
    cast[place] = m.cast(m.op("maximum", cast[place], zero, kind=cast[place].type.kind), dtypes[1 - place])
    found = m.constant(np.asarray(bool(function(*((-1, 0) if place == 0 else (0, -1))))))
    return m.op("where", below, found, m.op(UFUNCS[function], *cast, kind=kind), kind=kind)


def compared_as(values: Sequence[Value], dtypes: tuple[np.dtype, ...]) -> tuple[np.dtype, ...]:
    """The element types of a comparison: NumPy compares integers with Python ints that do not fit by value."""
    narrow = dtypes[0].kind in "iu" and dtypes[0].itemsize < INT64.itemsize
    fit = all(fits(v, d) for v, d in zip(values, dtypes, strict=True) if is_python_int(v)) if narrow else True
    return dtypes if fit else (INT64,) * len(dtypes)


def check_power(m: Machine, base: Tensor, exponent: Tensor) -> None:
    """NumPy refuses negative powers of integers, if there is any element to compute."""
    if isinstance(exponent.operand, Const) and (exponent.operand.value >= 0).all():
        return
    negative = m.op("less", exponent, m.constant(np.zeros((), exponent.type.dtype)))
    used = m.op("bitwise_and", m.op("equal", base, base), negative)  # in the order that a mismatch is told
    bad = registry.METHODS["any"](m, [used], {})
    m.check(
        m.reclassed(bad, Kind.PYTHON) if isinstance(bad, Tensor) else bad,
        ValueError,
        "Integers to negative integer powers are not allowed.",
    )


def convert(m: Machine, value: Value, dtype: np.dtype) -> Tensor:
    """A value as an operand of element type `dtype`; a Python int must fit (NEP 50)."""
    if is_python_int(value) and dtype.kind in "iu":
        check_fits(m, value, dtype)
    elif is_python_int(value) and is_known(value) and not fits(value, INT64) and dtype.kind in "fc":
        value = static_float(m, value)
    return m.cast(value, dtype)


def static_float(m: Machine, value: Static) -> Static:
    """A Python int that no int64 is equal to, as the float that NumPy makes of it."""
    try:
        return Static(float(value.value))
    except OverflowError as error:
        m.raise_(OverflowError, (str(error),))


def is_python_int(value: Value) -> bool:
    """Whether a number is a Python int."""
    return type_of(value).kind is Kind.PYTHON and type_of(value).dtype == INT64


def fits(value: Value, dtype: np.dtype) -> bool:
    """Whether a Python int is known to be in an element type's range."""
    info = np.iinfo(dtype)
    if is_known(value):
        return bool(info.min <= value.value <= info.max)
    return bool(info.min <= -(2**value.bits) and 2**value.bits - 1 <= info.max)


def check_fits(m: Machine, value: Value, dtype: np.dtype) -> None:
    """A Python int out of an element type's range is an OverflowError, as in NumPy."""
    if fits(value, dtype):
        return
    if is_known(value):
        m.raise_(OverflowError, (f"Python integer {value.value} out of bounds for {dtype.name}",))
    info = np.iinfo(dtype)
    low = compare(m, "<", value, Static(info.min)) if info.min > -(2**63) else Static(False)
    high = compare(m, ">", value, Static(info.max)) if info.max < 2**63 - 1 else Static(False)
    bad = either(m, low, high)
    m.check(bad, OverflowError, "Python integer ", value, f" out of bounds for {dtype.name}")


@forward
def matmul(m: Machine, x1: Value, x2: Value) -> Value:
    """`x1 @ x2`."""


@entries.arithmetic.given
def arithmetic(m: Machine, op: str, a: Value, b: Value) -> Value:
    if are_known((a, b)):
        return static_binary(m, op, a, b)
    if is_python_number(a) and is_python_number(complex_numbers.beside(m, a, b)):
        return python_arithmetic(m, op, a, complex_numbers.beside(m, a, b))
    if op == "@":
        return matmul(m, a, b)
    if op == "**" and is_square_of_bool(a, b):
        narrow = m.cast(a, np.dtype(np.int8))
        return ufunc(m, np.multiply, narrow, narrow)
    return ufunc(m, BINARY[op][1], a, b)


def is_square_of_bool(a: Value, b: Value) -> bool:
    """`x ** 2` of booleans, for which NumPy takes `np.square`: the result is int8; that of `np.power` is int64."""
    exponent = known_value(b)
    return type(exponent) is int and exponent == 2 and is_array_of_graph(a) and a.type.dtype == bool


def static_binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` evaluated now; what it raises, the program raises when it gets there."""
    try:
        with np.errstate(all="ignore"):
            return Static(m.by_python(BINARY[op][0], known_value(a), known_value(b)))
    except (ArithmeticError, ValueError) as error:
        m.raise_(type(error), (str(error),))


def compare(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` of two values that are numbers or arrays."""
    function, np_function, _, _ = COMPARE[op]
    if are_known((a, b)):
        return Static(m.by_python(function, known_value(a), known_value(b)))
    if is_python_number(a) and is_python_number(complex_numbers.beside(m, a, b)):
        b = complex_numbers.beside(m, a, b)
        if any(type_of(v).is_complex for v in (a, b)):
            return complex_numbers.compare(m, op, a, b)
        sizes = size_of(a), size_of(b)
        decided = decide(m, op, *sizes)
        if decided is not None:
            return Static(decided)
        if exact_comparisons.may_round(a, b):
            return exact_comparisons.compare_exactly(m, np_function.__name__, a, b)
        is_float = any(type_of(v).dtype == FLOAT64 for v in (a, b))
        is_bool = all(type_of(v).dtype == BOOL for v in (a, b)) and op in ("==", "!=")
        dtype = FLOAT64 if is_float else BOOL if is_bool else INT64
        result = m.op(np_function.__name__, m.cast(a, dtype), m.cast(b, dtype), kind=Kind.PYTHON)
        if sizes[0] is not None and sizes[1] is not None:
            result.compares = condition(op, sizes[0], sizes[1])
        return result
    return ufunc(m, np_function, a, b)


def decide(m: Machine, op: str, a: dims.Dim | None, b: dims.Dim | None) -> bool | None:
    """The truth of a comparison of sizes, where it is the same for all sizes that are possible here."""
    return None if a is None or b is None else m.facts.decide(op, a, b)


def select_int(m: Machine, test: Value, a: Value, b: Value, bits: int = 63) -> Value:
    """`a if test else b` of two ints, both already evaluated; their magnitude is less than `2**bits`."""
    if is_known(test):
        return a if test.value else b
    result = m.op("where", test, m.cast(a, INT64), m.cast(b, INT64), kind=Kind.PYTHON)
    result.bits = bits
    return result


def select_array(m: Machine, test: Value, x: Tensor, y: Tensor) -> Tensor:
    """`x if test else y` of two arrays of one element type, both already evaluated."""
    if is_known(test):
        return x if test.value else y
    return m.op("where", test, x, y)


def first_holding(m: Machine, candidates: Sequence[tuple[int, Value]], otherwise: Value) -> Value:
    """The number, such as a position, that stands with the first test that holds."""
    for number, test in reversed(candidates):
        otherwise = select_int(m, test, Static(number), otherwise, NUMBER_BITS)
    return otherwise


def slice_bound(m: Machine, bound: Value, length: Value, low: Value, high: Value) -> Tensor:
    """A bound of a slice as a position from `low` to `high`; a negative one counts from the end."""
    negative = compare(m, "<", bound, Static(0))
    from_end = m.op("add", m.cast(bound, INT64), m.cast(length, INT64), kind=Kind.PYTHON)
    position = select_int(m, negative, from_end, bound)
    raised = m.op("maximum", m.cast(position, INT64), m.cast(low, INT64), kind=Kind.PYTHON)
    result = m.op("minimum", raised, m.cast(high, INT64), kind=Kind.PYTHON)
    result.bits = SIZE_BITS
    return result


def positive(m: Machine, value: Tensor) -> Value:
    """`+x`: a new array with the same elements."""
    return m.copied(value) if value.is_array else value
