"""Functions of each complex number, as NumPy computes them: formulas over the parts.

The formulas hold where no part is NaN or infinite, and are accurate there; those of `sqrt`, `log` and the
hyperbolic functions are Kahan's ("Branch cuts for complex elementary functions", 1987).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from graph_program.extract.stage.numbers.real_terms import Term


class Complex(NamedTuple):
    """The real and the imaginary part."""

    re: Term
    im: Term


# ---------------------------------------------------------------- arithmetic


def multiply(x: Complex, y: Complex) -> Complex:
    """As NumPy and Python do it."""
    return Complex(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)


def square(x: Complex) -> Complex:
    return multiply(x, x)


def divide(x: Complex, y: Complex) -> Complex:
    """Smith's algorithm, as NumPy does it: what is divided by zero is infinite or NaN."""
    large = abs(y.re) >= abs(y.im)
    big, small = large.choose(y.re, y.im), large.choose(y.im, y.re)
    zero = y.re.equal(0) & y.im.equal(0)
    ratio = small / zero.choose(1, big)
    scale = 1 / (big + small * ratio)
    re = large.choose(x.re + x.im * ratio, x.re * ratio + x.im) * scale
    im = large.choose(x.im - x.re * ratio, x.im * ratio - x.re) * scale
    nothing = abs(big)
    return Complex(zero.choose(x.re / nothing, re), zero.choose(x.im / nothing, im))


def divide_exactly(x: Complex, y: Complex) -> Complex:
    """As Python does it, for a divisor that is not zero."""
    large = abs(y.re) >= abs(y.im)
    big, small = large.choose(y.re, y.im), large.choose(y.im, y.re)
    ratio = small / big
    whole = big + small * ratio
    re = large.choose(x.re + x.im * ratio, x.re * ratio + x.im) / whole
    return Complex(re, large.choose(x.im - x.re * ratio, x.im * ratio - x.re) / whole)


def reciprocal(x: Complex) -> Complex:
    return divide(Complex(x.re.like(1), x.re.like(0)), x)


def absolute(x: Complex) -> Term:
    return x.re.op("hypot", x.im)


def sign(x: Complex) -> Complex:
    """`z / |z|`, and 0 for 0; of one infinite part its sign."""
    size = absolute(x)
    zero, endless = size.equal(0), size.op("isinf")
    size = zero.choose(1, size)
    found = (endless.choose(p.op("isinf").choose(p.op("sign"), 0), p / size) for p in x)
    both = x.re.op("isinf") & x.im.op("isinf")
    re, im = ((both | isnan(x)).choose(math.nan, p) for p in found)
    return Complex(re, im)


def conjugate(x: Complex) -> Complex:
    return Complex(x.re, -x.im)


def angle(x: Complex) -> Term:
    return x.im.op("arctan2", x.re)


# ---------------------------------------------------------------- tests


def _ordered(name: str) -> Callable[[Complex, Complex], Term]:
    """NumPy's order: by the real parts, then by the imaginary ones; NaN is in no order."""
    strict = name.removesuffix("_equal")

    def compare(x: Complex, y: Complex) -> Term:
        known = x.im.equal(x.im) & y.im.equal(y.im)
        return (x.re.op(strict, y.re) & known) | (x.re.equal(y.re) & x.im.op(name, y.im))

    return compare


def isnan(x: Complex) -> Term:
    return x.re.op("isnan") | x.im.op("isnan")


def isinf(x: Complex) -> Term:
    return x.re.op("isinf") | x.im.op("isinf")


def _extreme(order: str) -> Callable[[Complex, Complex], Complex]:
    def extreme(x: Complex, y: Complex) -> Complex:
        first = _ordered(order)(x, y) | isnan(x)
        return Complex(first.choose(x.re, y.re), first.choose(x.im, y.im))

    return extreme


# ---------------------------------------------------------------- exponentials, logarithms, roots


def exp(x: Complex) -> Complex:
    """In two factors where the size alone overflows."""
    limit, is_large = _limit(x.re), x.re > _limit(x.re)
    size = (x.re - is_large.choose(x.re.like(limit), 0)).op("exp")
    rest = is_large.choose(x.re.like(math.exp(limit)), 1)
    none, turns = x.im.equal(0), x.im.op("isfinite")
    far = x.re.op("isinf") & ~turns
    re = far.choose((x.re > 0).choose(abs(x.re), 0), size * x.im.op("cos") * rest)
    im = none.choose(x.im, size * x.im.op("sin") * rest)
    return Complex(re, (far & (x.re < 0)).choose(0, im))


def _limit(x: Term) -> float:
    """An argument of `exp` that is near the largest."""
    return math.floor(math.log(float(np.finfo(x.dtype).max))) - 2.0


def expm1(x: Complex) -> Complex:
    half = (x.im / 2).op("sin")
    return Complex(x.re.op("expm1") * x.im.op("cos") - 2 * half * half, x.re.op("exp") * x.im.op("sin"))


