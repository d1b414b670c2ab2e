"""Exact integer arithmetic that ONNX leaves undefined or onnxruntime computes in floating point.

Division by zero gives 0 and the smallest number divided by -1 itself, as NumPy; onnxruntime would stop
or kill the process, so a divisor that may be 0 or -1 is replaced before it is divided by.
"""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np

from graph_program.backends.onnx.builder import BOOL, INT32, Builder, Tensor
from graph_program.backends.onnx.older import BITWISE
from graph_program.backends.onnx.rules.common import Rule, any_true, carried
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import provably_less_equal, put_in

UINT32 = np.dtype(np.uint32)
UINT64 = np.dtype(np.uint64)
HALVES = (0xFFFF, 0x7FFF0000)
"""The bits of an unsigned number of 32 bits but the topmost, in halves that float32 has exactly."""
_LONGEST_UNROLLED_POWER = 64
"""Exponents below it need at most 11 multiplications."""


def _known_divisor(y: Tensor) -> bool:
    """Whether the divisor is a constant that is safe to divide by."""
    return y.known is not None and not np.isin(y.known, [0, -1]).any()


def _is_positive_divisor(builder: Builder, node: Node, y: Tensor) -> bool:
    """Whether all divisors are greater than 0."""
    if y.known is not None:
        return bool((y.known > 0).all())
    found = builder.ranges.of(node.inputs[1])
    return found is not None and provably_less_equal(1, found[0])


def _is_not_negative(builder: Builder, node: Node) -> bool:
    """Whether what is divided cannot be negative, as sizes and counters."""
    found = builder.ranges.of(node.inputs[0])
    return found is not None and provably_less_equal(0, found[0])


def _power_of_two(y: Tensor) -> np.ndarray | None:
    """The divisor, if a quotient or a remainder by it is a matter of bits that there are operators for."""
    known = y.known
    if known is None or y.builder.opset < BITWISE or (known <= 0).any() or (known & (known - 1)).any():
        return None
    return known


def _guarded(y: Tensor) -> tuple[Tensor, Tensor]:
    """Where a signed divisor is 0 or -1, and the divisor with 1 in these places."""
    risky = y.equals(0) | y.equals(-1)
    return risky, risky.where(y.like(1), y)


def _round_down(x: Tensor, y: Tensor, positive: bool) -> Tensor:
    """floor(x / y) for signed x and safe y, which may be known to be positive."""
    q = x / y
    if positive:
        return q - (x < q * y).cast(x.dtype)
    exact = (q * y + x.op("Mod", y)).equals(x)  # Mod, too, is of the quotient that is rounded down
    return q - (~exact).cast(x.dtype)


