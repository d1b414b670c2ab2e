"""Sorting, as the TopK of all elements, which in onnxruntime is stable."""

from __future__ import annotations

from graph_program.backends.onnx.builder import BOOL, INT32, INT64, Builder, Tensor
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
from graph_program.extract.ir.graph import Node


def _ascending(x: Tensor, node: Node) -> list[Tensor]:
    """Sorted values and their positions; not for NaN.

    onnxruntime 1.22 ends the process where TopK finds no rows; there, none are asked for.
    """
    axis, b = axis_of(node), x.builder
    size = x.shape(axis, axis + 1)
    if all(is_positive(dim) for dim in node.inputs[0].type.shape[:axis]):
        return b.ops("TopK", x, size, dtypes=(x.dtype, INT64), axis=axis, largest=0)
    some = x.op("Size").cast(BOOL).cast(INT64)
    found = b.ops("TopK", x, size * some, dtypes=(x.dtype, INT64), axis=axis, largest=0)
    return [part.op("Reshape", x.shape(), allowzero=1) for part in found]


def _positions_with_nan(x: Tensor, nan: Tensor, node: Node) -> Tensor:
    """Sorted with infinity for NaN, then, keeping that order, by whether it is NaN."""
    axis = axis_of(node)
    _, order = _ascending(nan.where(x.like(float("inf")), x), node)
    _, later = _ascending(nan.cast(INT32).op("GatherElements", order, axis=axis), node)
    return order.op("GatherElements", later, axis=axis)


@carried("TopK", wraps=False)
def _sort(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _ascending(x, node)[0]


@carried("TopK", wraps=False)
def _argsort(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _ascending(x, node)[1]


@carried("TopK ReduceSum", wraps=False)
def _sort_real(builder: Builder, node: Node, x: Tensor) -> Tensor:
    def with_nan() -> list[Tensor]:
        return [x.op("GatherElements", _positions_with_nan(x, x.op("IsNaN"), node), axis=axis_of(node))]

    return builder.branch(may_have_nan(x), with_nan, lambda: _ascending(x, node)[:1], (x.dtype,))[0]


@carried("TopK ReduceSum", wraps=False)
def _argsort_real(builder: Builder, node: Node, x: Tensor) -> Tensor:
    def with_nan() -> list[Tensor]:
        return [_positions_with_nan(x, x.op("IsNaN"), node)]

    return builder.branch(may_have_nan(x), with_nan, lambda: _ascending(x, node)[1:], (INT64,))[0]


def _rules(integer: Rule, real: Rule, back: bool) -> Lowering:
    unsigned = as_signed(integer, back=back)
    return Lowering("biuf", by_kind(b=integer, i=integer, u=unsigned, f=real))


RULES: dict[str, Lowering] = {
    "sort": _rules(_sort, _sort_real, back=True),
    "argsort": _rules(_argsort, _argsort_real, back=False),
}
