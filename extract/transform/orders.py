"""What ranges of integers say of comparisons: that these always hold, never, or neither."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from graph_program.extract.types.dims import Atom, Dim, Symbol, dim, provably_less_equal
from graph_program.extract.types.dims.polynomials import atom_dim

Range = tuple[Dim, Dim]
"""The least and the greatest value of an integer."""
LOWEST, HIGHEST = dim(-(2**63)), dim(2**63 - 1)
"""The ends of which nothing is known."""
FAR = 2**61
"""Sums of sizes are not so great."""
LARGEST = 2**31
"""Greater integers are no sizes."""
Order = Callable[[Range, Range], bool | None]


def is_far_below(a: Dim, b: Dim) -> bool:
    """Whether one of two ends is a number that is farther from 0 than what is computed of sizes, on that side."""
    if a.constant is None and b.constant is not None:
        sizes, gap = _parted(a, b.constant)
        return gap > FAR or ((most := most_of_sizes(sizes)) is not None and most < gap)
    if b.constant is None and a.constant is not None:
        sizes, gap = _parted(b, a.constant)
        return gap < -FAR or ((most := most_of_sizes(-sizes)) is not None and gap < -most)
    return False


def _parted(end: Dim, number: int) -> tuple[Dim, int]:
    """What is computed of sizes without what is added to it, and a number that it is compared with less that, too."""
    added = sum(factor for monomial, factor in end.terms if not monomial)
    return end - added, number - added


def most_of_sizes(d: Dim) -> int | None:
    """The most that a sum of sizes can be, of which none is greater than `LARGEST`; None if it is something else."""
    total = 0
    for monomial, factor in d.terms:
        if not monomial:
            total += factor
            continue
        (atom, *others) = monomial
        end = None if others else _most_of(atom) if factor > 0 else atom_dim(atom).lower
        if end is None:
            return None
        total += factor * end
    return total


def _most_of(atom: Atom) -> int | None:
    if isinstance(atom, Symbol):
        return LARGEST
    ends = [most_of_sizes(arg) for arg in atom.args]
    if atom.op == "//":
        divisor = atom.args[1].constant
        return None if ends[0] is None or divisor is None or divisor < 1 else ends[0] // divisor
    known = [end for end in ends if end is not None]
    return max(0, *known) if len(known) == len(ends) else None


def _less(a: Range, b: Range) -> bool | None:
    if is_far_below(a[1], b[0]) or provably_less_equal(a[1] + 1, b[0]):
        return True
    return False if is_far_below(b[1], a[0]) or provably_less_equal(b[1], a[0]) else None


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


def both(a: Range, b: Range) -> Range:
    """What lies in both ranges, as far as it is known which ends are the tighter ones."""
    return (b[0] if _is_tighter(a[0], b[0]) else a[0]), (b[1] if _is_tighter(b[1], a[1]) else a[1])


def _is_tighter(low: Dim, high: Dim) -> bool:
    return _is_below(low, high) or is_far_below(low, high)


def without(found: Range, given: Range) -> Range:
    """A range without a number that is at its lower end."""
    number = given[0].constant
    if number is None or given[0] != given[1] or not provably_less_equal(number, found[0]):
        return found
    return dim(number + 1), found[1]


def either(a: Range | None, b: Range | None) -> Range | None:
    """What lies in one of two ranges."""
    if a is None or b is None:
        return None
    low, high = below_both(a[0], b[0]), above_both(a[1], b[1])
    return None if low is None or high is None else (low, high)


def below_both(a: Dim, b: Dim) -> Dim | None:
    """An end that is not above either of two: one of them, or as much less as the other may be below it."""
    pairs = ((a, b), (b, a))
    ends = (x for x, y in pairs if _is_below(x, y))
    return next(itertools.chain(ends, (x + by for x, y in pairs if (by := (y - x).lower) is not None)), None)


def above_both(a: Dim, b: Dim) -> Dim | None:
    """An end that is not below either of two, likewise."""
    pairs = ((a, b), (b, a))
    ends = (x for x, y in pairs if _is_below(y, x))
    return next(itertools.chain(ends, (x - by for x, y in pairs if (by := (x - y).lower) is not None)), None)


def _is_below(a: Dim, b: Dim) -> bool:
    """Whether an end is at most another one; all numbers have 64 bits."""
    return a == LOWEST or b == HIGHEST or provably_less_equal(a, b)


__all__ = [
    "HIGHEST",
    "LARGEST",
    "LOWEST",
    "ORDERS",
    "REFLEXIVE",
    "Order",
    "Range",
    "above_both",
    "below_both",
    "both",
    "either",
    "is_far_below",
    "most_of_sizes",
    "without",
]
