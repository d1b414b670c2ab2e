"""Lists of computed length as stacked columns: what they hold, joined, cut, read; `list_columns` makes the columns.

    rows = []                          rows := full(0.0, 0, 3)
    for r in x:                        for k in range(dim(x, 0)):
        if r[0] > 0:          ->           ...
            rows.append(r * 2)             if t: rows := concatenate(rows, expand_dims(u, axes=(0,)), axis=0)
    return rows

A list shares its arrays with whoever else has them, but columns are copies.  So a `Growing` keeps what
its elements may be the same as (`arrays`, `objects`), and a write that would be seen through a list is
refused (`alias.before_write`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.lists.common_layouts import Lookup, common, covers, layout_of
from graph_program.extract.stage.lists.element_values import built, sources_of
from graph_program.extract.stage.lists.list_columns import ONE_TYPE, concatenated, length, packed
from graph_program.extract.stage.machine.checks.lengths import length_dim_of, merged_loops, structure_error
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import elements
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import size_needed
from graph_program.extract.stage.values import inside
from graph_program.extract.stage.values.column_data import DIFFERENT_TYPES, NO_MEMORY, Certain, Column, Growing, Order
from graph_program.extract.stage.values.layouts import (
    Contents,
    Layout,
    Leaf,
    Listed,
    counted,
    describe_layout,
    has_arrays,
    has_objects,
    leaves,
    map_leaves,
    object_classes,
)
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import Ref, Static, Tensor, Value, is_numeric, type_of
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.promotion import python_dtype
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType
from graph_program.tensor_api.ops.indexing import INT64_MAX

# ---------------------------------------------------------------- layouts of contents


def layout_of_contents(m: Machine, contents: Contents, lookup: Lookup) -> Layout | None:
    """The layout that all elements share; None where they share none, or there are none."""
    if isinstance(contents, Growing):
        return map_leaves(contents.layout, lambda leaf: _resolved(m, leaf))
    found = [layout_of(m, v, lookup) for v in contents]
    known = [map_leaves(f, lambda leaf: _resolved(m, leaf)) for f in found if f is not None]
    return common(m, known) if known and len(known) == len(found) else None


def _resolved(m: Machine, leaf: Leaf) -> Leaf:
    return Leaf(m.facts.resolve_type(leaf.type), leaf.ragged)


# ---------------------------------------------------------------- what elements share memory with


def held(contents: Contents, lookup: Lookup) -> tuple[list[Tensor], list[Ref]]:
    """The arrays and the objects in a list's elements."""
    arrays: list[Tensor] = []
    objects: list[Ref] = []
    if isinstance(contents, Growing):
        return [v for v in (contents.arrays,) if v is not None], [v for v in (contents.objects,) if v is not None]
    stack = list(contents)
    while stack:
        value = stack.pop()
        if is_array_of_graph(value):
            arrays.append(value)
        elif isinstance(value, Ref):
            objects.append(value)
            inner = lookup(value)
            if isinstance(inner, Growing):
                arrays, objects = [*arrays, *held(inner, lookup)[0]], [*objects, *held(inner, lookup)[1]]
            stack += inside.items_of(inner)
        else:
            stack += inside.held(value)
    return arrays, objects


def stand_ins(m: Machine, layout: Layout, sources: Sequence[tuple[list[Tensor], list[Ref]]]) -> dict[str, Any]:
    """The `arrays` and `objects` of contents made from others that hold `sources`."""
    arrays = [a for found, _ in sources for a in found]
    objects = [o for _, found in sources for o in found]
    return {
        "arrays": stand_in(m, arrays) if has_arrays(layout) else None,
        "objects": Ref(object, m.loc, tuple(objects)) if has_objects(layout) else None,
    }


