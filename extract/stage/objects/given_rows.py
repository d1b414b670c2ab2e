"""Objects in the caller's lists of any length, as rows of the table of their class.

    for t in tracks:            tracks := 0, 1, 2, ...      the first rows of the table are the caller's own objects
        t.age += 1       ->     Track.age := add(Track.age, 1), `<age is set>` := true

As for single objects (`stage/objects/caller_rows`), hidden columns say which attributes have been set; all that is
done when the call ends is done for a whole list at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from graph_program.extract.ir.paths import ROW, Path
from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.lists import element_writes, list_columns
from graph_program.extract.stage.machine.decisions import ORIGINALS, TAKEN_APART
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.objects import object_tables
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.layouts import Group, InTable, Layout, leaves
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import Ref, Row, Tensor
from graph_program.extract.types.tensors.tensor_type import INT64


def in_tables(m: Machine, contents: Growing, path: Path) -> Growing:
    """The contents of a list of the caller, with the objects whose classes have tables in these."""
    layout, columns = _tabled(m, contents.layout, iter(contents.columns), (*path, ROW), contents)
    return replace(contents, layout=layout, columns=columns, **growing.stand_ins(m, layout, []))


Part = tuple[Layout, tuple[Column, ...]]


def _tabled(m: Machine, layout: Layout, columns: Iterator[Column], path: Path, whole: Growing) -> Part:
    if not isinstance(layout, Group):
        return layout, tuple(next(columns) for _ in leaves(layout))
    steps = [f".{key}" if layout.is_object and layout.cls is not dict else key for key in layout.keys]
    found = [_tabled(m, part, columns, (*path, step), whole) for part, step in zip(layout.parts, steps, strict=True)]
    inner = replace(layout, parts=tuple(part for part, _ in found))
    own = tuple(column for _, part in found for column in part)
    table = m.rows.tables.get(layout.cls) if layout.is_object and layout.cls is not None else None
    if table is None or layout.cls is None:
        return inner, own
    return _appended(m, table, Growing(inner, own, apart=True), Ref(layout.cls, m.loc, path=path))


def _appended(m: Machine, table: Ref, objects: Growing, stand_for: Ref) -> Part:
    """The objects in new rows of their table, and the numbers of these."""
    before, group = m.live.heap[table], objects.layout
    assert isinstance(group, Group) and group.cls is not None
    first, count = list_columns.length(m, before), list_columns.length(m, objects)
    hidden: dict[str, Part] = {}
    parts = tables.parts_of(objects)
    for name in parts:
        flag = list_columns.filled(m, objects, list_columns.FLAG, False)
        hidden[tables.hidden_name(name)] = list_columns.FLAG, (flag,)
    for cls, name in m.decided[ORIGINALS]:
        if cls is group.cls:
            hidden[tables.original(name)] = parts[name]
    made = object_tables.assembled(m, objects, {**parts, **hidden})
    made = replace(made, **growing.stand_ins(m, made.layout, []))
    m.live.heap[table] = whole = growing.joined(m, [before, made])
    assert isinstance(whole, Growing)
    m.live.heap[table] = replace(whole, apart=not isinstance(before, Growing) or before.apart)
    m.rows.given[stand_for] = Row(group.cls, first)
    m.writes += 1
    element_writes.renew(m, table)
    numbers = m.op("iota", m.cast(count, INT64))
    if known_value(first) != 0:
        numbers = m.op("add", numbers, m.cast(first, INT64))
    return InTable(group.cls), (Column(numbers),)


def changes(m: Machine, ref: Ref) -> Iterator[tuple[str, Layout, tuple[Column, ...], Tensor | None]]:
    """The attributes that may have other contents, then those that may have been set, with where they have been."""
    parts = tables.parts_of(tables.contents(m, ref.cls))
    names = [name for name in parts if not tables.is_hidden(name)]
    for name in names:
        if (ref.cls, name) in m.rows.attributes_changed:
            layout, columns = parts[name]
            kept = parts.get(tables.original(name))
            if kept is not None:
                is_set = parts[tables.hidden_name(name)][1][0].data
                pairs = list(zip(kept[1], columns, strict=True))
                if any(column.shapes is not None for pair in pairs for column in pair):
                    text = f"'{name}' of a {ref.cls.__name__} is set and written in place, and has different shapes"
                    raise Needed(TAKEN_APART, [ref.path[: ref.path.index(ROW)]], m.error("GP356", text))
                columns = tuple(Column(_where(m, is_set, old.data, new.data)) for old, new in pairs)
            yield name, layout, columns, None
    for name in names:
        if (ref.cls, name) in m.rows.attributes_set:
            yield name, *parts[name], parts[tables.hidden_name(name)][1][0].data


def _where(m: Machine, test: Tensor, yes: Tensor, no: Tensor) -> Tensor:
    """Row by row one of two columns."""
    axes = tuple(range(1, yes.rank))
    return m.op("where", m.op("expand_dims", test, axes=axes) if axes else test, yes, no)


def gathered(m: Machine, contents: Growing) -> Growing:
    """A list with the attributes of its objects in the place of their numbers; others than those of linked objects."""
    layout, columns = _gathered(m, contents.layout, iter(contents.columns))
    return replace(contents, layout=layout, columns=columns)


def _gathered(m: Machine, layout: Layout, columns: Iterator[Column]) -> Part:
    if isinstance(layout, Group):
        found = [_gathered(m, part, columns) for part in layout.parts]
        return replace(layout, parts=tuple(part for part, _ in found)), tuple(c for _, own in found for c in own)
    own = tuple(next(columns) for _ in leaves(layout))
    if not isinstance(layout, InTable) or tables.is_recursive(m, layout.cls):
        return layout, own
    whole = tables.contents(m, layout.cls)
    parts = {name: part for name, part in tables.parts_of(whole).items() if not tables.is_hidden(name)}
    chosen = growing.reordered(m, object_tables.assembled(m, whole, parts), own[0].data)
    return _gathered(m, chosen.layout, iter(chosen.columns))
