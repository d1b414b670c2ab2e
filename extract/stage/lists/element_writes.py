"""Writing to the elements of lists of computed length.

    particles[i].x += dt            p := row i of the columns
                           ->       p.x := add(p.x, dt)
                                    column x of particles := set_index(column, p.x, i)

Columns hold copies.  A write to an element reaches its list where each element is an object of its own
(`Growing.apart`), the list still has it in the place that it was read from (`Growing.order`), and nobody else
may have it.  Other elements that were read from the list are then read again, as they may be the same one.
"""

from __future__ import annotations

from dataclasses import replace

from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.lists import list_columns
from graph_program.extract.stage.lists.common_layouts import covers
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import elements, tables
from graph_program.extract.stage.machine.memory.reachable import visible
from graph_program.extract.stage.values.choices import is_object
from graph_program.extract.stage.values.column_data import Element, Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.inside import inner_values, memory_of
from graph_program.extract.stage.values.questions import is_array_of_graph, is_ref_to
from graph_program.extract.stage.values.sharing import may_share, root
from graph_program.extract.stage.values.structure import paired_parts
from graph_program.extract.stage.values.values import Maybe, Ref, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import INT64


def _is_read_again(m: Machine, value: Tensor | Ref) -> bool:
    """Whether an array or object in an element gets what is written to others; not one that only a branch has read."""
    return elements.is_inside(m, value) and value.element in m.live.elements


@entries.sharer.given
def sharer(m: Machine, target: Tensor | Ref, element: Element) -> str | None:
    if not elements.is_inside(m, target):
        return ""
    chain = list(elements.holders(element))
    whole = m.live.heap[element.holder]
    ours = [target, *memory_of(whole)]
    skipped = {id(v) for ref in chain for v in memory_of(m.live.heap[ref])}
    for name, other in visible(m):
        if not is_object(other) or id(other) in skipped:
            continue
        owner = root(other)
        if any(owner is ref for ref in (target, *chain)):
            continue
        theirs: list[Value | None] = [owner]
        contents = m.live.heap.get(owner)
        if owner.element is not None and owner.element.holder is element.holder and _is_read_again(m, owner):
            continue
        if isinstance(contents, Growing):
            theirs += [contents.arrays, contents.objects]
        if any(may_share(x, y) for x in theirs if x is not None for y in ours):
            return name
    return None


def is_alone(m: Machine, holder: Ref, whole: Growing) -> bool:
    """Whether nobody but a list has, or may have, the arrays and objects in its elements, all different ones."""
    ours = [v for v in (whole.arrays, whole.objects) if v is not None]
    if not whole.apart or not ours or holder.element is not None:
        return False
    for _, other in visible(m):
        if not is_object(other) or other is holder or any(other is v for v in ours):
            continue
        owner = root(other)
        contents = m.live.heap.get(owner)
        theirs = [contents.arrays, contents.objects] if isinstance(contents, Growing) else []
        if any(may_share(x, y) for x in (owner, *theirs) if x is not None for y in ours):
            return False
    return True


@entries.write_back.given
def write_back(m: Machine, element: Element, rebound: bool = False) -> None:
    m.writes += 1
    whole = m.live.heap[element.holder]
    assert isinstance(whole, Growing)
    lookup = m.live.heap.__getitem__
    layout = growing.layout_of_contents(m, (element.root,), lookup)
    apart = _stays_apart(m, whole, element)
    whole = growing.widened(m, whole, layout)
    if layout is not None and covers(whole.layout, layout) and growing.uniform_columns(whole):
        cells = list_columns.packed(m, (element.root,), whole.layout, lookup)
        columns = growing.with_row(m, whole, cells, m.cast(element.position, INT64))
        held = [growing.held(c, lookup) for c in (whole, (element.root,))]
        new = replace(whole, columns=columns, **growing.stand_ins(m, whole.layout, held))
    else:
        new = growing.with_another(m, whole, element.position, element.root)
    m.live.heap[element.holder] = replace(new, order=whole.order, apart=apart)
    if apart:
        elements.link(m, element, element.root)
    _read_again(m, element, rebound)
    renew(m, element.holder)
    if element.holder.element is not None:
        write_back(m, element.holder.element, rebound)


def _stays_apart(m: Machine, whole: Growing, element: Element) -> bool:
    """Whether the arrays and objects in a list are different ones with what an element has now."""
    row = tables.object_of(m, element)
    if row is not None:
        return elements.are_new(m, whole, row, element)
    return elements.are_apart(m, [element.root], elements.born(whole), element)


def renew(m: Machine, holder: Ref) -> None:
    """Tell the lists in elements that were read what the whole list now may share memory with."""
    whole = m.live.heap[holder]
    for element in m.live.elements:
        if element.holder is not holder or not elements.is_current(m, element):
            continue
        for value in inner_values(m.live.heap, element.root):
            held = m.live.heap.get(value)
            if isinstance(value, Ref) and value.element is element and isinstance(held, Growing):
                m.live.heap[value] = replace(held, arrays=whole.arrays, objects=whole.objects)


def _read_again(m: Machine, written: Element, rebound: bool) -> None:
    whole = m.live.heap[written.holder]
    for other in m.live.elements:
        if other is written or other.holder is not written.holder or not elements.is_current(m, other):
            continue
        _replace(m, other.root, growing.row(m, whole, other.position), other, rebound)


@generic
def _replace(m: Machine, old: Value, new: Value, element: Element, rebound: bool) -> None:
    """Give what an element is made of the contents that another reading of it has."""
    for a, b in paired_parts(old, new) or ():
        _replace(m, a, b, element, rebound)


@_replace.of(Tensor)
def _replace_array(m: Machine, old: Tensor, new: Value, element: Element, rebound: bool) -> None:
    if old.is_array and is_array_of_graph(new):
        m.live.written[old] = m.contents(new)


@_replace.of(Maybe)
def _replace_optional(m: Machine, old: Maybe, new: Value, element: Element, rebound: bool) -> None:
    _replace(m, old.value, new.there, element, rebound)


@_replace.of(Ref)
def _replace_object(m: Machine, old: Ref, new: Value, element: Element, rebound: bool) -> None:
    """An object in an element keeps its own identity, and that of the arrays and objects in it."""
    if not is_ref_to(new, old.cls):
        return
    ours, theirs = m.live.heap[old], m.live.heap[new]
    if isinstance(theirs, Growing) or type(ours) is not type(theirs) or len(ours) != len(theirs):
        m.live.heap[old] = theirs
        elements.link(m, element, old)
        return
    keys = range(len(ours)) if isinstance(ours, tuple) else list(ours)
    merged = {}
    for key in keys:
        a, b = ours[key], theirs[key]
        same_shape = is_array_of_graph(a) and is_array_of_graph(b) and a.type == b.type
        keep = same_shape or (isinstance(a, Ref) and is_ref_to(b, a.cls))
        if keep and not rebound and a.element is element:
            _replace(m, a, b, element, rebound)
            merged[key] = a
        else:
            merged[key] = b
    m.live.heap[old] = tuple(merged.values()) if isinstance(ours, tuple) else merged
    elements.link(m, element, old)
