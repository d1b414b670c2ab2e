"""What ranges of integers say of comparisons: that these always hold, never, or neither."""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.types.dims import Dim, provably_less_equal

Range = tuple[Dim, Dim]
"""The least and the greatest value of an integer."""
Order = Callable[[Range, Range], bool | None]


def _less(a: Range, b: Range) -> bool | None:
    if provably_less_equal(a[1] + 1, b[0]):
        return True
    return False if provably_less_equal(b[1], a[0]) else None


def _not_above(a: Range, b: Range) -> bool | None:
    greater = _less(b, a)
    return None if greater is None else not greater


def _differ(a: Range, b: Range) -> bool | None:
    if a[0] == a[1] == b[0] == b[1]:
        return False
    apart = provably_less_equal(a[1] + 1, b[0]) or provably_less_equal(b[1] + 1, a[0])
    return True if apart else None


def _are_equal(a: Range, b: Range) -> bool | None:
    differ = _differ(a, b)
    return None if differ is None else not differ


ORDERS: dict[str, Order] = {
    "less": _less,
    "greater": lambda a, b: _less(b, a),
    "less_equal": _not_above,
    "greater_equal": lambda a, b: _not_above(b, a),
    "equal": _are_equal,
    "not_equal": _differ,
}

REFLEXIVE = frozenset({"less_equal", "greater_equal", "equal"})
"""Comparisons that hold of a number and itself."""

__all__ = ["ORDERS", "REFLEXIVE", "Order", "Range"]
