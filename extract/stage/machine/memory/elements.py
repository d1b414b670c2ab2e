"""Elements that were read from lists of computed length: whether they are still in their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Heap
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.choices import is_object
from graph_program.extract.stage.values.column_data import Element, Growing
from graph_program.extract.stage.values.inside import inner_values, memory_of
from graph_program.extract.stage.values.values import Ref, Tensor, Value


def are_apart(
    m: Machine,
    values: Sequence[Value],
    since: int = -1,
    known: Element | None = None,
    heap: Heap | None = None,
) -> bool:
    """Whether all arrays and objects in some values are different ones, made by the program after a moment.

    `known` are those of an element, which are known to be.
    """
    heap = m.live.heap if heap is None else heap
    seen: set[int] = set()
    for value in inner_values(heap, *values):
        if m.is_captured_array(value):
            return False
        if is_object(value):
            if id(value) in seen or not (
                _is_new(m, value, since, heap) or (known is not None and value.element is known)
            ):
                return False
            seen.add(id(value))
    return True


def _is_new(m: Machine, value: Tensor | Ref, since: int, heap: Heap) -> bool:
    if value.sources or value.join >= 0 or value.element is not None or value.born <= since:
        return False
    if value.path and value not in m.rows.moved:
        return False
    if isinstance(value, Tensor):
        return value.view is None and not m.is_captured(value)
    contents = heap.get(value)
    return not isinstance(contents, Growing) or not memory_of(contents)


def born(contents: Growing) -> int:
    """When contents were made."""
    return max((s.born for s in memory_of(contents)), default=-1)


def is_noted(contents: Growing) -> bool:
    """Whether a write to an element of a list can reach it."""
    return contents.apart and bool(memory_of(contents))


def noted(m: Machine, holder: Ref, position: Value, value: Value) -> Value:
    """An element that was read from a list, which a write to it will reach."""
    contents = m.live.heap[holder]
    assert isinstance(contents, Growing)
    element = Element(holder, position, value, contents.order, tuple(m.loops.rounds))
    link(m, element, value)
    m.live.elements = (*m.live.elements, element)
    return value


def link(m: Machine, element: Element, value: Value) -> None:
    """Let writes to all arrays and objects in a value reach the element."""
    for one in inner_values(m.live.heap, value):
        if is_object(one):
            one.element = element


def is_linked(m: Machine, element: Element) -> bool:
    """Whether writes to all that is in an element reach it; not to what has merged with others since."""
    return all(v.element is element for v in inner_values(m.live.heap, element.root) if is_object(v))


def is_current(m: Machine, element: Element) -> bool:
    """Whether a list still has an element where it was read."""
    contents = m.live.heap.get(element.holder)
    if not isinstance(contents, Growing) or contents.order is not element.order or not contents.apart:
        return False
    if tuple(m.loops.rounds[: len(element.rounds)]) != element.rounds:
        return False
    outer = element.holder.element
    return outer is None or is_current(m, outer)


def is_inside(m: Machine, value: Tensor | Ref) -> bool:
    """Whether an array or object is still in the element that it was read with, which is still in its list."""
    element = value.element
    if element is None or not is_current(m, element):
        return False
    return any(v is value for v in inner_values(m.live.heap, element.root))


def holders(element: Element) -> Iterator[Ref]:
    """The list that has an element, and those around it."""
    outer: Element | None = element
    while outer is not None:
        yield outer.holder
        outer = outer.holder.element


def held_in(m: Machine, ref: Ref) -> set[int]:
    """Which arrays and objects an object has in it."""
    inner = inner_values(m.live.heap, ref)
    return {id(v) for v in inner if is_object(v)}


def are_new(m: Machine, whole: Growing | tuple[Value, ...], root: Ref, known: Element | None = None) -> bool:
    """Whether nothing else has, or may have, the arrays and objects in a row, and those in the others."""
    held = [] if isinstance(whole, tuple) else memory_of(whole)
    if not isinstance(whole, tuple) and not whole.apart:
        return False
    fields = m.live.heap[root].values()
    if not are_apart(m, tuple(fields), known=known):
        return False
    inside = filter(is_object, inner_values(m.live.heap, *fields))
    return not any(
        sharing.may_share(v, other) for v in inside if known is None or v.element is not known for other in held
    )
