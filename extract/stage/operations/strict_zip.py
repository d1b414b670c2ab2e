"""`zip(..., strict=True)`: where the lengths differ, the error comes when the shortest part has ended.

    for a, b in zip(x, y, strict=True):             for k in range(min(len(x), len(y))):
        f(a, b)                             ->          f(x[k], y[k])
                                                    raise ValueError(...) if len(x) != len(y)

A `for` loop checks behind its last round; whatever else goes through such a `zip` checks before its first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce

from graph_program.extract.stage.machine.checks.booleans import both
from graph_program.extract.stage.machine.checks.lengths import smaller
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.paths import iterator_exhaustion
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.questions import is_iteration
from graph_program.extract.stage.values.values import Iteration, Value, size_of

ENDS_ALIKE = ("enumerate", "map")
"""Kinds of iterators that end as their only part does."""


@forward
def trips_of(m: Machine, value: Value) -> Value:
    """How many elements there are to go through."""


def lengths(m: Machine, value: Iteration) -> list[Value]:
    """How many elements the parts of a `zip` have."""
    return _lengths(m, value.parts)


def _lengths(m: Machine, parts: Sequence[Value]) -> list[Value]:
    with iterator_exhaustion.looking_ahead(m):
        return [trips_of(m, part) for part in parts]


def same_lengths(m: Machine, parts: Sequence[Value]) -> bool:
    """Whether the parts of a `zip` have one length for all sizes."""
    first, *others = [size_of(length) for length in _lengths(m, parts)] or [None]
    return all(first is not None and other == first for other in others)


def check(m: Machine, found: Sequence[Value]) -> None:
    """Raise what Python raises at the end of a strict `zip` of parts of these lengths, unless they agree."""
    least = reduce(partial(smaller, m), found)
    more = compare(m, ">", found[0], least)
    for position, length in enumerate(found[1:], start=2):
        ends = both(m, compare(m, "==", length, least), more)
        m.check(ends, ValueError, f"zip() argument {position} is shorter than {_before(position)}")
    for position, length in enumerate(found[1:], start=2):
        longer = compare(m, ">", length, found[0])
        m.check(longer, ValueError, f"zip() argument {position} is longer than {_before(position)}")


def _before(position: int) -> str:
    return "argument 1" if position == 2 else f"arguments 1-{position - 1}"


def checked_at_end(m: Machine, value: Value) -> tuple[Value, Callable[[], None]]:
    """An iterable for a loop, and what is to be done where it has ended."""
    inner = value
    while is_iteration(inner, *ENDS_ALIKE) and len(inner.parts) == 1:
        inner = inner.parts[0]
    if not isinstance(inner, Iteration) or not inner.strict:
        return value, lambda: None
    found = lengths(m, inner)
    return _not_strict(m, value), lambda: check(m, found)


def _not_strict(m: Machine, value: Value) -> Iteration:
    assert isinstance(value, Iteration)
    iterator_exhaustion.consume(m, value)
    if value.strict:
        return replace(value, strict=False)
    return replace(value, parts=(_not_strict(m, value.parts[0]),))
