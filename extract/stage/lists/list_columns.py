"""The columns of a list of computed length: made from elements, and from the columns of another layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import DTypeError
from graph_program.extract.stage.lists import element_values, nested_columns
from graph_program.extract.stage.lists.common_layouts import Lookup
from graph_program.extract.stage.lists.element_values import cells, nothing
from graph_program.extract.stage.machine.checks.lengths import structure_error
from graph_program.extract.stage.machine.checks.size_facts import size_value
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.layouts import (
    Choice,
    Classed,
    Contents,
    Counted,
    Group,
    InTable,
    Layout,
    Leaf,
    Listed,
    OnHost,
    Option,
    Same,
    describe_layout,
    leaves,
)
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import Static, Tensor, Value, is_numeric_static
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, Kind, TensorType

ONE_TYPE = "give all of them one type, arrays one element type and rank, or keep two lists"


MOST_COLUMNS = 400
"""Elements that hold others, which hold others, would have more and more."""


def packed(m: Machine, contents: Contents, layout: Layout, lookup: Lookup) -> list[Column]:
    """The columns of a list's contents in a layout that covers them."""
    found = list(leaves(layout))
    if len(found) > MOST_COLUMNS:
        raise m.error(
            "GP310",
            f"an element of this list would have {len(found)} numbers and arrays: there are others of its kind in it",
            cls=DTypeError,
            hint="keep the positions of the others in it, and all of them in one list",
        )
    if isinstance(contents, Growing):
        return _columns_in(m, contents, contents.layout, layout, iter(contents.columns))
    table = [list(cells(m, layout, v, lookup)) for v in contents]
    return [column(m, leaf, [row[i] for row in table]) for i, leaf in enumerate(found)]


FLAG = Leaf(PY_BOOL)


@forward
def columns_in_choice(
    m: Machine, whole: Growing, ours: Layout, wanted: Choice, columns: Iterator[Column]
) -> list[Column]:
    """The columns of elements of one layout as those of one of several things."""


@forward
def handed_over(m: Machine, whole: Growing, ours: Layout, columns: Iterator[Column]) -> Column:
    """Known things as objects on the host; of several, the column in front says which one an element is."""


