"""The functions of `math` on Python floats in the graph, with Python's exceptions.

    math.sqrt(x)   ->   check x < 0: ValueError("math domain error")
                        t = sqrt(x)

Arguments may be Python numbers, NumPy scalars or arrays of rank 0; they become float64, as Python does
it.  Known arguments are evaluated now, by the real function.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library import divisors
from graph_program.extract.stage.arrays.lowering_arguments import takes
from graph_program.extract.stage.functions.builtins.builtin_sequences import fold, raise_text, reduce_array
from graph_program.extract.stage.host.steps.host_code import known_or_on_host
from graph_program.extract.stage.machine.checks.booleans import both, either, negate
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import FUNCTIONS, lowers_other
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.iteration import static_items
from graph_program.extract.stage.operations.known_and_truth import settled, tensor
from graph_program.extract.stage.operations.of_numbers import number_protocol
from graph_program.extract.stage.operations.of_numbers.conversions import (
    index_of,
    is_array,
    is_python_int,
    real,
    to_int,
)
from graph_program.extract.stage.operations.static_evaluation import try_now
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.values import Static, Tensor, Tuple, Value, type_of
from graph_program.extract.types.tensors.tensor_type import FLOAT64, INT64, Kind

ONE = Static(1)


Domain = Callable[[Machine, Tensor], Value]


def constant(m: Machine, value: float) -> Tensor:
    return m.constant(np.asarray(value, np.float64), Kind.PYTHON)


def test(m: Machine, op: str, *operands: Value) -> Tensor:
    """A predicate of scalars, as a Python bool."""
    return m.op(op, *operands, kind=Kind.PYTHON)


def _than(op: str, bound: float) -> Domain:
    return lambda m, x: test(m, op, x, constant(m, bound))


def _magnitude(op: str) -> Domain:
    """Arguments whose magnitude is greater than 1, or not less."""
    return lambda m, x: test(m, op, m.op("absolute", x), constant(m, 1.0))


def _infinite(m: Machine, x: Tensor) -> Value:
    return test(m, "isinf", x)


OUTSIDE: dict[str, tuple[str, Domain, float]] = {
    "sqrt": ("sqrt", _than("less", 0.0), -3.0),
    "log": ("log", _than("less_equal", 0.0), -3.0),
    "log2": ("log2", _than("less_equal", 0.0), -3.0),
    "log10": ("log10", _than("less_equal", 0.0), -3.0),
    "log1p": ("log1p", _than("less_equal", -1.0), -3.0),
    "acos": ("arccos", _magnitude("greater"), 3.0),
    "asin": ("arcsin", _magnitude("greater"), 3.0),
    "acosh": ("arccosh", _than("less", 1.0), -3.0),
    "atanh": ("arctanh", _magnitude("greater_equal"), 3.0),
    "sin": ("sin", _infinite, math.inf),
    "cos": ("cos", _infinite, math.inf),
    "tan": ("tan", _infinite, math.inf),
}
"""Functions with arguments that raise ValueError: operation, which ones, one of them."""

OVERFLOWING = {"exp": "exp", "exp2": "exp2", "expm1": "expm1", "cosh": "cosh", "sinh": "sinh"}
"""Functions that raise OverflowError where a finite argument gives an infinite result."""

TOTAL = {
    "fabs": "absolute",
    "atan": "arctan",
    "tanh": "tanh",
    "asinh": "arcsinh",
    "cbrt": "cbrt",
    "isnan": "isnan",
    "isinf": "isinf",
    "isfinite": "isfinite",
}
"""Functions that never raise."""


def domain_error(m: Machine, bad: Value, function: Callable[..., Any], sample: float, x: Value, given: Value) -> None:
    """The ValueError of `function(given)` where `bad` holds; x is the argument as a float.

    Its text is this Python version's own: newer ones put the argument into it, so the text for `sample`
    is searched for the sample.
    """
    argument = int(sample) if is_python_int(given) and math.isfinite(sample) else sample
    error, text = python_text(lambda: function(argument))
    for shown, value in ((repr(sample), x), (repr(argument), given)):
        before, found, after = text.rpartition(shown)
        if found:
            m.check(bad, error, before, value, after)
            return
    m.check(bad, error, text)


def of_known(
    function: Callable[..., Any], convert: Callable[[Machine, Value], Value] = lambda m, v: v
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a `math` function, which is evaluated now where its arguments, converted, are known."""

    def register(compute: Callable[..., Value]) -> Callable[..., Value]:
        @functools.wraps(compute)
        def run(m: Machine, *args: Value, **keywords: Value) -> Value:
            given = [convert(m, v) for v in args]
            return try_now(m, function, *given, **keywords) or compute(m, *given, **keywords)

        lowers_other(function, name=f"math.{function.__name__}")(run)
        return compute

    return register


