"""Lists of computed length as stacked columns: made from elements, joined, cut, read.

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

from graph_program.extract.diagnostics import GraphProgramError, Loc
from graph_program.extract.ir.residual import Const
from graph_program.extract.stage import element_writes
from graph_program.extract.stage.elements import Column, Growing, Order
from graph_program.extract.stage.layouts import (
    Classed,
    Counted,
    Group,
    Layout,
    Leaf,
    Listed,
    Lookup,
    Option,
    Same,
    built,
    cells,
    common,
    counted,
    describe_layout,
    has_arrays,
    has_objects,
    layout_of,
    leaves,
    map_leaves,
    nothing,
)
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.signals import UnrollNeeded
from graph_program.extract.stage.sizes import expressible, size_value
from graph_program.extract.stage.structure import describe, parts
from graph_program.extract.stage.values import Maybe, Ref, Static, Tensor, Value, is_numeric_static, type_of
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensor_type import BOOL, FLOAT64, INT64, PY_BOOL, Kind, TensorType

Contents = tuple[Value, ...] | Growing
"""What a list holds."""
DIFFERENT_TYPES = "the elements of this list, whose length is computed, have different types"
ONE_TYPE = "give all of them one type, for example by writing 0.0 instead of 0, or keep two lists"
NO_MEMORY = TensorType(np.dtype(np.float64))


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


def loosened(m: Machine, layout: Layout) -> Layout:
    """The layout with arrays of a shape that an empty list cannot be given made ragged."""

    def change(leaf: Leaf) -> Leaf:
        return leaf if all(expressible(m, d) for d in leaf.type.shape) else replace(leaf, ragged=True)

    return map_leaves(layout, change)


# ---------------------------------------------------------------- what elements share memory with


def held(contents: Contents, lookup: Lookup) -> tuple[list[Value], list[Value]]:
    """The arrays and the objects in a list's elements."""
    arrays: list[Value] = []
    objects: list[Value] = []
    if isinstance(contents, Growing):
        return [v for v in (contents.arrays,) if v is not None], [v for v in (contents.objects,) if v is not None]
    stack = list(contents)
    while stack:
        value = stack.pop()
        if isinstance(value, Tensor):
            arrays += [value] if value.is_array else []
        elif isinstance(value, Maybe):
            stack.append(value.value)
        elif isinstance(value, Ref):
            objects.append(value)
            inner = lookup(value)
            if isinstance(inner, Growing):
                arrays, objects = [*arrays, *held(inner, lookup)[0]], [*objects, *held(inner, lookup)[1]]
            else:
                stack += list(inner if isinstance(inner, tuple) else (inner or {}).values())
        else:
            structure = parts(value)
            stack += [] if structure is None else list(structure[1])
    return arrays, objects


def stand_ins(m: Machine, layout: Layout, sources: Sequence[tuple[list[Value], list[Value]]]) -> dict[str, Any]:
    """The `arrays` and `objects` of contents made from others that hold `sources`."""
    arrays = [a for found, _ in sources for a in found]
    objects = [o for _, found in sources for o in found]
    return {
        "arrays": stand_in(m, arrays) if has_arrays(layout) else None,
        "objects": Ref(object, m.loc, tuple(objects)) if has_objects(layout) else None,
    }


def stand_in(m: Machine, sources: Sequence[Value]) -> Tensor:
    """A tensor that may share memory with others, and that nothing reads."""
    return Tensor(Const(np.zeros(())), NO_MEMORY, m.loc, sources=tuple(sources))


# ---------------------------------------------------------------- columns


def packed(m: Machine, contents: Contents, layout: Layout, lookup: Lookup) -> list[Column]:
    """The columns of a list's contents in a layout that covers them."""
    found = list(leaves(layout))
    if isinstance(contents, Growing):
        return _repacked(m, contents, layout)
    table = [list(cells(m, layout, v, lookup)) for v in contents]
    return [column(m, leaf, [row[i] for row in table]) for i, leaf in enumerate(found)]


def _repacked(m: Machine, contents: Growing, layout: Layout) -> list[Column]:
    """The columns in a layout that covers the present one."""
    return _columns_in(m, contents, contents.layout, layout, iter(contents.columns))


