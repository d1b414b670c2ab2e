"""Exponentials, logarithms and trigonometry, as formulas where onnxruntime has no kernel.

A formula works in its operand's own type.  Each is accurate to a few units in the last place (in the
last place of the largest intermediate for `tan` near its zeros and poles) and right for infinities,
NaN and signed zeros, as NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

from graph_program.backends.onnx.builder import FLOAT64, Tensor

Formula = Callable[[Tensor], Tensor]


def kernel_or(operator: str, formula: Formula) -> Formula:
    """One ONNX operator where it has a kernel for the type, else the formula."""

    def chosen(x: Tensor) -> Tensor:
        return x.op(operator) if x.builder.kernels.has(operator, x.dtype) else formula(x)

    return chosen


def exp(x: Tensor) -> Tensor:
    return x.op("Exp")


def log(x: Tensor) -> Tensor:
    return x.op("Log")


def sqrt(x: Tensor) -> Tensor:
    return x.op("Sqrt")


def sign_of(x: Tensor) -> Tensor:
    """1 or -1, with the sign bit of x (a zero's too); NaN for NaN.

    Signs are put on by multiplication: onnxruntime's Where gives 0.0 for a chosen -0.0.
    """
    return (x + x.op("Reciprocal")).op("Sign")


def negative_sign(x: Tensor) -> Tensor:
    """Is the sign bit set; a NaN counts as positive."""
    return x + x.op("Reciprocal") < 0


def copysign(x: Tensor, y: Tensor) -> Tensor:
    return signed(abs(x), y)


def signed(x: Tensor, y: Tensor) -> Tensor:
    """What is not negative, with the sign of another number."""
    return x * negative_sign(y).where(x.like(-1), 1)


def _cos(x: Tensor) -> Tensor:
    s = (x * 0.5).op("Sin")
    return 1 - (s + s) * s


cos = kernel_or("Cos", _cos)


_HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
"""pi / 2 in parts, the first two of 33 bits, so that small multiples of them are exact (fdlibm)."""

_SMALL_ANGLE = 1e5


def _tan(x: Tensor) -> Tensor:
    """From the rest r of |x| by multiples n of pi / 2: tan(r), or -1 / tan(r) for odd n."""
    a = abs(x)
    n = (a * (2 / math.pi)).op("Round")
    r = reduce(lambda rest, part: rest - n * part, _HALF_PI, a)
    t = r.op("Sin") / cos(r)
    small = n.op("Mod", 2, fmod=1).equals(0).where(t, -1 / t)
    return sign_of(x) * (a < _SMALL_ANGLE).where(small, a.op("Sin") / cos(a))


tan = kernel_or("Tan", _tan)


_ATAN_P = (
    -8.750608600031904122785e-1,
    -1.615753718733365076637e1,
    -7.500855792314704667340e1,
    -1.228866684490136173410e2,
    -6.485021904942025371773e1,
)
_ATAN_Q = (
    1.0,
    2.485846490142306297962e1,
    1.650270098316988542046e2,
    4.328810604912902668951e2,
    4.853903996359136964868e2,
    1.945506571482613964425e2,
)
_PI_4_LOW = 3.061616997868382943065e-17


def _polynomial(z: Tensor, coefficients: tuple[float, ...]) -> Tensor:
    """Horner's scheme, the highest power first."""
    first, second, *rest = coefficients
    start = z + second if first == 1.0 else z * first + second
    return reduce(lambda total, c: total * z + c, rest, start)


def _arctan(x: Tensor) -> Tensor:
    """Cephes `atan`: |x| reduced to below 0.66, then a rational function."""
    a = abs(x)
    large, middle = a > 1 + math.sqrt(2), a > 0.66
    r = large.where(-1 / a, middle.where((a - 1) / (a + 1), a))
    z = r * r
    r = r * (z * _polynomial(z, _ATAN_P) / _polynomial(z, _ATAN_Q)) + r
    steps = large.cast(x.dtype) + middle.cast(x.dtype)
    return sign_of(x) * (steps * (math.pi / 4) + (r + steps * _PI_4_LOW))


arctan = kernel_or("Atan", _arctan)


def _arcsin(x: Tensor) -> Tensor:
    return arctan(x / sqrt((1 - x) * (1 + x)))


def _arccos(x: Tensor) -> Tensor:
    return 2 * arctan(sqrt((1 - x) / (1 + x)))


arcsin = kernel_or("Asin", _arcsin)
arccos = kernel_or("Acos", _arccos)


def arctan2(y: Tensor, x: Tensor) -> Tensor:
    """From the angle in the first quadrant; equal magnitudes (zeros, infinities) divide to 0 or 1."""
    a, b = abs(y), abs(x)
    angle = arctan(a.equals(b).where(a.op("Sign"), a / b))
    return negative_sign(x).where(math.pi - angle, angle) * sign_of(y)


def exp2(x: Tensor) -> Tensor:
    return x.like(2).op("Pow", x)


def expm1(x: Tensor) -> Tensor:
    """x * (u - 1) / log(u) with u = exp(x) as rounded (Kahan); the bounds keep infinities out of it."""
    m = x.op("Max", -50)
    u = exp(m)
    ratio = (u - 1) / log(u).op("Min", 1000)
    return m * u.equals(1).where(x.like(1), ratio)


def log1p(x: Tensor) -> Tensor:
    """x * log(u) / (u - 1) with u = 1 + x as rounded (Kahan)."""
    u = 1 + x
    d = u - 1
    plain = d.equals(0) | x.equals(math.inf)
    return x * plain.where(x.like(1), log(u) / d)


def _log_base(base: float) -> Formula:
    def formula(x: Tensor) -> Tensor:
        """log(x) / log(base), rounded where x is a whole power of the base; narrow types through float64."""
        wide = x.cast(FLOAT64)
        r = log(wide) * (1 / math.log(base))
        if x.dtype != FLOAT64:
            return r.cast(x.dtype)
        n = r.op("Round")
        is_power = x.like(base).op("Pow", n).equals(x) & (abs(r - n) < 1e-9)
        return is_power.where(n, r)

    return formula


log2 = _log_base(2)
log10 = _log_base(10)


def _sinh(x: Tensor) -> Tensor:
    a = abs(x)
    half = a * 0.5
    t, e = half.op("Tanh"), exp(half)
    small = (t + t) / (1 - t * t)
    large = (0.5 * e) * e - 0.5 / e / e
    return sign_of(x) * ((a < 1).where(small, large))


def _cosh(x: Tensor) -> Tensor:
    """In terms of exp(|x| / 2), which does not overflow before cosh does."""
    e = exp(abs(x) * 0.5)
    return (0.5 * e) * e + 0.5 / e / e


sinh = kernel_or("Sinh", _sinh)
cosh = kernel_or("Cosh", _cosh)

_BIG = 1e9
"""Beyond it, 1 is nothing to the square of a float64."""


def _arcsinh(x: Tensor) -> Tensor:
    a = abs(x)
    near = log1p(a + a * a / (1 + sqrt(a * a + 1)))
    return sign_of(x) * ((a > _BIG).where(log(a) + math.log(2), near))


def _arccosh(x: Tensor) -> Tensor:
    t = x - 1
    near = log1p(t + sqrt(t) * sqrt(t + 2))
    return (x > _BIG).where(log(x) + math.log(2), near)


def _arctanh(x: Tensor) -> Tensor:
    a = abs(x)
    return sign_of(x) * (0.5 * log1p((a + a) / (1 - a)))


arcsinh = kernel_or("Asinh", _arcsinh)
arccosh = kernel_or("Acosh", _arccosh)
arctanh = kernel_or("Atanh", _arctanh)


def cbrt(x: Tensor) -> Tensor:
    """|x| ** (1/3) with one Newton step; where that is NaN (0, infinity, NaN), |x| itself."""
    a = abs(x)
    y = a.op("Pow", 1 / 3)
    r = y - (y - a / (y * y)) * (1 / 3)
    return sign_of(x) * r.op("IsNaN").where(a, r)


def hypot(x: Tensor, y: Tensor) -> Tensor:
    """Scaled by the larger magnitude; infinite if either is, whatever the other."""
    a, b = abs(x), abs(y)
    m = a.op("Max", b)
    t = a.op("Min", b) / m
    h = m.equals(0).where(m, m * sqrt(1 + t * t))
    return (a.op("IsInf") | b.op("IsInf")).where(x.like(math.inf), h)


def logaddexp(x: Tensor, y: Tensor) -> Tensor:
    """max + log1p(exp(-|x - y|)); equal operands (infinities among them) give x + log(2)."""
    e = exp(-abs(x - y))
    u = 1 + e
    tail = log(u) + (e - (u - 1)) / u
    return x.equals(y).where(x + math.log(2), x.op("Max", y) + tail)


def trunc(x: Tensor) -> Tensor:
    return sign_of(x) * abs(x).op("Floor")


def is_finite(x: Tensor) -> Tensor:
    return ~(x.op("IsNaN") | x.op("IsInf"))


def fmax(x: Tensor, y: Tensor) -> Tensor:
    """The maximum, with a NaN replaced by the other operand first."""
    return x.op("IsNaN").where(y, x).op("Max", y.op("IsNaN").where(x, y))


def fmin(x: Tensor, y: Tensor) -> Tensor:
    """The minimum, with a NaN replaced by the other operand first."""
    return x.op("IsNaN").where(y, x).op("Min", y.op("IsNaN").where(x, y))
