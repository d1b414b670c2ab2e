"""The same elements in another arrangement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.builder import Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering
from graph_program.extract.ir.graph import Node

ANY = "biuf"
SMALL = 1024
"""Bytes of a constant that may be in a model in several shapes."""


def moved_axis(x: Tensor, rank: int, source: int, target: int) -> Tensor:
    """`x` with one axis moved to another place."""
    perm = [axis for axis in range(rank) if axis != source]
    perm.insert(target, source)
    return transposed(x, perm)


def transposed(x: Tensor, perm: Sequence[int]) -> Tensor:
    """`x` with its axes in another order; no node where the order is the same."""
    if list(perm) == sorted(perm):
        return x
    result = x.op("Transpose", perm=perm)
    result.sizes = None if x.sizes is None else tuple(x.sizes[axis] for axis in perm)
    return result


def unsqueezed(x: Tensor, *axes: int) -> Tensor:
    """`x` with axes of size 1; no node where its content is known and small."""
    if x.known is not None and x.known.nbytes <= SMALL:
        return x.builder.constant(np.expand_dims(x.known, axes))
    return x.op("Unsqueeze", x.builder.ints(*axes))


def dims_vector(builder: Builder, node: Node, dims: Sequence[Tensor]) -> Tensor:
    """The dims of the node's result as a vector; those that its type knows are constants."""
    shape = node.outputs[0].type.shape
    known = [
        dim if size.constant is None else builder.constant(np.array(size.constant, np.int64))
        for dim, size in zip(dims, shape, strict=True)
    ]
    return builder.vector(known)


def _reshape(builder: Builder, node: Node, x: Tensor, *dims: Tensor) -> Tensor:
    """One unknown dim among known ones other than 0 is left to onnxruntime, as -1."""
    sizes = [size.constant for size in node.outputs[0].type.shape]
    axes = range(len(node.inputs[0].type.shape))
    if not sizes and axes:
        return x.op("Squeeze", builder.ints(*axes))
    if sizes.count(None) == 1 and 0 not in sizes:
        target = builder.ints(*(-1 if size is None else size for size in sizes))
    else:
        target = dims_vector(builder, node, dims)
        if not all(_is_size(dim.value) for dim in dims if dim.known is None):
            target = _left_over(target)
    return x.op("Reshape", target, allowzero=1)


def _is_size(value: ir.Value | None) -> bool:
    """Whether a number is made of sizes, so that it is not negative."""
    node = None if value is None else value.producer()
    if node is not None:
        return node.op_type in ("Shape", "Size") or (node.op_type in _KEEP_SIZES and all(map(_is_size, node.inputs)))
    constant = None if value is None else value.const_value
    return constant is not None and bool(np.all(constant.numpy() >= 0))


_KEEP_SIZES = frozenset(["Add", "Identity", "Max", "Min", "Mul", "Squeeze", "Unsqueeze"])


def _left_over(target: Tensor) -> Tensor:
    """Computed dims as NumPy reads them: any negative one is what is left over, and there is none of nothing.

    A dim of -2 makes onnxruntime fail, where -1 beside 0 would give some shape without elements.
    """
    target = target.op("Max", target.builder.ints(-1))
    has_zero = target.op("ReduceProd", keepdims=0).equals(0)
    return (has_zero & (target < 0)).where(target.builder.ints(-2), target)


def _broadcast_to(builder: Builder, node: Node, x: Tensor, *dims: Tensor) -> Tensor:
    before, after = node.inputs[0].type.shape, node.outputs[0].type.shape
    if before == after:
        return x
    target = dims_vector(builder, node, dims)
    if any(size.constant == 0 for size in after) or (target.known is not None and not target.known.all()):
        # onnxruntime's optimizer takes an Expand from 1 to 0 for one that does nothing
        return target.op("ConstantOfShape", dtype=x.dtype, value=np.zeros(1, x.dtype))
    if x.known is not None and x.known.size == 1:
        return target.op("ConstantOfShape", dtype=x.dtype, value=x.known.reshape(1))
    return x.op("Expand", target)


def _transpose(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return transposed(x, node.attrs["perm"])


def _expand_dims(builder: Builder, node: Node, x: Tensor) -> Tensor:
    axes = node.attrs["axes"]
    return unsqueezed(x, *axes) if axes else x


def _squeeze(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """What has been squeezed just before is squeezed at once."""
    axes = list(node.attrs["axes"])
    if not axes:
        return x
    made = x.value.producer()
    is_squeezed = made is not None and made.op_type == "Squeeze" and len(made.inputs) == 2
    source, dropped = made.inputs if made is not None and is_squeezed else (None, None)
    if source is not None and dropped is not None and dropped.const_value is not None:
        first = dropped.const_value.numpy().tolist()
        if min(*first, *axes) >= 0:
            left = [axis for axis in range(max(axes) + len(first) + 1) if axis not in first]
            x, axes = Tensor(builder, source, x.dtype), sorted([*first, *(left[axis] for axis in axes)])
    return x.op("Squeeze", builder.ints(*axes))


def _concatenate(builder: Builder, node: Node, *arrays: Tensor) -> Tensor:
    return arrays[0] if len(arrays) == 1 else builder.op("Concat", *arrays, axis=node.attrs["axis"])


RULES: dict[str, Lowering] = {
    "reshape": Lowering(ANY, _reshape),
    "transpose": Lowering(ANY, _transpose),
    "expand_dims": Lowering(ANY, _expand_dims),
    "squeeze": Lowering(ANY, _squeeze),
    "broadcast_to": Lowering(ANY, _broadcast_to),
    "concatenate": Lowering(ANY, _concatenate),
}