FLAG = Leaf(PY_BOOL)


def _columns_in(m: Machine, whole: Growing, ours: Layout, wanted: Layout, columns: Iterator[Column]) -> list[Column]:
    match ours, wanted:
        case Leaf(), Leaf():
            column_ = next(columns)
            return [_as_ragged(m, column_) if wanted.ragged and column_.shapes is None else column_]
        case Classed(inner), Classed(target):
            return [next(columns), *_columns_in(m, whole, inner, target, columns)]
        case Leaf(), Classed(target):
            flag = _filled(m, whole, FLAG, ours.type.kind is Kind.PYTHON)
            return [flag, *_columns_in(m, whole, ours, target, columns)]
        case Counted(inner), Counted(target):
            return [next(columns), *_columns_in(m, whole, inner, target, columns)]
        case Counted(inner), _:
            next(columns)
            return _columns_in(m, whole, inner, wanted, columns)
        case _, Counted(target):
            return [_filled(m, whole, FLAG, False), *_columns_in(m, whole, ours, target, columns)]
        case Option(inner), Option(target):
            return [next(columns), *_columns_in(m, whole, inner, target, columns)]
        case Same(), Option(target):
            return [_filled(m, whole, FLAG, True), *(_filled(m, whole, leaf, 0) for leaf in leaves(target))]
        case _, Option(target):
            return [_filled(m, whole, FLAG, False), *_columns_in(m, whole, ours, target, columns)]
        case Group(), Group():
            pairs = zip(ours.parts, wanted.parts, strict=True)
            return [c for x, y in pairs for c in _columns_in(m, whole, x, y, columns)]
        case Listed(inner), Listed(target) if [x.ragged for x in leaves(inner)] == [x.ragged for x in leaves(target)]:
            return [next(columns) for _ in leaves(ours)]
        case Group(cls=cls), Listed(target) if cls is list and not any(leaf.ragged for leaf in leaves(target)):
            return _as_lists(m, whole, ours, wanted, columns)
        case Same(), Same():
            return []
    raise structure_error(
        m,
        [whole],
        "GP357",
        f"the lists in this list change from {describe_layout(ours)} to {describe_layout(wanted)}",
        ONE_TYPE,
    )


def _as_lists(m: Machine, whole: Growing, ours: Group, wanted: Listed, columns: Iterator[Column]) -> list[Column]:
    """The columns of lists of one length, where others have another length."""
    if not ours.parts:
        return [_filled(m, whole, leaf, 0) for leaf in leaves(wanted)]
    each = [_columns_in(m, whole, part, wanted.inner, columns) for part in ours.parts]
    rows = ([m.op("expand_dims", c.data, axes=(1,)) for c in same] for same in zip(*each, strict=True))
    return [_as_ragged(m, Column(r[0] if len(r) == 1 else m.op("concatenate", *r, axis=1))) for r in rows]


def _filled(m: Machine, like: Growing, leaf: Leaf, value: int) -> Column:
    """One value in all rows; for ragged arrays, arrays without elements."""
    size = length(m, like)
    if leaf.ragged:
        zero = m.constant(np.zeros((), np.int64))
        shapes = m.op("full", zero, size, Static(leaf.type.rank))
        return Column(m.constant(np.zeros(0, leaf.type.dtype)), shapes)
    number = m.constant(np.asarray(value, leaf.type.dtype))
    return Column(m.op("full", number, size, *(size_value(m, d) for d in leaf.type.shape)))


def column(m: Machine, leaf: Leaf, values: Sequence[Value | None]) -> Column:
    """A column with known rows."""
    if leaf.ragged:
        return _ragged_column(m, leaf, values)
    if not values:
        return Column(_empty(m, leaf))
    return Column(_joined(m, [*_rows(m, leaf, values)]))


