"""Subscripts written: `x[...] = v` and `x op= v`, on arrays and on structures of known length."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.arrays import alias, array_contents
from graph_program.extract.stage.arrays.array_writes import contents_for
from graph_program.extract.stage.arrays.indices import indexing
from graph_program.extract.stage.arrays.indices.indexing import (
    FULL,
    Index,
    basic_index,
    check_inside,
    index_scalar,
    is_advanced,
    key_entries,
    read_basic,
    read_slices,
    spread,
)
from graph_program.extract.stage.machine.checks.size_facts import expressible, settle
from graph_program.extract.stage.machine.emission import aside, checks_for
from graph_program.extract.stage.machine.inference import holds_open, tensor_term
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import items
from graph_program.extract.stage.operations.of_numbers.conversions import may_not_fit
from graph_program.extract.stage.operations.of_numbers.number_protocol import type_error
from graph_program.extract.stage.paths.several import member_numbers, mixed_numbers
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.questions import is_list_or_tuple
from graph_program.extract.stage.values.structure import class_name
from graph_program.extract.stage.values.values import Host, SliceValue, Tensor, Value, is_numeric, size_of
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.rules.facts import Requirement
from graph_program.extract.types.rules.requirements import assigned


@items.write_item.of(Tensor)
def _write_item(m: Machine, holder: Tensor, key: Value, value: Value) -> None:
    if not holder.is_array:
        items.write_item.declared(m, holder, key, value)
    elif m.inference is not None and holds_open(m, [key, value]):
        items.write_item(m, m.inference.open(m, tensor_term(holder.type)), key, value)
    else:
        set_tensor(m, holder, key, value)


def set_tensor(m: Machine, array: Tensor, key: Value, value: Value) -> None:
    """`array[key] = value`."""
    alias.require_writable(m, array)
    entries = key_entries(m, key)
    index = None if any(is_advanced(e) for e in entries) else basic_index(m, array, entries)
    listed_or_mixed = not is_numeric(value) and not isinstance(value, Host)
    if index is not None and (listed_or_mixed or may_not_fit(value, array.type.dtype)):
        for axis, entry in index.integers:  # NumPy looks for the element before it looks at the value
            check_inside(m, array, axis, entry)
    if mixed_numbers.one_of_numbers(value) is None:
        value = array_contents.listed(m, member_numbers.number(m, value))
    if index is not None and not index.slices and not index.ellipsis and len(index.integers) == array.rank:
        refuse_list(m, value, array.type.dtype)
    contents = contents_for(m, value, array.type.dtype, wraps=index is None)
    if index is None:
        new = write_chosen(m, array, entries, contents)
    else:
        if is_list_or_tuple(value):
            require_depth(m, contents, index)
        new = write_basic(m, array, index, contents)
    alias.write(m, array, new)


def refuse_list(m: Machine, value: Value, dtype: np.dtype[Any]) -> None:
    """An element of integers that is to be a list: NumPy asks Python for its int."""
    if dtype.kind in "iu" and is_list_or_tuple(value):
        text = "int() argument must be a string, a bytes-like object or a real number, not "
        raise type_error(m, f"{text}'{class_name(value)}'", "assign its element")


def require_depth(m: Machine, contents: Tensor, index: Index) -> None:
    """NumPy refuses lists that are nested deeper than what they are written to has dims."""
    dims = len(index.entries) - len(index.integers) + len(index.new_axes)
    if contents.rank > max(dims, not index.ellipsis):
        text = "setting an array element with a sequence. The requested array would exceed the maximum number of "
        error, hint = diagnostics.ProgramValueError, "take a level of brackets away"
        raise m.error("GP301", f"{text}dimension of {dims}.", cls=error, hint=hint, raised=True)


@indexing.write_basic.given
def write_basic(m: Machine, array: Tensor, index: Index, value: Tensor) -> Tensor:
    """The array's contents with the elements of a basic index replaced."""
    if index.new_axes:
        value = without_new_axes(m, array, index, value) if value.rank else value
        index = Index(index.entries, (), index.ellipsis)
    leading = index.leading
    rest = index.entries[leading:]
    if all(e is FULL for e in rest):
        if leading == 0:
            return filled(m, array, value)
        if index.ellipsis and leading == array.rank and value.rank:  # a region of rank 0, not an element
            value = region_of_one(m, value)
        check_order(m, array, index, leading, value)
        positions = [index_scalar(m, array, a, index.entries[a]) for a in range(leading)]
        return m.op("set_index", array, value, *positions)
    if leading:
        positions = [index_scalar(m, array, a, index.entries[a]) for a in range(leading)]
        part = functools.reduce(lambda inside, where: m.op("take", inside, where, axis=0), positions, array)
        inner = write_basic(m, part, Index(rest, (), False), value)
        return m.op("set_index", array, inner, *positions)
    return write_slices(m, array, index, value)


def without_new_axes(m: Machine, array: Tensor, index: Index, value: Tensor) -> Tensor:
    """A value for the region without the axes of size 1 that the index adds."""
    region = read_basic(m, array, index)
    require_fit(m, value, region.type.shape, [value, region])
    axes = [value.rank - region.rank + axis for axis in index.new_axes]
    axes = [axis for axis in axes if axis >= 0]
    return m.op("squeeze", value, axes=tuple(axes)) if axes else value