# ---------------------------------------------------------------- functions of one number


def unary(function: Callable[..., Any], compute: Callable[[Machine, Tensor, Value], Value]) -> None:
    """Register a `math` function of one number."""

    def run(m: Machine, x: Value, /) -> Value:
        argument = real(m, x)
        return try_now(m, function, argument) or compute(m, tensor(m, argument), settled(m, x))

    lowers_other(function, name=f"math.{function.__name__}")(run)


def log_like(name: str, m: Machine, x: Tensor, given: Value) -> Value:
    """A function with a domain; `given` is the argument before it became a float."""
    op, outside, sample = OUTSIDE[name]
    domain_error(m, outside(m, x), getattr(math, name), sample, x, given)
    return m.op(op, x, kind=Kind.PYTHON)


def _overflowing(name: str, op: str) -> Callable[[Machine, Tensor, Value], Value]:
    def compute(m: Machine, x: Tensor, _: Value) -> Value:
        result = m.op(op, x, kind=Kind.PYTHON)
        bad = both(m, test(m, "isinf", result), test(m, "isfinite", x))
        m.check(bad, *python_text(lambda: getattr(math, name)(1e5)))
        return result

    return compute


def _total(op: str) -> Callable[[Machine, Tensor, Value], Value]:
    return lambda m, x, _: m.op(op, x, kind=Kind.PYTHON)


def _scaled(factor: float) -> Callable[[Machine, Tensor, Value], Value]:
    return lambda m, x, _: m.op("multiply", x, constant(m, factor), kind=Kind.PYTHON)


for _name in OUTSIDE:
    if _name != "log":
        unary(getattr(math, _name), functools.partial(log_like, _name))
for _name, _op in OVERFLOWING.items():
    unary(getattr(math, _name), _overflowing(_name, _op))
for _name, _op in TOTAL.items():
    unary(getattr(math, _name), _total(_op))
unary(math.degrees, _scaled(180.0 / math.pi))
unary(math.radians, _scaled(math.pi / 180.0))


@lowers_other(math.log, name="math.log")
def log(m: Machine, x: Value, base: Value | None = None, /) -> Value:
    """`math.log(x)` or `math.log(x, base)`."""
    given = [x] if base is None else [x, base]
    parts = [real(m, v) for v in given]
    now = try_now(m, math.log, *parts)
    if now is not None:
        return now
    logs = [
        try_now(m, math.log, p) or log_like("log", m, tensor(m, p), settled(m, v))
        for p, v in zip(parts, given, strict=True)
    ]
    return logs[0] if base is None else arithmetic.arithmetic(m, "/", *logs)


# ---------------------------------------------------------------- to integers


def rounding(function: Callable[..., Any], op: str, method: str) -> None:
    """Register `floor`, `ceil` or `trunc`: an int of a float, an int as it is."""

    def run(m: Machine, x: Value, /) -> Value:
        given = settled(m, x)
        now = number_protocol.asked(m, given, method) or try_now(m, function, given)
        if now is not None:
            return now
        if is_python_int(given):
            return m.cast(given, INT64)
        if op == "trunc" and not _defines(m, given, method):
            text = "type {} doesn't define __trunc__ method"
            name = "numpy.ndarray" if is_array(m, given) else _type_name(given)
            raise number_protocol.type_error(m, text.format(name), "use int(x)")
        argument = real(m, given)
        return try_now(m, function, argument) or to_int(m, tensor(m, argument), op)

    lowers_other(function, name=f"math.{function.__name__}")(run)


def _defines(m: Machine, value: Value, method: str) -> bool:
    if is_array(m, value):
        return hasattr(np.ndarray, method)
    if isinstance(value, Static):
        return hasattr(value.value, method)
    if not isinstance(value, Tensor):
        return user_classes.class_of(value) is None
    return value.is_python or hasattr(value.type.dtype.type, method)


