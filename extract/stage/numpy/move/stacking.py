"""Lists of computed length as arrays: what `np.array`, `np.stack` and `np.concatenate` make of them.

The columns of such a list are stacked already.  Arrays of different shapes are kept one after another,
and are stacked where a check at run time finds that their shapes are the same after all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.lowering_arguments import ZERO, checked_dtype, number, result_dtype, value_error
from graph_program.extract.stage.lists import choice_columns, list_columns
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.layouts import (
    Choice,
    Classed,
    Group,
    Layout,
    Leaf,
    Listed,
    describe_layout,
    leaves,
)
from graph_program.extract.stage.values.values import Tensor, Value
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

SAME_SHAPES = "all input arrays must have the same shape"
INHOMOGENEOUS = "setting an array element with a sequence. The requested array has an inhomogeneous shape after "


def stacked(m: Machine, contents: Growing, dtype: np.dtype[Any] | None = None) -> Tensor:
    """`np.array(items, dtype)`; of no elements, an array of their type and shape."""
    columns = iter(contents.columns)
    return _stacked(m, contents, contents.layout, columns, INHOMOGENEOUS, dtype)


def stacked_elements(m: Machine, contents: Growing, what: str) -> Tensor:
    """The elements as one array, for `np.stack` or `np.concatenate` (`what`), which need at least one."""
    empty = arithmetic.compare(m, "==", list_columns.length(m, contents), ZERO)
    m.check(empty, ValueError, f"need at least one array to {what}")
    return _stacked(m, contents, contents.layout, iter(contents.columns), SAME_SHAPES)


def _stacked(
    m: Machine, whole: Growing, layout: Layout, columns: object, text: str, dtype: np.dtype[Any] | None = None
) -> Tensor:
    match layout:
        case Leaf():
            column: Column = next(columns)  # type: ignore[call-overload]
            return _uniform(m, layout, column, text)
        case Listed(inner) if isinstance(inner, Leaf) and not inner.ragged:
            return _uniform(m, next(leaves(layout)), next(columns), text)  # type: ignore[call-overload]
        case Classed(leaf):
            next(columns)  # type: ignore[call-overload]
            return _stacked(m, whole, leaf, columns, text, dtype)
        case Choice() if dtype is not None and dtype.kind == "f":
            floats = choice_columns.as_floats(m, layout, columns, dtype)  # type: ignore[arg-type]
            if floats is not None:
                return floats
        case Group(cls, _, parts) if parts and cls is not dict:
            each = [_stacked(m, whole, p, columns, text, dtype) for p in parts]
            if len({x.rank for x in each}) > 1:
                raise value_error(m, f"{INHOMOGENEOUS}1 dimensions.")
            common = checked_dtype(m, result_dtype(m, *each, weak=False))
            rows = [m.op("expand_dims", m.cast(x, common), axes=(1,)) for x in each]
            return rows[0] if len(rows) == 1 else m.op("concatenate", *rows, axis=1)
    raise lengths.structure_error(
        m,
        [whole],
        "GP444",
        f"a list of {describe_layout(layout)} does not make an array",
        "put numbers or arrays of one type in it, or say which it is to have: np.array(items, dtype=float)",
    )


def _uniform(m: Machine, leaf: Leaf, column: Column, text: str) -> Tensor:
    """A column as a stacked array; where the shapes are not the same, NumPy's error."""
    if column.shapes is None:
        return m.copied(column.data)
    rank = leaf.type.rank
    shapes = column.shapes
    least = m.constant(np.zeros((1, rank), np.int64))
    common = m.op("max", m.op("concatenate", least, shapes, axis=0), axes=(0,), keepdims=False)
    same = m.op("equal", shapes, common)
    count = m.dimension(shapes, 0)
    for axis in range(rank):
        column_of = m.op("take", same, number(m, axis, INT64), axis=1)
        all_same = m.op("all", column_of, axes=(0,), keepdims=False, kind=Kind.PYTHON)
        bad = m.op("invert", all_same, kind=Kind.PYTHON)
        known = [m.op("take", common, number(m, a, INT64), axis=0, kind=Kind.PYTHON) for a in range(axis)]
        message = _shape_message(count, known) if text is INHOMOGENEOUS else (text,)
        flow.raise_where(m, bad, ValueError, *message)
    sizes = [m.op("take", common, number(m, a, INT64), axis=0, kind=Kind.PYTHON) for a in range(rank)]
    return m.op("reshape", column.data, count, *sizes)


def _shape_message(count: Value, known: list[Tensor]) -> tuple[Value | str, ...]:
    """NumPy's text for arrays that agree in the first axes only."""
    parts: list[Value | str] = [f"{INHOMOGENEOUS}{1 + len(known)} dimensions. The detected shape was (", count]
    for size in known:
        parts += [", ", size]
    parts.append(",) + inhomogeneous part." if not known else ") + inhomogeneous part.")
    return tuple(parts)


def ragged_rank(m: Machine, value: Value) -> int | None:
    """The rank of the arrays in a list, where these need not have the same shape, as lists of numbers have not."""
    leaf = _ragged_leaf(m.live.heap[value].layout) if lengths.is_growing(m, value) else None
    return None if leaf is None else leaf.type.rank


def _ragged_leaf(layout: Layout) -> Leaf | None:
    """What the elements are as arrays, where these need not have the same shape."""
    match layout:
        case Leaf(ragged=True):
            return layout
        case Listed(Leaf(ragged=False)):
            return next(leaves(layout))
    return None


def end_to_end(m: Machine, value: Value, axis: Value) -> Tensor | None:
    """Arrays of different shapes joined along their first axis; None for anything else."""
    if ragged_rank(m, value) is None or static(m, axis, "an axis") not in (0, None):
        return None
    contents = m.live.heap[value]
    column, leaf = contents.columns[0], _ragged_leaf(contents.layout)
    assert isinstance(column, Column) and column.shapes is not None and leaf is not None
    rank = leaf.type.rank
    empty = arithmetic.compare(m, "==", list_columns.length(m, contents), ZERO)
    m.check(empty, ValueError, "need at least one array to concatenate")
    if rank == 1 or static(m, axis, "an axis") is None:
        return m.copied(column.data)
    rest = [_agreed(m, column.shapes, a) for a in range(1, rank)]
    first = m.op("take", column.shapes, number(m, 0, INT64), axis=1)
    total = m.op("sum", first, axes=(0,), keepdims=False, kind=Kind.PYTHON)
    return m.op("reshape", column.data, total, *rest)


def _agreed(m: Machine, shapes: Tensor, axis: int) -> Value:
    """A size that all arrays have."""
    sizes = m.op("take", shapes, number(m, axis, INT64), axis=1)
    first = m.op("take", sizes, number(m, 0, INT64), axis=0, kind=Kind.PYTHON)
    differs = m.op("any", m.op("not_equal", sizes, first), axes=(0,), keepdims=False, kind=Kind.PYTHON)
    text = (
        "all the input array dimensions except for the concatenation axis must match exactly, "
        f"but along dimension {axis}, the array at index 0 has size "
    )
    position = m.op("argmax", m.cast(m.op("not_equal", sizes, first), np.dtype(np.uint8)), axis=0, keepdims=False)
    other = m.op("take", sizes, position, axis=0, kind=Kind.PYTHON)
    where = m.reclassed(position, Kind.PYTHON)
    flow.raise_where(m, differs, ValueError, text, first, " and the array at index ", where, " has size ", other)
    return first
