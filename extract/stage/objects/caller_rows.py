"""Objects of the caller in tables: what is written back to them when the call ends.

    track.x = track.x + v      the attribute `x` of the caller's object becomes another array, on some paths
    track.x[0] += v            the array that the caller has there is written itself

Hidden columns say which attributes have been set.  What such an object holds has moved into its row: an array, list
or dict there is written as those in any row are, and gets its contents back at the end.  Where an attribute is both
set and written in place, one more hidden column keeps what the caller's own array is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graph_program.extract.ir.paths import path_text
from graph_program.extract.stage.machine.decisions import ORIGINALS
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.machine.memory.tables import hidden_name, is_hidden, original
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.objects import object_tables
from graph_program.extract.stage.operations.known_and_truth import tensor
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.values.layouts import Group, Layout, Leaf, Listed, has_arrays, has_objects
from graph_program.extract.stage.values.questions import is_none, is_ref_to, present_part
from graph_program.extract.stage.values.values import NONE, Ref, Row, Static, Tensor, Value, is_numeric
from graph_program.extract.types.tensors.tensor_type import Kind


def given(m: Machine, ref: Ref) -> Value:
    """An object of the caller; where its class has a table, its row there.

    Hidden columns say which of its attributes have been set, and what these were.
    """
    table = m.rows.tables.get(ref.cls)
    if table is None:
        return ref
    for name, value in m.live.heap[ref].items():
        if value.path and (is_ref_to(value, list, dict) or (value.is_array and value.view is None)):
            if value in m.rows.moved:
                shared(m, value)
            else:
                m.rows.moved[value] = ref, name
    m.rows.given[ref] = row = object_tables.appended(m, table, ref)
    return row


def has_any(m: Machine, cls: type) -> bool:
    """Whether some objects in the table of a class are the caller's."""
    return any(ref.cls is cls for ref in m.rows.given)


def shared(m: Machine, value: Value) -> Value:
    """What the caller has in another place, too, is not written in a table."""
    if value in m.rows.moved:
        holder, _ = m.rows.moved.pop(value)
        if holder in m.rows.given:
            table = m.rows.tables[holder.cls]
            m.live.heap[table] = replace(tables.contents(m, holder.cls), apart=False)
    return value


def require_apart(m: Machine, value: Value) -> None:
    """Refuse another way to what an object in a table holds."""
    if value in m.rows.moved:
        cls = m.rows.moved[value][0].cls
        raise object_tables.refused(m, cls, f"'{path_text(value.path)}' is reached in another way as well")


@entries.note_change.given
def note_change(m: Machine, value: Tensor | Ref) -> None:
    holder = None if value.element is None else tables.object_of(m, value.element)
    if holder is None:
        return
    cls = holder.cls
    names = {name for name, held in m.live.heap[holder].items() if held is value and not is_hidden(name)}
    m.rows.attributes_changed |= {(cls, name) for name in names}
    for name in names:
        _require_original(m, cls, name)


def _require_original(m: Machine, cls: type, name: str) -> bool:
    """Whether what an attribute was first is kept, as it is both written in place and set."""
    place = cls, name
    if place in m.decided[ORIGINALS]:
        return True
    if place not in m.rows.attributes_set & m.rows.attributes_changed or not has_any(m, cls):
        return False
    layout, _ = tables.parts_of(tables.contents(m, cls))[name]
    if not _can_be_kept(layout):
        raise object_tables.refused(m, cls, f"its attribute '{name}' is changed in place and set")
    raise Needed(ORIGINALS, [place])


def _can_be_kept(layout: Layout) -> bool:
    """Whether something is an array, or a list in which nothing can be changed."""
    if isinstance(layout, Leaf):
        return layout.type.kind is Kind.ARRAY
    if isinstance(layout, Listed):
        return layout.cls is list and not (has_arrays(layout.inner) or has_objects(layout.inner))
    if not isinstance(layout, Group) or layout.cls is not list:
        return False
    return not any(has_arrays(part) or has_objects(part) for part in layout.parts)


def _original_now(m: Machine, row: Row, name: str) -> Value:
    """What the array that an attribute was first is now, in an array of its own."""
    is_set = object_tables.attribute(m, row, hidden_name(name))
    now = flow.choose(
        m,
        is_set,
        lambda: object_tables.attribute(m, row, original(name)),
        lambda: object_tables.attribute(m, row, name),
    )
    return _copied(m, now)


def _copied(m: Machine, value: Value) -> Value:
    """An array or list of its own."""
    if isinstance(value, Ref):
        made = Ref(value.cls, m.loc)
        m.live.heap[made] = m.live.heap[value]
        return made
    found = tensor(m, value)
    return Tensor(m.contents(found), found.type, m.loc)


def give_back(m: Machine) -> None:
    """Give the caller's arrays, lists and dicts what they are at the end, where they have been written in place."""
    for value, (holder, name) in m.rows.moved.items():
        if (holder.cls, name) not in m.rows.attributes_changed:
            continue
        row = m.rows.given[holder]
        kept = (holder.cls, name) in m.decided[ORIGINALS]
        now = _original_now(m, row, name) if kept else present_part(object_tables.attribute(m, row, name), is_none)
        if isinstance(value, Tensor):
            assert now is not None
            m.live.written[value] = m.contents(tensor(m, now))
        else:
            assert isinstance(now, Ref)
            m.live.heap[value] = m.live.heap[now]


def before_set(m: Machine, row: Row, name: str) -> None:
    """Remember that an attribute is set; before the first time, what the caller's own array is."""
    if not has_any(m, row.cls):
        return
    m.rows.attributes_set.add((row.cls, name))
    if _require_original(m, row.cls, name):
        object_tables.store(m, row, original(name), _original_now(m, row, name))
    object_tables.store(m, row, hidden_name(name), Static(True))


def hidden(m: Machine, instance: Ref) -> dict[str, Value]:
    """The hidden columns of a new row."""
    held = m.live.heap[instance]
    kept: dict[str, Value] = {}
    for name in (name for cls, name in m.decided[ORIGINALS] if cls is instance.cls):
        one = held.get(name, NONE)
        if not is_numeric(one) and not is_ref_to(one, list):
            raise object_tables.refused(m, instance.cls, f"its attribute '{name}' is no array or list everywhere")
        kept[original(name)] = _copied(m, held[name])
    return {hidden_name(name): Static(False) for name in held} | kept


def changes(m: Machine, ref: Ref) -> Iterator[tuple[str, Value, Value]]:
    """The attributes of an object of the caller that may have been set: name, value, whether it has been."""
    row = m.rows.given[ref]
    for name in tables.parts_of(tables.contents(m, ref.cls)):
        if (ref.cls, name) in m.rows.attributes_set:
            yield name, object_tables.attribute(m, row, name), object_tables.attribute(m, row, hidden_name(name))
