"""Iterators (`zip`, `map`, ...) give their elements once: a pass over one that another pass has emptied is refused.

    pairs = zip(x, y)
    for k in range(n):
        for a, b in pairs:          # in the second round there is nothing left: refused
            ...

What was gone through is part of the state, as it depends on the path.  A pass may be evaluated again
at its own place, where a loop's types settle; `Machine.unrolled` tells the rounds of unrolled loops apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from graph_program.extract.diagnostics import GraphProgramError, Label, Loc
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import State
from graph_program.extract.stage.values.inside import inner_values, items_of
from graph_program.extract.stage.values.values import Iteration, Value


def consume(m: Machine, value: Iteration) -> None:
    """Go through an iterator.

    Raises
    ------
    UnsupportedError
        Where another pass may have emptied it.
    """
    place = (m.loc, m.loops.unrolled)
    if m.live.consumed.get(value, place) != place:
        raise _refusal(m, value, m.live.consumed[value][0])
    m.live.consumed = {**m.live.consumed, value: place}
    if not m.iterators.ahead:
        m.iterators.emptied.add(value)


def require_whole(m: Machine, value: Iteration) -> None:
    """Refuse an iterator of which something has had elements, at whatever place: for one that is stepped."""
    if value in m.live.consumed:
        raise _refusal(m, value, m.live.consumed[value][0])


@contextmanager
def looking_ahead(m: Machine) -> Iterator[None]:
    """Look at iterators without going through them."""
    before = m.live.consumed
    m.iterators.ahead += 1
    try:
        yield
    finally:
        m.iterators.ahead -= 1
    m.live.consumed = before


def refuse_repeated(m: Machine, value: Iteration) -> None:
    """Refuse `zip(pairs, pairs)` of one iterator, whose elements take turns."""
    found = [p for p in value.parts if isinstance(p, Iteration)]
    if any(a is b for i, a in enumerate(found) for b in found[:i]):
        raise _refusal(m, found[0], m.loc)


def gone(m: Machine) -> GraphProgramError:
    """The refusal of an iterator of which something has taken what was left, perhaps not to the end."""
    return m.error(
        "GP339",
        "something has gone through what this iterator had left, and whether to the end is not known here",
        hint="keep its elements: list(it)",
    )


def _refusal(m: Machine, value: Iteration, first: Loc) -> GraphProgramError:
    unnamed = value.kind == "iter"
    again = f"list({value.kind}(...)), or call {value.kind}(...) again"
    return m.error(
        "GP339",
        f"this {'iterator' if unnamed else value.kind} was already gone through, and gives no more elements in Python",
        labels=() if first == m.loc else (Label(first, "here"),),
        hint=f"keep its elements: {'list(...)' if unnamed else again}",
    )


def refuse_second_round(m: Machine, entry: State, back: State) -> None:
    """Refuse a loop in which a round empties an iterator that the next round gets."""
    for frame, names in entry.frames.items():
        for name, before in names.items():
            after = back.frames.get(frame, {}).get(name)
            if after is not None and any(True for _ in iterators((before,))):
                _refuse_emptied(m, entry, back, iterators((after,)))
    for ref, contents in entry.heap.items():
        if any(True for _ in iterators(items_of(contents))):
            _refuse_emptied(m, entry, back, iterators(items_of(back.heap.get(ref))))


def _refuse_emptied(m: Machine, entry: State, back: State, found: Iterable[Iteration]) -> None:
    for value in found:
        if value in back.consumed and value not in entry.consumed:
            m.node_loc = back.consumed[value][0]
            raise _refusal(m, value, back.consumed[value][0])


def iterators(values: Iterable[Value]) -> Iterator[Iteration]:
    """The iterators among values and what they are made of."""
    return (v for v in inner_values({}, *values) if isinstance(v, Iteration))


def emptied(values: Sequence[Value], states: Sequence[State]) -> bool:
    """Whether some path has gone through an iterator that others have another one for."""
    several = any(v is not values[0] for v in values)
    return several and any(v in s.consumed for v, s in zip(values, states, strict=True))


def either(states: Iterable[State]) -> Mapping[Value, tuple[Loc, int]]:
    """What one of the paths that meet has gone through."""
    return {value: place for state in states for value, place in state.consumed.items()}
