"""Parts of a tensor, read and written."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graph_program.backends.onnx.builder import FLOAT32, Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering
from graph_program.backends.onnx.rules.movement import ANY, moved_axis, transposed
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


@dataclass(frozen=True)
class Positions:
    """Index tensors of one shape for the axes of x from `axis` on."""

    indices: Sequence[Tensor]
    axis: int
    index_rank: int
    rank: int

    @property
    def selected_rank(self) -> int:
        return self.rank - len(self.indices) + self.index_rank

    def first(self, x: Tensor) -> Tensor:
        """x with the indexed axes first."""
        return _rotated(x, self.rank, self.axis, len(self.indices))

    def back(self, x: Tensor) -> Tensor:
        """x with the indexed axes, which are first, where they were."""
        return _rotated(x, self.rank, len(self.indices), self.axis)

    def shape(self, x: Tensor) -> Tensor:
        """The shape of what is selected."""
        parts = [self.indices[0].shape(), x.shape(self.axis + len(self.indices))]
        parts = [x.shape(0, self.axis), *parts] if self.axis else parts
        return x.builder.op("Concat", *parts, axis=0)


def _rotated(x: Tensor, rank: int, start: int, count: int) -> Tensor:
    """x with the axes `start` to `start + count` first, and the others behind them."""
    moved = range(start, start + count)
    return transposed(x, [*moved, *(axis for axis in range(rank) if axis not in moved)])


def _positions(builder: Builder, node: Node, first: int, indices: Sequence[Tensor]) -> Positions:
    """The index tensors of a node, broadcast to one shape."""
    types = [v.type for v in node.inputs[first:]]
    rank = max(t.rank for t in types)
    if any(t.shape != types[0].shape for t in types):
        total = indices[0]
        for index in indices[1:]:
            total = total + index
        indices = [index.op("Expand", total.shape()) for index in indices]
    return Positions(indices, node.attrs["axis"], rank, node.inputs[0].type.rank)


def _is_empty(node: Node, first: int) -> bool:
    """Whether index tensors certainly select nothing; onnxruntime may fail on known sizes of 0 that it folds."""
    return any(d.constant == 0 for v in node.inputs[first:] for d in v.type.shape)


def _gather_nd(builder: Builder, node: Node, x: Tensor, *indices: Tensor) -> Tensor:
    index_rank = max(v.type.rank for v in node.inputs[1:])
    if len(indices) == 1:
        return x.op("Gather", indices[0], axis=node.attrs["axis"])
    if index_rank == 0 and node.inputs[0].type.rank == len(indices) == 2:  # a row and its element
        return functools.reduce(lambda part, index: part.op("Gather", index, axis=0), indices, x)
    at = _positions(builder, node, 1, indices)
    if _is_empty(node, 1):
        return x.like(0).op("Expand", at.shape(x))
    stacked = _stacked(builder, at.indices) if index_rank else builder.vector(indices)
    selected = at.first(x).op("GatherND", stacked)
    return _rotated(selected, at.selected_rank, at.index_rank, at.axis)


def _scatter_nd(builder: Builder, node: Node, x: Tensor, value: Tensor, *indices: Tensor) -> Tensor:
    if _is_empty(node, 2):
        return x.op("Identity")
    at = _positions(builder, node, 2, indices)
    x_shape, value_type = node.inputs[0].type.shape, node.inputs[1].type
    index_shape = node.inputs[2].type.shape
    expected = x_shape[: at.axis] + index_shape + x_shape[at.axis + len(indices) :]
    if at.indices[0] is not indices[0] or value_type.shape != expected:
        value = _expanded(value, value_type.rank, at.shape(x), at.selected_rank)
    value = _rotated(value, at.selected_rank, at.axis, at.index_rank)
    x = at.first(x)
    if node.attrs["unique"] or not at.index_rank:
        return at.back(x.op("ScatterND", _stacked(builder, at.indices), value))
    return at.back(_last_wins(x, value, at))


def _last_wins(x: Tensor, value: Tensor, at: Positions) -> Tensor:
    """ScatterND in which the last of several writes to one place wins.

    onnxruntime writes in parallel, so all writes to a place are given the value of the last one.
    Which that is comes from ScatterElements, which writes one after the other.
    """
    b, count = x.builder, len(at.indices)
    every = [_counted(b, x.shape(axis, axis + 1)) for axis in range(count)]
    places = every[0].op("Gather", at.indices[0])
    for axis in range(1, count):  # Gather counts from 0, and fails where an index is outside
        places = places * x.shape(axis, axis + 1) + every[axis].op("Gather", at.indices[axis])
    places = places.op("Reshape", b.ints(-1))
    if at.rank == count:
        flat = x.op("Reshape", b.ints(-1)) if count > 1 else x
        written = flat.op("ScatterElements", places, value.op("Reshape", b.ints(-1)), axis=0)
        return written.op("Reshape", x.shape(), allowzero=1) if count > 1 else written
    total = x.shape(0, count).op("ReduceProd", keepdims=1)
    order = _counted(b, places.shape())
    last = b.ints(0).op("Expand", total).op("ScatterElements", places, order, axis=0)
    rows = (
        value.op("Reshape", b.op("Concat", places.shape(), x.shape(count), axis=0), allowzero=1)
        if at.index_rank > 1
        else value
    )
    chosen = rows.op("Gather", last.op("Gather", places), axis=0)
    flat = x.op("Reshape", b.op("Concat", total, x.shape(count), axis=0), allowzero=1) if count > 1 else x
    written = flat.op("ScatterND", places.op("Unsqueeze", b.ints(-1)), chosen)
    return written.op("Reshape", x.shape(), allowzero=1) if count > 1 else written


def _scatter_add(builder: Builder, node: Node, x: Tensor, value: Tensor, indices: Tensor) -> Tensor:
    """ScatterElements adds one after the other, as NumPy does; float16, which it does not add, as float32."""
    if x.dtype == np.float16:
        wide = x.cast(FLOAT32).op("ScatterElements", indices, value.cast(FLOAT32), axis=0, reduction="add")
        return wide.cast(x.dtype)
    return x.op("ScatterElements", indices, value, axis=0, reduction="add")


def _counted(b: Builder, size: Tensor) -> Tensor:
    """0, 1, ... up to a size, which is a vector of one element."""
    return b.ints(0).op("Squeeze").op("Range", size.op("Squeeze"), b.ints(1).op("Squeeze"))


RULES: dict[str, Lowering] = {
    "slice": Lowering(ANY, _slice),
    "take": Lowering(ANY, _take),
    "gather_nd": Lowering(ANY, _gather_nd),
    "nonzero": Lowering("b", _nonzero),
    "set_slice": Lowering(ANY, _set_slice),
    "set_index": Lowering(ANY, _set_index),
    "scatter_nd": Lowering(ANY, _scatter_nd),
    "scatter_add": Lowering("iuf", _scatter_add),
}
