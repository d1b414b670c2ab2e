"""Which arrays and objects may be, or lie in, the same memory; views whose order there follows from their base."""

from __future__ import annotations

import itertools
from typing import overload

from graph_program.extract.stage.values.values import Maybe, Mixed, Ref, Tensor, Value, View

HOLDS, IS, KEEPS = 1, 2, 3
"""What a value on the host may do with a copy: it holds one, or is one; a generator keeps those that it was given."""


@overload
def root(value: Tensor) -> Tensor: ...
@overload
def root(value: Tensor | Ref) -> Tensor | Ref: ...
def root(value: Tensor | Ref) -> Tensor | Ref:
    """What owns the memory: for a view the array that it looks at."""
    while value.view is not None:
        value = value.view.base
    return value


def may_share(a: Value, b: Value, seen: set[tuple[int, int]] | None = None) -> bool:
    """Whether two arrays (or two objects) may be, or lie in, the same memory.

    The younger of the two decides: a fresh one shares with nothing older; a merged one shares with
    what its sources share with, and two merged at the same join only path by path.
    """
    seen = set() if seen is None else seen
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Mixed | Maybe):
            return any(may_share(v, other, seen) for v in (one.values if isinstance(one, Mixed) else (one.value,)))
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        a, b = root(a), root(b)
    if a is b:
        return True
    if not isinstance(a, Tensor | Ref) or type(a) is not type(b):
        return False
    assert isinstance(b, Tensor | Ref)
    if (id(a), id(b)) in seen:
        return False
    seen |= {(id(a), id(b)), (id(b), id(a))}
    if a.join == b.join >= 0:  # a path on which one is None or not set gives it no source
        by_path = len(a.sources) == len(b.sources)
        pairs = zip(a.sources, b.sources, strict=True) if by_path else itertools.product(a.sources, b.sources)
        return any(may_share(x, y, seen) for x, y in pairs)
    younger, other = (a, b) if a.born > b.born else (b, a)
    return any(may_share(s, other, seen) for s in younger.sources)


def may_have_been(old: Tensor | Ref, value: Tensor | Ref) -> bool:
    """As `may_share`, with what something was at another moment, maybe in another round of a loop.

    There what is younger is not private: a value at a loop's head may be what a round before has made.
    """
    old = root(old)
    pending, seen = [value], set[int]()
    while pending:
        one = root(pending.pop())
        if one is old:
            return True
        if id(one) not in seen:
            seen.add(id(one))
            pending += [s for s in one.sources if isinstance(s, Tensor | Ref)]
    return may_share(old, value)


class ContiguousView(View):
    """A view of all elements of its base, in the same order: without gaps if the base has none."""


class ReversedView(View):
    """A view with all axes in reverse order."""


class LeadingView(View):
    """A view of neighbours on the leading axes of its base: rows `a` to `b`, or one row."""