def _type_name(value: Value) -> str:
    cls = user_classes.class_of(value) or type_of(value).dtype.type
    return f"{cls.__module__}.{cls.__name__}" if cls.__module__ == np.__name__ else cls.__name__


rounding(math.floor, "floor", "__floor__")
rounding(math.ceil, "ceil", "__ceil__")
rounding(math.trunc, "trunc", "__trunc__")


@of_known(math.isqrt, index_of)
def isqrt(m: Machine, n: Value, /) -> Value:
    """The floor of the square root of an int: the float root, corrected by at most one."""
    m.check(arithmetic.compare(m, "<", n, Static(0)), *python_text(lambda: math.isqrt(-1)))
    largest = m.constant(np.asarray(math.isqrt(2**63 - 1)))
    one = m.constant(np.asarray(1))
    root = m.op("minimum", m.cast(m.op("sqrt", m.cast(n, FLOAT64)), INT64), largest)
    high = m.op("greater", m.op("multiply", root, root), n)
    root = m.op("subtract", root, m.cast(high, INT64))
    above = m.op("minimum", m.op("add", root, one), largest)
    fits = m.op("less_equal", m.op("multiply", above, above), n)
    result = m.op("where", fits, above, root, kind=Kind.PYTHON)
    result.bits = 32
    return result


# ---------------------------------------------------------------- functions of two numbers


def binary(function: Callable[..., Any], compute: Callable[[Machine, Tensor, Tensor], Value]) -> None:
    """Register a `math` function of two numbers."""

    @of_known(function, real)
    def run(m: Machine, x: Value, y: Value, /) -> Value:
        return compute(m, *(m.cast(p, FLOAT64, Kind.PYTHON) for p in (x, y)))


def _plain(op: str) -> Callable[[Machine, Tensor, Tensor], Value]:
    return lambda m, x, y: m.op(op, x, y, kind=Kind.PYTHON)


def new_nan(m: Machine, result: Tensor, x: Tensor, y: Tensor) -> Value:
    """Whether a result is NaN though no argument is."""
    valid = negate(m, either(m, test(m, "isnan", x), test(m, "isnan", y)))
    return both(m, test(m, "isnan", result), valid)


def power(m: Machine, x: Tensor, y: Tensor) -> Value:
    """`math.pow`: C's pow, which raises where the result is a new NaN or a new infinity."""
    result = m.op("power", x, y, kind=Kind.PYTHON)
    finite = both(m, test(m, "isfinite", x), test(m, "isfinite", y))
    infinite = both(m, finite, test(m, "isinf", result))
    zero = test(m, "equal", x, constant(m, 0.0))
    m.check(
        either(m, new_nan(m, result, x, y), both(m, infinite, zero)),
        *python_text(lambda: math.pow(-1.0, 0.5)),
    )
    m.check(infinite, *python_text(lambda: math.pow(1e300, 2.0)))
    return result


def fmod(m: Machine, x: Tensor, y: Tensor) -> Value:
    result = m.op("fmod", x, y, kind=Kind.PYTHON)
    m.check(new_nan(m, result, x, y), *python_text(lambda: math.fmod(1.0, 0.0)))
    return result


def remainder(m: Machine, x: Tensor, y: Tensor) -> Value:
    """IEEE 754 remainder, by the algorithm of CPython's `m_remainder`: exact for finite numbers."""
    size, modulus = m.op("absolute", x), m.op("absolute", y)
    low = m.op("fmod", size, modulus)
    high = m.op("subtract", modulus, low)
    half = m.op("fmod", m.op("multiply", constant(m, 0.5), m.op("subtract", size, low)), modulus)
    tie = m.op("subtract", low, m.op("multiply", constant(m, 2.0), half))
    above = m.op("where", m.op("greater", low, high), m.op("negative", high), tie)
    nearest = m.op("where", m.op("less", low, high), low, above)
    sign = m.op("copysign", constant(m, 1.0), x)
    result = m.op("multiply", sign, nearest, kind=Kind.PYTHON)
    m.check(new_nan(m, result, x, y), *python_text(lambda: math.remainder(1.0, 0.0)))
    return result