@built.of(Listed)
def _built(m: Machine, layout: Listed, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    inner = layout.inner
    ref = Ref(layout.cls, m.loc, sources_of(holder))
    columns = tuple(Column(next(parts), next(parts) if leaf.ragged else None) for leaf in leaves(inner))
    made = Growing(inner, columns, **stand_ins(m, inner, []), apart=True)
    if holder is not None:
        made = replace(holder, layout=inner, columns=columns, loops=None, order=Order())
    m.live.heap[ref] = made
    return ref


def stand_in(m: Machine, sources: Sequence[Value]) -> Tensor:
    """A tensor that may share memory with others, and that nothing reads."""
    return Tensor(Const(np.zeros(())), NO_MEMORY, m.loc, sources=tuple(sources))


def note_listed(m: Machine, layout: Layout) -> None:
    """Remember of which classes objects are in lists of computed length."""
    m.rows.listed |= {cls for cls in object_classes(layout) if cls.__module__ != "builtins"}


# ---------------------------------------------------------------- whole lists


def of_length(m: Machine, contents: Growing, size: Dim) -> Growing:
    """The same contents, of which it is known how many elements they have."""

    def told(x: Tensor) -> Tensor:
        if not isinstance(x.operand, str):
            return x
        m.types[x.operand] = TensorType(x.type.dtype, (size, *x.type.shape[1:]), x.type.kind)
        return replace(x, type=m.types[x.operand])

    columns = tuple(
        Column(told(c.data)) if c.shapes is None else Column(c.data, told(c.shapes)) for c in contents.columns
    )
    return replace(contents, columns=columns, certain=Certain(columns, contents.present))


def grown(m: Machine, contents: Contents, lookup: Lookup) -> Growing | None:
    """Contents as columns; None where the elements have no common layout."""
    if isinstance(contents, Growing):
        return contents
    layout = layout_of_contents(m, contents, lookup)
    if layout is None:
        return None
    layout = counted(layout)
    note_listed(m, layout)
    made = stand_ins(m, layout, [held(contents, lookup)])
    return Growing(layout, tuple(packed(m, contents, layout, lookup)), **made, apart=elements.are_apart(m, contents))


def joined(m: Machine, contents: Sequence[Contents]) -> Contents:
    """Lists one behind the other."""
    present = [c for c in contents if isinstance(c, Growing) or c]
    if not any(isinstance(c, Growing) for c in present):
        return tuple(v for c in present if not isinstance(c, Growing) for v in c)
    if len(present) == 1:
        return present[0]
    lookup = m.live.heap.__getitem__
    layouts = [layout_of_contents(m, c, lookup) for c in present]
    known = [x for x in layouts if x is not None]
    layout = common(m, known) if len(known) == len(layouts) else None
    if layout is None:
        raise no_common_layout(m, present)
    layout = counted(layout)
    note_listed(m, layout)
    each = [packed(m, c, layout, lookup) for c in present]
    columns = tuple(_joined_columns(m, pieces) for pieces in zip(*each, strict=True))
    loops = merged_loops([c.loops for c in present if isinstance(c, Growing)])
    made = stand_ins(m, layout, [held(c, lookup) for c in present])
    order = present[0].order if isinstance(present[0], Growing) else Order()
    certain = Certain(columns, tuple(t for c in present for t in _present(c)))
    return Growing(layout, columns, **made, loops=loops, apart=_apart(m, present), order=order, certain=certain)


def _present(contents: Contents) -> tuple[TensorType, ...]:
    """The classes of numbers that a list has for certain."""
    if isinstance(contents, Growing):
        return contents.present
    return tuple(dict.fromkeys(type_of(v) for v in contents if is_numeric(v)))


def _apart(m: Machine, contents: Sequence[Contents]) -> bool:
    """Whether all arrays and objects in some lists are different ones; of two computed lists that is not looked at."""
    whole = [c for c in contents if isinstance(c, Growing)]
    rest = [v for c in contents if not isinstance(c, Growing) for v in c]
    return len(whole) == 1 and whole[0].apart and elements.are_apart(m, rest, elements.born(whole[0]))


def _joined_columns(m: Machine, columns: Sequence[Column]) -> Column:
    shapes = [c.shapes for c in columns if c.shapes is not None]
    return Column(concatenated(m, [c.data for c in columns]), concatenated(m, shapes) if shapes else None)


def kinds_of(contents: Contents) -> list[str]:
    """The types of the elements, in words."""
    return [describe_layout(contents.layout)] if isinstance(contents, Growing) else [describe(v) for v in contents]


def advice(contents: Sequence[Contents]) -> str:
    """What to write so that all elements have one type; of arrays, the element type that NumPy would promote to."""
    found = [
        c.layout if isinstance(c, Growing) else v for c in contents for v in ((c,) if isinstance(c, Growing) else c)
    ]
    types = [v.type for v in found if isinstance(v, Tensor | Leaf)]
    arrays = len(types) == len(found) and all(t.kind is Kind.ARRAY and t.dtype.isbuiltin == 1 for t in types)
    if not arrays or len({t.rank for t in types}) != 1:
        return ONE_TYPE
    wide = np.result_type(*(t.dtype for t in types))
    return f"give all of them one element type where they are put in, such as `x.astype(np.{wide.name})`"


def no_common_layout(m: Machine, contents: Sequence[Contents]) -> diagnostics.GraphProgramError | Needed:
    """The refusal of elements of different types in a list of computed length."""
    kinds = [kind for c in contents for kind in kinds_of(c)]
    return structure_error(
        m,
        contents,
        "GP357",
        f"{DIFFERENT_TYPES}: {' and '.join(dict.fromkeys(kinds))}",
        advice(contents),
    )


# ---------------------------------------------------------------- parts of a list


def row(m: Machine, contents: Growing, position: Value, taken: bool = False) -> Value:
    """The element at a position that is inside; negative ones count from the end.

    One that is `taken` out of the list shares with nothing.
    """
    found = [cell(m, leaf, c, position) for leaf, c in zip(leaves(contents.layout), contents.columns, strict=True)]
    return built(m, contents.layout, iter(found), None if taken else contents)


def cell(m: Machine, leaf: Leaf, column_: Column, position: Value) -> Tensor:
    where = m.cast(position, INT64)
    if column_.shapes is None:
        return m.op("take", column_.data, where, axis=0, kind=leaf.type.kind)
    shape = m.op("take", column_.shapes, where, axis=0)
    stop = m.op("take", _ends(m, column_), where, axis=0)
    size = m.op("prod", shape, axes=(0,), keepdims=False)
    piece = m.op("slice", column_.data, m.op("subtract", stop, size), stop, axes=(0,), steps=(1,))
    if leaf.type.rank == 1:
        return piece
    sizes = [m.op("take", shape, Static(axis), axis=0, kind=Kind.PYTHON) for axis in range(leaf.type.rank)]
    return m.op("reshape", piece, *sizes)


def _ends(m: Machine, column_: Column) -> Tensor:
    """Where each array ends in the elements of a ragged column."""
    assert column_.shapes is not None
    return m.op("cumsum", m.op("prod", column_.shapes, axes=(1,), keepdims=False), axis=0)


def cut(m: Machine, contents: Growing, start: Value, stop: Value) -> Growing:
    """`contents[start:stop]`, bounds as in a slice."""
    bounds = [m.cast(start, INT64), m.cast(stop, INT64)]
    columns = tuple(_cut_column(m, c, bounds) for c in contents.columns)
    return replace(contents, columns=columns, order=Order())


def _cut_column(m: Machine, column_: Column, bounds: Sequence[Tensor]) -> Column:
    def sliced(x: Tensor, *between: Value) -> Tensor:
        return m.op("slice", x, *between, axes=(0,), steps=(1,))

    if column_.shapes is None:
        return Column(sliced(column_.data, *bounds))
    shapes = sliced(column_.shapes, *bounds)
    before = m.dimension(sliced(column_.shapes, m.cast(Static(0), INT64), bounds[0]), 0)
    ends = concatenated(m, [m.constant(np.zeros(1, np.int64)), _ends(m, column_)])
    first = m.op("take", ends, m.cast(before, INT64), axis=0)
    total = m.op("sum", m.op("prod", shapes, axes=(1,), keepdims=False), axes=(0,), keepdims=False)
    return Column(sliced(column_.data, first, m.op("add", first, total)), shapes)


def uniform_columns(contents: Growing) -> bool:
    """Whether all columns are plain stacked tensors."""
    return all(c.shapes is None for c in contents.columns)


def widened(m: Machine, whole: Growing, layout: Layout | None) -> Growing:
    """A list whose columns can take an element of another layout, where stacked tensors can."""
    if layout is None or covers(whole.layout, layout) or not uniform_columns(whole):
        return whole
    wider = common(m, [whole.layout, layout])
    if wider is None or any(leaf.ragged for leaf in leaves(wider)):
        return whole
    wider = counted(wider)
    return replace(whole, layout=wider, columns=tuple(packed(m, whole, wider, m.live.heap.__getitem__)))


def reordered(m: Machine, contents: Growing, positions: Tensor, once: bool = False) -> Growing:
    """The elements at some positions; `once` if no position stands there twice."""
    columns = tuple(
        Column(m.op("take", c.data, positions, axis=0)) if c.shapes is None else _reordered_arrays(m, c, positions)
        for c in contents.columns
    )
    apart = contents.apart and (once or (contents.arrays is None and contents.objects is None))
    return replace(contents, columns=columns, order=Order(), apart=apart)


def _reordered_arrays(m: Machine, column_: Column, positions: Tensor) -> Column:
    """Arrays of different shapes: each place among their elements is moved as far as its array is."""
    assert column_.shapes is not None
    shapes = m.op("take", column_.shapes, positions, axis=0)
    sizes = m.op("prod", shapes, axes=(1,), keepdims=False)
    starts = m.op("subtract", m.op("cumsum", sizes, axis=0), sizes)
    before = m.op("subtract", _ends(m, column_), m.op("prod", column_.shapes, axes=(1,), keepdims=False))
    moves = m.op("subtract", m.op("take", before, positions, axis=0), starts)
    zero, one = (m.constant(np.asarray(i, np.int64)) for i in (0, 1))
    filled = m.op("squeeze", m.op("nonzero", m.op("not_equal", sizes, zero)), axes=(0,))
    total = m.op("sum", sizes, axes=(0,), keepdims=False, kind=Kind.PYTHON)
    firsts = m.op("take", starts, filled, axis=0)
    ones = m.op("full", one, m.dimension(firsts, 0))
    marks = m.op("scatter_nd", m.op("full", zero, total), ones, firsts, axis=0, unique=True)
    owner = m.op("subtract", m.op("cumsum", marks, axis=0), one)
    move = m.op("take", m.op("take", moves, filled, axis=0), owner, axis=0)
    return Column(m.op("take", column_.data, m.op("add", m.op("iota", total), move), axis=0), shapes)


def of_rows(m: Machine, array: Tensor, kind: Kind, shared: bool = True) -> Growing:
    """A list of the rows of an array, which are views of it; of a vector, of its numbers."""
    kind = kind if array.rank == 1 else Kind.ARRAY
    if kind is Kind.PYTHON:
        array = m.cast(array, python_dtype(array.type.dtype))
    layout = Leaf(TensorType(array.type.dtype, array.type.shape[1:], kind))
    data = Tensor(m.contents(array), TensorType(array.type.dtype, array.type.shape), m.loc)
    arrays = stand_in(m, [array] if shared else []) if kind is Kind.ARRAY else None
    return Growing(layout, (Column(data),), arrays)


MAX_ITEMS = 64
"""A list whose length turns out to be known is taken apart up to this length."""


@entries.known_items.given
def known_items(
    m: Machine, contents: Growing, hint: str = "use np.array(...) of it, or a loop over it"
) -> tuple[Value, ...]:
    count = length_dim_of(m, contents).constant
    if count is not None and count <= MAX_ITEMS:
        return tuple(row(m, contents, Static(i)) for i in range(count))
    error = structure_error(
        m,
        [contents],
        "GP442",
        "this needs the length of a list or tuple, which is only known when the program runs",
        hint,
    )
    if not isinstance(error, diagnostics.GraphProgramError) or count is not None:
        raise error
    raise size_needed(length(m, contents), error)


def with_row(m: Machine, whole: Growing, row_: list[Column], where: Tensor) -> tuple[Column, ...]:
    """The columns with another row in a position."""
    return tuple(
        Column(m.op("set_index", c.data, m.op("squeeze", n.data, axes=(0,)), where))
        for c, n in zip(whole.columns, row_, strict=True)
    )


def replaced(m: Machine, whole: Growing, start: Value, stop: Value, new: Contents) -> Contents:
    """The contents with what lies between two positions, counted from the start, replaced."""
    result = joined(m, [cut(m, whole, Static(0), start), new, cut(m, whole, stop, Static(INT64_MAX))])
    others = isinstance(new, tuple) and elements.are_apart(m, new, elements.born(whole))
    return replace(result, apart=whole.apart and others) if isinstance(result, Growing) else result


def with_another(m: Machine, whole: Growing, position: Value, value: Value) -> Growing:
    """The contents, as many as before, with another element in a position, counted from the start."""
    result = replaced(m, whole, position, arithmetic.arithmetic(m, "+", position, Static(1)), (value,))
    assert isinstance(result, Growing)
    return of_length(m, result, length_dim_of(m, whole))
