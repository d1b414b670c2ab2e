"""Broadcasting by name: broadcast_to, broadcast_arrays, broadcast_shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.stage.arrays.layout import read_only, viewed
from graph_program.extract.stage.arrays.lowering_arguments import always, array, numpy_function, shape_of, sizes_of
from graph_program.extract.stage.arrays.size_checks import broadcast_sizes, counted
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.values.values import NONE, Tensor, Tuple, Value

as_array = array


@numpy_function(np.broadcast_to)
def broadcast_to(m: Machine, array: Value, shape: Value, subok: Value = NONE) -> Value:
    """`np.broadcast_to`: a view that cannot be written."""
    x = as_array(m, array)
    sizes = [counted(m, size, "all elements of broadcast shape must be non-negative") for size in shape_of(m, shape)]
    return read_only(m, x, lambda base: m.op("broadcast_to", base, *sizes))


@numpy_function(np.broadcast_arrays)
def broadcast_arrays(m: Machine, *args: Value, subok: Value = NONE) -> Value:
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
    shapes = [[counted(m, size) for size in shape_of(m, a)] for a in args]
    return Tuple(tuple(broadcast_sizes(m, shapes)))