def _rows(m: Machine, leaf: Leaf, values: Sequence[Value | None]) -> Iterator[Tensor]:
    """The rows as arrays with one axis more; neighbours that are known numbers make one constant."""
    run: list[Any] = []
    for value in values:
        known = nothing(leaf)[()] if value is None and not leaf.type.rank else None
        if value is not None and is_numeric_static(value):
            known = m.in_range(value.value)  # type: ignore[attr-defined]
        if known is not None:
            run.append(known)
            continue
        if run:
            yield m.constant(np.array(run, leaf.type.dtype))
            run.clear()
        if value is None:
            yield m.op("full", m.constant(nothing(leaf)), Static(1), *(size_value(m, d) for d in leaf.type.shape))
        else:
            yield m.op("expand_dims", m.cast(value, leaf.type.dtype, Kind.ARRAY), axes=(0,))
    if run:
        yield m.constant(np.array(run, leaf.type.dtype))


def _joined(m: Machine, found: Sequence[Tensor]) -> Tensor:
    return found[0] if len(found) == 1 else m.op("concatenate", *found, axis=0)


def _empty(m: Machine, leaf: Leaf) -> Tensor:
    dims = leaf.type.shape
    if all(d.constant is not None for d in dims):
        return m.constant(np.zeros((0, *(d.constant or 0 for d in dims)), leaf.type.dtype))
    return m.op("full", m.constant(nothing(leaf)), Static(0), *(size_value(m, d) for d in dims))


def _ragged_column(m: Machine, leaf: Leaf, values: Sequence[Value | None]) -> Column:
    rank, dtype = leaf.type.rank, leaf.type.dtype
    flat, shapes = [m.constant(np.zeros(0, dtype))], [m.constant(np.zeros((0, rank), np.int64))]
    for value in values:
        if value is None:
            shapes.append(m.constant(np.zeros((1, rank), np.int64)))
            continue
        assert isinstance(value, Tensor)
        flat.append(m.op("reshape", m.cast(value, dtype, Kind.ARRAY), Static(-1)))
        shapes.append(shape_row(m, value))
    keep = slice(1, None) if len(flat) > 1 else slice(None)
    return Column(_joined(m, flat[keep]), _joined(m, shapes[1:] if len(shapes) > 1 else shapes))


def shape_row(m: Machine, value: Tensor) -> Tensor:
    """The shape of an array as a `[1, rank]` tensor."""
    sizes = [m.dimension(value, axis) for axis in range(value.rank)]
    row = _joined(m, [*_rows(m, Leaf(TensorType(INT64)), sizes)])
    return m.op("expand_dims", row, axes=(0,))


def _as_ragged(m: Machine, column_: Column) -> Column:
    data = column_.data
    sizes = [m.dimension(data, axis) for axis in range(data.rank)]
    shape = _joined(m, [*_rows(m, Leaf(TensorType(INT64)), sizes[1:])])
    shapes = m.op("broadcast_to", shape, sizes[0], Static(data.rank - 1))
    return Column(m.op("reshape", data, Static(-1)), shapes)


# ---------------------------------------------------------------- whole lists


def length(m: Machine, contents: Contents) -> Value:
    """The number of elements."""
    if not isinstance(contents, Growing):
        return Static(len(contents))
    first = contents.columns[0]
    return m.dimension(first.data if first.shapes is None else first.shapes, 0)


def length_dim_of(m: Machine, contents: Growing) -> Dim:
    """The number of elements as a dim."""
    first = contents.columns[0]
    return m.facts.resolve((first.data if first.shapes is None else first.shapes).type.shape[0])


def grown(m: Machine, contents: Contents, lookup: Lookup) -> Growing | None:
    """Contents as columns; None where the elements have no common layout."""
    if isinstance(contents, Growing):
        return contents
    layout = layout_of_contents(m, contents, lookup)
    if layout is None:
        return None
    layout = counted(layout)
    made = stand_ins(m, layout, [held(contents, lookup)])
    return Growing(
        layout, tuple(packed(m, contents, layout, lookup)), **made, apart=element_writes.are_apart(m, contents)
    )


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
    each = [packed(m, c, layout, lookup) for c in present]
    columns = tuple(_joined_columns(m, pieces) for pieces in zip(*each, strict=True))
    loops = merged_loops([c.loops for c in present if isinstance(c, Growing)])
    made = stand_ins(m, layout, [held(c, lookup) for c in present])
    order = present[0].order if isinstance(present[0], Growing) else Order()
    return Growing(layout, columns, **made, loops=loops, apart=_apart(m, present), order=order)