binary(math.atan2, _plain("arctan2"))
binary(math.copysign, _plain("copysign"))
binary(math.pow, power)
binary(math.fmod, fmod)
binary(math.remainder, remainder)


@of_known(math.modf, real)
def modf(m: Machine, x: Value, /) -> Value:
    """Fraction and whole part, both with the sign of x."""
    whole = m.op("trunc", x, kind=Kind.PYTHON)
    rest = m.op("where", m.op("isinf", x), constant(m, 0.0), m.op("subtract", x, whole))
    return Tuple((m.op("copysign", rest, x, kind=Kind.PYTHON), whole))


@of_known(math.hypot, real)
def norm(m: Machine, *coordinates: Value) -> Value:
    """Euclidean norm of any number of coordinates."""
    values = [m.cast(p, FLOAT64, Kind.PYTHON) for p in coordinates]
    if len(values) == 1:
        return m.op("absolute", values[0], kind=Kind.PYTHON)
    return functools.reduce(functools.partial(m.op, "hypot", kind=Kind.PYTHON), values)


@of_known(math.dist)
def dist(m: Machine, p: Value, q: Value, /) -> Value:
    """Euclidean distance of two points of known dimension."""
    points = [static_items(m, v, "math.dist") for v in (p, q)]
    if len(points[0]) != len(points[1]):
        raise_text(m, python_text(lambda: math.dist((1.0,), (1.0, 2.0))))
    reals = [[m.cast(real(m, c), FLOAT64, Kind.PYTHON) for c in point] for point in points]
    gaps = [m.op("subtract", a, b, kind=Kind.PYTHON) for a, b in zip(*reals, strict=True)]
    return norm(m, *gaps) if gaps else Static(0.0)


@lowers_other(math.isclose, name="math.isclose")
@takes("a, b, *, rel_tol=1e-09, abs_tol=0.0")
def isclose(m: Machine, a: Value, b: Value, rel_tol: Value, abs_tol: Value) -> Value:
    """Whether two numbers differ by no more than a relative or an absolute tolerance."""
    given = [real(m, v) for v in (a, b, rel_tol, abs_tol)]
    now = try_now(m, math.isclose, *given[:2], rel_tol=given[2], abs_tol=given[3])
    if now is not None:
        return now
    for tolerance in given[2:]:
        negative = arithmetic.compare(m, "<", tolerance, Static(0.0))
        m.check(negative, *python_text(lambda: math.isclose(1.0, 1.0, rel_tol=-1.0)))
    x, y, relative, absolute = (m.cast(v, FLOAT64) for v in given)
    gap = m.op("absolute", m.op("subtract", x, y))
    larger = m.op("maximum", m.op("absolute", x), m.op("absolute", y))
    allowed = m.op("maximum", m.op("multiply", relative, larger), absolute)
    finite = both(m, test(m, "isfinite", x), test(m, "isfinite", y))
    near = both(m, test(m, "less_equal", gap, allowed), finite)
    return either(m, test(m, "equal", x, y), near)


@of_known(math.prod)
def prod(m: Machine, iterable: Value, /, *, start: Value = ONE) -> Value:
    """The product of the elements, from the left."""
    iterable = settled(m, iterable)
    if is_array(m, iterable):
        return reduce_array(m, "prod", "*", iterable, start)
    return fold(m, "*", static_items(m, iterable, "math.prod"), start)


def of_divisors(function: Callable[..., Any], program: Callable[[int, int], int], start: int) -> None:
    """Register `math.gcd` or `math.lcm`, of any number of ints."""

    @of_known(function, index_of)
    def lowered(m: Machine, /, *integers: Value) -> Value:
        first = [Static(start)] if len(integers) == 1 else []
        return functools.reduce(functools.partial(entries.run, m, program), [*first, *integers])


of_divisors(math.gcd, divisors.gcd, 0)
of_divisors(math.lcm, divisors.lcm, 1)

# ---------------------------------------------------------------- the rest


def without_graph_form(function: Callable[..., Any]) -> None:
    """Register a function that is evaluated now or on the host."""

    def run(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        return known_or_on_host(m, function, args, keywords)

    lowers_other(function, name=f"math.{function.__name__}")(run)


for _function in [f for f in vars(math).values() if callable(f) and f not in FUNCTIONS]:
    if _function.__module__ == "math":
        without_graph_form(_function)
