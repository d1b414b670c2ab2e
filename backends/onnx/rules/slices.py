"""Slices of a tensor, read and written."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graph_program.backends.onnx.builder import Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering
from graph_program.backends.onnx.rules.movement import ANY, moved_axis
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.dims.provers import provably_less_equal
from graph_program.extract.types.rules.type_rules import anonymous_dim
from graph_program.extract.types.tensors.shape_arithmetic import Shape, slice_length

INT64_MAX, INT32_MAX = np.iinfo(np.int64).max, 2**31 - 1


@dataclass(frozen=True)
class Span:
    """`start:stop:step` along one axis, of which the size is known or named."""

    axis: int
    start: Tensor
    stop: Tensor
    step: int
    size: Dim

    @property
    def bounds(self) -> tuple[int, int] | None:
        """Start and stop, where both are known."""
        if self.start.known is None or self.stop.known is None:
            return None
        return int(self.start.known), int(self.stop.known)

    @property
    def from_beginning(self) -> bool:
        return self.start.known is not None and int(self.start.known) == 0

    @property
    def to_end(self) -> bool:
        return self.stop.known is not None and int(self.stop.known) == INT64_MAX

    @property
    def is_forward(self) -> bool:
        """Whether the stop is known not to lie before the start."""
        if self.from_beginning or self.to_end:
            return True
        if self.bounds is None:
            return False
        start, stop = self.bounds
        if (start < 0) == (stop < 0):
            return start <= stop
        return stop < 0 and provably_less_equal(start - stop, self.size)


def _spans(node: Node, x: Tensor, bounds: Sequence[Tensor]) -> list[Span]:
    axes, steps = node.attrs["axes"], node.attrs["steps"]
    starts, stops = bounds[: len(axes)], bounds[len(axes) :]
    sizes = [node.inputs[0].type.shape[axis] for axis in axes]
    spans = [Span(*parts) for parts in zip(axes, starts, stops, steps, sizes, strict=True)]
    values = node.inputs[len(node.inputs) - len(axes) :]
    return [
        replace(span, stop=_below_endless(x, span, value)) if span.step < 0 else span
        for span, value in zip(spans, values, strict=True)
    ]


def _below_endless(x: Tensor, span: Span, value: Value) -> Tensor:
    """The stop of a backward walk; ONNX takes the greatest numbers for none, though they are behind the end."""
    if span.stop.known is not None:
        return span.stop if int(span.stop.known) < INT32_MAX else span.stop.like(INT32_MAX - 1)
    found = x.builder.ranges.of(value)
    if found is not None and any(provably_less_equal(found[1], limit) for limit in (dim(INT32_MAX - 1), span.size)):
        return span.stop
    return span.stop.op("Min", x.shape(span.axis, span.axis + 1).op("Squeeze"))


def _sliced(x: Tensor, spans: Sequence[Span]) -> Tensor:
    """Python's slicing; ONNX clamps bounds as Python does, but for `_stop`."""
    if not spans:
        return x
    b = x.builder
    steps = [span.step for span in spans]
    if b.is_portable:  # OpenVINO ends the process; an axis of more elements has no place in 32 bits anyway
        steps = [max(-INT32_MAX, min(step, INT32_MAX)) for step in steps]
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
    return _sliced(x, _spans(node, x, bounds))


def _set_slice(builder: Builder, node: Node, x: Tensor, value: Tensor, *bounds: Tensor) -> Tensor:
    """What lies around the slice is copied, which onnxruntime does faster than scattering elements."""
    spans, (x_type, value_type) = _spans(node, x, bounds), (v.type for v in node.inputs[:2])
    if any(span.step != 1 for span in spans):
        rank, excess = x_type.rank, value_type.rank - x_type.rank
        if excess > 0:
            value = value.op("Squeeze", builder.ints(*range(excess)))
        return _written(x, value, spans, rank)
    if value_type.shape != _shape_of(builder, node, spans):
        value = expanded(value, value_type.rank, _sliced(x, spans).shape(), x_type.rank)
    for at in reversed(range(len(spans))):
        value = _surrounded(x, spans[:at], spans[at], value)
    return value