def log(x: Complex) -> Complex:
    """The logarithm of the size is taken of what the size exceeds 1 by, where it is near 1."""
    size = absolute(x)
    a, b = abs(x.re).op("maximum", abs(x.im)), abs(x.re).op("minimum", abs(x.im))
    near = (size > 0.5) & (size < 2.0)
    beyond = near.choose((a - 1) * (a + 1) + b * b, 0)
    return Complex(near.choose(beyond.op("log1p") / 2, size.op("log")), angle(x))


def _log_of_base(base: int) -> Callable[[Complex], Complex]:
    return lambda x: Complex(*(part * (1 / math.log(base)) for part in log(x)))


def log1p(x: Complex) -> Complex:
    found = log(Complex(x.re + 1, x.im))
    small = (x.re * (x.re + 2) + x.im * x.im).op("log1p") / 2
    near = (abs(x.re) < 0.5) & (abs(x.im) < 0.5)
    return Complex(near.choose(small, found.re), found.im)


def sqrt(x: Complex) -> Complex:
    """Of a quarter of huge numbers, so that their size does not overflow."""
    huge = abs(x.re).op("maximum", abs(x.im)) > float(np.finfo(x.re.dtype).max) / 8
    scale, back = huge.choose(x.re.like(1 / 16), 1), huge.choose(x.re.like(4), 1)
    re, im = x.re * scale, x.im * scale
    root = ((abs(re) + re.op("hypot", im)) / 2).op("sqrt")
    zero = root.equal(0)
    other = im / (2 * zero.choose(1, root))
    right = re >= 0
    a = right.choose(root, abs(other)) * back
    b = right.choose(other, root.op("copysign", im)) * back
    endless = x.im.op("isinf")
    unknown = x.re.op("isnan") & ~endless
    a = endless.choose(abs(x.im), unknown.choose(x.re, a))
    return Complex(a, (endless | zero).choose(x.im, unknown.choose(x.re, b)))


def power(x: Complex, y: Complex) -> Complex:
    """`exp(y log(x))`; small whole numbers that are known multiply."""
    known = _known_real(y)
    if known is not None and known == int(known) and abs(known) < 100:
        return _multiplied(x, int(known))
    if known == 0.5:
        return sqrt(x)
    found = exp(multiply(y, log(x)))
    zero = x.re.equal(0) & x.im.equal(0)
    nan, right = float("nan"), y.re > 0
    re, im = zero.choose(right.choose(y.re * 0, nan), found.re), zero.choose(right.choose(y.re * 0, nan), found.im)
    one = y.re.equal(0) & y.im.equal(0)
    return Complex(one.choose(1, re), one.choose(0, im))


def _known_real(y: Complex) -> float | None:
    """A finite real number that is known."""
    re, im = (getattr(p.tensor.operand, "value", None) for p in y)
    if re is None or im is None or re.shape or im.shape or im.item() != 0 or not math.isfinite(re):
        return None
    return float(re)


def _multiplied(x: Complex, count: int) -> Complex:
    """As NumPy does it, by squaring."""
    if count == 0:
        return Complex((x.re.equal(x.re)).choose(x.re.like(1), 1), (x.re.equal(x.re)).choose(x.re.like(0), 0))
    result: Complex | None = None
    factor, rest = x, abs(count)
    while rest:
        if rest & 1:
            result = factor if result is None else multiply(result, factor)
        rest >>= 1
        factor = square(factor) if rest else factor
    assert result is not None
    return reciprocal(result) if count < 0 else result


# ---------------------------------------------------------------- trigonometry


def _times(trigonometric: Term, hyperbolic: Term) -> Term:
    """A product in which a zero wins over what is infinite or NaN."""
    none = trigonometric.equal(0) & ~hyperbolic.op("isfinite")
    nothing = hyperbolic.equal(0) & trigonometric.op("isnan")
    return none.choose(trigonometric, nothing.choose(hyperbolic, trigonometric * hyperbolic))


def _first(x: Complex, hyperbolic: Term) -> Term:
    """The real part of `sinh` and `cosh`, infinite for an infinite argument at no angle, too."""
    endless = x.re.op("isinf") & ~x.im.op("isfinite")
    return endless.choose(hyperbolic, _times(x.im.op("cos"), hyperbolic))


def sinh(x: Complex) -> Complex:
    return Complex(_first(x, x.re.op("sinh")), _times(x.im.op("sin"), x.re.op("cosh")))


def cosh(x: Complex) -> Complex:
    return Complex(_first(x, x.re.op("cosh")), _times(x.im.op("sin"), x.re.op("sinh")))


def tanh(x: Complex) -> Complex:
    far = abs(x.re) > (11.0 if x.re.dtype == np.float32 else 22.0)
    near = far.choose(0, x.re)
    tangent, sine = x.im.op("tan"), near.op("sinh")
    slope = 1 + tangent * tangent
    whole = 1 + slope * sine * sine
    re = slope * (1 + sine * sine).op("sqrt") * sine / whole
    tail = 4 * x.im.op("sin") * x.im.op("cos") * (abs(x.re) * -2).op("exp")
    endless, turns = x.re.op("isinf"), x.im.op("isfinite")
    re = far.choose((endless | turns).choose(x.re.like(1).op("copysign", x.re), math.nan), re)
    im = far.choose(endless.choose(0, tail), tangent / whole)
    return Complex(x.re.equal(0).choose(x.re, re), x.im.equal(0).choose(x.im, im))


