"""Python's builtin functions on numbers: `abs`, `bool`, `int`, `float`, `round`, `divmod`, `pow`.

round(x)   ->   check isnan(x): ValueError; check isinf(x): OverflowError; t = cast(rint(x), int64)
"""

from __future__ import annotations

import typing
from collections.abc import Callable

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.library import integers, rounding
from graph_program.extract.stage.host.steps.host_code import known_or_on_host
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import FUNCTIONS, lowers_builtin
from graph_program.extract.stage.numbers import arithmetic, complex_numbers, python_numbers
from graph_program.extract.stage.operations import operator_slots, operators
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor, truth_value
from graph_program.extract.stage.operations.of_numbers import conversions, number_protocol
from graph_program.extract.stage.operations.static_evaluation import static_only, try_now
from graph_program.extract.stage.paths.several import member_numbers
from graph_program.extract.stage.paths.several.forms import TEXTS, asked_of_each
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.questions import are_known, is_just
from graph_program.extract.stage.values.structure import class_name, number_bits
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, INT64, Kind

FALSE, ZERO, ZERO_FLOAT = Static(False), Static(0), Static(0.0)


# ---------------------------------------------------------------- conversions


lowers_builtin(bool)(lambda m, obj=FALSE, /: truth_value(m, obj))


@lowers_builtin(int)
@asked_of_each(TEXTS)
def int_(m: Machine, obj: Value = ZERO, /, base: Value | None = None) -> Value:
    """`int(obj)`; with a base, of a known string."""
    if base is not None:
        return static_only(m, int, [obj, base], {})
    return number_protocol.converted(m, int, obj) or try_now(m, int, obj) or conversions.int_of(m, obj)


@lowers_builtin(float)
@asked_of_each(TEXTS)
def float_(m: Machine, obj: Value = ZERO_FLOAT, /) -> Value:
    return number_protocol.converted(m, float, obj) or try_now(m, float, obj) or conversions.float_of(m, obj)


@lowers_builtin(complex)
def complex_(m: Machine, real: Value = ZERO, imag: Value | None = None) -> Value:
    parts = [settled(m, v) for v in (real, imag) if v is not None]
    own = [number_protocol.converted(m, complex if i == 0 else float, v) for i, v in enumerate(parts)]
    parts = [v if found is None else found for v, found in zip(parts, own, strict=True)]
    if are_known(parts):
        return static_only(m, complex, parts, {})
    text = "complex() argument must be a string or a number, not {}"
    return complex_numbers.complex_of(m, *(conversions.number(m, v, text, real=False) for v in parts))


# ---------------------------------------------------------------- abs and round


@lowers_builtin(abs)
def abs_(m: Machine, x: Value, /) -> Value:
    x = settled(m, x)
    custom = number_protocol.asked(m, x, "__abs__") or try_now(m, abs, x)
    if custom is not None:
        return custom
    if not (is_numeric(x) or conversions.is_array(m, x)):
        raise number_protocol.type_error(m, f"bad operand type for abs(): '{class_name(x)}'")
    x = numeric(m, x)
    now = try_now(m, abs, x)
    if now is not None:
        return now
    x = tensor(m, x)
    if not x.is_python:
        return arithmetic.ufunc(m, np.absolute, x)
    if x.type.is_complex:
        return complex_numbers.absolute(m, x)
    if x.type.dtype == FLOAT64:
        return m.op("absolute", x, kind=Kind.PYTHON)
    number = m.cast(x, INT64)
    if number_bits(number) >= 63:
        lowest = m.constant(np.asarray(np.iinfo(np.int64).min))
        python_numbers.overflow_where(m, m.op("equal", number, lowest, kind=Kind.PYTHON))
    return python_numbers.tagged(m.op("absolute", number, kind=Kind.PYTHON), number_bits(number), x)


@lowers_builtin(round)
def round_(m: Machine, number: Value, ndigits: Value = NONE) -> Value:
    """`round(number, ndigits)`: halves to even; an int without `ndigits`."""
    number = settled(m, number)
    places = () if is_just(ndigits, None) else (ndigits,)
    now = number_protocol.asked(m, number, "__round__", *places) or try_now(m, round, number, ndigits)
    if now is not None:
        return now
    if not isinstance(number, Tensor) or number.is_array or number.type.dtype == np.bool_ != BOOL:
        raise _no_round(m, number)
    if not number.is_python:
        return _round_numpy(m, number, ndigits)
    if is_just(ndigits, None):
        return m.cast(number, INT64) if conversions.is_python_int(number) else conversions.to_int(m, number, "rint")
    digits = static(m, conversions.index_of(m, ndigits), "the digits of round()")
    if conversions.is_python_int(number):
        return m.cast(number, INT64) if digits >= 0 else _to_digits(m, rounding.round_int, number, -digits, 10)
    return _to_digits(m, rounding.round_float, number, digits, 10.0)


