"""Sorting, as the TopK of all elements, which in onnxruntime is stable."""

from __future__ import annotations

import numpy as np

from graph_program.backends.onnx.builder import BOOL, FLOAT32, FLOAT64, INT32, INT64, Builder, Tensor
from graph_program.backends.onnx.rules.common import (
    Lowering,
    Rule,
    as_signed,
    axis_of,
    by_kind,
    carried,
    is_positive,
    may_have_nan,
)
from graph_program.backends.onnx.stable_order import groups_of
from graph_program.extract.ir.graph import Node
from graph_program.extract.types.dims import provably_less_equal, put_in


def _ascending(x: Tensor, node: Node, size: Tensor | None = None, descending: bool = False) -> list[Tensor]:
    """Sorted values and their positions; not for NaN.  `size` is that of the axis, where it has been read.

    onnxruntime 1.22 ends the process where TopK finds no rows; there, none are asked for.
    """
    axis, b = axis_of(node), x.builder
    size = size or x.shape(axis, axis + 1)
    if all(is_positive(dim) for dim in node.inputs[0].type.shape[:axis]):
        return b.ops("TopK", x, size, dtypes=(x.dtype, INT64), axis=axis, largest=int(descending))
    some = x.op("Size").cast(BOOL).cast(INT64)
    found = b.ops("TopK", x, size * some, dtypes=(x.dtype, INT64), axis=axis, largest=int(descending))
    return [part.op("Reshape", x.shape(), allowzero=1) for part in found]


def _positions(x: Tensor, node: Node, size: Tensor | None = None, descending: bool = False) -> Tensor:
    """Where sorted values come from, equal ones in their order; not for NaN."""
    found, order = _ascending(x, node, size, descending)
    if not x.builder.is_portable:
        return order
    smaller = groups_of(found, order, axis_of(node))
    return _ascending(smaller + order, node)[0] - smaller


def _positions_with_nan(
    x: Tensor, nan: Tensor, node: Node, stable: bool, descending: bool = False, count: Tensor | None = None
) -> Tensor:
    """Places in the order with NaN behind all numbers, the first ones if a number of them is given.

    In a wider type there are numbers between infinity and the others, so that infinity can stand for NaN.  Else they
    are sorted with infinity for NaN, then, keeping that order, by whether it is NaN.
    """
    axis, builder = axis_of(node), x.builder
    last = x.like(float("-inf" if descending else "inf"))
    if x.dtype == FLOAT32 and not builder.is_portable:
        limit = np.finfo(FLOAT64).min if descending else np.finfo(FLOAT64).max
        wide = x.cast(FLOAT64).op("Max" if descending else "Min", limit)
        size = count or x.shape(axis, axis + 1)
        return _ascending(nan.where(last.cast(FLOAT64), wide), node, size, descending)[1]
    numbers = nan.where(last, x)
    size = x.shape(axis, axis + 1)
    order = _positions(numbers, node, size, descending) if stable else _ascending(numbers, node, size)[1]
    _, later = _ascending(_keys(nan, order, node), node, size)
    places = order.op("GatherElements", later, axis=axis)
    return places if count is None else places.op("Slice", builder.ints(0), count, builder.ints(axis))


def _keys(nan: Tensor, order: Tensor, node: Node) -> Tensor:
    """Numbers by which elements in this order are sorted, NaN last; all differ where TopK is not stable."""
    builder, axis = nan.builder, axis_of(node)
    if not builder.is_portable:
        return nan.cast(INT32).op("GatherElements", order, axis=axis)
    size = order.shape(axis, axis + 1).op("Squeeze")
    places = builder.op("Range", size.like(0), size, size.like(1))
    behind = node.inputs[0].type.rank - 1 - axis
    if behind:
        places = places.op("Unsqueeze", builder.ints(*range(1, 1 + behind)))
    return nan.cast(INT64).op("GatherElements", order, axis=axis) * size + places


@carried("TopK", wraps=False)
def _sort(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _ascending(x, node)[0]


@carried("TopK", wraps=False)
def _argsort(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _positions(x, node)


@carried("TopK ReduceSum", wraps=False)
def _sort_real(builder: Builder, node: Node, x: Tensor) -> Tensor:
    if builder.never_nan.holds(node.inputs[0]):
        return _ascending(x, node)[0]
    x.shape(axis_of(node), axis_of(node) + 1)  # read once, for both sides

    def with_nan() -> list[Tensor]:
        return [x.op("GatherElements", _positions_with_nan(x, x.op("IsNaN"), node, False), axis=axis_of(node))]

    return builder.branch(may_have_nan(x), with_nan, lambda: _ascending(x, node)[:1], (x.dtype,))[0]


def first_of_order(builder: Builder, node: Node, x: Tensor, count: int, elements: bool) -> list[Tensor] | None:
    """The first places of an `argsort`, and the elements there where they are asked for.

    None if there may not be that many, or there is no operator for it.
    """
    axis, others = axis_of(node), node.inputs[0].type.shape[: axis_of(node)]
    size = put_in(node.inputs[0].type.shape[axis], builder.ranges.here.positive)
    if builder.is_portable or not provably_less_equal(count, size) or not all(map(is_positive, others)):
        return None
    if builder.kernels.carrier(("TopK", "ReduceSum"), x.dtype, wraps=False) != x.dtype:
        return None
    opposite = _opposite(x) if x.dtype.kind == "f" else None
    descending, x = opposite is not None, opposite or x

    def with_nan() -> list[Tensor]:
        places = _positions_with_nan(x, x.op("IsNaN"), node, True, descending, builder.ints(count))
        return [places, x.op("GatherElements", places, axis=axis)][: 1 + elements]

    def without() -> list[Tensor]:
        types = (x.dtype, INT64)
        found = builder.ops("TopK", x, builder.ints(count), dtypes=types, axis=axis, largest=int(descending))
        return found[::-1][: 1 + elements]

    if builder.never_nan.holds(node.inputs[0]):
        return without()
    return builder.branch(may_have_nan(x), with_nan, without, (INT64, x.dtype)[: 1 + elements])


@carried("TopK ReduceSum", wraps=False)
def _argsort_real(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """Of `-x` as that of x from the greatest one on; equal ones keep their order either way."""
    opposite = None if builder.is_portable else _opposite(x)
    descending, x = opposite is not None, opposite or x
    if builder.never_nan.holds(node.inputs[0]):
        return _positions(x, node, None, descending)
    x.shape(axis_of(node), axis_of(node) + 1)  # read once, for both sides

    def with_nan() -> list[Tensor]:
        return [_positions_with_nan(x, x.op("IsNaN"), node, True, descending)]

    return builder.branch(may_have_nan(x), with_nan, lambda: [_positions(x, node, None, descending)], (INT64,))[0]


def _opposite(x: Tensor) -> Tensor | None:
    """What an array of floats is the negative of."""
    made = x.value.producer()
    source = None if made is None or made.op_type != "Neg" else made.inputs[0]
    return None if source is None else Tensor(x.builder, source, x.dtype, sizes=x.sizes)


def _rules(integer: Rule, real: Rule, back: bool) -> Lowering:
    unsigned = as_signed(integer, back=back)
    return Lowering("biuf", by_kind(b=integer, i=integer, u=unsigned, f=real))


RULES: dict[str, Lowering] = {
    "sort": _rules(_sort, _sort_real, back=True),
    "argsort": _rules(_argsort, _argsort_real, back=False),
}
