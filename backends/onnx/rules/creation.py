"""Tensors from numbers and sizes."""

from __future__ import annotations

import numpy as np

from graph_program.backends.onnx.builder import Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering
from graph_program.backends.onnx.rules.movement import ANY, dims_vector
from graph_program.backends.onnx.scopes import Sizes
from graph_program.extract.ir.graph import Node


def _full(builder: Builder, node: Node, value: Tensor, *dims: Tensor) -> Tensor:
    if not dims:
        return value
    shape = dims_vector(builder, node, dims)
    if value.known is not None:
        made = shape.op("ConstantOfShape", dtype=value.dtype, value=value.known.reshape(1))
    else:
        made = value.op("Expand", shape)
    made.made_of = dims
    return made


def _iota(builder: Builder, node: Node, n: Tensor) -> Tensor:
    return n.like(0).op("Range", n, 1)


def _dim(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """A scalar; operators that want vectors use that of one, which is left out where there are none."""
    axis, shape = node.attrs["axis"], node.inputs[0].type.shape
    known = shape[axis].constant
    if known is not None:
        return builder.constant(np.array(known, np.int64))
    axis %= len(shape)
    if x.made_of:
        made: Tensor = x.made_of[axis]
        return made
    vector = x.shape(axis, axis + 1)
    of_argument = shape[axis].symbols <= builder.foldable.sizes
    if of_argument:
        builder.foldable.differs(vector.value)
    sized = not node.inputs[0].type.is_bfloat16  # onnxruntime has no Size of those
    scalar = x.op("Size") if sized and len(shape) == 1 else vector.op("Squeeze")
    if of_argument:
        builder.foldable.differs(scalar.value)
    builder.remember_vector(scalar, vector)
    if sized:
        builder.remember_sizes(scalar, Sizes(x.value, frozenset([axis]), len(shape)))
    return scalar


RULES: dict[str, Lowering] = {
    "full": Lowering(ANY, _full),
    "iota": Lowering("i", _iota),
    "dim": Lowering(f"{ANY}V", _dim),
}
