"""Parts of a tensor, read and written."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graph_program.backends.onnx.builder import Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering
from graph_program.backends.onnx.rules.movement import ANY, moved_axis
from graph_program.extract.ir.graph import Node

INT64_MAX = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Span:
    """`start:stop:step` along one axis."""

    axis: int
    start: Tensor
    stop: Tensor
    step: int

    @property
    def from_beginning(self) -> bool:
        return self.start.known is not None and int(self.start.known) == 0

    @property
    def to_end(self) -> bool:
        return self.stop.known is not None and int(self.stop.known) == INT64_MAX

    @property
    def is_forward(self) -> bool:
        """Whether the stop is known not to lie before the start, whatever the size."""
        if self.from_beginning or self.to_end:
            return True
        if self.start.known is None or self.stop.known is None:
            return False
        start, stop = int(self.start.known), int(self.stop.known)
        return (start < 0) == (stop < 0) and start <= stop


def _spans(node: Node, bounds: Sequence[Tensor]) -> list[Span]:
    axes, steps = node.attrs["axes"], node.attrs["steps"]
    starts, stops = bounds[: len(axes)], bounds[len(axes) :]
    return [Span(*parts) for parts in zip(axes, starts, stops, steps, strict=True)]


def _sliced(x: Tensor, spans: Sequence[Span]) -> Tensor:
    """Python's slicing; ONNX clamps bounds as Python does, but for `_stop`."""
    if not spans:
        return x
    b = x.builder
    steps = [span.step for span in spans]
    return x.op(
        "Slice",
        b.vector([span.start for span in spans]),
        b.vector([_stop(x, span) for span in spans]),
        b.ints(*(span.axis for span in spans)),
        *([] if steps == [1] * len(steps) else [b.ints(*steps)]),
    )


def _stop(x: Tensor, span: Span) -> Tensor:
    """The stop; 0 for a backward walk that starts before the first element.

    There Python's slice is empty, but ONNX moves the start to the first element.
    """
    start = span.start
    if span.step > 0 or (start.known is not None and int(start.known) >= -1):
        return span.stop
    size = x.shape(span.axis, span.axis + 1).op("Squeeze")
    return (start < -size).where(start.like(0), span.stop)


def _slice(builder: Builder, node: Node, x: Tensor, *bounds: Tensor) -> Tensor:
    return _sliced(x, _spans(node, bounds))


def _set_slice(builder: Builder, node: Node, x: Tensor, value: Tensor, *bounds: Tensor) -> Tensor:
    """Whole slabs are copied, axis by axis, which onnxruntime does faster than scattering elements."""
    rank, excess = node.inputs[0].type.rank, node.inputs[1].type.rank - node.inputs[0].type.rank
    if excess > 0:
        value = value.op("Squeeze", builder.ints(*range(excess)))
    return _written(x, value, _spans(node, bounds), rank)


def _written(x: Tensor, value: Tensor, spans: Sequence[Span], rank: int) -> Tensor:
    """`x` with `x[spans] = value`: the slab of the first span is written by the rest, then put back."""
    if not spans:
        return value.op("Expand", x.shape())
    span, *rest = spans
    slab = _sliced(x, [span])
    new = _written(slab, value, rest, rank)
    return _joined(x, slab, new, span) if span.step == 1 else _scattered(x, new, span, rank)


def _joined(x: Tensor, slab: Tensor, new: Tensor, span: Span) -> Tensor:
    """What lies before the slab, the new slab, and what lies after."""
    b, axis = x.builder, span.axis
    parts, end = [new], b.ints(INT64_MAX)
    before = None if span.from_beginning else _cut(x, b.ints(0), b.vector([span.start]), axis)
    if before is not None:
        parts.insert(0, before)
    if not span.to_end:
        after = b.vector([span.stop])
        if before is not None and not span.is_forward:
            after = before.shape(axis, axis + 1) + slab.shape(axis, axis + 1)
        parts.append(_cut(x, after, end, axis))
    return new if len(parts) == 1 else b.op("Concat", *parts, axis=axis)


def _cut(x: Tensor, start: Tensor, stop: Tensor, axis: int) -> Tensor:
    return x.op("Slice", start, stop, x.builder.ints(axis))


def _scattered(x: Tensor, new: Tensor, span: Span, rank: int) -> Tensor:
    """The new slab at every step along the axis, with that axis first."""
    b = x.builder
    size = x.shape(span.axis, span.axis + 1).op("Squeeze")
    every = size.like(0).op("Range", size, 1)
    chosen = _sliced(every, [Span(0, span.start, span.stop, span.step)]).op("Unsqueeze", b.ints(1))
    first = moved_axis(x, rank, span.axis, 0)
    written = first.op("ScatterND", chosen, moved_axis(new, rank, span.axis, 0))
    return moved_axis(written, rank, 0, span.axis)


def _set_index(builder: Builder, node: Node, x: Tensor, value: Tensor, *indices: Tensor) -> Tensor:
    rest = node.inputs[0].type.shape[len(indices) :]
    if node.inputs[1].type.shape != rest:
        value = _expanded(value, node.inputs[1].type.rank, x.shape(len(indices)), len(rest))
    return x.op("ScatterND", builder.vector(indices), value) if indices else value


def _expanded(value: Tensor, rank: int, shape: Tensor, shape_rank: int) -> Tensor:
    """`value` broadcast to a shape; leading dims of 1 that the shape lacks are dropped, as NumPy does."""
    if rank > shape_rank:
        value = value.op("Squeeze", value.builder.ints(*range(rank - shape_rank)))
    return value.op("Expand", shape)


def _take(builder: Builder, node: Node, x: Tensor, indices: Tensor) -> Tensor:
    return x.op("Gather", indices, axis=node.attrs["axis"])


def _stacked(builder: Builder, indices: Sequence[Tensor]) -> Tensor:
    """Index tensors of one shape as one, with a last axis that holds an element's indices."""
    columns = [index.op("Unsqueeze", builder.ints(-1)) for index in indices]
    return columns[0] if len(columns) == 1 else builder.op("Concat", *columns, axis=-1)


def _nonzero(builder: Builder, node: Node, mask: Tensor) -> Tensor:
    return mask.op("NonZero")


def _gather_nd(builder: Builder, node: Node, x: Tensor, *indices: Tensor) -> Tensor:
    rank, index_rank = node.inputs[0].type.rank, node.inputs[1].type.rank
    if len(indices) == 1 or (index_rank == 0 and rank == len(indices) == 2):  # a row and its element
        return functools.reduce(lambda part, index: part.op("Gather", index, axis=0), indices, x)
    return x.op("GatherND", _stacked(builder, indices) if index_rank else builder.vector(indices))


def _scatter_nd(builder: Builder, node: Node, x: Tensor, value: Tensor, *indices: Tensor) -> Tensor:
    x_type, value_type, index_type = (v.type for v in node.inputs[:3])
    rest = x_type.shape[len(indices) :]
    if value_type.shape != index_type.shape + rest:
        shape = builder.op("Concat", indices[0].shape(), x.shape(len(indices)), axis=0)
        value = _expanded(value, value_type.rank, shape, index_type.rank + len(rest))
    return x.op("ScatterND", _stacked(builder, indices), value)


RULES: dict[str, Lowering] = {
    "slice": Lowering(ANY, _slice),
    "take": Lowering(ANY, _take),
    "gather_nd": Lowering(ANY, _gather_nd),
    "nonzero": Lowering("b", _nonzero),
    "set_slice": Lowering(ANY, _set_slice),
    "set_index": Lowering(ANY, _set_index),
    "scatter_nd": Lowering(ANY, _scatter_nd),
}
