"""How the elements of a list of computed length are laid out: one column per number or array in them.

    [(0.5, x), (0.7, y)]      Group(Leaf(float), Leaf(float32 [n]))       two columns, of 2 rows each

A layout is what all elements have in common.  The arrays of a column may have different shapes of one
rank (`ragged`); any other difference means that there is no common layout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.checks.size_facts import expressible
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.paths.joins import open_joins as opened_joins
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.layouts import (
    Choice,
    Classed,
    Counted,
    Group,
    InTable,
    Layout,
    Leaf,
    Listed,
    OnHost,
    Option,
    Same,
    choice_covers,
    choice_of,
    counted,
    host_common,
    known_things,
    map_leaves,
    sequence_class,
)
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.structure import same_value
from graph_program.extract.stage.values.values import (
    NONE,
    UNKNOWN,
    Maybe,
    Ref,
    Row,
    Static,
    Tuple,
    Unknown,
    Value,
    is_numeric,
    type_of,
)
from graph_program.extract.types.tensors.tensor_type import Kind

Lookup = Callable[[Ref], Any]
"""The contents of an object."""


# ---------------------------------------------------------------- finding the layout


def layout_of(m: Machine, value: Value, lookup: Lookup) -> Layout | None:
    """The layout of one element; None if it has none."""
    value = told_of(value)
    if m.is_captured_array(value):
        return Leaf(m.captured_array(value).type)
    return Leaf(type_of(value)) if is_numeric(value) else layout_of_thing(m, value, lookup)


@generic
def layout_of_thing(m: Machine, value: Value, lookup: Lookup) -> Layout | None:
    """The layout of an element that is no number and no array; None if it has none.

    A function's defaults, for example, may be other values in every round of a loop.
    """
    return None


@layout_of_thing.of(Tuple)
def _layout_of_tuple(m: Machine, value: Tuple, lookup: Lookup) -> Layout | None:
    return _group(m, value.cls, tuple(range(len(value.elts))), value.elts, lookup)


@layout_of_thing.of(Ref)
def _layout_of_object(m: Machine, value: Ref, lookup: Lookup) -> Layout | None:
    cls, contents = value.cls, lookup(value)
    entries.require_whole(m, value, contents)
    if isinstance(contents, Growing):
        return Listed(contents.layout, cls)
    if isinstance(contents, tuple):
        return _group(m, cls, tuple(range(len(contents))), contents, lookup, True)
    if isinstance(contents, dict):
        return _group(m, cls, tuple(contents), tuple(contents.values()), lookup, True)
    return None


@layout_of_thing.of(Maybe)
def _layout_of_optional(m: Machine, value: Maybe, lookup: Lookup) -> Layout | None:
    found = layout_of(m, value.value, lookup) if value.absent == "none" else None
    return None if found is None else Option(found)


@layout_of_thing.of(Static, Open, Unknown)
def _layout_of_known(m: Machine, value: Static, lookup: Lookup) -> Layout:
    return Same(value)


layout_of_thing.register(Row, lambda m, value, *_: InTable(value.cls))


def _group(
    m: Machine,
    cls: type | None,
    keys: tuple[Any, ...],
    values: Sequence[Value],
    lookup: Lookup,
    is_object: bool = False,
) -> Layout | None:
    parts = tuple(layout_of(m, v, lookup) for v in values)
    if any(p is None for p in parts):
        return None
    return Group(cls, keys, tuple(p for p in parts if p is not None), is_object)


def common(m: Machine, layouts: Sequence[Layout]) -> Layout | None:
    """The layout that elements of several layouts share; None if there is none."""
    result: Layout | None = layouts[0]
    for other in layouts[1:]:
        result = None if result is None else _common(m, result, other)
    return result


def _common(m: Machine, a: Layout, b: Layout) -> Layout | None:

    match a, b:
        case Counted(), Counted():
            inner = _common(m, a.inner, b.inner)
            return None if inner is None else counted(inner)
        case (Counted(), _) | (_, Counted()):
            inner = _common(m, *(x.inner if isinstance(x, Counted) else x for x in (a, b)))
            return None if inner is None else counted(inner)
        case ((Leaf() | Classed()), (Leaf() | Classed())):
            return _common_leaf(_plain(a), _plain(b), (a, b)) or choice_of((a, b))
        case OnHost(), OnHost():
            return OnHost(a.inner, host_containers.merged(m, [a.note, b.note]))
        case InTable(), InTable():
            return a if a == b else None
        case (OnHost(), _) | (_, OnHost()) if (both := host_common(a, b)) is not None:
            return both
        case Option(), Option():
            return _optional(_common(m, a.inner, b.inner))
        case (Listed(), _) | (_, Listed()) if not any(isinstance(x, Same | Option) for x in (a, b)):
            return _common_lists(m, a, b)
        case Same(value), Same(other) if same_value(value, other):
            return a
        case (Same(), _) | (_, Same()):
            return _common_same(m, a, b) or choice_of((a, b))
        case (Option(), _) | (_, Option()):
            return _optional(_common(m, *(x.inner if isinstance(x, Option) else x for x in (a, b))))
        case (Choice(), _) | (_, Choice()):
            return choice_of((a, b))
        case Group(), Group() if (a.cls, a.keys, a.is_object) == (b.cls, b.keys, b.is_object):
            parts = [_common(m, x, y) for x, y in zip(a.parts, b.parts, strict=True)]
            return None if any(p is None for p in parts) else replace(a, parts=tuple(p for p in parts if p is not None))
        case Group(), Group():
            return _common_lists(m, a, b)
    return None


def _common_lists(m: Machine, a: Layout, b: Layout) -> Layout | None:
    """The layout of lists, or of tuples, of different lengths."""
    cls = sequence_class(a)
    if cls is None or sequence_class(b) is not cls:
        return None
    elements = [e for x in (a, b) for e in ((x.inner,) if isinstance(x, Listed) else x.parts)]  # type: ignore[union-attr]
    inner = common(m, elements)
    return None if inner is None else Listed(counted(inner), cls)


def _plain(layout: Leaf | Classed) -> Leaf:
    return layout.inner if isinstance(layout, Classed) else layout


def _common_leaf(a: Leaf, b: Leaf, given: tuple[Layout, Layout]) -> Leaf | Classed | None:
    x, y = a.type, b.type
    if x.dtype != y.dtype or x.rank != y.rank:
        return None
    kind = x.kind if x.kind is y.kind else Kind.NUMPY
    leaf = Leaf(replace(x, kind=kind), a.ragged or b.ragged or x.shape != y.shape)
    classes = any(isinstance(g, Classed) for g in given) or (x.kind is not y.kind and Kind.PYTHON in (x.kind, y.kind))
    return Classed(leaf) if classes else leaf


def _common_same(m: Machine, a: Layout, b: Layout) -> Layout | None:
    """The layout of elements some of which are None, unknown, or of a type that is being inferred."""
    same = [x for x in (a, b) if isinstance(x, Same)]
    values = [x.value for x in same]
    if any(v is UNKNOWN for v in values):
        return Same(UNKNOWN)
    if any(x.is_open for x in same):
        return Same(opened_joins.joined(m, values) if len(values) == 2 else m.inferring.lost(m))
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Same) and same_value(one.value, NONE):
            return other if isinstance(other, Option) else Option(loosened(m, other))
        if isinstance(one, Option):
            return _optional(_common(m, one.inner, other))
    return None


def _optional(inner: Layout | None) -> Layout | None:
    return None if inner is None else inner if isinstance(inner, Option) else Option(inner)


def covers(layout: Layout, other: Layout) -> bool:
    """Whether columns of one layout can take elements of another as they are."""

    match layout, other:
        case Choice(), _:
            return choice_covers(layout, other)
        case Leaf(), Leaf():
            shapes = layout.ragged or (not other.ragged and layout.type.shape == other.type.shape)
            x, y = layout.type, other.type
            kind = x.kind is y.kind or x.kind is Kind.NUMPY
            return shapes and kind and x.dtype == y.dtype and x.rank == y.rank
        case Classed(leaf), _:
            given = other.inner if isinstance(other, Classed) else other
            return isinstance(given, Leaf) and (leaf.type.dtype, 0) == (given.type.dtype, given.type.rank)
        case OnHost(note=note), OnHost(note=given):
            return note is None or host_contents.common([note, given]) == note
        case OnHost(note=note), _:
            things = known_things(other)
            return things is not None and (note is None or all(type(v.value) is note for v in things))
        case InTable(), InTable():
            return layout == other
        case Counted(inner), _:
            return covers(inner, other.inner if isinstance(other, Counted) else other)
        case Option(inner), Option(value):
            return covers(inner, value)
        case Option(inner), _:
            return (isinstance(other, Same) and same_value(other.value, NONE)) or covers(inner, other)
        case Same(value), _:
            is_same = isinstance(other, Same) and same_value(value, other.value)
            return is_same or value is UNKNOWN or layout.is_open
        case Listed(inner, cls), Listed(given):
            return cls is other.cls and covers(inner, given)
        case Listed(inner, cls), Group(parts=parts):
            return sequence_class(other) is cls and all(covers(inner, p) for p in parts)
        case Group(), Group():
            same = (layout.cls, layout.keys, layout.is_object) == (other.cls, other.keys, other.is_object)
            return same and all(covers(x, y) for x, y in zip(layout.parts, other.parts, strict=True))
    return False


def loosened(m: Machine, layout: Layout) -> Layout:
    """The layout with arrays of a shape that nothing but an element tells made ragged."""

    def change(leaf: Leaf) -> Leaf:
        return leaf if all(expressible(m, d) for d in leaf.type.shape) else replace(leaf, ragged=True)

    return map_leaves(layout, change)
