"""The lists in a list of computed length as one list of all that is in them, and back.

    [[1, 2], [], [3]]       all elements 1, 2, 3; there are 2, 0 and 1 of them

What changes the layout of the inner lists' elements does so for all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from graph_program.extract.stage.machine.checks.size_facts import expressible, size_value
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.layouts import Layout, Leaf, leaves
from graph_program.extract.stage.values.values import Static, Tensor
from graph_program.extract.types.tensors.tensor_type import INT64

Change = Callable[[Growing, Iterator[Column]], list[Column]]


def can_flatten(m: Machine, inner: Layout) -> bool:
    """Whether the shapes of all arrays in inner lists can be written down."""
    return all(leaf.ragged or all(expressible(m, d) for d in leaf.type.shape) for leaf in leaves(inner))


def changed(m: Machine, inner: Layout, wanted: Layout, columns: Iterator[Column], change: Change) -> list[Column]:
    """The columns of lists of one layout as those of another, which `change` gives for all elements together."""
    flat, counts = _flattened(m, inner, columns)
    found = change(Growing(inner, tuple(flat)), iter(flat))
    pairs = zip(leaves(wanted), found, strict=True)
    return [outer for leaf, column in pairs for outer in nested(m, leaf, column, counts)]


def _flattened(m: Machine, inner: Layout, columns: Iterator[Column]) -> tuple[list[Column], Tensor]:
    """The columns of all elements of the inner lists, and how many there are in each list."""
    found: list[Column] = []
    counts: Tensor | None = None
    for leaf in leaves(inner):
        outer = next(columns)
        lengths = outer.shapes
        if leaf.ragged:
            shapes = next(columns)
            lengths = shapes.shapes
            rows = m.op("reshape", shapes.data, Static(-1), Static(leaf.type.rank))
            found.append(Column(outer.data, rows))
        else:
            data = outer.data
            if leaf.type.rank:
                data = m.op("reshape", data, Static(-1), *(size_value(m, d) for d in leaf.type.shape))
            found.append(Column(data))
        assert lengths is not None
        counts = m.op("take", lengths, m.constant(np.asarray(0)), axis=1) if counts is None else counts
    assert counts is not None
    return found, counts


def nested(m: Machine, leaf: Leaf, column: Column, counts: Tensor) -> Iterator[Column]:
    """The ragged columns of the inner lists, from a column of all elements."""
    if column.shapes is None:
        yield Column(m.op("reshape", column.data, Static(-1)), _shapes(m, counts, _sizes(m, leaf, counts)))
        return
    sizes = m.op("prod", column.shapes, axes=(1,), keepdims=False)
    zero = m.constant(np.zeros(1, np.int64))
    ends = m.op("concatenate", zero, m.op("cumsum", sizes, axis=0), axis=0)
    last = m.op("cumsum", counts, axis=0)
    first = m.op("subtract", last, counts)
    totals = m.op("subtract", m.op("take", ends, last, axis=0), m.op("take", ends, first, axis=0))
    yield Column(column.data, _shapes(m, totals, []))
    rank = m.op("full", m.constant(np.asarray(leaf.type.rank, np.int64)), m.dimension(counts, 0))
    yield Column(m.op("reshape", column.shapes, Static(-1)), _shapes(m, counts, [rank]))


def _sizes(m: Machine, leaf: Leaf, counts: Tensor) -> list[Tensor]:
    sizes = (m.cast(size_value(m, d), INT64) for d in leaf.type.shape)
    return [m.op("full", size, m.dimension(counts, 0)) for size in sizes]


def _shapes(m: Machine, counts: Tensor, rest: Sequence[Tensor]) -> Tensor:
    """Shapes, row by row, from the sizes along each axis."""
    parts = [m.op("expand_dims", size, axes=(1,)) for size in (counts, *rest)]
    return parts[0] if len(parts) == 1 else m.op("concatenate", *parts, axis=1)
