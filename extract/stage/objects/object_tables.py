"""Objects in the table of their class, known by the numbers of their rows.

    tracks = [Track(v) for v in x]                tracks := 0, 1, 2, ...: a row of the columns Track.pos, Track.age
    old = [t for t in tracks if t.pos > 0]   ->   old := some of these numbers
    for t in old:                                 for t in old:
        t.age += 1                                    Track.age := set_index(Track.age, add(Track.age[t], 1), t)

A list of computed length keeps columns with copies of what its elements hold.  Where an object that is written may
be in several places at once, the evaluation starts again, and all objects of its class are rows of a table: a name,
a list or another object has the number of the row.  So a write is seen wherever the object is, two numbers are equal
where two objects are one, and numbers merge where paths meet.  A row stays where it is for as long as the call runs.

The table is a list of computed length itself.  Arrays and lists in a row are written as those in an element of one
are (`stage/lists/element_writes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.lists import element_writes, list_columns
from graph_program.extract.stage.lists.common_layouts import covers
from graph_program.extract.stage.lists.element_values import built
from graph_program.extract.stage.machine.decisions import TABLES
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import elements, reachable, tables
from graph_program.extract.stage.machine.memory.tables import (
    SHARED,
    Part,
    Parts,
    can_have,
    classes_in,
    contents,
    group_of,
    parts_of,
)
from graph_program.extract.stage.machine.signals import PeelNeeded, SplitNeeded
from graph_program.extract.stage.objects import caller_rows
from graph_program.extract.stage.operations import attributes
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.column_data import Element, Growing
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.inside import holds_itself
from graph_program.extract.stage.values.layouts import (
    Counted,
    Layout,
    counted,
    describe_layout,
    has_arrays,
    has_objects,
    leaves,
)
from graph_program.extract.stage.values.structure import describe, same_value
from graph_program.extract.stage.values.values import Ref, Row, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import INT64

Refusal = GraphProgramError | PeelNeeded | SplitNeeded
MERGED = ("GP310", "GP311", "GP325", "GP351", "GP357", "GP440", "GP451")
"""Refusals where it is not known which object something is."""
EXPLAINED = (*SHARED, "GP356", "GP456")
"""Refusals that say why there is no table."""


def begin(m: Machine) -> None:
    """Make the tables, empty."""
    for cls in m.decided[TABLES]:
        m.rows.tables[cls] = ref = Ref(list, m.loc)
        m.live.heap[ref] = ()


def refused(m: Machine, cls: type, reason: str) -> GraphProgramError:
    """The refusal that asked for the table of a class, with the reason why there is none."""
    first = m.decided[TABLES][cls]
    assert first is not None
    return first.with_note(reason) if first.code in EXPLAINED else first


def last_resort(m: Machine, refusal: Refusal) -> Exception:
    """What ends an evaluation with a refusal; where objects are not told apart, they are to be in tables."""
    error = refusal if isinstance(refusal, GraphProgramError) else refusal.error
    new = could_have(m)
    goes_on = m.options.recovery is not None and error is not refusal
    if error.code not in MERGED or goes_on:
        return refusal
    if not m.decided[TABLES]:
        return tables.needed(new, error) if new else refusal
    first = next(iter(m.decided[TABLES].values()))
    assert first is not None
    return refusal if first.code in SHARED else first


def could_have(m: Machine) -> frozenset[type]:
    """The classes of objects, made so far or the caller's, that have no table, and can have one."""
    given = {ref.cls for ref in m.outside.objects}
    return frozenset(filter(can_have, m.rows.made | m.rows.listed | given)) - m.decided[TABLES].keys()


# ---------------------------------------------------------------- rows


def adopted(m: Machine, instance: Ref) -> Value:
    """An object that has been made; where its class has a table, its row there."""
    m.rows.made.add(instance.cls)
    table = m.rows.tables.get(instance.cls)
    if table is None:
        return instance
    itself = holds_itself(m.live.heap, instance)
    if itself or any(value is instance for _, value in reachable.visible(m)):
        raise refused(m, instance.cls, f"a {instance.cls.__name__} is put somewhere while it is being made")
    row = appended(m, table, instance)
    del m.live.heap[instance]
    return row


def appended(m: Machine, table: Ref, instance: Ref) -> Row:
    """The new row for an object."""
    whole, held = m.live.heap[table], m.live.heap[instance]
    apart = elements.are_new(m, whole, instance)
    row = Row(instance.cls, list_columns.length(m, whole))
    if instance.path or caller_rows.has_any(m, instance.cls):
        m.live.heap[instance] = {**held, **caller_rows.hidden(m, instance)}
    try:
        made = growing.grown(m, growing.joined(m, [whole, (instance,)]), m.live.heap.__getitem__)
    except GraphProgramError:
        made = None
    if made is None:
        raise refused(m, instance.cls, f"the attributes of a {instance.cls.__name__} are not of one kind each")
    m.live.heap[instance] = held
    m.live.heap[table] = replace(made, apart=apart)
    m.writes += 1
    element_writes.renew(m, table)
    return row


def assembled(m: Machine, whole: Growing, parts: Parts) -> Growing:
    """A table with these columns for its attributes."""
    group = replace(group_of(whole.layout), keys=tuple(parts), parts=tuple(part for part, _ in parts.values()))
    layout = counted(group)
    columns = tuple(c for _, found in parts.values() for c in found)
    if isinstance(layout, Counted):
        columns = (list_columns.filled(m, whole, list_columns.FLAG, False),)
    return replace(whole, layout=layout, columns=columns)


