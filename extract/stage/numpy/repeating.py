"""Elements and arrays again and again: `tile`, `repeat`, `resize`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.numpy.common import (
    INT64,
    NONE,
    ONE,
    array,
    as_size,
    is_sequence,
    known,
    number,
    numpy_function,
    sequence,
    size_op,
    sizes_of,
    value_error,
)
from graph_program.extract.stage.numpy.linear import along, flat
from graph_program.extract.stage.numpy.size_checks import check_not_negative
from graph_program.extract.stage.registry import lowers
from graph_program.extract.stage.use import numeric, static
from graph_program.extract.stage.values import Static, Tensor, Value, type_of


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
    axes = [i for i, c in enumerate(counts) if not (isinstance(c, Static) and c.value == 1)]
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


@numpy_function(np.repeat)
def repeat(m: Machine, a: Value, repeats: Value, axis: Value = NONE) -> Value:
    """`np.repeat`: each element again; of the flattened array without an axis."""
    x, i = along(m, array(m, a), axis)
    if is_sequence(m, repeats) or type_of(numeric(m, repeats)).rank:
        return repeated_unevenly(m, x, static(m, repeats, "the repeats of each element"), i)
    count = as_size(m, repeats)
    return spread(m, x, [count if k == i else ONE for k in range(x.rank)], whole=False)


def repeated_unevenly(m: Machine, x: Tensor, repeats: Any, axis: int) -> Tensor:
    """Each element its own number of times, which must be known."""
    counts = np.asarray(repeats)
    if counts.size == 1:
        return spread(m, x, [Static(int(counts[0])) if k == axis else ONE for k in range(x.rank)], whole=False)
    size = known(m.dimension(x, axis))
    if size is not None and size != counts.size:
        text = f"operands could not be broadcast together with shape ({size},) ({counts.size},)"
        raise value_error(m, text)
    return m.op("take", x, m.constant(np.repeat(np.arange(counts.size), counts)), axis=axis)


@lowers(method="repeat")
def repeat_method(m: Machine, a: Value, repeats: Value, axis: Value = NONE) -> Value:
    """`x.repeat(n)`."""
    return repeat(m, a, repeats, axis)


@numpy_function(np.resize)
def resize(m: Machine, a: Value, new_shape: Value) -> Value:
    """`np.resize`: the flattened elements, repeated to fill a shape."""
    from graph_program.extract.stage.numpy.common import shape_of, size_product

    x = flat(m, array(m, a))
    sizes = shape_of(m, new_shape)
    size = m.op("maximum", m.cast(m.dimension(x, 0), INT64), number(m, 1, INT64))
    # Nothing repeated is zeros: what follows the elements is only met where there are none.
    x = m.op("concatenate", x, m.op("full", number(m, 0, x.type.dtype), ONE), axis=0)
    positions = m.op("remainder", m.op("iota", size_product(m, sizes)), size)
    return m.op("reshape", m.op("take", x, positions, axis=0), *sizes)
