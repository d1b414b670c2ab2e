"""What older versions of the standard operators say in other words.

below 20    ReduceMax(bool)           ->    Cast(ReduceMax(Cast(x, uint8)), bool)
            IsInf(float16)            ->    IsInf(Cast(x, float32))
below 18    ReduceMax(x, axes)        ->    ReduceMax(x, axes=...)
            BitwiseAnd(x, y)          ->    the sum of its bytes, each of which a table of 256 x 256 has
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.call_sites import CALLS

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Tensor

AXES_AS_INPUT = BITWISE = 18
MORE_TYPES = 20

_EXTREMES = frozenset(["ReduceMax", "ReduceMin"])
_REDUCTIONS = _EXTREMES | {f"Reduce{name}" for name in ("L1", "L2", "LogSum", "LogSumExp", "Mean", "Prod", "SumSquare")}
"""Those that took their axes as an attribute longer than ReduceSum did."""
_UINT8 = np.dtype(np.uint8)


def operation(opset: int, operator: str, inputs: tuple[Tensor, ...], attrs: dict[str, Any]) -> Tensor | None:
    """An operation in the words of an older version; None where it has the same ones.

    Parameters
    ----------
    opset : int
        The version of the operators, below 20.
    operator, inputs, attrs
        The operation as it is since version 20.
    """
    if opset < BITWISE and operator in _BITWISE:
        return _BITWISE[operator](*inputs)
    x, *axes = inputs
    if operator in _EXTREMES and x.dtype.kind == "b":
        return x.cast(_UINT8).op(operator, *axes, **attrs).cast(x.dtype)
    if operator == "IsInf" and x.dtype == np.float16:
        return x.cast(np.dtype(np.float32)).op(operator)
    if opset < AXES_AS_INPUT and operator in _REDUCTIONS and axes:
        return x.op(operator, axes=_content(axes[0]).tolist(), **attrs)
    return None


def without_metadata_of_nodes(model: ir.Model) -> None:
    """Where each node comes from as its doc string, for file formats before 10."""
    graphs: list[ir.Graph | ir.Function] = [model.graph, *model.functions.values()]
    for graph in graphs:
        for node in ir.traversal.RecursiveGraphIterator(graph):
            node.doc_string = node.metadata_props.pop("source", None)
            node.metadata_props.pop(CALLS, None)


@cache
def _table() -> np.ndarray[Any, Any]:
    byte = np.arange(256, dtype=np.uint8)
    return np.bitwise_and.outer(byte, byte).ravel()


def _and(x: Tensor, y: Tensor) -> Tensor:
    """`x & y`, byte by byte."""
    wide = np.dtype(np.int64 if x.dtype.itemsize == 8 else np.int32)
    table = x.builder.constant(_table(), "bytes.and")

    pairs = zip(*(_bytes(v.cast(wide), x.dtype.itemsize) for v in (x, y)), strict=True)
    found = [table.op("Gather", (a * 256 + b).cast(np.dtype(np.int64)), axis=0).cast(wide) for a, b in pairs]
    return reduce(lambda higher, byte: higher * 256 + byte, reversed(found)).cast(x.dtype)


def _bytes(x: Tensor, count: int) -> Iterator[Tensor]:
    """The bytes of signed integers from the lowest on, which floor division by 256 leaves: also of negative ones."""
    for k in range(count):
        byte = x.op("Mod", 256)
        yield byte
        if k < count - 1:
            x = (x - byte) / 256


def _or(x: Tensor, y: Tensor) -> Tensor:
    return x + y - _and(x, y)


def _xor(x: Tensor, y: Tensor) -> Tensor:
    """Without what both have; the topmost bit alone is the same added, since numbers wrap."""
    if y.known is not None and y.known.ndim == 0 and y.known == _topmost(y.dtype):
        return x + y
    both = _and(x, y)
    return x + y - (both + both)


def _topmost(dtype: np.dtype) -> int:
    return int(np.iinfo(dtype).min) or 1 << (8 * dtype.itemsize - 1)


def _not(x: Tensor) -> Tensor:
    return -1 - x if x.dtype.kind == "i" else int(np.iinfo(x.dtype).max) - x


_BITWISE: dict[str, Callable[..., Tensor]] = {
    "BitwiseAnd": _and,
    "BitwiseOr": _or,
    "BitwiseXor": _xor,
    "BitwiseNot": _not,
}


def _content(x: Tensor) -> np.ndarray[Any, Any]:
    assert x.known is not None
    return x.known


__all__ = ["operation", "without_metadata_of_nodes"]
