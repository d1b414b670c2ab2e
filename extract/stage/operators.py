"""Arithmetic, comparison and bit operators: on Python numbers as Python, on anything else as NumPy.

What Python checks, the residual program checks: division by zero, int64 overflow (the language's
ints are int64), negative shift counts, real powers that would be complex.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from graph_program.extract import diagnostics
from graph_program.extract.stage.join import COUNTER_BITS, describe, number_bits
from graph_program.extract.stage.machine import Machine, size_of
from graph_program.extract.stage.use import numeric, settled, tensor, truth_value
from graph_program.extract.stage.values import (
    Range,
    Ref,
    Static,
    Tensor,
    Tuple,
    Value,
    is_numeric,
    is_numeric_static,
    type_of,
)
from graph_program.extract.types import dims
from graph_program.extract.types.errors import TypeRuleError
from graph_program.extract.types.promotion import ufunc_dtypes
from graph_program.extract.types.tensor_type import BOOL, FLOAT64, INT64, Kind, TensorType
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
UNARY: dict[str, tuple[Callable[[Any], Any], np.ufunc, str]] = {
    "-": (operator.neg, np.negative, "neg"),
    "+": (operator.pos, np.positive, "pos"),
    "~": (operator.invert, np.invert, "invert"),
}


def python_text(function: Callable[[], Any]) -> tuple[type[BaseException], str]:
    """The class and text of the exception that this Python version raises."""
    try:
        function()
    except (ArithmeticError, ValueError) as error:
        return type(error), str(error)
    raise AssertionError("nothing was raised")


# ---------------------------------------------------------------- NumPy's meaning


def ufunc(m: Machine, function: np.ufunc, *operands: Value) -> Value:
    """A NumPy ufunc on numbers and arrays: promotion, operation, class of the result."""
    values = [numeric(m, v) for v in operands]
    if all(is_numeric_static(v) for v in values):
        with np.errstate(all="ignore"):
            return Static(function(*(v.value for v in values)))  # type: ignore[attr-defined]
    types = [type_of(v) for v in values]
    try:
        inputs, _ = ufunc_dtypes(function, types)
    except TypeRuleError as error:
        raise m.type_error(error) from None
    name = UFUNCS[function]
    cast = [convert(m, v, d) for v, d in zip(values, inputs, strict=True)]
    rank = max(v.rank for v in cast)
    return m.op(name, *cast, kind=Kind.ARRAY if rank else Kind.NUMPY)


def convert(m: Machine, value: Value, dtype: np.dtype) -> Tensor:
    """A value as an operand of element type `dtype`; a Python int must fit (NEP 50)."""
    if type_of(value).kind is Kind.PYTHON and type_of(value).dtype == INT64 and dtype.kind in "iu":
        check_fits(m, value, dtype)
    return m.cast(value, dtype)


def check_fits(m: Machine, value: Value, dtype: np.dtype) -> None:
    """A Python int out of an element type's range is an OverflowError, as in NumPy."""
    info = np.iinfo(dtype)
    if isinstance(value, Static):
        if not info.min <= value.value <= info.max:
            m.raise_(OverflowError, (f"Python integer {value.value} out of bounds for {dtype.name}",))
        return
    assert isinstance(value, Tensor)
    if info.min <= -(2**value.bits) and 2**value.bits - 1 <= info.max:
        return
    low = compare(m, "<", value, Static(info.min)) if info.min > -(2**63) else Static(False)
    high = compare(m, ">", value, Static(info.max)) if info.max < 2**63 - 1 else Static(False)
    bad = either(m, low, high)
    m.check(bad, OverflowError, "Python integer ", value, f" out of bounds for {dtype.name}")


# ---------------------------------------------------------------- booleans


def either(m: Machine, a: Value, b: Value) -> Value:
    """`a or b` of two bool scalars, both already evaluated."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Static):
            return one if one.value else other
    return m.op("bitwise_or", a, b, kind=Kind.PYTHON)


def both(m: Machine, a: Value, b: Value) -> Value:
    """`a and b` of two bool scalars, both already evaluated."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Static):
            return other if one.value else one
    return m.op("bitwise_and", a, b, kind=Kind.PYTHON)


