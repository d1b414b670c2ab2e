"""Sums, products and extremes of integers, where onnxruntime's reductions go through floating point.

Addition and multiplication modulo 2**width may be done in any order, so these are exact, wrapping as
NumPy's do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from operator import mul
from typing import TypeAlias

import numpy as np

from graph_program.backends.onnx.builder import Tensor
from graph_program.backends.onnx.rules.contraction import product_by_vector
from graph_program.backends.onnx.rules.movement import moved_axis

AxisReduction: TypeAlias = Callable[[Tensor, int, int], Tensor]
"""`reduce(x, rank, axis)` removes the axis."""
WRITTEN_OUT = 1024
"""Ones that stand in the file."""
MULTIPLIED_OUT, GATHERED = 64, 4
"""So many parts at most have a product that is written out, and so many are read one by one."""


def over_axes(x: Tensor, rank: int, axes: Sequence[int], keepdims: bool, reduce: AxisReduction) -> Tensor:
    """A reduction of several axes, one after the other."""
    for done, axis in enumerate(reversed(axes)):
        x = reduce(x, rank - done, axis)
    return x.op("Unsqueeze", x.builder.ints(*axes)) if keepdims and axes else x


def is_widened(x: Tensor) -> bool:
    """Whether the tensor was just cast from integers of at most 32 bits, so that sums cannot be large."""
    node = x.value.producer()
    if node is None or node.op_type != "Cast":
        return False
    source = node.inputs[0]
    dtype = None if source is None else source.dtype
    return dtype is not None and dtype.itemsize <= 4 and not dtype.is_floating_point()


def has_no_products(x: Tensor) -> bool:
    """Whether whoever gets the file does not take `MatMul` of these elements, and sums of them are exact there."""
    avoided = x.builder.avoided
    return avoided.wide_sums and ("MatMul", x.dtype.name) in avoided.operators


def summed(x: Tensor, rank: int, axis: int) -> Tensor:
    """The sum along an axis as a product with ones: integer MatMul is exact.

    On the right of a matrix these are a matrix, too: a vector has no product with what has no rows in onnxruntime
    before 1.32.  Nor has anything, on the left of a stack.
    """
    b, size = x.builder, x.shape(axis, axis + 1)
    if has_no_products(x):
        return x.op("ReduceSum", b.ints(axis), keepdims=0)
    if size.known is not None and 0 < int(size.known[0]) <= WRITTEN_OUT:
        ones = b.constant(np.ones(int(size.known[0]), x.dtype))
    else:
        ones = x.like(1).op("Expand", size)
    if rank == 2 and axis == 0:
        return ones.op("MatMul", x)
    x = moved_axis(x, rank, axis, rank - 1)
    rows = x.shape(0, rank - 1) if rank > 1 else None
    if rows is None or (rows.known is not None and rows.known.all()):
        return x.op("MatMul", ones)
    return product_by_vector(x, ones)


def multiplied(x: Tensor, rank: int, axis: int) -> Tensor:
    """The product along an axis: the first half times the second until one is left."""
    b = x.builder
    size = x.shape(axis, axis + 1)
    if size.known is not None and 0 < int(size.known[0]) <= MULTIPLIED_OUT:
        return _written_out(x, axis, int(size.known[0]))
    first = moved_axis(x, rank, axis, 0)
    one = first.like(1).op("Expand", b.op("Concat", b.ints(1), first.shape(1), axis=0))
    rows = b.op("Concat", one, first, axis=0)
    more, many = b.constant(np.array(True)), b.constant(np.array(64, np.int64))
    halved = b.loop(many, more, [rows], lambda iteration, carried: _halved(carried[0]))
    return halved[0].op("Squeeze", b.ints(0))


def _written_out(x: Tensor, axis: int, size: int) -> Tensor:
    """The product of so many parts along an axis, without a loop: of single ones, or of halves while they are many."""
    b, along = x.builder, x.builder.ints(axis)
    while size > GATHERED:
        half, even = size // 2, size // 2 * 2
        parts = [x.op("Slice", b.ints(begin), b.ints(end), along) for begin, end in ((0, half), (half, even))]
        product = parts[0] * parts[1]
        rest = [x.op("Slice", b.ints(even), b.ints(size), along)] if size > even else []
        x, size = (b.op("Concat", product, *rest, axis=axis) if rest else product), size - half
    return functools.reduce(mul, (x.op("Gather", b.constant(np.array(i)), axis=axis) for i in range(size)))


def _halved(x: Tensor) -> tuple[Tensor, list[Tensor]]:
    """Rows multiplied two by two; whether more than one is left."""
    b = x.builder
    zero, size = b.ints(0), x.shape(0, 1)
    half = size / 2
    even = half + half
    products = x.op("Slice", zero, half, zero) * x.op("Slice", half, even, zero)
    rest = b.op("Concat", products, x.op("Slice", even, size, zero), axis=0)
    return (size > 2).op("Squeeze"), [rest]


def extreme(largest: bool) -> AxisReduction:
    """The largest or smallest along an axis, found by its position."""

    def reduce(x: Tensor, rank: int, axis: int) -> Tensor:
        position = x.op("ArgMax" if largest else "ArgMin", axis=axis, keepdims=1)
        return x.op("GatherElements", position, axis=axis).op("Squeeze", x.builder.ints(axis))

    return reduce