def _is_plain(layout: Layout) -> bool:
    """Whether what is laid out so has no arrays and no objects in it."""
    return not has_arrays(layout) and not has_objects(layout)


# ---------------------------------------------------------------- reading


def instance(m: Machine, row: Row) -> Ref:
    """The object with what it holds now; writes to arrays and lists in it reach the table."""
    whole = contents(m, row.cls)
    for element, found in _read(m, row.cls):
        if same_value(element.position, row.number) and elements.is_linked(m, element):
            return found
    root = growing.row(m, whole, row.number)
    assert isinstance(root, Ref)
    element = Element(m.rows.tables[row.cls], row.number, root, whole.order, tuple(m.loops.rounds))
    if whole.apart:
        elements.link(m, element, root)
    root.element = element
    m.live.elements = (*m.live.elements, element)
    return root


def _read(m: Machine, cls: type) -> Iterator[tuple[Element, Ref]]:
    """The elements of the table of a class that have been read and are as they were, with the objects that they are."""
    for element in m.live.elements:
        root = tables.object_of(m, element)
        if root is not None and root.cls is cls and elements.is_current(m, element):
            yield element, root


@tables.opened.given
def opened(m: Machine, value: Ref | Row) -> Ref:
    return instance(m, value) if isinstance(value, Row) else value


def refers(m: Machine, cls: type) -> bool:
    """Whether objects in a table may refer to objects in tables."""
    return any(True for _ in classes_in(contents(m, cls).layout))


def names(m: Machine, row: Row) -> list[str]:
    """The attributes of an object in a table."""
    return [name for name in parts_of(contents(m, row.cls)) if not tables.is_hidden(name)]


@forward
def class_attribute(m: Machine, value: Value, cls: type, name: str) -> Value:
    """What `value.name` finds on the class: method, property, class method, constant."""


@attributes.attribute.of(Row)
def attribute(m: Machine, row: Row, name: str) -> Value:
    """`row.name`."""
    found = parts_of(contents(m, row.cls)).get(name)
    if found is None:
        return class_attribute(m, row, row.cls, name)
    part, _ = found
    if not _is_plain(part):
        return one_of_several.read(m, m.live.heap[instance(m, row)][name])
    return one_of_several.read(m, built(m, part, _cells(m, found, row.number), None))


def _cells(m: Machine, found: Part, position: Value) -> Iterator[Tensor]:
    part, columns = found
    return iter([growing.cell(m, leaf, c, position) for leaf, c in zip(leaves(part), columns, strict=True)])


# ---------------------------------------------------------------- writing


def store(m: Machine, row: Row, name: str, value: Value) -> None:
    """`row.name = value`."""
    if value.element is not None and (
        name in parts_of(contents(m, row.cls)) and m.live.heap[instance(m, row)][name] is value
    ):
        return  # `track.x += v` sets the attribute to what it is
    alias.before_write(m, m.rows.tables[row.cls])
    if not tables.is_hidden(name):
        caller_rows.before_set(m, row, name)
    whole = contents(m, row.cls)
    parts = parts_of(whole)
    layout = growing.layout_of_contents(m, (value,), m.live.heap.__getitem__)
    if name not in parts:
        raise refused(m, row.cls, f"a {row.cls.__name__} has no attribute '{name}' when it is made")
    if layout is None:
        raise refused(m, row.cls, f"its attribute '{name}' becomes a {describe(value)}")
    if not (_is_plain(parts[name][0]) and _is_plain(layout)):
        root = instance(m, row)
        before = elements.held_in(m, root)
        m.live.heap[root] = {**m.live.heap[root], name: value}
        assert root.element is not None
        element_writes.write_back(m, root.element, elements.held_in(m, root) != before)
        return
    parts[name] = _with(m, row, whole, parts[name], value)
    m.live.heap[m.rows.tables[row.cls]] = assembled(m, whole, parts)
    _refresh(m, row.cls, name)


def _with(m: Machine, row: Row, whole: Growing, found: Part, value: Value) -> Part:
    """The columns of an attribute after a row has got another value there."""
    part, columns = found
    lookup = m.live.heap.__getitem__
    if not columns:
        columns = (list_columns.filled(m, whole, list_columns.FLAG, False),)
    field = Growing(counted(part), columns)
    layout = growing.layout_of_contents(m, (value,), lookup)
    assert layout is not None
    field = growing.widened(m, field, layout)
    if covers(field.layout, layout) and growing.uniform_columns(field):
        cells = list_columns.packed(m, (value,), field.layout, lookup)
        field = replace(field, columns=growing.with_row(m, field, cells, m.cast(row.number, INT64)))
    else:
        try:
            field = growing.with_another(m, field, row.number, value)
        except GraphProgramError:
            kinds = f"{describe_layout(part)} and {describe(value)}"
            raise refused(m, row.cls, f"the attribute is {kinds}, from place to place") from None
    if isinstance(field.layout, Counted):
        inner = field.layout.inner
        return inner, field.columns[1:] if any(True for _ in leaves(inner)) else ()
    return field.layout, field.columns


def _refresh(m: Machine, cls: type, name: str) -> None:
    """Read an attribute again in the objects that have been read."""
    for element, root in _read(m, cls):
        found = parts_of(contents(m, cls))[name]
        value = built(m, found[0], _cells(m, found, element.position), None)
        m.live.heap[root] = {**m.live.heap[root], name: value}
