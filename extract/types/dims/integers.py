"""Integers that are symbolic sizes: what an operation on them gives.

`len(x) % 2` is `n%2`, `abs(len(x) - len(y))` is `max(m-n,n-m)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graph_program.extract.types.dims import MAX_WEIGHT, Dim, maximum, minimum, product

MAX_EXPONENT = 4
"""Higher powers are not followed."""


def number_size(op: str, sizes: Sequence[Dim | None]) -> Dim | None:
    """The value of an operation on int64 scalars of known symbolic values; None if it cannot be told.

    Parameters
    ----------
    op : str
        Name of a primitive operation.
    sizes : sequence of Dim or None
        The values of its operands.
    """
    rule = _RULES.get(op)
    if rule is None or not sizes:
        return None
    known = [s for s in sizes if s is not None]
    result = rule(*known) if len(known) == len(sizes) else None
    return result if result is not None and result.weight <= MAX_WEIGHT else None


def _quotient(a: Dim, b: Dim) -> Dim | None:
    return a // b if _is_not_zero(b) else None


def _remainder(a: Dim, b: Dim) -> Dim | None:
    return a % b if _is_not_zero(b) else None


def _is_not_zero(d: Dim) -> bool:
    """NumPy's integers divided by zero are 0, which is no size that division has."""
    return (d.lower is not None and d.lower > 0) or (d.upper is not None and d.upper < 0)


def _power(a: Dim, b: Dim) -> Dim | None:
    if b.constant is None or not 0 <= b.constant <= MAX_EXPONENT:
        return None
    return product([a] * b.constant)


def _left_shift(a: Dim, b: Dim) -> Dim | None:
    return None if b.constant is None or not 0 <= b.constant < 32 else a * 2**b.constant


def _right_shift(a: Dim, b: Dim) -> Dim | None:
    return None if b.constant is None or not 0 <= b.constant < 32 else a // 2**b.constant


_RULES: dict[str, Callable[..., Dim | None]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "floor_divide": _quotient,
    "remainder": _remainder,
    "power": _power,
    "left_shift": _left_shift,
    "right_shift": _right_shift,
    "negative": lambda a: -a,
    "absolute": lambda a: maximum(a, -a),
    "invert": lambda a: -a - 1,
    "maximum": maximum,
    "minimum": minimum,
}
