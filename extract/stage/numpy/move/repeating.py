"""Elements and arrays again and again: `tile`, `repeat`, `resize`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.library.arrays import counting as programs
from graph_program.extract.stage.arrays.array_writes import contents_for
from graph_program.extract.stage.arrays.lowering_arguments import (
    ONE,
    array,
    as_size,
    dtype_error,
    flat,
    is_sequence,
    known,
    number,
    numpy_function,
    sequence,
    shape_of,
    size_op,
    size_product,
    sizes_of,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_not_negative
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.products.linear import along
from graph_program.extract.stage.operations.known_and_truth import numeric, tensor
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import NONE, Tensor, Value, static_contents, type_of
from graph_program.extract.types.tensors.tensor_type import INT64


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
        counts, given = array(m, repeats), type_of(numeric(m, repeats)).dtype
        if not np.can_cast(given, INT64):
            raise dtype_error(m, f"Cannot cast array data from {given!r} to {INT64!r} according to the rule 'safe'")
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
