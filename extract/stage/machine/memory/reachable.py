"""What later code or the caller can still reach, and which arrays a value may be."""

from __future__ import annotations

from collections.abc import Iterator

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.machine.state import Frame
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import held, inner_values, items_of, memory_of
from graph_program.extract.stage.values.values import Closure, Mixed, Tensor, Value


def merged(value: Value) -> Iterator[Tensor]:
    """The arrays that a value may be: itself, and those of the paths that it is merged from."""
    seen: set[int] = set()
    pending: list[Value] = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, Tensor) and id(one) not in seen:
            seen.add(id(one))
            pending += one.sources
            yield one
        elif isinstance(one, Mixed):
            pending += one.values


def visible(m: Machine) -> Iterator[tuple[str, Value]]:
    """Every value that later code or the caller can still reach, with a name for it."""
    state = m.live
    seen: set[int] = set()
    for name, value in _roots(m):
        stack = [value]
        while stack:
            current = stack.pop()
            if id(current) in seen or tables.has_moved(m, current):
                continue
            seen.add(id(current))
            yield name, current
            contents = state.heap.get(current)
            if isinstance(contents, Growing):
                stack += memory_of(contents)
            elif not isinstance(current, Mixed) or current.selector is not None:  # else nothing can read it
                stack += [*items_of(contents), *held(current)]


def is_shared(m: Machine, value: Value) -> bool:
    """Whether several names, or names and objects, have a value, whatever reads them."""
    names = (one for frame in m.live.frames.values() for one in frame.values())
    kept = (one for contents in m.live.heap.values() for one in items_of(contents))
    return sum(value in inner_values({}, one) for one in (*names, *kept)) > 1


OPERAND = "another operand of this expression"
"""What a value is called that waits for the rest of its expression."""


def _roots(m: Machine) -> Iterator[tuple[str, Value]]:
    yield from ((str(value.path[0]), value) for value in m.outside.arguments)
    frames: dict[int, Frame] = {}
    frame = m.frame
    while frame is not None:
        frames[frame.id] = frame
        outer = frame.parent
        while outer is not None:
            frames.setdefault(outer.id, outer)
            outer = outer.parent
        frame = frame.caller
    for number, names in m.live.frames.items():
        known = frames.get(number)
        live = known.live_now if known is not None else None
        for name, value in names.items():
            if live is None or name in live or name.startswith("<") or isinstance(value, Closure):
                yield name.strip("<>"), value
    yield from ((tables.name_of(cls), table) for cls, table in m.rows.tables.items())
    yield from ((OPERAND, value) for values in m.operands for value in values)