def region_of_one(m: Machine, value: Tensor) -> Tensor:
    """A value for a region of rank 0, whose dims are all 1."""
    require_fit(m, value, (), [value])
    return m.op("squeeze", value, axes=tuple(range(value.rank)))


def require_fit(m: Machine, value: Tensor, shape: Sequence[Dim], operands: Sequence[Value]) -> None:
    """See that a value broadcasts into a region of some shape, in NumPy's words."""
    for clauses, text in assigned(value.type.shape, tuple(shape)):
        settle(m, Requirement(tuple(clauses), "shape", tuple(text)), operands)


def check_order(m: Machine, array: Tensor, index: Index, leading: int, value: Tensor) -> None:
    """Where the value may not fit, NumPy looks at the indices first."""
    fits = all(
        size.constant == 1 or m.facts.decide("==", size, d)
        for size, d in zip(reversed(value.type.shape), reversed(array.type.shape[leading:]), strict=False)
    )
    for axis in range(leading if not fits else 0):
        if size_of(index.entries[axis]) is None:
            check_inside(m, array, axis, index.entries[axis])


def filled(m: Machine, array: Tensor, value: Tensor) -> Tensor:
    """`array[...] = value`."""
    require_fit(m, value, array.type.shape, [value, array])
    return m.broadcast(value, array)


@forward
def write_chosen(m: Machine, array: Tensor, entries: Sequence[Value], value: Tensor) -> Tensor:
    """The array's contents after a write where one of the entries is an array or a list."""


def write_slices(m: Machine, array: Tensor, index: Index, value: Tensor) -> Tensor:
    """A write to the elements that some slices select, with integers behind them or not."""
    if index.integers:
        return write_grid(m, array, index, value)
    if any(d.constant != 1 for d in value.type.shape) and all(indexing.has_static_step(e) for _, e in index.slices):
        check_slice(m, array, index, value)
    if all(indexing.has_static_step(e) for _, e in index.slices):
        axes, steps, bounds = indexing.slice_arguments(m, index.slices)
        return m.op("set_slice", array, value, *bounds, axes=axes, steps=steps)
    return write_computed_steps(m, array, index.slices, value)


def check_slice(m: Machine, array: Tensor, index: Index, value: Tensor) -> None:
    """See that a value fits what a slice selects, which is computed where nothing else tells how much that is."""
    with aside(m) as reading:
        region = read_basic(m, array, index)
    if all(expressible(m, d) for d in region.type.shape):
        return  # the write tells by itself
    m.out.extend(reading)
    require_fit(m, value, region.type.shape, [value, region])


def write_computed_steps(m: Machine, array: Tensor, slices: Sequence[tuple[int, SliceValue]], value: Tensor) -> Tensor:
    """`array[start:stop:step] = value` where some steps are computed: their elements are scattered."""
    known = [(axis, entry) for axis, entry in slices if indexing.has_static_step(entry)]
    computed = {axis: entry for axis, entry in slices if not indexing.has_static_step(entry)}
    positions = {axis: indexing.computed_positions(m, array, axis, entry) for axis, entry in computed.items()}
    part = indexing.read_slices(m, array, known) if known else array
    run = range(min(positions), max(positions) + 1)
    shape = tuple(positions[a].type.shape[0] if a in positions else d for a, d in enumerate(part.type.shape))
    require_fit(m, value, shape, [value, part, *positions.values()])
    indices = [positions.get(axis) or m.op("iota", m.dimension(part, axis)) for axis in run]
    indices = [spread(m, index, run.stop - axis - 1) for axis, index in zip(run, indices, strict=True)]
    new = m.op("scatter_nd", part, value, *indices, axis=run.start, unique=True)
    if not known:
        return new
    axes, steps, bounds = indexing.slice_arguments(m, known)
    return m.op("set_slice", array, new, *bounds, axes=axes, steps=steps)


def write_grid(m: Machine, array: Tensor, index: Index, value: Tensor) -> Tensor:
    """The array's contents after a write whose last integer stands behind a slice."""
    depth = 1 + max(axis for axis, _ in index.integers)
    rest = index.entries[depth:]
    grid, lines = grid_of(m, array, index, depth)
    if not all(e is FULL for e in rest):
        part = m.op("gather_nd", array, *grid, axis=0)
        inner = write_slices(m, part, Index((*[FULL] * len(lines), *rest), (), False), value)
        return m.op("scatter_nd", array, inner, *grid, axis=0, unique=True)
    start = len(m.out)
    check_value(m, array, depth, lines, value)
    result = m.op("scatter_nd", array, value, *grid, axis=0, unique=True)
    checks_for(m, start, result)
    return result


Grid = list[Tensor]
"""The positions along each of the first axes, all of one shape."""


def grid_of(m: Machine, array: Tensor, index: Index, depth: int) -> tuple[Grid, Grid]:
    """The positions that a basic index selects along the first axes, as a grid; and those along each slice.

        x[1:n, j] = v    ->    rows = slice(iota(dim(x, 0)), 1, n)
                               columns = broadcast_to(j, dim(rows, 0))
                               x := scatter_nd(x, v, rows, columns)

    Elements that integers behind slices select are written one by one, since they are far apart in memory: writing
    slabs, as `set_slice` does, would copy the array several times over in short pieces.
    """
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