def _apart(m: Machine, contents: Sequence[Contents]) -> bool:
    """Whether all arrays and objects in some lists are different ones; of two computed lists that is not looked at."""
    whole = [c for c in contents if isinstance(c, Growing)]
    rest = [v for c in contents if not isinstance(c, Growing) for v in c]
    return len(whole) == 1 and whole[0].apart and element_writes.are_apart(m, rest, element_writes.born(whole[0]))


def _joined_columns(m: Machine, columns: Sequence[Column]) -> Column:
    shapes = [c.shapes for c in columns if c.shapes is not None]
    return Column(_joined(m, [c.data for c in columns]), _joined(m, shapes) if shapes else None)


def merged_loops(found: Sequence[frozenset[Loc] | None]) -> frozenset[Loc] | None:
    """The loops that make several lengths known."""
    return None if any(f is None for f in found) else frozenset().union(*(f for f in found if f is not None))


def kinds_of(contents: Contents) -> list[str]:
    """The types of the elements, in words."""
    return [describe_layout(contents.layout)] if isinstance(contents, Growing) else [describe(v) for v in contents]


def no_common_layout(m: Machine, contents: Sequence[Contents]) -> GraphProgramError | UnrollNeeded:
    """The refusal of elements of different types in a list of computed length."""
    kinds = [kind for c in contents for kind in kinds_of(c)]
    return structure_error(
        m,
        contents,
        "GP357",
        f"{DIFFERENT_TYPES}: {' and '.join(dict.fromkeys(kinds))}",
        ONE_TYPE,
    )


def structure_error(
    m: Machine, contents: Sequence[Contents], code: str, message: str, hint: str
) -> GraphProgramError | UnrollNeeded:
    """A refusal that does not stand where unrolling the loops that a list grows in makes its length known."""
    from graph_program.extract import diagnostics

    error = m.error(code, message, cls=diagnostics.DTypeError, hint=hint)
    loops = merged_loops([c.loops for c in contents if isinstance(c, Growing)])
    return UnrollNeeded(loops, error) if loops else error


# ---------------------------------------------------------------- parts of a list


def row(m: Machine, contents: Growing, position: Value) -> Value:
    """The element at a position that is inside; negative ones count from the end."""
    found = [cell(m, leaf, c, position) for leaf, c in zip(leaves(contents.layout), contents.columns, strict=True)]
    return built(m, contents.layout, iter(found), contents)


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
    ends = _joined(m, [m.constant(np.zeros(1, np.int64)), _ends(m, column_)])
    first = m.op("take", ends, m.cast(before, INT64), axis=0)
    total = m.op("sum", m.op("prod", shapes, axes=(1,), keepdims=False), axes=(0,), keepdims=False)
    return Column(sliced(column_.data, first, m.op("add", first, total)), shapes)


def uniform_columns(contents: Growing) -> bool:
    """Whether all columns are plain stacked tensors."""
    return all(c.shapes is None for c in contents.columns)


def reordered(m: Machine, contents: Growing, positions: Tensor) -> Growing:
    """The elements at some positions."""
    columns = tuple(
        Column(m.op("take", c.data, positions, axis=0)) if c.shapes is None else _reordered_arrays(m, c, positions)
        for c in contents.columns
    )
    return replace(contents, columns=columns, order=Order(), apart=False)


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
        array = m.cast(array, {"f": FLOAT64, "b": BOOL}.get(array.type.dtype.kind, INT64))
    layout = Leaf(TensorType(array.type.dtype, array.type.shape[1:], kind))
    data = Tensor(m.contents(array), TensorType(array.type.dtype, array.type.shape), m.loc)
    arrays = stand_in(m, [array] if shared else []) if kind is Kind.ARRAY else None
    return Growing(layout, (Column(data),), arrays)


def stacked_number(contents: Contents) -> tuple[Leaf, Tensor] | None:
    """The layout and the column of a list of numbers, or of arrays of one shape."""
    if isinstance(contents, Growing) and isinstance(contents.layout, Leaf) and contents.columns[0].shapes is None:
        return contents.layout, contents.columns[0].data
    return None


__all__ = ["Contents", "length", "row", "type_of"]
