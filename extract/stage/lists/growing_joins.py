"""Merging lists that have different lengths on the paths that meet: columns become merge variables.

    rows = []                      rows := full(0.0, 0, 3)
    if c:                 ->       if c: rows := expand_dims(x, axes=(0,))
        rows.append(x)             else: rows := full(0.0, 0, 3)

What a path has for the columns is made at its end (`Packed`), in the layout that all paths share.  Elements that are on
the host are objects there beside which others may stand:

    lines = ["head"]            lines := [h1]               # host[0]: "head"
    for v in x:                 for k in range(...):
        lines.append(f"{v}")        lines := lines + [h2]   # host[1](x[k]): f"{v}"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.host import NUMBER
from graph_program.extract.ir.paths import Path
from graph_program.extract.records import dataclass
from graph_program.extract.stage.lists import list_columns
from graph_program.extract.stage.lists.columns import advice, held, kinds_of, layout_of_contents, note_listed, stand_in
from graph_program.extract.stage.lists.common_layouts import Lookup, common, covers, layout_of_thing, loosened
from graph_program.extract.stage.lists.list_columns import packed
from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.checks.lengths import merged_loops
from graph_program.extract.stage.machine.decisions import HOST_DICTS
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.machine.memory.elements import are_apart
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.machine.state import Heap, State
from graph_program.extract.stage.operations.known_and_truth import not_static
from graph_program.extract.stage.paths.joins import join_choices, strategies
from graph_program.extract.stage.paths.joins.meeting import Deferred
from graph_program.extract.stage.paths.joins.strategies import given, length_dim
from graph_program.extract.stage.values.column_data import Column, Growing, Order
from graph_program.extract.stage.values.layouts import (
    Choice,
    Contents,
    Group,
    Layout,
    Leaf,
    OnHost,
    counted,
    has_arrays,
    has_objects,
    known_things,
    leaves,
    map_leaves,
)
from graph_program.extract.stage.values.questions import is_plain_tuple, is_ref_to
from graph_program.extract.stage.values.values import Host, MadeSet, Mixed, Ref, Tensor, Value
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


@dataclass(eq=False)
class Packing:
    """What one path has for the columns of a merged list; made when it is first asked for."""

    contents: Contents
    layout: Layout
    lookup: Lookup
    columns: list[Column] | None = None

    def column(self, m: Machine, index: int) -> Column:
        if self.columns is None:
            self.columns = packed(m, self.contents, self.layout, self.lookup)
        return self.columns[index]


@dataclass(frozen=True, eq=False)
class Packed(Deferred):
    """One tensor of a `Packing`."""

    packing: Packing
    index: int
    shapes: bool

    def tensor(self, m: Machine) -> Tensor:
        """The tensor itself, computed at the end of the path."""
        found = self.packing.column(m, self.index)
        result = found.shapes if self.shapes else found.data
        assert result is not None
        return result


@strategies.merged_columns.given
def merged(join: Join, contents: Sequence[Contents], states: Sequence[State], hint: str) -> Growing | None:
    m = join.m
    layouts: list[Layout] = []
    for each, state in zip(contents, states, strict=True):
        outer, m.state = m.state, state
        layout = layout_of_contents(m, each, join.lookup(state.heap))
        m.state = outer
        if layout is not None:
            layouts.append(layout)
        elif isinstance(each, Growing) or each:
            return None
    layout = common(m, layouts) if layouts else None
    if layout is None:
        return None
    layout = growing(join, layout, hint)
    if not all(isinstance(c, Growing) or c for c in contents):
        layout = loosened(m, layout)
    layout = counted(layout)
    note_listed(m, layout)
    columns = _columns(join, layout, _length(join, contents, states), hint)
    summaries = [_summary(join, c, s.heap) for c, s in zip(contents, states, strict=True)]
    return Growing(
        layout,
        columns,
        _merged_stand_in(join, [a for a, _ in summaries]) if has_arrays(layout) else None,
        Ref(object, m.loc, tuple(o for _, o in summaries), join.number) if has_objects(layout) else None,
        _loops(join, contents),
        all(_is_apart(join, c, s.heap) for c, s in zip(contents, states, strict=True)),
        _order(join, contents),
    )


@strategies.merged_tuples.given
def merged_tuples(join: Join, values: Sequence[Value], states: Sequence[State], hint: str) -> Ref | None:
    known = [v for v in values if is_plain_tuple(v)]
    others = [v for v in values if is_ref_to(v, tuple)]
    if not known or len(known) + len(others) < len(values) or len({len(v.elts) for v in known}) + bool(others) == 1:
        return None
    join.structural = True
    result = Ref(tuple, join.m.loc, tuple(others), join.number)
    contents = [
        given(result, v, s.heap) or given(result, v, join.heap) or () for v, s in zip(values, states, strict=True)
    ]
    grown = merged(join, contents, states, hint)
    if grown is not None:
        join.heap[result] = grown
    return None if grown is None else result


def _order(join: Join, contents: Sequence[Contents]) -> Order:
    first = contents[0]
    same = isinstance(first, Growing) and all(isinstance(c, Growing) and c.order is first.order for c in contents)
    return first.order if same and isinstance(first, Growing) else Order(join.number)


def _is_apart(join: Join, contents: Contents, heap: Heap) -> bool:
    """Whether all arrays and objects in a list are different ones."""
    return contents.apart if isinstance(contents, Growing) else are_apart(join.m, contents, heap=heap)


def _length(join: Join, contents: Sequence[Contents], states: Sequence[State]) -> Dim:
    """The number of elements, if it is the same on all paths."""
    sizes = [s.facts.resolve(length_dim(c)) for c, s in zip(contents, states, strict=True)]
    same = (s.facts.resolve(sizes[0]) == size for size, s in zip(sizes, states, strict=True))
    return sizes[0] if all(same) else join.fresh_dim()


def _columns(join: Join, layout: Layout, size: Dim, hint: str) -> tuple[Column, ...]:
    found = []
    for leaf in leaves(layout):
        if not leaf.ragged:
            type_ = TensorType(leaf.type.dtype, (size, *leaf.type.shape))
            found.append(Column(join.leaf(type_, hint, ())))
            continue
        data = join.leaf(TensorType(leaf.type.dtype, (join.fresh_dim(),)), hint, ())
        shapes = join.leaf(TensorType(INT64, (size, dim(leaf.type.rank))), f"{hint}_shapes", ())
        found.append(Column(data, shapes))
    return tuple(found)


def _merged_stand_in(join: Join, sources: Sequence[Value]) -> Tensor:
    result = stand_in(join.m, sources)
    result.join = join.number
    return result


def _summary(join: Join, contents: Contents, heap: Heap) -> tuple[Value, Value]:
    """One array and one object that stand for all that the elements on a path share memory with."""
    if isinstance(contents, Growing) and contents.arrays is not None and contents.objects is not None:
        return contents.arrays, contents.objects
    arrays, objects = held(contents, join.lookup(heap))
    one: Value = arrays[0] if len(arrays) == 1 else stand_in(join.m, arrays)
    other = objects[0] if len(objects) == 1 else Ref(object, join.m.loc, tuple(objects))
    return one, other


def _loops(join: Join, contents: Sequence[Contents]) -> frozenset[Loc | Path] | None:
    """The loops that, unrolled, make the length known: this one, and those that made the contents what they are."""
    known = [c.loops for c in contents if isinstance(c, Growing)]
    if len({len(c) for c in contents if not isinstance(c, Growing)}) > 1 or join.loop is not None:
        site = None if join.loop is None else join.m.loops.unrollable.get(join.loop)
        known.append(None if site is None else frozenset([site]))
    return merged_loops(known)


@strategies.unmerged.given
def unmerged(join: Join, contents: Sequence[Contents]) -> Mixed:
    known = [c for c in contents if isinstance(c, tuple | Growing)]
    reason = " and ".join(dict.fromkeys(kind for c in known for kind in kinds_of(c)))
    return Mixed((), (), reason, join.loop, grows=True, advice=advice(known))


# ---------------------------------------------------------------- pairs and fits


@strategies.pairs_of_columns.given
def pairs(join: Join, head: Growing, value: Any, heap: Heap) -> Iterator[tuple[Value, Value]]:
    if not isinstance(value, tuple | Growing):
        return
    key = (id(head), id(value))
    found = join.packings.found.get(key)
    if found is None:
        join.packings.kept += [head, value]
        found = join.packings.found[key] = list(_pairs(join, head, value, heap))
    yield from found


def _pairs(join: Join, head: Growing, value: Contents, heap: Heap) -> Iterator[tuple[Value, Value]]:
    packing = Packing(value, head.layout, join.lookup(heap))
    for i, column in enumerate(head.columns):
        if id(column.data) in join.leaves:
            yield column.data, Packed(packing, i, False)
            if column.shapes is not None:
                yield column.shapes, Packed(packing, i, True)
    arrays, objects = _summary(join, value, heap)
    if head.arrays is not None:
        yield head.arrays, arrays
    if head.objects is not None:
        yield head.objects, objects


@strategies.columns_fit.given
def fits(join: Join, head: Growing, value: Any, heap: Heap) -> bool:
    if not isinstance(value, tuple | Growing) or any(id(c.data) not in join.leaves for c in head.columns):
        return False
    moved = not isinstance(value, Growing) or value.order is not head.order
    if (moved and head.order.join != join.number) or (head.apart and not _is_apart(join, value, heap)):
        return False
    size = length_dim(head)
    if str(size) not in join.free_dims and join.facts.resolve(size) != join.facts.resolve(length_dim(value)):
        return False
    if isinstance(value, tuple) and not value:
        return True
    layout = layout_of_contents(join.m, value, join.lookup(heap))
    if layout is None:
        return False

    def resolved(one: Layout) -> Layout:
        return map_leaves(one, lambda leaf: type(leaf)(join.facts.resolve_type(leaf.type), leaf.ragged))

    return covers(resolved(head.layout), resolved(layout))


@layout_of_thing.of(MadeSet, holding=set)
def _layout_of_set(m: Machine, value: MadeSet, lookup: Lookup) -> OnHost:
    """A set of the program's that is an element has to be on the host.

    Raises
    ------
    Needed
    """
    raise Needed(HOST_DICTS, [value.loc], not_static(m, value, "an element of a list"))


@layout_of_thing.of(Host)
def _layout(m: Machine, value: Host, lookup: Lookup) -> OnHost:
    if value.method is not None:
        host_containers.give_up(m, host_contents.places_in(value.method.owner))
    return OnHost(Leaf(NUMBER), value.note)


def growing(join: Join, layout: Layout, hint: str) -> Layout:
    """A layout of which strings that a loop makes ever longer are objects on the host."""
    if isinstance(layout, Group):
        parts = (growing(join, part, f"{hint}.{i}") for i, part in enumerate(layout.parts))
        return replace(layout, parts=tuple(parts))
    known = known_things(layout)
    if known is None or not all(type(v.value) is str for v in known):
        return layout
    return OnHost(Leaf(NUMBER), str) if join_choices.is_growing(join, known, f"{hint}[]") else layout


@list_columns.handed_over.given
def handed_over(m: Machine, whole: Growing, ours: Layout, columns: Iterator[Column]) -> Column:
    known = known_things(ours)
    assert known is not None
    numbers = [m.cast(host_entries.keep(m, v).number, INT64, Kind.ARRAY) for v in known]
    if not isinstance(ours, Choice):
        return Column(m.op("full", numbers[0], list_columns.length(m, whole)))
    table = list_columns.concatenated(m, [m.op("expand_dims", n, axes=(0,)) for n in numbers])
    return Column(m.op("take", table, next(columns).data, axis=0))