def _shape_of(builder: Builder, node: Node, spans: Sequence[Span]) -> Shape:
    """The shape of the part that a node writes; a dim that nobody else has where it is not known."""
    sizes, lengths = list(node.inputs[0].type.shape), builder.slice_lengths.of(node)
    for span in spans:
        start, stop = (dim(int(end.known)) if end.known is not None else None for end in (span.start, span.stop))
        length = slice_length(sizes[span.axis], start, stop, span.step, anonymous_dim)
        sizes[span.axis] = lengths.get(span.axis, length)
    return tuple(sizes)


def _surrounded(x: Tensor, outer: Sequence[Span], span: Span, new: Tensor) -> Tensor:
    """`x[outer]` with `new` in place of the span: what lies before it, `new`, and what lies behind."""
    b, parts = x.builder, [new]
    if not span.from_beginning:
        parts.insert(0, _sliced(x, [*outer, replace(span, start=_scalar(b, 0), stop=span.start)]))
    if not span.to_end:
        parts.append(_behind(x, outer, span, parts))
    return new if len(parts) == 1 else b.op("Concat", *parts, axis=span.axis)


def _behind(x: Tensor, outer: Sequence[Span], span: Span, before: Sequence[Tensor]) -> Tensor:
    """What lies behind a span.

    Of `x[2:-1]` it is `x[-3:][2:]`: all of `x` behind its beginning, where it has no more than three elements.
    """
    b, axis = x.builder, span.axis
    end = _scalar(b, INT64_MAX)
    if span.is_forward:
        return _sliced(x, [*outer, replace(span, start=span.stop, stop=end)])
    if span.bounds is not None and span.bounds[0] >= 0 > span.bounds[1]:
        start, stop = span.bounds
        last = _sliced(x, [*outer, replace(span, start=_scalar(b, stop - start), stop=end)])
        return _sliced(last, [replace(span, stop=end)])
    sizes = [part.shape(axis, axis + 1) for part in before]
    return _cut(_sliced(x, outer), functools.reduce(operator.add, sizes), b.ints(INT64_MAX), axis)


def _scalar(builder: Builder, number: int) -> Tensor:
    return builder.constant(np.array(number, np.int64))


def _cut(x: Tensor, start: Tensor, stop: Tensor, axis: int) -> Tensor:
    return x.op("Slice", start, stop, x.builder.ints(axis))


def _written(x: Tensor, value: Tensor, spans: Sequence[Span], rank: int) -> Tensor:
    """`x` with `x[spans] = value`, span by span: the slab of the first one is written by the rest."""
    if not spans:
        return value.op("Expand", x.shape())
    span, *rest = spans
    new = _written(_sliced(x, [span]), value, rest, rank)
    return _surrounded(x, (), span, new) if span.step == 1 else _scattered(x, new, span, rank)


def _scattered(x: Tensor, new: Tensor, span: Span, rank: int) -> Tensor:
    """The new slab at every step along the axis, with that axis first."""
    b = x.builder
    size = x.shape(span.axis, span.axis + 1).op("Squeeze")
    every = size.like(0).op("Range", size, 1)
    chosen = _sliced(every, [replace(span, axis=0)]).op("Unsqueeze", b.ints(1))
    first = moved_axis(x, rank, span.axis, 0)
    written = first.op("ScatterND", chosen, moved_axis(new, rank, span.axis, 0))
    return moved_axis(written, rank, 0, span.axis)


def expanded(value: Tensor, rank: int, shape: Tensor, shape_rank: int) -> Tensor:
    """`value` broadcast to a shape; leading dims of 1 that the shape lacks are dropped, as NumPy does."""
    if rank > shape_rank:
        value = value.op("Squeeze", value.builder.ints(*range(rank - shape_rank)))
    return value.op("Expand", shape)


RULES: dict[str, Lowering] = {
    "slice": Lowering(ANY, _slice),
    "set_slice": Lowering(ANY, _set_slice),
}
