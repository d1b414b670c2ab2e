"""Arithmetic on Python's own numbers: ints that must not overflow, floats that raise.

What Python checks, the residual program checks: division by zero, negative shift counts.  Where Python goes
on and a program cannot, the call ends: at ints that outgrow int64, and at powers of another class.
"""

from __future__ import annotations

import math

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.machine.checks.booleans import both, negate
from graph_program.extract.stage.machine.checks.size_facts import counts_elements
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import complex_numbers
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.questions import is_known, known_value
from graph_program.extract.stage.values.structure import number_bits
from graph_program.extract.stage.values.values import Static, Tensor, Value, is_numeric, size_of, type_of
from graph_program.extract.types.dims import MAX_WEIGHT, Dim, dim
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, INT64, Kind


def is_python_number(value: Value) -> bool:
    return is_numeric(value) and type_of(value).kind is Kind.PYTHON


def python_arithmetic(m: Machine, op: str, a: Value, b: Value) -> Value:
    """Python's own arithmetic on ints, floats and bools, at least one of them in the graph."""
    if any(type_of(v).is_complex for v in (a, b)):
        return complex_numbers.arithmetic(m, op, a, b)
    is_float = any(type_of(v).dtype == FLOAT64 for v in (a, b))
    if op in "&|^" and all(type_of(v).dtype == BOOL for v in (a, b)):
        return m.op({"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}[op], a, b, kind=Kind.PYTHON)
    if op == "@" or (is_float and op in ("&", "|", "^", "<<", ">>")):
        names = [type_of(v).python_class.__name__ for v in (a, b)]
        raise m.error("GP302", f"unsupported operand type(s) for {op}: '{names[0]}' and '{names[1]}'")
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
    """`x ** y` of floats: complex results are refused at run time, zero and overflow raise.

    An exponent that is infinite or NaN raises nothing, whatever the base.
    """
    zero = m.constant(np.zeros(()))
    exponent = None if isinstance(y.operand, str) else float(y.operand.value)
    result = m.op("power", x, y, kind=Kind.PYTHON)
    if exponent is not None and not math.isfinite(exponent):
        return result
    negative = m.op("less", x, zero, kind=Kind.PYTHON)
    finite = m.op("isfinite", y, kind=Kind.PYTHON) if exponent is None else Static(True)
    if exponent is None or exponent < 0:
        is_zero = m.op("equal", x, zero, kind=Kind.PYTHON)
        below = both(m, m.op("less", y, zero, kind=Kind.PYTHON), finite) if exponent is None else Static(True)
        m.check(both(m, is_zero, below), *python_text(lambda: 0.0**-1.0))
    operands = both(m, m.op("isfinite", x, kind=Kind.PYTHON), finite)
    if exponent is None or exponent != int(exponent):
        whole = m.op("equal", y, m.op("floor", y), kind=Kind.PYTHON) if exponent is None else Static(False)
        text = "a negative float to a fractional power is complex"
        m.limit(both(m, both(m, negative, operands), negate(m, whole)), "GP586", text, hint="write complex(x) ** y")
    overflow = both(m, operands, m.op("isinf", result, kind=Kind.PYTHON))
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
        masks = [known_value(v, -1).bit_length() for v in (a, b) if op == "&" and known_value(v, -1) >= 0]
        width = min(masks, default=max(number_bits(x), number_bits(y)))
        return tagged(m.op(name, x, y, kind=Kind.PYTHON), width, a, b)
    name = {"+": "add", "-": "subtract", "*": "multiply"}[op]
    width = number_bits(x) + number_bits(y) if op == "*" else max(number_bits(x), number_bits(y)) + 1
    result = tagged(m.op(name, x, y, kind=Kind.PYTHON), min(width, 63), a, b)
    result.steps, result.inside = step_of(op, a, b), span_of(op, a, b)
    if result.steps:
        result.bits = width = COUNTER_BITS
    if op == "*" and width > 62 and counts_elements(m, result.size):
        result.bits = width = 62
    if width > 62:
        wrapped = multiply_overflow if op == "*" else add_overflow
        overflow_where(m, wrapped(m, op, x, y, result))
    return result


def overflow_where(m: Machine, bad: Value) -> None:
    """End the call where an int has outgrown 64 bits: Python's has not."""
    text = "Python int too large for int64 (the ints of a graph program are int64)"
    hint = "compute with floats, or in a function marked with @host_function"
    m.limit(bad, "GP591", text, hint=hint, cls=diagnostics.IntegerLimitError)


COUNTER_BITS = 60
"""The width of an int that a loop counts."""
STEP_BITS = 20
"""A loop's int that moves by a number of so many bits in a round cannot overflow in any time there is."""


def step_of(op: str, a: Value, b: Value) -> frozenset[str]:
    """The loop variables that `a op b` is a small distance from."""
    for one, other in ((a, b), (b, a)):
        if one.steps and number_bits(other) <= STEP_BITS and (op == "+" or (op == "-" and one is a)):
            return one.steps
    return frozenset()


def span_of(op: str, a: Value, b: Value) -> tuple[Dim, Dim] | None:
    """The least and the greatest value of `a op b`, where they are known as sizes."""
    x, y = span(a), span(b)
    if x is None or y is None or op not in "+-":
        return None
    low, high = (x[0] + y[0], x[1] + y[1]) if op == "+" else (x[0] - y[1], x[1] - y[0])
    return (low, high) if max(low.weight, high.weight) <= MAX_WEIGHT else None


def span(value: Value) -> tuple[Dim, Dim] | None:
    """The least and the greatest value of an int, where they are known as sizes."""
    if value.inside is not None:
        return value.inside
    size = size_of(value)
    return None if size is None else (size, size)


def as_int(m: Machine, value: Value) -> Value:
    """An integer as one of Python's; one that is known stays known."""
    return Static(int(value.value)) if is_known(value) else m.cast(value, INT64, Kind.PYTHON)


def tagged(result: Tensor, width: int, *operands: Value) -> Tensor:
    """A number with its width, and with the loops that, unrolled, would make it static."""
    result.bits = width
    for operand in operands:
        result.needs |= frozenset(n for n in operand.needs if isinstance(n, int))
    return result


def known_with(number: Value, k: Value) -> Value:
    """A number made of another one: what makes that known makes it known, too."""
    if isinstance(number, Tensor):
        number.needs |= k.needs
    return number


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
    beyond = m.op("greater", size, m.constant(np.asarray(9.3e18)))
    near = m.op("greater", size, m.constant(np.asarray(9.1e18)))
    zero_f, zero_i = m.constant(np.zeros(())), m.constant(np.zeros((), np.int64))
    flipped = m.op("not_equal", m.op("less", f, zero_f), m.op("less", result, zero_i))
    return m.op("bitwise_or", beyond, m.op("bitwise_and", near, flipped), kind=Kind.PYTHON)


def int_division(m: Machine, op: str, x: Tensor, y: Tensor) -> Value:
    error, text = python_text((lambda: 1 // 0) if op == "//" else (lambda: 1 % 0))
    result = guarded(m, "floor_divide" if op == "//" else "remainder", x, y, error, text)
    width = number_bits(x) if op == "//" else number_bits(y)
    tagged(result, min(width, 63), x, y)
    sizes = size_of(x), size_of(y)
    if sizes[0] is not None and sizes[1] is not None and sizes[1] != dim(0):
        # Division by zero has been refused above.
        result.size = sizes[0] // sizes[1] if op == "//" else sizes[0] % sizes[1]
    if op == "//" and number_bits(x) > 62 and (isinstance(y.operand, str) or int(y.operand.value) == -1):
        lowest = m.op("equal", x, m.constant(np.asarray(np.iinfo(np.int64).min)))
        minus = m.op("equal", y, m.constant(np.asarray(-1)))
        overflow_where(m, m.op("bitwise_and", lowest, minus, kind=Kind.PYTHON))
    return result


def int_power(m: Machine, x: Tensor, y: Tensor) -> Value:
    zero = m.constant(np.zeros((), np.int64))
    if isinstance(y.operand, str):
        zero_base = both(m, m.op("equal", x, zero, kind=Kind.PYTHON), m.op("less", y, zero, kind=Kind.PYTHON))
        m.check(zero_base, *python_text(lambda: 0**-1))
        text, hint = "an int to the power of a negative int is a float", "write float(base) ** exponent"
        m.limit(m.op("less", y, zero, kind=Kind.PYTHON), "GP592", text, hint=hint)
        y = m.op("maximum", y, zero)
    elif int(y.operand.value) < 0:
        return float_power(m, m.cast(x, FLOAT64), m.cast(y, FLOAT64))
    elif int(y.operand.value) == 2:
        return int_arithmetic(m, "*", m.reclassed(x, Kind.PYTHON), m.reclassed(x, Kind.PYTHON))
    estimate = m.op("power", m.cast(x, FLOAT64), m.cast(y, FLOAT64))
    large = m.op("greater_equal", m.op("absolute", estimate), m.constant(np.asarray(2.0**63)), kind=Kind.PYTHON)
    result = tagged(m.op("power", x, y, kind=Kind.PYTHON), 63, x, y)
    overflow_where(m, large)
    return result


def int_shift(m: Machine, op: str, x: Tensor, y: Tensor) -> Value:
    m.check(_is_negative(m, y), ValueError, "negative shift count")
    if op == ">>":
        return tagged(m.op("right_shift", x, y, kind=Kind.PYTHON), number_bits(x), x, y)
    result = tagged(m.op("left_shift", x, y, kind=Kind.PYTHON), 63, x, y)
    back = m.op("right_shift", result, y)
    overflow_where(m, m.op("not_equal", back, x, kind=Kind.PYTHON))
    return result


def _is_negative(m: Machine, x: Tensor) -> Value:
    """Whether an int64 scalar is negative, decided now where it is known."""
    if isinstance(x.operand, Const):
        return Static(bool(x.operand.value < 0))
    return m.op("less", x, m.constant(np.zeros((), np.int64)), kind=Kind.PYTHON)


def python_unary(m: Machine, op: str, value: Tensor) -> Value:
    if value.type.is_complex or value.type.dtype == FLOAT64:
        if op == "~":  # no meaning
            name = value.type.python_class.__name__
            raise m.error("GP302", f"bad operand type for unary ~: '{name}'")
        return value if op == "+" else m.op("negative", value, kind=Kind.PYTHON)
    number = m.cast(value, INT64)
    if op == "+":
        return number
    if op == "~":
        return tagged(m.op("invert", number, kind=Kind.PYTHON), number_bits(number), value)
    return int_arithmetic(m, "-", Static(0), value)
