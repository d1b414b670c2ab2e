"""What holds of dims for all sizes.

`provably_less_equal(a, b)` looks for a proof that `b - a >= 0`, replacing atoms by their bounds:

- a maximum that is subtracted is one of its operands, one that is added is at least each of them;
- a broadcast is one of its operands, and at least this one where the others are not 0;
- `q*(x//q)` lies between `x-q+1` and `x`, and `d >= 0` already holds where `q*d > -q`;
- a symbol is at most its upper bound.

The search is bounded, so False means "not known".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache

from graph_program.extract.types.dims.polynomials import (
    Application,
    Dim,
    Monomial,
    Symbol,
    dim,
    is_nonnegative,
    joined,
    polynomial,
)

GREATEST = 2**63 - 1
"""No size is greater."""
DEPTH = 6
"""How many atoms of one path of a proof are replaced."""
STEPS = 200
"""How many goals are looked at in one proof."""
HEAVIEST = 96
"""The weight of a dim that is still proven to be something."""


def provably_less_equal(a: Dim | int, b: Dim | int) -> bool:
    """Whether a <= b for all sizes."""
    low, high = dim(a), dim(b)
    if low.constant is not None and high.constant is not None:  # by far the most
        return low.constant <= high.constant
    return _proven_order(low, high, low.assumed, high.assumed)


def provably_different(a: Dim | int, b: Dim | int) -> bool:
    """Whether a and b differ for all sizes."""
    one, other = dim(a), dim(b)
    return _proven_difference(one, other, one.assumed, other.assumed)


Assumed = frozenset[tuple[str, Dim]]
"""Upper bounds take no part in the equality of dims, so that they are keys of their own of what is remembered."""


@lru_cache(maxsize=16384)
def _proven_order(low: Dim, high: Dim, of_low: Assumed, of_high: Assumed) -> bool:
    return _is_nonnegative(high - low)


@lru_cache(maxsize=16384)
def _proven_difference(one: Dim, other: Dim, of_one: Assumed, of_other: Assumed) -> bool:
    gap = one - other
    if gap.offset % math.gcd(*(c for m, c in gap.terms if m)) if any(m for m, _ in gap.terms) else gap.terms:
        return True
    return _is_nonnegative(gap - 1) or _is_nonnegative(-gap - 1)


def provably_equal(a: Dim | int, b: Dim | int) -> bool:
    """Whether a and b are the same for all sizes."""
    gap = dim(a) - dim(b)
    return not gap.terms or (_is_nonnegative(gap) and _is_nonnegative(-gap))


def never_one(d: Dim) -> bool:
    """Whether a dim cannot be 1, so that broadcasting cannot stretch it."""
    return provably_different(d, 1)


def _is_nonnegative(d: Dim) -> bool:
    return _proven(d, d.assumed)


@lru_cache(maxsize=16384)
def _proven(d: Dim, assumed: Assumed) -> bool:
    if d.lower is not None and d.lower >= 0:
        return True
    if _is_rest_of_the_greatest(d):
        return True
    if d.constant is not None or d.weight > HEAVIEST or _is_refuted(d):
        return False
    return _Search().holds(d, DEPTH)


def _is_rest_of_the_greatest(d: Dim) -> bool:
    """Whether a number is what is left of one that no size is greater than."""
    sizes = [(monomial, factor) for monomial, factor in d.terms if monomial]
    if d.offset < GREATEST or len(sizes) != 1:
        return False
    ((monomial, factor),) = sizes
    return factor == -1 and len(monomial) == 1 and isinstance(monomial[0], Symbol)


def _samples(d: Dim) -> Iterator[dict[str, int]]:
    """Sizes worth trying against a claim; bounded symbols are 0, where their bounds allow that."""
    bounds = dict(d.assumed)
    names = sorted(d.reach)
    for pattern in ((0,), (1,), (9,), (2, 7), (7, 2), (1, 30, 0)):
        sizes = {name: 0 if name in bounds else pattern[i % len(pattern)] for i, name in enumerate(names)}
        if not any(_is_negative(bound, sizes) for bound in bounds.values()):
            yield sizes


def _is_refuted(d: Dim) -> bool:
    """Whether some sizes make a dim negative: then no proof need be sought."""
    return any(_is_negative(d, sizes) for sizes in _samples(d))


def _is_negative(d: Dim, sizes: Mapping[str, int]) -> bool:
    """Whether a dim is negative for some sizes."""
    try:
        return d.evaluate(sizes) < 0
    except (ValueError, ZeroDivisionError):
        return False


class _Search:
    """One proof: goals looked at so far, and those that failed."""

    def __init__(self) -> None:
        self.steps = 0

    def holds(self, d: Dim, depth: int) -> bool:
        """Whether d >= 0 for all sizes, as far as `depth` replacements show it."""
        if d.lower is not None and d.lower >= 0:
            return True
        self.steps += 1
        if depth == 0 or self.steps > STEPS or (d.upper is not None and d.upper < 0) or _is_refuted(d):
            return False
        cases = _cases(d)
        if cases is not None:
            return all(self.holds(case, depth - 1) for case in cases)
        return any(self.holds(goal, depth - 1) for goal in _sufficient(d))


def _cases(d: Dim) -> list[Dim] | None:
    """Dims one of which d is, or is at least: d >= 0 if all are; None where no atom gives any."""
    for monomial, c in d.terms:
        for i, atom in enumerate(monomial):
            if not isinstance(atom, Application) or atom.op == "//":
                continue
            others = monomial[:i] + monomial[i + 1 :]
            if atom.op == "max" and (c > 0 or not is_nonnegative(others)):
                continue
            if atom.op == "&" and c > 0 and is_nonnegative(others) and _not_below(atom):
                continue
            return [_replaced(d, monomial, c, others, arg) for arg in atom.args]
    return None


def _not_below(atom: Application) -> list[Dim]:
    """The operands that a broadcast is at least: where one is 0 or 1, no other may be less."""
    return [a for a in atom.args if all(b is a or (b.lower or 0) >= 1 for b in atom.args)]


def _sufficient(d: Dim) -> Iterator[Dim]:
    """Dims that are >= 0 only where d is."""
    for monomial, c in d.terms:
        for i, atom in enumerate(monomial):
            others = monomial[:i] + monomial[i + 1 :]
            if (i and atom == monomial[i - 1]) or not is_nonnegative(others):
                continue
            if isinstance(atom, Symbol):
                if atom.upper is not None and c < 0:
                    yield _replaced(d, monomial, c, others, atom.upper)
            elif atom.op == "//":
                yield from _divided(d, monomial, c, others, atom)
            elif c > 0:
                for arg in atom.args if atom.op == "max" else _not_below(atom):
                    yield _replaced(d, monomial, c, others, arg)
                if atom.op == "max":
                    # Between the operands, where c*max(0,e) >= e: so max(n-m,m-n) >= 0.
                    yield from (
                        polynomial([*d.terms, (monomial, -c), *_scaled(e, others, 1)]) for e in atom.args if c > 1
                    )


def _replaced(d: Dim, monomial: Monomial, c: int, others: Monomial, by: Dim) -> Dim:
    """d with `c*monomial` as `c*others*by`."""
    return polynomial([*d.terms, (monomial, -c), *_scaled(by, others, c)])


def _scaled(d: Dim, monomial: Monomial, c: int) -> Iterator[tuple[Monomial, int]]:
    """The terms of `c*monomial*d`; normal forms are left alone, or the replaced atoms would come back."""
    return ((joined(m, monomial), k * c) for m, k in d.terms)


def _divided(d: Dim, monomial: Monomial, c: int, others: Monomial, atom: Application) -> Iterator[Dim]:
    """q*d with the least that `c*others*(x//q)` can be, and what suffices because d is an integer."""
    x, q = atom.args
    divisor = q.constant
    if divisor is None:
        if c < 0 and q.lower is not None and q.lower >= 1 and x.lower is not None and x.lower >= 0:
            yield _replaced(d, monomial, c, others, x)
        return
    if divisor > 0:
        least = x - (divisor - 1) if c > 0 else x
        rest = [*d.terms, (monomial, -c)]
        yield polynomial([*((m, k * divisor) for m, k in rest), *_scaled(least, others, c), ((), divisor - 1)])