def _turned(function: Callable[[Complex], Complex]) -> Callable[[Complex], Complex]:
    """The trigonometric function: `sin(z) = -i sinh(i z)`, and so on."""

    def turned(x: Complex) -> Complex:
        found = function(Complex(-x.im, x.re))
        return Complex(found.im, -found.re)

    return turned


def _around_one(x: Complex) -> tuple[Complex, Complex]:
    """The roots of `1 - z` and of `1 + z`."""
    return sqrt(Complex(1 - x.re, -x.im)), sqrt(Complex(1 + x.re, x.im))


def arccos(x: Complex) -> Complex:
    below, above = _around_one(x)
    re = _imaginary_nan(x).choose(math.pi / 2, 2 * below.re.op("arctan2", above.re))
    found = Complex(re, multiply(conjugate(above), below).im.op("arcsinh"))
    return _or_at_infinity(x, found, abs(x.im).op("arctan2", x.re), -_infinite_like(x.im))


def arcsin(x: Complex) -> Complex:
    below, above = _around_one(x)
    re = _imaginary_nan(x).choose(x.re, x.re.op("arctan2", multiply(below, above).re))
    found = Complex(re, multiply(conjugate(below), above).im.op("arcsinh"))
    return _or_at_infinity(x, found, x.re.op("arctan2", abs(x.im)), _infinite_like(x.im))


def arccosh(x: Complex) -> Complex:
    below, above = sqrt(Complex(x.re - 1, x.im)), sqrt(Complex(x.re + 1, x.im))
    re = multiply(conjugate(below), above).re.op("arcsinh")
    found = Complex(re, _imaginary_nan(x).choose(math.pi / 2, 2 * below.im.op("arctan2", above.re)))
    return _or_at_infinity(x, found, x.re.like(math.inf), angle(x))


def arctanh(x: Complex) -> Complex:
    size = abs(x.re)
    left = 1 - size
    re = ((4 * size / (left * left + x.im * x.im)).op("log1p") / 4).op("copysign", x.re)
    found = Complex(_imaginary_nan(x).choose(x.re, re), (2 * x.im).op("arctan2", left * (1 + size) - x.im * x.im) / 2)
    quarter = x.im.op("isnan").choose(x.im, x.im.like(math.pi / 2).op("copysign", x.im))
    return _or_at_infinity(x, found, x.re.like(0).op("copysign", x.re), quarter)


def _imaginary_nan(x: Complex) -> Term:
    """Whether a number is NaN beside a real part that is zero, which inverse functions keep apart."""
    return x.re.equal(0) & x.im.op("isnan")


def _infinite_like(part: Term) -> Term:
    return part.like(math.inf).op("copysign", part)


def _or_at_infinity(x: Complex, found: Complex, re: Term, im: Term) -> Complex:
    """What an inverse function gives, where a part is infinite something else."""
    endless = isinf(x)
    return Complex(endless.choose(re, found.re), endless.choose(im, found.im))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "multiply": multiply,
    "divide": divide,
    "reciprocal": reciprocal,
    "absolute": absolute,
    "sign": sign,
    "rint": lambda x: Complex(x.re.op("rint"), x.im.op("rint")),
    "equal": lambda x, y: x.re.equal(y.re) & x.im.equal(y.im),
    "not_equal": lambda x, y: x.re.op("not_equal", y.re) | x.im.op("not_equal", y.im),
    "less": _ordered("less"),
    "less_equal": _ordered("less_equal"),
    "greater": _ordered("greater"),
    "greater_equal": _ordered("greater_equal"),
    "isnan": isnan,
    "isinf": isinf,
    "isfinite": lambda x: x.re.op("isfinite") & x.im.op("isfinite"),
    "maximum": _extreme("greater_equal"),
    "minimum": _extreme("less_equal"),
    "exp": exp,
    "exp2": lambda x: exp(Complex(x.re * math.log(2), x.im * math.log(2))),
    "expm1": expm1,
    "log": log,
    "log2": _log_of_base(2),
    "log10": _log_of_base(10),
    "log1p": log1p,
    "sqrt": sqrt,
    "power": power,
    "sin": _turned(sinh),
    "cos": lambda x: cosh(Complex(-x.im, x.re)),
    "tan": _turned(tanh),
    "sinh": sinh,
    "cosh": cosh,
    "tanh": tanh,
    "arcsin": arcsin,
    "arccos": arccos,
    "arctan": _turned(arctanh),
    "arcsinh": _turned(arcsin),
    "arccosh": arccosh,
    "arctanh": arctanh,
}
"""The operations of `OPS` that are functions of each number."""
