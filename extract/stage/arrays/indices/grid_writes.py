"""Writes to elements that integers behind slices select: one by one, since they are far apart in memory.

    x[1:n, j] = v    ->    rows = slice(iota(dim(x, 0)), 1, n)
                           columns = broadcast_to(j, dim(rows, 0))
                           x := scatter_nd(x, v, rows, columns)

Writing slabs, as `set_slice` does, would copy the array several times over in short pieces.
"""

from __future__ import annotations

from graph_program.extract.stage.arrays.indices.index_positions import index_scalar
from graph_program.extract.stage.arrays.indices.indexing import FULL, Index
from graph_program.extract.stage.arrays.indices.slice_reads import read_slices
from graph_program.extract.stage.machine.checks.size_facts import settle
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.values import SliceValue, Tensor, Value, size_of
from graph_program.extract.types.rules.facts import Requirement
from graph_program.extract.types.rules.requirements import assigned

Grid = list[Tensor]
"""The positions along each of the first axes, all of one shape."""


def grid_of(m: Machine, array: Tensor, index: Index, depth: int) -> tuple[Grid, Grid]:
    """The positions that a basic index selects along the first axes, as a grid; and those along each slice."""
    lines = {a: line(m, array, a, e) for a, e in index.ranges if a < depth}
    sizes = [m.dimension(positions, 0) for positions in lines.values()]
    grid = []
    for axis in range(depth):
        if axis in lines:
            behind = sum(a > axis for a in lines)
            part = m.op("expand_dims", lines[axis], axes=tuple(range(1, behind + 1))) if behind else lines[axis]
        else:
            part = inside(m, array, axis, index.entries[axis])
        grid.append(part if len(lines) == 1 and axis in lines else m.op("broadcast_to", part, *sizes))
    return grid, list(lines.values())


def line(m: Machine, array: Tensor, axis: int, entry: SliceValue) -> Tensor:
    """The positions that a slice selects along an axis."""
    everything = m.op("iota", m.dimension(array, axis))
    return everything if entry is FULL else read_slices(m, everything, [(0, entry)])


def inside(m: Machine, array: Tensor, axis: int, entry: Value) -> Tensor:
    """An integer index counted from 0; IndexError where it is outside, also where the slices select nothing."""
    size, position = m.facts.resolve(array.type.shape[axis]), size_of(entry)
    scalar = index_scalar(m, array, axis, entry)
    if position is not None and m.facts.decide("<", position, size) and m.facts.decide("<=", 0, position):
        return scalar
    return m.op("take", m.op("iota", m.dimension(array, axis)), scalar, axis=0)


def check_value(m: Machine, array: Tensor, depth: int, lines: Grid, value: Tensor) -> None:
    """NumPy's error for a value that cannot be broadcast into what the index selects."""
    target = (*(positions.type.shape[0] for positions in lines), *array.type.shape[depth:])
    for clauses, text in assigned(value.type.shape, target):
        settle(m, Requirement(tuple(clauses), "shape", tuple(text)), [value, array, *lines], True)
