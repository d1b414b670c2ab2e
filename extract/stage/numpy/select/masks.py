"""Elements and positions that a condition selects: how many there are is known at run time."""

from __future__ import annotations

import numpy as np

from graph_program.extract.stage.arrays.indices.advanced_indexing import mask_columns
from graph_program.extract.stage.arrays.lowering_arguments import (
    ZERO,
    array,
    call,
    flat,
    number,
    numpy_function,
    value_error,
)
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.products.linear import along
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64

ZERO_DIMENSIONAL = "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."


def mask_of(m: Machine, a: Value) -> Tensor:
    """Which elements are not zero."""
    x = array(m, a)
    return x if x.type.dtype == BOOL else m.op("not_equal", x, number(m, 0, x.type.dtype))


@numpy_function(np.nonzero, method="nonzero")
def nonzero(m: Machine, a: Value) -> Value:
    """`np.nonzero`: one index array per axis."""
    mask = mask_of(m, a)
    if not mask.rank:
        raise value_error(m, ZERO_DIMENSIONAL)
    return Tuple(tuple(mask_columns(m, mask)))


@numpy_function(np.flatnonzero)
def flatnonzero(m: Machine, a: Value) -> Value:
    """`np.flatnonzero`: positions in row-major order."""
    return mask_columns(m, flat(m, mask_of(m, a)))[0]


@numpy_function(np.ix_)
def ix_(m: Machine, *args: Value) -> Value:
    """`np.ix_`: vectors along axes of their own; masks are positions."""
    vectors = [array(m, a) for a in args]
    if any(x.rank != 1 for x in vectors):
        raise value_error(m, "Cross index must be 1 dimensional")
    placed = []
    for axis, x in enumerate(vectors):
        positions = mask_columns(m, x)[0] if x.type.dtype == BOOL else x
        placed.append(m.op("expand_dims", positions, axes=tuple(i for i in range(len(vectors)) if i != axis)))
    return Tuple(tuple(placed))


@numpy_function(np.argwhere)
def argwhere(m: Machine, a: Value) -> Value:
    """`np.argwhere`: one row of indices per element."""
    mask = mask_of(m, a)
    if not mask.rank:
        found = m.op("nonzero", m.op("expand_dims", mask, axes=(0,)))
        return m.op("broadcast_to", number(m, 0, INT64), m.dimension(found, 1), ZERO)
    return m.op("transpose", m.op("nonzero", mask), perm=(1, 0))


@numpy_function(np.compress)
@with_out("np.compress", casting="unsafe")
def compress(m: Machine, condition: Value, a: Value, axis: Value = NONE, out: Value = NONE) -> Value:
    """`np.compress`: the slices where a one-dimensional condition holds."""
    mask, x = mask_of(m, condition), array(m, a)
    if mask.rank != 1:
        raise value_error(m, "condition must be a 1-d array")
    x, i = along(m, x, axis)
    return call(m, np.take, x, mask_columns(m, mask)[0], Static(i))


lowers(method="compress")(lambda m, self, condition, axis=NONE, out=NONE: compress(m, condition, self, axis, out))
