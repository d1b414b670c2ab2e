"""Broadcasting by name: broadcast_to, broadcast_arrays, broadcast_shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.stage.arrays.layout import read_only, viewed
from graph_program.extract.stage.arrays.lowering_arguments import (
    INT64,
    NONE,
    ONE,
    always,
    array,
    never,
    numpy_function,
    shape_of,
    sizes_of,
)
from graph_program.extract.stage.arrays.size_checks import counted, unequal
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.paths.size_messages import check, shape_text
from graph_program.extract.stage.values.values import Static, Tensor, Tuple, Value, size_of
from graph_program.extract.types import dims
from graph_program.extract.types.tensors.tensor_type import Kind

as_array = array

MISMATCH = "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg "


@numpy_function(np.broadcast_to)
def broadcast_to(m: Machine, array: Value, shape: Value, subok: Value = NONE) -> Value:
    """`np.broadcast_to`: a view that cannot be written."""
    x = as_array(m, array)
    sizes = [counted(m, size, "all elements of broadcast shape must be non-negative") for size in shape_of(m, shape)]
    return read_only(m, x, lambda base: m.op("broadcast_to", base, *sizes))


@numpy_function(np.broadcast_arrays)
def broadcast_arrays(m: Machine, *args: Value, subok: Value = NONE) -> Value:
    """`np.broadcast_arrays`."""
    arrays = [as_array(m, a) for a in args]
    sizes = broadcast_sizes(m, [sizes_of(m, x) for x in arrays])
    return Tuple(tuple(stretched(m, x, sizes) for x in arrays))


def stretched(m: Machine, x: Tensor, sizes: Sequence[Value]) -> Tensor:
    """An array itself if it has the shape, or a view that cannot be written."""
    own = sizes_of(m, x)
    if len(own) == len(sizes) and all(always(m, "==", a, b) for a, b in zip(own, sizes, strict=True)):
        return x
    return viewed(m, x, lambda base: m.op("broadcast_to", base, *sizes), None)


@lowers(np.broadcast_shapes)
def broadcast_shapes(m: Machine, *args: Value) -> Value:
    """`np.broadcast_shapes`."""
    shapes = [[counted(m, size) for size in shape_of(m, a)] for a in args]
    return Tuple(tuple(broadcast_sizes(m, shapes)))


def broadcast_sizes(m: Machine, shapes: Sequence[Sequence[Value]]) -> list[Value]:
    """The shape that shapes broadcast to, checked in NumPy's order."""
    rank = max(map(len, shapes), default=0)
    result: list[Value] = []
    for axis in range(-rank, 0):
        column = [(k, shape[axis]) for k, shape in enumerate(shapes) if len(shape) >= -axis]
        check_column(m, column, shapes)
        size: Value = ONE
        for _, other in column:
            size = wider(m, size, other)
        result.append(size)
    return result


def check_column(m: Machine, column: Sequence[tuple[int, Value]], shapes: Sequence[Sequence[Value]]) -> None:
    """Refuse sizes of one axis that do not broadcast."""
    for position, (j, b) in enumerate(column):
        for i, a in column[:position]:
            different = booleans.both(m, unequal(m, a, ONE), unequal(m, b, ONE))
            bad = booleans.both(m, unequal(m, a, b), different)
            first, second = shape_text(shapes[i], ", "), shape_text(shapes[j], ", ")
            check(m, bad, ValueError, f"{MISMATCH}{i} with shape ", *first, f" and arg {j} with shape ", *second, ".")


def wider(m: Machine, a: Value, b: Value) -> Value:
    """The size that two sizes broadcast to; a size of 1 becomes the other."""
    left, right = size_of(a), size_of(b)
    if (left is not None and left == right) or always(m, "==", b, ONE):
        return a
    if always(m, "==", a, ONE) or (isinstance(b, Static) and never(m, "==", b, ONE)):
        return b
    if never(m, "==", a, ONE):
        return a
    is_one = arithmetic.compare(m, "==", a, ONE)
    result = m.op("where", is_one, m.cast(b, INT64), m.cast(a, INT64), kind=Kind.PYTHON)
    if left is not None and right is not None:
        result.size = dims.broadcast(left, right)
    result.bits = 48
    return result
