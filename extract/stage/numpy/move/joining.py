"""Arrays put together: concatenate, stack; again and again: tile, repeat, resize; rolled, which joins two parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract.library.arrays import counting as programs
from graph_program.extract.stage.arrays.array_writes import contents_for
from graph_program.extract.stage.arrays.lowering_arguments import (
    MINUS_ONE,
    ONE,
    ZERO,
    array,
    as_size,
    axis_of,
    call_tensor,
    dtype_of,
    flat,
    is_given,
    is_sequence,
    known,
    listed_axes,
    number,
    numpy_function,
    require_cast,
    result_dtype,
    sequence,
    shape_of,
    size_op,
    size_product,
    sizes_of,
    takes,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_not_negative, check_same_shapes
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.emission import emit_op
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.move.stacking import end_to_end, ragged_rank, stacked_elements
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.products.linear import along
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.values.questions import has_computed_rows, known_value
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Value, static_contents, type_of
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType
from graph_program.tensor_api.ops.indexing import INT64_MAX

# ---------------------------------------------------------------- joining


def parts_of(m: Machine, arrays: Value) -> list[Tensor]:
    """The arrays of a sequence; the rows of an array."""
    return [array(m, v) for v in items_of(m, arrays)]


def items_of(m: Machine, arrays: Value) -> list[Value]:
    """The numbers and arrays of a sequence; the rows of an array."""
    return [numeric(m, v) for v in sequence(m, arrays, "the arrays")]


def one_array(m: Machine, arrays: Value, what: str) -> Tensor | None:
    """An array given instead of a sequence of arrays, where its length is not known.

    A list of computed length is the array of its elements.
    """
    value = settled(m, arrays)
    if lengths.is_growing(m, value):
        return stacked_elements(m, m.live.heap[value], what)
    return value if has_computed_rows(value) else None


def rows_joined(m: Machine, x: Tensor, axis: int) -> Tensor:
    """The rows of an array joined along one of their own axes."""
    if x.rank == 1:
        raise value_error(m, "zero-dimensional arrays cannot be concatenated")
    perm = [*range(1, axis + 1), 0, *range(axis + 1, x.rank)]
    if axis:
        x = m.op("transpose", x, perm=tuple(perm))
    sizes = sizes_of(m, x)
    return m.op("reshape", x, *sizes[:axis], size_op(m, "*", sizes[axis], sizes[axis + 1]), *sizes[axis + 2 :])


def rows_stacked(m: Machine, x: Tensor, axis: int) -> Tensor:
    """The rows of an array stacked along a new axis: its first axis, moved."""
    rest = list(range(1, x.rank))
    return m.op("transpose", x, perm=(*rest[:axis], 0, *rest[axis:])) if axis else m.copied(x)


def promoted(
    m: Machine, arrays: Sequence[Tensor], dtype: Value = NONE, casting: Value = NONE, given: Sequence[Value] = ()
) -> list[Tensor]:
    """Arrays of one element type, which is the one of the numbers that are `given`, where they are."""
    if not arrays:
        return []
    target = dtype_of(m, dtype)
    rule: Any = static(m, casting, "the casting rule") or "same_kind"
    if target is None:
        target = result_dtype(m, *(given or arrays))
    for x in arrays if not given else ():
        require_cast(m, x.type.dtype, target, rule)
    return [m.cast(x, target) for x in arrays]


def joined(m: Machine, arrays: Sequence[Tensor], axis: int) -> Tensor:
    """A new array; of one array, a copy."""
    return m.copied(arrays[0]) if len(arrays) == 1 else m.op("concatenate", *arrays, axis=axis)


@numpy_function(np.concatenate, np.concat)
@with_out("np.concatenate")
@takes("arrays, /, axis=0, out=None, *, dtype=None, casting=None")
def concatenate(m: Machine, arrays: Value, axis: Value, dtype: Value, casting: Value) -> Value:
    """`np.concatenate`; without an axis, of the flattened arrays."""
    ragged = end_to_end(m, settled(m, arrays), axis)
    if ragged is not None:
        (x,) = promoted(m, [ragged], dtype, casting)
        return x
    whole = one_array(m, arrays, "concatenate")
    if whole is not None:
        (x,) = promoted(m, [whole], dtype, casting)
        if static(m, axis, "an axis") is None:
            return m.copied(x) if x.rank == 1 else m.op("reshape", x, MINUS_ONE)
        return rows_joined(m, x, axis_of(m, axis, x.rank - 1) if x.rank > 1 else 0)
    if static(m, axis, "an axis") is None:
        found = items_of(m, arrays)
        parts = promoted(m, [array(m, v) for v in found], dtype, casting, () if is_given(dtype) else found)
    else:
        parts = promoted(m, parts_of(m, arrays), dtype, casting)
    if not parts:
        raise value_error(m, "need at least one array to concatenate")
    if static(m, axis, "an axis") is None:
        return joined(m, [flat(m, x) for x in parts], 0)
    if not parts[0].rank:
        raise value_error(m, "zero-dimensional arrays cannot be concatenated")
    return joined(m, parts, axis_of(m, axis, parts[0].rank))


@numpy_function(np.stack)
@with_out("np.stack")
@takes("arrays, axis=0, out=None, *, dtype=None, casting=None")
def stack(m: Machine, arrays: Value, axis: Value, dtype: Value, casting: Value) -> Value:
    """`np.stack`: joined along a new axis."""
    whole = one_array(m, arrays, "stack")
    if whole is not None:
        (x,) = promoted(m, [whole], dtype, casting)
        return rows_stacked(m, x, axis_of(m, axis, x.rank))
    parts = promoted(m, parts_of(m, arrays), dtype, casting)
    if not parts:
        raise value_error(m, "need at least one array to stack")
    if len({x.rank for x in parts}) > 1:
        raise value_error(m, "all input arrays must have the same shape")
    check_same_shapes(m, parts, "all input arrays must have the same shape")
    place = axis_of(m, axis, parts[0].rank + 1)
    return joined(m, [m.op("expand_dims", x, axes=(place,)) for x in parts], place)


def shaped_join(m: Machine, arrays: Value, least: Any, axis: Any, options: tuple[Value, Value]) -> Value:
    if lengths.is_growing(m, settled(m, arrays)):
        return shaped_join_of_computed(m, settled(m, arrays), least, axis, options)
    parts = promoted(m, [call_tensor(m, least, x) for x in parts_of(m, arrays)], *options)
    if not parts:
        raise value_error(m, "need at least one array to concatenate")
    return joined(m, parts, axis(parts[0].rank))


def shaped_join_of_computed(m: Machine, rows: Value, least: Any, axis: Any, options: tuple[Value, Value]) -> Value:
    """`vstack` and the like for a list of computed length: the axes that each element gets are put in all at once."""
    rank = ragged_rank(m, rows)
    is_joined = rank is not None and axis(rank) == 0 and np.ndim(least(np.zeros((1,) * rank))) == rank
    whole = end_to_end(m, rows, ZERO) if is_joined else one_array(m, rows, "concatenate")
    assert whole is not None
    (x,) = promoted(m, [whole], *options)
    if is_joined:
        return x
    shape: tuple[int, ...] = least(np.zeros((2,) * (x.rank - 1))).shape
    ones = tuple(i + 1 for i, size in enumerate(shape) if size == 1)
    x = m.op("expand_dims", x, axes=ones) if ones else x
    return rows_joined(m, x, axis(len(shape)))


@numpy_function(np.vstack, *filter(None, [vars(np).get("row_stack")]))
def vstack(m: Machine, tup: Value, *, dtype: Value = NONE, casting: Value = NONE) -> Value:
    """`np.vstack`: rows below each other."""
    return shaped_join(m, tup, np.atleast_2d, lambda rank: 0, (dtype, casting))


@numpy_function(np.hstack)
def hstack(m: Machine, tup: Value, *, dtype: Value = NONE, casting: Value = NONE) -> Value:
    """`np.hstack`: side by side."""
    return shaped_join(m, tup, np.atleast_1d, lambda rank: 0 if rank == 1 else 1, (dtype, casting))


numpy_function(np.dstack)(lambda m, tup: shaped_join(m, tup, np.atleast_3d, lambda rank: 2, (NONE, NONE)))


@numpy_function(np.column_stack)
def column_stack(m: Machine, tup: Value) -> Value:
    """`np.column_stack`: vectors as columns."""
    if lengths.is_growing(m, settled(m, tup)):
        x = one_array(m, tup, "concatenate")
        assert x is not None
        if x.rank == 1:  # of numbers, each a column with one
            return m.op("expand_dims", x, axes=(0,))
        return m.op("transpose", x, perm=(1, 0)) if x.rank == 2 else rows_joined(m, x, 1)
    columns = [x if x.rank >= 2 else m.op("reshape", x, MINUS_ONE, ONE) for x in parts_of(m, tup)]
    return joined(m, promoted(m, columns), 1)


# ---------------------------------------------------------------- rolling


@numpy_function(np.roll)
def roll(m: Machine, a: Value, shift: Value, axis: Value = NONE) -> Value:
    """`np.roll`: elements shifted around; of the flattened array without an axis."""
    x = array(m, a)
    if static(m, axis, "an axis") is None:
        total: Value = ZERO
        for s in shifts_of(m, shift):
            total = arithmetic.arithmetic(m, "+", total, as_size(m, s))
        rolled = roll_axis(m, flat(m, x), total, 0)
        return rolled if x.rank == 1 else m.op("reshape", rolled, *sizes_of(m, x))
    axes = listed_axes(m, axis, x.rank, repeats=True)
    shifts = shifts_of(m, shift)
    if len(shifts) != len(axes):
        if len(shifts) != 1 and len(axes) != 1:
            raise value_error(m, "'shift' and 'axis' should be scalars or 1D sequences")
        shifts, axes = shifts * (len(axes) // len(shifts) or 1), axes * (len(shifts) // len(axes) or 1)
    result = m.copied(x)
    for s, i in zip(shifts, axes, strict=True):
        result = roll_axis(m, result, as_size(m, s), i)
    return result


def shifts_of(m: Machine, shift: Value) -> list[Value]:
    """One shift, or those in a list or vector."""
    several = is_sequence(m, shift) or type_of(numeric(m, shift)).rank == 1
    return sequence(m, shift, "the shifts") if several else [shift]


def roll_axis(m: Machine, x: Tensor, shift: Value, axis: int) -> Tensor:
    """The last `shift` elements of an axis, then the others."""
    size = m.dimension(x, axis)
    count = known(size)
    if count == 0:
        return m.copied(x)
    cut: Value
    turns = known_value(shift)
    if turns is not None and count is not None:
        cut = Static(count - turns % count)
    else:
        span = m.op("maximum", m.cast(size, INT64), number(m, 1, INT64))
        turned = m.op("remainder", m.cast(shift, INT64), span)
        cut = m.op("subtract", m.cast(size, INT64), turned)
    last, first = (
        m.op("slice", x, start, stop, axes=(axis,), steps=(1,))
        for start, stop in ((cut, Static(INT64_MAX)), (ZERO, cut))
    )
    args = (m.operand(last), m.operand(first))
    return emit_op(m, "concatenate", args, {"axis": axis}, TensorType(x.type.dtype, x.type.shape))


@numpy_function(np.tile)
def tile(m: Machine, A: Value, reps: Value) -> Value:
    """`np.tile`: the whole array again and again along each axis."""
    x = array(m, A)
    counts = [as_size(m, v) for v in (sequence(m, reps, "the repeats") if is_sequence(m, reps) else [reps])]
    counts = [ONE] * (x.rank - len(counts)) + counts
    x = m.op("expand_dims", x, axes=tuple(range(len(counts) - x.rank))) if len(counts) > x.rank else x
    return spread(m, x, counts, whole=True)


def spread(m: Machine, x: Tensor, counts: Sequence[Value], whole: bool) -> Tensor:
    """Each axis repeated: the axis as a whole, or each of its elements."""
    for count in counts:
        check_not_negative(m, count)
    axes = [i for i, c in enumerate(counts) if known_value(c) != 1]
    if not axes:
        return m.copied(x)
    sizes = sizes_of(m, x)
    places: list[int] = []
    target: list[Value] = []
    result: list[Value] = []
    for i, (size, count) in enumerate(zip(sizes, counts, strict=True)):
        if i in axes:
            places.append(len(target) + (0 if whole else 1))
            target += [count, size] if whole else [size, count]
            result.append(size_op(m, "*", size, count))
        else:
            target.append(size)
            result.append(size)
    wide = m.op("broadcast_to", m.op("expand_dims", x, axes=tuple(places)), *target)
    return m.op("reshape", wide, *result)


@numpy_function(np.repeat, method="repeat")
def repeat(m: Machine, a: Value, repeats: Value, axis: Value = NONE) -> Value:
    """`np.repeat`: each element again; of the flattened array without an axis."""
    x, i = along(m, array(m, a), axis)
    if is_sequence(m, repeats) or type_of(numeric(m, repeats)).rank:
        return m.op("take", x, positions_repeated(m, m.dimension(x, i), counts_of(m, repeats)), axis=i)
    count = as_size(m, repeats)
    return spread(m, x, [count if k == i else ONE for k in range(x.rank)], whole=False)


def counts_of(m: Machine, repeats: Value) -> Tensor:
    """How often each element is repeated: a list, or an array of integers."""
    if is_sequence(m, repeats):
        counts = contents_for(m, repeats, INT64)
    else:
        counts = array(m, repeats)
        require_cast(m, type_of(numeric(m, repeats)).dtype, INT64)
    if counts.rank != 1:
        raise value_error(m, "object too deep for desired array")
    return m.cast(counts, INT64)


def positions_repeated(m: Machine, size: Value, counts: Tensor) -> Tensor:
    """Each position below `size` its own number of times."""
    length, times = known(size), static_contents(counts)
    if length is None or times is None or m.is_written(counts):
        return tensor(m, entries.run(m, programs.repeated, counts, size))
    return m.constant(call_now(m, np.repeat, (np.arange(length), times)))


@numpy_function(np.resize)
def resize(m: Machine, a: Value, new_shape: Value) -> Value:
    """`np.resize`: the flattened elements, repeated to fill a shape."""
    x = flat(m, array(m, a))
    sizes = shape_of(m, new_shape)
    size = m.op("maximum", m.cast(m.dimension(x, 0), INT64), number(m, 1, INT64))
    # Nothing repeated is zeros: what follows the elements is only met where there are none.
    x = m.op("concatenate", x, m.op("full", number(m, 0, x.type.dtype), ONE), axis=0)
    positions = m.op("remainder", m.op("iota", size_product(m, sizes)), size)
    return m.op("reshape", m.op("take", x, positions, axis=0), *sizes)