@carried("Div Mul Add Sub Mod Less Equal Where", wraps=False)
def floor_divide_signed(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    positive = _is_positive_divisor(builder, node, y)
    if positive and _is_not_negative(builder, node):
        return x / y  # Div rounds towards 0
    if (power := _power_of_two(y)) is not None:
        return (x & builder.constant(-power)) / y
    if positive or _known_divisor(y):
        return _round_down(x, y, positive)
    risky, safe = _guarded(y)
    return risky.where(x * y, _round_down(x, safe, positive))


@carried("Div Mul Max Min", wraps=False)
def floor_divide_unsigned(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    if _known_divisor(y):
        return x / y
    return x / y.op("Max", 1) * y.op("Min", 1)


@carried("Mod Where", wraps=False)
def remainder_signed(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    if (power := _power_of_two(y)) is not None:
        return x & builder.constant(power - 1)
    safe = _known_divisor(y) or _is_positive_divisor(builder, node, y)
    return x.op("Mod", y if safe else _guarded(y)[1])


@carried("Mod Max", wraps=False)
def remainder_unsigned(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    if (power := _power_of_two(y)) is not None:
        return x & builder.constant(power - 1)
    return x.op("Mod", y if _known_divisor(y) else y.op("Max", 1))


@carried("Div Mul Sub Where", wraps=False)
def fmod_signed(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    safe = y if _known_divisor(y) else _guarded(y)[1]
    return x - x / safe * safe


def _extreme(operator: str, better: str) -> Rule:
    """Max or Min where there is a kernel that is right for these numbers, else a comparison and a choice."""

    def rule(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
        carrier = builder.kernels.carrier((operator,), x.dtype, wraps=False)
        if carrier is None and all(_has_32_bits(builder, value) for value in node.inputs):
            return x.op(operator, y)
        if carrier is None:
            return x.op(better, y).where(x, y)
        return x.cast(carrier).op(operator, y.cast(carrier)).cast(x.dtype)

    return rule


def _has_32_bits(builder: Builder, value: Value) -> bool:
    """Whether numbers are known to fit into 32 bits, as sizes of arguments do; these the kernels compare right."""
    found = builder.ranges.of(value)
    if found is None:
        return False
    least, greatest = (put_in(end, builder.argument_sizes.bounded) for end in found)
    if least.lower is None or least.lower < np.iinfo(INT32).min:
        return False
    return found[1] in builder.argument_sizes or provably_less_equal(greatest, int(np.iinfo(INT32).max))


maximum = _extreme("Max", "Greater")
minimum = _extreme("Min", "Less")


def sign(builder: Builder, node: Node, x: Tensor) -> Tensor:
    if builder.kernels.has("Sign", x.dtype):
        return x.op("Sign")
    return (x > 0).cast(x.dtype) - (x < 0).cast(x.dtype)


@carried("Mul")
def reciprocal(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """1 and -1 stay, larger numbers give 0 (so does 0, for which NumPy's result is undefined)."""
    return x * abs(x).equals(1).cast(x.dtype)


def power(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """Repeated squaring; unrolled where the exponent is known."""
    known = y.known
    if known is not None and known.ndim == 0 and 0 <= known < _LONGEST_UNROLLED_POWER:
        return _power_of_known(x, int(known))
    return _power_by_loop(builder, x, y.cast(UINT64))


def _power_of_known(x: Tensor, exponent: int) -> Tensor:
    result, square = None, x
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        square = square * square if exponent else square
    return x.equals(x).cast(x.dtype) if result is None else result


def _power_by_loop(builder: Builder, x: Tensor, exponent: Tensor) -> Tensor:
    """result, square = 1, x; while any(exponent): multiply where it is odd, square, halve.

    The exponent is unsigned, so the loop ends after 64 steps also for a negative one.
    """

    def body(iteration: Tensor, carried: list[Tensor]) -> tuple[Tensor, list[Tensor]]:
        result, square, exponent = carried
        odd = (exponent & 1).cast(x.dtype)
        result = result * (odd * square + (1 - odd))
        rest = _bits_shifted(exponent, builder.constant(np.array(1, UINT64)), "RIGHT")
        return any_true(rest.cast(BOOL)), [result, square * square, rest]

    one = (x.equals(x) & exponent.equals(exponent)).cast(x.dtype)
    limit = builder.constant(np.array(64, np.int64))
    return builder.loop(limit, any_true(exponent.cast(BOOL)), [one, x, exponent], body)[0]


def left_shift(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """Of the bits as unsigned; a count that reaches the width gives 0."""
    unsigned = _shiftable(x.dtype)
    return _shift(x.cast(unsigned), y, x.dtype, "LEFT").cast(x.dtype)


def right_shift_unsigned(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    if builder.is_portable and x.dtype == UINT32 and y.known is not None and y.known.ndim == 0 and 0 < y.known < 32:
        return _right_shift_by_parts(x, int(y.known))
    return _shift(x.cast(_shiftable(x.dtype)), y, x.dtype, "RIGHT").cast(x.dtype)


def _right_shift_by_parts(x: Tensor, count: int) -> Tensor:
    """The same where unsigned numbers are signed, and are divided as float32: of 16 bits at a time, and the topmost."""
    below, factor = (1 << count) - 1, 1 << count
    parts = [(x & mask) / factor for half in HALVES if (mask := half & ~below)]
    topmost = (~(x & (1 << 31) - 1).equals(x)).cast(x.dtype) * (1 << 31 - count)
    return reduce(add, parts, topmost)


def right_shift_signed(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """~(~x >> y) for a negative x, so that only bits of numbers >= 0 are shifted.

    One number by a known count is divided, in a third of the nodes; of many, bits are moved in a seventh of the time.
    """
    count = y.known if node.outputs[0].type.shape == () else None
    if count is not None and 0 <= count < 8 * x.dtype.itemsize - 1:
        power = 1 << int(count)
        if _is_not_negative(builder, node):
            return x / power
        return (x & -power if builder.opset >= BITWISE else x - x.op("Mod", power)) / power
    sign = -(x < 0).cast(x.dtype)
    shifted = _shift((x ^ sign).cast(_shiftable(x.dtype)), y, x.dtype, "RIGHT")
    return shifted.cast(x.dtype) ^ sign


def _shiftable(dtype: np.dtype) -> np.dtype:
    """An unsigned type with a BitShift kernel, at least as wide."""
    return np.dtype({1: np.uint8, 2: np.uint32, 4: np.uint32, 8: np.uint64}[dtype.itemsize])


def _bits_shifted(x: Tensor, count: Tensor, direction: str) -> Tensor:
    if not x.builder.is_portable:
        return x.op("BitShift", count, direction=direction)
    axis = x.builder.ints(0)  # elsewhere a shifted number has an axis
    alone = [part.op("Unsqueeze", axis) for part in (x, count)]
    return alone[0].op("BitShift", alone[1], direction=direction).op("Squeeze", axis)


def _shift(x: Tensor, count: Tensor, narrow: np.dtype, direction: str) -> Tensor:
    """Shifted, 0 where the count reaches the width of `narrow` (a negative one counts as huge)."""
    width = 8 * narrow.itemsize
    count = count.cast(x.dtype)
    shifted = _bits_shifted(x, count, direction)
    if count.known is not None and (count.known < width).all():
        return shifted
    return shifted * (count < width).cast(x.dtype)