def negate(m: Machine, value: Value) -> Value:
    """`not value` of a bool scalar."""
    if isinstance(value, Static):
        return Static(not value.value)
    result = m.op("invert", value, kind=Kind.PYTHON)
    result.denied = value
    return result


# ---------------------------------------------------------------- Python's meaning


def is_python_number(value: Value) -> bool:
    return is_numeric(value) and type_of(value).kind is Kind.PYTHON


def arithmetic(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` of two values that are numbers or arrays."""
    if isinstance(a, Static) and isinstance(b, Static):
        return static_binary(m, op, a, b)
    if is_python_number(a) and is_python_number(b):
        return python_arithmetic(m, op, a, b)
    if op == "@":
        from graph_program.extract.stage.numpy.linear import matmul

        return matmul(m, a, b)
    return ufunc(m, BINARY[op][1], a, b)


def static_binary(m: Machine, op: str, a: Static, b: Static) -> Value:
    """`a op b` evaluated now; what it raises, the program raises when it gets there."""
    try:
        with np.errstate(all="ignore"):
            return Static(BINARY[op][0](a.value, b.value))
    except (ArithmeticError, ValueError) as error:
        m.raise_(type(error), (str(error),))
    except TypeError as error:
        raise m.error("GP302", str(error), cls=diagnostics.DTypeError) from None
    raise AssertionError


def python_arithmetic(m: Machine, op: str, a: Value, b: Value) -> Value:
    """Python's own arithmetic on ints, floats and bools, at least one of them in the graph."""
    is_float = any(type_of(v).dtype == FLOAT64 for v in (a, b))
    if op in "&|^" and all(type_of(v).dtype == BOOL for v in (a, b)):
        return m.op({"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}[op], a, b, kind=Kind.PYTHON)
    if op == "@" or (is_float and op in ("&", "|", "^", "<<", ">>")):
        names = [type_of(v).python_class.__name__ for v in (a, b)]
        raise m.error(
            "GP302",
            f"unsupported operand type(s) for {op}: '{names[0]}' and '{names[1]}'",
            cls=diagnostics.DTypeError,
        )
    if op == "/":
        return float_divide(m, a, b)
    return float_arithmetic(m, op, a, b) if is_float else int_arithmetic(m, op, a, b)


def float_divide(m: Machine, a: Value, b: Value) -> Value:
    ints = all(type_of(v).dtype != FLOAT64 for v in (a, b))
    error, text = python_text(lambda: 1 / 0) if ints else python_text(lambda: 1.0 / 0.0)
    return guarded(m, "divide", m.cast(a, FLOAT64), m.cast(b, FLOAT64), error, text)


def guarded(m: Machine, op: str, a: Tensor, b: Tensor, error: type[BaseException], text: str) -> Tensor:
    """A division that raises where the divisor is zero."""
    zero = m.constant(np.zeros((), b.type.dtype))
    if isinstance(b.operand, str):
        m.check(m.op("equal", b, zero, kind=Kind.PYTHON), error, text)
    elif not b.operand.value:
        m.raise_(error, (text,))
    return m.op(op, a, b, kind=Kind.PYTHON)


def float_arithmetic(m: Machine, op: str, a: Value, b: Value) -> Value:
    x, y = m.cast(a, FLOAT64), m.cast(b, FLOAT64)
    if op in ("//", "%"):
        error, text = python_text((lambda: 1.0 // 0.0) if op == "//" else (lambda: 1.0 % 0.0))
        return guarded(m, "floor_divide" if op == "//" else "remainder", x, y, error, text)
    if op == "**":
        return float_power(m, x, y)
    return m.op({"+": "add", "-": "subtract", "*": "multiply"}[op], x, y, kind=Kind.PYTHON)


def float_power(m: Machine, x: Tensor, y: Tensor) -> Value:
    """`x ** y` of floats: complex results are refused at run time, zero and overflow raise."""
    zero = m.constant(np.zeros(()))
    exponent = None if isinstance(y.operand, str) else float(y.operand.value)
    result = m.op("power", x, y, kind=Kind.PYTHON)
    negative = m.op("less", x, zero, kind=Kind.PYTHON)
    if exponent is None or exponent < 0:
        is_zero = m.op("equal", x, zero, kind=Kind.PYTHON)
        below = m.op("less", y, zero, kind=Kind.PYTHON) if exponent is None else Static(True)
        m.check(both(m, is_zero, below), *python_text(lambda: 0.0**-1.0))
    if exponent is None or exponent != int(exponent):
        whole = m.op("equal", y, m.op("floor", y), kind=Kind.PYTHON) if exponent is None else Static(False)
        finite = m.op("isfinite", x, kind=Kind.PYTHON)
        text = "a negative float to a fractional power is complex, which a graph cannot hold"
        m.check(both(m, both(m, negative, finite), negate(m, whole)), ValueError, text)
    finite = both(m, m.op("isfinite", x, kind=Kind.PYTHON), m.op("isfinite", y, kind=Kind.PYTHON))
    overflow = both(m, finite, m.op("isinf", result, kind=Kind.PYTHON))
    m.check(overflow, *python_text(lambda: 10.0**400))
    return result


def int_arithmetic(m: Machine, op: str, a: Value, b: Value) -> Value:
    x, y = m.cast(a, INT64), m.cast(b, INT64)
    if op in ("//", "%"):
        return int_division(m, op, x, y)
    if op == "**":
        return int_power(m, x, y)
    if op in ("<<", ">>"):
        return int_shift(m, op, x, y)
    if op in "&|^":
        name = {"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}[op]
        return tagged(m.op(name, x, y, kind=Kind.PYTHON), max(bits(x), bits(y)), a, b)
    name = {"+": "add", "-": "subtract", "*": "multiply"}[op]
    width = bits(x) + bits(y) if op == "*" else max(bits(x), bits(y)) + 1
    result = tagged(m.op(name, x, y, kind=Kind.PYTHON), min(width, 63), a, b)
    result.size = symbolic(op, size_of(a), size_of(b))
    result.steps = step_of(op, a, b)
    if result.steps:
        result.bits = width = COUNTER_BITS
    if width > 62:
        overflow = multiply_overflow if op == "*" else add_overflow
        m.check(overflow(m, op, x, y, result), OverflowError, OVERFLOW)
    return result


OVERFLOW = "Python int too large for int64 (the ints of a graph program are int64)"


def symbolic(op: str, a: dims.Dim | None, b: dims.Dim | None) -> dims.Dim | None:
    """The symbolic value of `a op b`."""
    if a is None or b is None:
        return None
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    return a * b if op == "*" else None


def bits(value: Tensor) -> int:
    """The width of an int: |value| < 2**bits."""
    return number_bits(value)


STEP = 2**20
"""A loop's int that moves by less than this a round cannot overflow in any time there is."""


def step_of(op: str, a: Value, b: Value) -> str:
    """The loop variable that `a op b` is a small static distance from, if one is."""
    for one, other in ((a, b), (b, a)):
        small = isinstance(other, Static) and abs(other.value) < STEP
        if isinstance(one, Tensor) and one.steps and small and (op == "+" or (op == "-" and one is a)):
            return one.steps
    return ""


def tagged(result: Tensor, width: int, *operands: Value) -> Tensor:
    """A number with its width, and with the loops that, unrolled, would make it static."""
    result.bits = width
    for operand in operands:
        if isinstance(operand, Tensor):
            result.needs |= frozenset(n for n in operand.needs if isinstance(n, int))
    return result


def add_overflow(m: Machine, op: str, x: Tensor, y: Tensor, result: Tensor) -> Value:
    """Did int64 `x + y` or `x - y` wrap: the operands' signs against the result's."""
    left = m.op("bitwise_xor", x, result)
    right = m.op("bitwise_xor", y, result) if op == "+" else m.op("bitwise_xor", x, y)
    both_bits = m.op("bitwise_and", left, right)
    return m.op("less", both_bits, m.constant(np.zeros((), np.int64)), kind=Kind.PYTHON)


def multiply_overflow(m: Machine, op: str, x: Tensor, y: Tensor, result: Tensor) -> Value:
    """Did int64 `x * y` wrap.

    The float64 product is within 2**-52 of the true one, so it decides outside a narrow band around
    2**63; inside the band a wrap changes the sign.
    """
    f = m.op("multiply", m.cast(x, FLOAT64), m.cast(y, FLOAT64))
    size = m.op("absolute", f)
    beyond = m.op("greater", size, m.constant(np.float64(9.3e18)))
    near = m.op("greater", size, m.constant(np.float64(9.1e18)))
    zero_f, zero_i = m.constant(np.zeros(())), m.constant(np.zeros((), np.int64))
    flipped = m.op("not_equal", m.op("less", f, zero_f), m.op("less", result, zero_i))
    return m.op("bitwise_or", beyond, m.op("bitwise_and", near, flipped), kind=Kind.PYTHON)


def int_division(m: Machine, op: str, x: Tensor, y: Tensor) -> Value:
    error, text = python_text((lambda: 1 // 0) if op == "//" else (lambda: 1 % 0))
    result = guarded(m, "floor_divide" if op == "//" else "remainder", x, y, error, text)
    width = bits(x) if op == "//" else bits(y)
    tagged(result, min(width, 63), x, y)
    sizes = size_of(x), size_of(y)
    if op == "//" and sizes[0] is not None and sizes[1] is not None and (sizes[1].constant or 0) != 0:
        result.size = sizes[0] // sizes[1]
    if op == "//" and bits(x) > 62 and (isinstance(y.operand, str) or int(y.operand.value) == -1):
        lowest = m.op("equal", x, m.constant(np.asarray(np.iinfo(np.int64).min)))
        minus = m.op("equal", y, m.constant(np.asarray(-1)))
        m.check(m.op("bitwise_and", lowest, minus, kind=Kind.PYTHON), OverflowError, OVERFLOW)
    return result


def int_power(m: Machine, x: Tensor, y: Tensor) -> Value:
    zero = m.constant(np.zeros((), np.int64))
    if isinstance(y.operand, str):
        text = "int ** negative int is a float in Python; write float(base) ** exponent"
        m.check(m.op("less", y, zero, kind=Kind.PYTHON), ValueError, text)
        y = m.op("maximum", y, zero)
    elif int(y.operand.value) < 0:
        return float_power(m, m.cast(x, FLOAT64), m.cast(y, FLOAT64))
    elif int(y.operand.value) == 2:
        return int_arithmetic(m, "*", m.reclassed(x, Kind.PYTHON), m.reclassed(x, Kind.PYTHON))
    estimate = m.op("power", m.cast(x, FLOAT64), m.cast(y, FLOAT64))
    large = m.op("greater_equal", m.op("absolute", estimate), m.constant(np.float64(2.0**63)), kind=Kind.PYTHON)
    result = tagged(m.op("power", x, y, kind=Kind.PYTHON), 63, x, y)
    m.check(large, OverflowError, OVERFLOW)
    return result


def int_shift(m: Machine, op: str, x: Tensor, y: Tensor) -> Value:
    zero = m.constant(np.zeros((), np.int64))
    m.check(python_number_test(m, "less", y, zero), ValueError, "negative shift count")
    if op == ">>":
        return tagged(m.op("right_shift", x, y, kind=Kind.PYTHON), bits(x), x, y)
    result = tagged(m.op("left_shift", x, y, kind=Kind.PYTHON), 63, x, y)
    back = m.op("right_shift", result, y)
    m.check(m.op("not_equal", back, x, kind=Kind.PYTHON), OverflowError, OVERFLOW)
    return result


def python_number_test(m: Machine, op: str, x: Tensor, y: Tensor) -> Value:
    """A comparison of int64 scalars, decided now where both are known."""
    if not isinstance(x.operand, str) and not isinstance(y.operand, str):
        return Static(bool(getattr(np, op)(x.operand.value, y.operand.value)))
    return m.op(op, x, y, kind=Kind.PYTHON)


def compare(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` of two values that are numbers or arrays."""
    function, np_function, _, _ = COMPARE[op]
    if isinstance(a, Static) and isinstance(b, Static):
        try:
            return Static(function(a.value, b.value))
        except TypeError as error:
            raise m.error("GP302", str(error), cls=diagnostics.DTypeError) from None
    if is_python_number(a) and is_python_number(b):
        decided = decide(op, size_of(a), size_of(b))
        if decided is not None:
            return Static(decided)
        is_float = any(type_of(v).dtype == FLOAT64 for v in (a, b))
        is_bool = all(type_of(v).dtype == BOOL for v in (a, b)) and op in ("==", "!=")
        dtype = FLOAT64 if is_float else BOOL if is_bool else INT64
        return m.op(np_function.__name__, m.cast(a, dtype), m.cast(b, dtype), kind=Kind.PYTHON)
    return ufunc(m, np_function, a, b)


def decide(op: str, a: dims.Dim | None, b: dims.Dim | None) -> bool | None:
    """The truth of a comparison of sizes, where it is the same for all sizes."""
    from graph_program.extract.types.shapes import dim_decide

    return None if a is None or b is None else dim_decide(op, a, b)


# ---------------------------------------------------------------- any values


def binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` of any two values."""
    from graph_program.extract.stage import objects

    a, b = settled(m, a), settled(m, b)
    custom = objects.operator_method(m, BINARY[op][2], a, b)
    if custom is not None:
        return custom
    sequence = objects.sequence_operator(m, op, a, b)
    if sequence is not None:
        return sequence
    if isinstance(a, Static) and isinstance(b, Static) and not _arrays(a, b):
        return static_binary(m, op, a, b)
    return arithmetic(m, op, numeric(m, a), numeric(m, b))


def _arrays(*values: Static) -> bool:
    return any(isinstance(v.value, np.ndarray | list | tuple) for v in values)


def unary(m: Machine, op: str, value: Value) -> Value:
    """`-x`, `+x`, `~x`, `not x`."""
    from graph_program.extract.stage import objects

    if op == "not":
        return negate(m, truth_value(m, value))
    value = settled(m, value)
    function, np_function, name = UNARY[op]
    custom = objects.unary_method(m, name, value)
    if custom is not None:
        return custom
    value = numeric(m, value)
    if isinstance(value, Static):
        try:
            return Static(function(value.value))
        except TypeError as error:
            raise m.error("GP302", str(error), cls=diagnostics.DTypeError) from None
    assert isinstance(value, Tensor)
    if not value.is_python:
        return positive(m, value) if op == "+" else ufunc(m, np_function, value)
    return python_unary(m, op, value)


def positive(m: Machine, value: Tensor) -> Value:
    """`+x`: a new array with the same elements."""
    return m.copied(value) if value.is_array else value


def python_unary(m: Machine, op: str, value: Tensor) -> Value:
    if value.type.dtype == FLOAT64:
        if op == "~":
            raise m.error("GP302", "bad operand type for unary ~: 'float'", cls=diagnostics.DTypeError)
        return value if op == "+" else m.op("negative", value, kind=Kind.PYTHON)
    number = m.cast(value, INT64)
    if op == "+":
        return number
    if op == "~":
        return tagged(m.op("invert", number, kind=Kind.PYTHON), bits(number), value)
    return int_arithmetic(m, "-", Static(0), value)


def comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` for `< <= > >= == != is in` and their negations, of any values."""
    from graph_program.extract.stage import objects

    if op in ("is", "is not"):
        result = objects.identical(m, a, b)
        return negate(m, result) if op == "is not" else result
    a, b = settled(m, a), settled(m, b)
    if op in ("in", "not in"):
        result = objects.contains(m, b, a)
        return negate(m, result) if op == "not in" else result
    custom = objects.comparison_method(m, op, a, b)
    if custom is not None:
        return custom
    if isinstance(a, Static) and isinstance(b, Static) and not _arrays(a, b):
        return compare(m, op, a, b)
    return compare(m, op, numeric(m, a), numeric(m, b))


__all__ = [
    "BINARY",
    "COMPARE",
    "Range",
    "Ref",
    "TensorType",
    "Tuple",
    "arithmetic",
    "binary",
    "compare",
    "comparison",
    "describe",
    "either",
    "negate",
    "tensor",
    "ufunc",
    "unary",
]