def _to_digits(m: Machine, function: Callable[..., object], number: Value, digits: int, base: float) -> Value:
    """A number rounded by a function of the library, which is given the power of ten."""
    if digits == 0:
        return m.op("rint", number, kind=Kind.PYTHON)
    if 0 < digits <= rounding.MOST_DIGITS[type(base)]:
        return entries.call(m, Static(function), [number, Static(base**digits)], {})
    raise m.error(
        "GP321",
        "round() of a Python number to so many digits has no graph form",
        hint="round a float to 0 to 22 digits, an int to -18 or more; np.round(x, digits) takes any",
    )


def _round_numpy(m: Machine, number: Tensor, ndigits: Value) -> Value:
    if number.type.dtype == BOOL or number.type.is_bfloat16:
        raise _no_round(m, number)
    if not is_just(ndigits, None):
        return FUNCTIONS[np.round](m, [number, ndigits], {})
    return conversions.to_int(m, number, "rint")


def _no_round(m: Machine, number: Value) -> diagnostics.GraphProgramError:
    name = "numpy.ndarray" if conversions.is_array(m, number) else class_name(number)
    return number_protocol.type_error(m, f"type {name} doesn't define __round__ method", "use np.round")


# ---------------------------------------------------------------- divmod and pow


@lowers_builtin(divmod)
def divmod_(m: Machine, x: Value, y: Value, /) -> Value:
    """`divmod(x, y)`: quotient and remainder."""
    x, y = settled(m, x), settled(m, y)
    y = y if python_numbers.is_python_number(x) else member_numbers.beside(m, y, x)
    asks = number_protocol.is_asked(divmod, x) or number_protocol.is_asked(divmod, y)
    custom = None if asks else try_now(m, divmod, x, y)
    custom = custom or operator_slots.operator_method(m, "divmod", x, y) or try_now(m, divmod, x, y)
    if custom is not None:
        return custom
    if python_numbers.is_python_number(x) and python_numbers.is_python_number(y):
        floats = any(type_of(v).dtype == FLOAT64 for v in (x, y))
        zero = arithmetic.compare(m, "==", y, Static(0))
        m.check(zero, *python_text((lambda: divmod(1.0, 0.0)) if floats else (lambda: divmod(1, 0))))
    return Tuple((operators.binary(m, "//", x, y), operators.binary(m, "%", x, y)))


@lowers_builtin(pow)
def pow_(m: Machine, base: Value, exp: Value, mod: Value = NONE) -> Value:
    """`pow(base, exp)`; with a modulus it is the host's."""
    if not is_just(mod, None):
        return known_or_on_host(m, pow, [base, exp, mod])
    return operators.binary(m, "**", base, exp)


# ---------------------------------------------------------------- methods of numbers


@lowers_builtin(method="is_integer")
def is_integer(m: Machine, x: Tensor, /) -> Value:
    """`x.is_integer()` of a number."""
    if x.is_array:
        raise m.error("GP307", "'numpy.ndarray' object has no attribute 'is_integer'")
    if x.type.dtype.kind != "f":
        return Static(True)
    whole = m.op("equal", m.op("trunc", x), x, kind=Kind.PYTHON)
    return booleans.both(m, whole, m.op("isfinite", x, kind=Kind.PYTHON))


@lowers_builtin(method="bit_count")
def bit_count(m: Machine, x: Tensor, /) -> Value:
    """`x.bit_count()` of an int, or of NumPy's: a Python int."""
    if x.is_python:
        return entries.call(m, Static(integers.bit_count), [x], {})
    return m.cast(tensor(m, entries.call(m, Static(np.bitwise_count), [x], {})), INT64, Kind.PYTHON)


def _written_in_the_language(function: Callable[..., object]) -> Callable[[Machine, Value], Value]:
    return lambda m, x, /: entries.call(m, Static(function), [x], {})


for _function in (integers.bit_length, integers.as_integer_ratio):
    lowers_builtin(method=_function.__name__)(_written_in_the_language(_function))


lowers_builtin(typing.cast, name="typing.cast")(lambda m, typ, val: val)
