"""Sums, products, extremes, positions of extremes, and running sums and products."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from graph_program.backends.onnx.builder import BOOL, FLOAT32, INT32, INT64, Builder, Tensor
from graph_program.backends.onnx.rules.common import (
    Lowering,
    Rule,
    as_signed,
    axis_of,
    by_kind,
    carried,
    holds_nan,
    is_positive,
    may_have_nan,
)
from graph_program.backends.onnx.rules.exact_sums import (
    AxisReduction,
    extreme,
    is_widened,
    multiplied,
    over_axes,
    summed,
)
from graph_program.backends.onnx.rules.movement import moved_axis
from graph_program.extract.ir.graph import Node

UINT8 = np.dtype(np.uint8)
FEW = 256
"""Elements that are looked at faster than their sum is made and asked for."""


def _reduce(operator: str, x: Tensor, node: Node) -> Tensor:
    """`operator` over the node's axes; no axes is no work."""
    axes = node.attrs["axes"]
    if not axes:
        return x
    inputs = [] if len(axes) == node.inputs[0].type.rank else [x.builder.ints(*axes)]
    return x.op(operator, *inputs, keepdims=int(node.attrs["keepdims"]))


def _exact(node: Node, x: Tensor, reduce: AxisReduction) -> Tensor:
    """A reduction of integers that is done axis by axis."""
    return over_axes(x, node.inputs[0].type.rank, node.attrs["axes"], node.attrs["keepdims"], reduce)