@element_values.cells.of(Listed)
def _cells(m: Machine, layout: Listed, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    contents = element_values.inner_contents(value, lookup)
    for column in packed(m, contents, layout.inner, lookup):
        yield column.data
        if column.shapes is not None:
            yield column.shapes


def _columns_in(m: Machine, whole: Growing, ours: Layout, wanted: Layout, columns: Iterator[Column]) -> list[Column]:
    match ours, wanted:
        case Leaf(), Leaf():
            column_ = next(columns)
            return [_as_ragged(m, column_) if wanted.ragged and column_.shapes is None else column_]
        case OnHost(), OnHost():
            host_containers.merged(m, [wanted.note, ours.note])
            return [next(columns)]
        case InTable(), InTable():
            return [next(columns)]
        case _, OnHost():
            return [handed_over(m, whole, ours, columns)]
        case (Classed(inner), Classed(target)) | (Counted(inner), Counted(target)) | (Option(inner), Option(target)):
            return [next(columns), *_columns_in(m, whole, inner, target, columns)]
        case Leaf(), Classed(target):
            flag = filled(m, whole, FLAG, ours.type.kind is Kind.PYTHON)
            return [flag, *_columns_in(m, whole, ours, target, columns)]
        case Counted(inner), _:
            next(columns)
            return _columns_in(m, whole, inner, wanted, columns)
        case _, Counted(target):
            return [filled(m, whole, FLAG, False), *_columns_in(m, whole, ours, target, columns)]
        case Same(), Option(target):
            return [filled(m, whole, FLAG, True), *(filled(m, whole, leaf, 0) for leaf in leaves(target))]
        case _, Option(target):
            return [filled(m, whole, FLAG, False), *_columns_in(m, whole, ours, target, columns)]
        case _, Choice():
            return columns_in_choice(m, whole, ours, wanted, columns)
        case Group(), Group():
            pairs = zip(ours.parts, wanted.parts, strict=True)
            return [c for x, y in pairs for c in _columns_in(m, whole, x, y, columns)]
        case Listed(inner), Listed(target) if list(map(_column_kind, leaves(inner))) == list(
            map(_column_kind, leaves(target))
        ):
            return [next(columns) for _ in leaves(ours)]
        case Listed(inner), Listed(target) if nested_columns.can_flatten(m, inner):
            return nested_columns.changed(
                m, inner, target, columns, lambda flat, own: _columns_in(m, flat, inner, target, own)
            )
        case Group(), Listed(target) if not any(leaf.ragged for leaf in leaves(target)):
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


def _column_kind(leaf: Leaf) -> tuple[object, ...]:
    """What a column in a list in a list must have in common with another to hold what that holds."""
    return leaf.ragged, leaf.type.dtype, leaf.type.rank


def _as_lists(m: Machine, whole: Growing, ours: Group, wanted: Listed, columns: Iterator[Column]) -> list[Column]:
    """The columns of lists of one length, where others have another length."""
    if not ours.parts:
        return [filled(m, whole, leaf, 0) for leaf in leaves(wanted)]
    each = [_columns_in(m, whole, part, wanted.inner, columns) for part in ours.parts]
    rows = ([m.op("expand_dims", c.data, axes=(1,)) for c in same] for same in zip(*each, strict=True))
    return [_as_ragged(m, Column(r[0] if len(r) == 1 else m.op("concatenate", *r, axis=1))) for r in rows]


def filled(m: Machine, like: Growing, leaf: Leaf, value: int) -> Column:
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
    return Column(concatenated(m, [*_rows(m, leaf, values)]))


def _rows(m: Machine, leaf: Leaf, values: Sequence[Value | None]) -> Iterator[Tensor]:
    """The rows as arrays with one axis more; neighbours that are known numbers make one constant."""
    run: list[Any] = []
    for value in values:
        known = nothing(leaf)[()] if value is None and not leaf.type.rank else None
        if value is not None and is_numeric_static(value):
            known = m.in_range(value.value)
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


def concatenated(m: Machine, found: Sequence[Tensor]) -> Tensor:
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
    return Column(concatenated(m, flat[keep]), concatenated(m, shapes[1:] if len(shapes) > 1 else shapes))


def shape_row(m: Machine, value: Tensor) -> Tensor:
    """The shape of an array as a `[1, rank]` tensor."""
    sizes = [m.dimension(value, axis) for axis in range(value.rank)]
    row = concatenated(m, [*_rows(m, Leaf(TensorType(INT64)), sizes)])
    return m.op("expand_dims", row, axes=(0,))


def _as_ragged(m: Machine, column_: Column) -> Column:
    data = column_.data
    sizes = [m.dimension(data, axis) for axis in range(data.rank)]
    shape = concatenated(m, [*_rows(m, Leaf(TensorType(INT64)), sizes[1:])])
    shapes = m.op("broadcast_to", shape, sizes[0], Static(data.rank - 1))
    return Column(m.op("reshape", data, Static(-1)), shapes)


def length(m: Machine, contents: Contents) -> Value:
    """The number of elements."""
    return m.dimension(contents.rows, 0) if isinstance(contents, Growing) else Static(len(contents))


def require_one_type(m: Machine, items: Sequence[Value]) -> None:
    """Refuse a computed index of elements that have no common form."""
    kinds = list(dict.fromkeys(map(describe, items)))
    if len(kinds) > 1:
        raise m.error(
            "GP309",
            f"which element is meant must be known, as they have different types: {' and '.join(kinds)}",
            cls=DTypeError,
            hint="give all of them one type, arrays one element type and rank, or choose with `if`",
        )
