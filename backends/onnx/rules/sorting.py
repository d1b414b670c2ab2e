"""Sorting, as the TopK of all elements, which in onnxruntime is stable."""

from __future__ import annotations

from graph_program.backends.onnx.builder import INT32, INT64, Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering, Rule, any_true, as_signed, by_kind, carried
from graph_program.extract.ir.graph import Node


def _ascending(x: Tensor, axis: int) -> list[Tensor]:
    """Sorted values and their positions; not for NaN."""
    size = x.shape(axis, axis + 1)
    return x.builder.ops("TopK", x, size, dtypes=(x.dtype, INT64), axis=axis, largest=0)


def _positions_with_nan(x: Tensor, nan: Tensor, axis: int) -> Tensor:
    """Sorted with infinity for NaN, then, keeping that order, by whether it is NaN."""
    _, order = _ascending(nan.where(x.like(float("inf")), x), axis)
    is_last = nan.cast(INT32).op("GatherElements", order, axis=axis)
    _, later = _ascending(is_last, axis)
    return order.op("GatherElements", later, axis=axis)


@carried("TopK", wraps=False)
def _sort(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _ascending(x, node.attrs["axis"])[0]


@carried("TopK", wraps=False)
def _argsort(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return _ascending(x, node.attrs["axis"])[1]


@carried("TopK", wraps=False)
def _sort_real(builder: Builder, node: Node, x: Tensor) -> Tensor:
    axis, nan = node.attrs["axis"], x.op("IsNaN")

    def with_nan() -> list[Tensor]:
        return [x.op("GatherElements", _positions_with_nan(x, nan, axis), axis=axis)]

    return builder.branch(any_true(nan), with_nan, lambda: _ascending(x, axis)[:1], (x.dtype,))[0]


@carried("TopK", wraps=False)
def _argsort_real(builder: Builder, node: Node, x: Tensor) -> Tensor:
    axis, nan = node.attrs["axis"], x.op("IsNaN")

    def with_nan() -> list[Tensor]:
        return [_positions_with_nan(x, nan, axis)]

    return builder.branch(any_true(nan), with_nan, lambda: _ascending(x, axis)[1:], (INT64,))[0]


def _rules(integer: Rule, real: Rule, back: bool) -> Lowering:
    unsigned = as_signed(integer, back=back)
    return Lowering("biuf", by_kind(b=integer, i=integer, u=unsigned, f=real))


RULES: dict[str, Lowering] = {
    "sort": _rules(_sort, _sort_real, back=True),
    "argsort": _rules(_argsort, _argsort_real, back=False),
}