def _sum_of_integers(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """ReduceSum is exact below 2**53, which sums of narrow integers stay, else `summed`."""
    wide = x.cast(INT64)
    if x.dtype.itemsize < INT64.itemsize or is_widened(wide):
        return _reduce("ReduceSum", wide, node).cast(x.dtype)
    return _exact(node, wide, summed).cast(x.dtype)


@carried("ReduceSum ReduceSumSquare")
def _sum_of_floats(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """Of all squares, or a few, one operator; of many along some axes it is slower than two."""
    if not node.attrs["axes"]:  # of no axes onnxruntime squares nothing
        return x
    is_whole = len(node.attrs["axes"]) == node.inputs[0].type.rank
    squared = _squared(x) if is_whole or _is_short(node) else None
    return _reduce("ReduceSum", x, node) if squared is None else _reduce("ReduceSumSquare", squared, node)


def _squared(x: Tensor) -> Tensor | None:
    """What an array is the square of, number by number."""
    made = x.value.producer()
    factors = [] if made is None or made.op_type != "Mul" else list(made.inputs)
    same = len(factors) == 2 and factors[0] is factors[1]
    return Tensor(x.builder, factors[0], x.dtype) if same and factors[0] is not None else None


def _product_of_integers(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _exact(node, x, multiplied)


@carried("ReduceProd")
def _product_of_floats(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _reduce("ReduceProd", x, node)


def _any(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """Whether there is any; the one-node form fails where there are no elements.

    The largest of no bytes is 0 in all versions of onnxruntime, which finds it ten times as fast as the sum of
    integers; the smallest of none is no 255 in some, so `all` is a product, of floats.  Other runtimes get integers.
    """
    if _has_elements(node):
        return _reduce("ReduceMax", x, node)
    if builder.is_portable:
        return _reduce("ReduceSum", x.cast(INT32), node).cast(BOOL)
    return _reduce("ReduceMax", x.cast(UINT8), node).cast(BOOL)


def _all(builder: Builder, node: Node, x: Tensor) -> Tensor:
    if _has_elements(node):
        return _reduce("ReduceMin", x, node)
    return _reduce("ReduceProd", x.cast(INT32 if builder.is_portable else FLOAT32), node).cast(BOOL)


def _has_elements(node: Node) -> bool:
    return all(is_positive(node.inputs[0].type.shape[axis]) for axis in node.attrs["axes"])


def _where_nan(
    builder: Builder, node: Node, x: Tensor, with_nan: Callable[[], Tensor], without: Callable[[], Tensor]
) -> Tensor:
    """One of two ways: without looking for NaN, where the sum of all elements says that there is none.

    The sum of infinities may be NaN, too; then it is looked for in vain.  A few elements are looked at at once, as are
    all in the portable form, whose branches cost other runtimes more than they save; and what cannot hold NaN is not
    looked at.
    """
    if builder.never_nan.holds(node.inputs[0]):
        return without()
    if _is_short(node) or builder.is_portable:
        return with_nan()
    dtype = INT64 if node.outputs[0].type.dtype == INT64 else x.dtype
    return builder.branch(may_have_nan(x), lambda: [with_nan()], lambda: [without()], (dtype,))[0]


def _is_short(node: Node) -> bool:
    """Whether an array has few elements."""
    sizes = [size.constant for size in node.inputs[0].type.shape]
    return all(size is not None for size in sizes) and math.prod(map(int, sizes)) <= FEW  # type: ignore[arg-type]


def _extreme(operator: str) -> Rule:
    """The largest or smallest; onnxruntime passes over NaN, so it is looked for apart."""

    @carried(operator, wraps=False)
    def exact(builder: Builder, node: Node, x: Tensor) -> Tensor:
        return _reduce(operator, x, node)

    @carried(f"{operator} ReduceSum ReduceSumSquare", wraps=False)
    def real(builder: Builder, node: Node, x: Tensor) -> Tensor:
        if not node.attrs["axes"]:
            return x

        if len(node.attrs["axes"]) == node.inputs[0].type.rank and not builder.never_nan.holds(node.inputs[0]):
            any_nan = holds_nan(x, int(node.attrs["keepdims"]))
            return any_nan.where(x.like(np.nan), _reduce(operator, x, node))

        def with_nan() -> Tensor:
            any_nan = _reduce("ReduceMax", x.op("IsNaN"), node)
            return any_nan.where(x.like(np.nan), _reduce(operator, x, node))

        return _where_nan(builder, node, x, with_nan, lambda: _reduce(operator, x, node))

    def integer(builder: Builder, node: Node, x: Tensor) -> Tensor:
        if x.dtype == INT64:
            return _exact(node, x, extreme(operator == "ReduceMax"))
        return exact(builder, node, x)

    return by_kind(b=exact, i=integer, u=as_signed(integer), f=real)


def _position(operator: str) -> Rule:
    """The first extreme; a NaN comes before any number."""

    def find(x: Tensor, operator: str, node: Node) -> Tensor:
        return x.op(operator, axis=node.attrs["axis"], keepdims=int(node.attrs["keepdims"]))

    @carried(operator, wraps=False)
    def exact(builder: Builder, node: Node, x: Tensor) -> Tensor:
        return find(x, operator, node)

    @carried(f"{operator} ReduceSum ReduceSumSquare", wraps=False)
    def real(builder: Builder, node: Node, x: Tensor) -> Tensor:
        def first_nan() -> Tensor:
            return find(x.op("IsNaN").cast(UINT8), "ArgMax", node)

        at_once = _is_short(node) or builder.is_portable or builder.never_nan.holds(node.inputs[0])
        if node.inputs[0].type.rank == 1 and not at_once:
            return builder.branch(holds_nan(x), lambda: [first_nan()], lambda: [find(x, operator, node)], (INT64,))[0]

        def with_nan() -> Tensor:
            """Where there is a NaN, all others are alike."""
            nan = x.op("IsNaN")
            found, other = (x.like(1), x.like(0)) if operator == "ArgMax" else (x.like(0), x.like(1))
            any_nan = nan.op("ReduceMax", builder.ints(node.attrs["axis"]), keepdims=1)
            return find(any_nan.where(nan.where(found, other), x), operator, node)

        return _where_nan(builder, node, x, with_nan, lambda: find(x, operator, node))

    return by_kind(b=exact, i=exact, u=as_signed(exact, back=False), f=real)


@carried("CumSum")
def _cumsum(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return x.op("CumSum", builder.constant(np.array(node.attrs["axis"], np.int64)))


def _cumsum_of_bool(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _cumsum(builder, node, x.cast(INT64)).cast(BOOL)


def _cumprod_of_bool(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return ~_cumsum_of_bool(builder, node, ~x)


@carried("Mul Gather")
def _cumprod(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """A loop along the axis; no iterations collect nothing of x's dims, so the shape is put on."""
    axis, rank = axis_of(node), node.inputs[0].type.rank
    first = moved_axis(x, rank, axis, 0)

    def body(iteration: Tensor, running: list[Tensor]) -> tuple[None, list[Tensor]]:
        product = running[0] * first.op("Gather", iteration, axis=0)
        return None, [product, product]

    trips = first.shape(0, 1).op("Squeeze")
    forever = builder.constant(np.array(True))
    ones = x.like(1) if rank == 1 else x.like(1).op("Expand", first.shape(1))
    _, stack = builder.loop(trips, forever, [ones], body, [x.dtype])
    return moved_axis(stack.op("Reshape", first.shape(), allowzero=1), rank, 0, axis)


def _numbers(of_integers: Rule, of_floats: Rule, of_bool: Rule) -> Lowering:
    return Lowering("biuf", by_kind(b=of_bool, i=of_integers, u=of_integers, f=of_floats))


RULES: dict[str, Lowering] = {
    "sum": _numbers(_sum_of_integers, _sum_of_floats, _any),
    "prod": _numbers(_product_of_integers, _product_of_floats, _all),
    "max": Lowering("biuf", _extreme("ReduceMax")),
    "min": Lowering("biuf", _extreme("ReduceMin")),
    "any": Lowering("b", _any),
    "all": Lowering("b", _all),
    "argmax": Lowering("biuf", _position("ArgMax")),
    "argmin": Lowering("biuf", _position("ArgMin")),
    "cumsum": _numbers(_cumsum, _cumsum, _cumsum_of_bool),
    "cumprod": _numbers(_cumprod, _cumprod, _cumprod_of_bool),
}
