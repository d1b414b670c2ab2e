"""Parts of a tensor, read and written."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence

import numpy as np

from graph_program.backends.onnx.builder import BOOL, FLOAT32, Builder, Tensor
from graph_program.backends.onnx.rules.common import Lowering, axis_of
from graph_program.backends.onnx.rules.movement import ANY, transposed, unsqueezed
from graph_program.backends.onnx.rules.slices import expanded
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.counted_places import counts_along
from graph_program.extract.transform.totality import BROADCASTING
from graph_program.extract.types.dims import provably_less_equal
from graph_program.tensor_api.opdef import OPS

DEEPEST = 6
"""So many operations are looked through for what a mask is made of."""


def _set_index(builder: Builder, node: Node, x: Tensor, value: Tensor, *indices: Tensor) -> Tensor:
    rest = node.inputs[0].type.shape[len(indices) :]
    if node.inputs[1].type.shape != rest:
        value = expanded(value, node.inputs[1].type.rank, x.shape(len(indices)), len(rest))
    return x.op("ScatterND", builder.vector(indices), value) if indices else value


def _take(builder: Builder, node: Node, x: Tensor, indices: Tensor) -> Tensor:
    mask = _mask(builder, node, indices)
    if mask is not None:
        return x.op("Compress", mask, axis=node.attrs["axis"])
    if _is_range(indices) and not provably_less_equal(
        node.inputs[1].type.shape[0], node.inputs[0].type.shape[node.attrs["axis"]]
    ):
        # onnxruntime would make a Slice of it, which does not fail for an index outside.
        indices = indices.op("Max", indices.like(0))
    return x.op("Gather", indices, axis=node.attrs["axis"])


def _mask(builder: Builder, node: Node, indices: Tensor) -> Tensor | None:
    """The mask for all of an axis of which indices are the places; None if they are others.

    A mask that may have another length is none: Compress would take what both have, where a Gather fails.
    """
    places = indices.value.producer()
    found = None if places is None or places.op_type != "Gather" else places.inputs[0]
    made = None if found is None else found.producer()
    row = builder.ranges.maker(node.inputs[1])
    nonzero = None if row is None or row.op != "take" else builder.ranges.maker(row.inputs[0])
    if made is None or made.op_type != "NonZero" or nonzero is None or nonzero.op != "nonzero" or builder.is_portable:
        return None
    (mask,), x, axis = nonzero.inputs, node.inputs[0], axis_of(node)
    fits = mask.type.rank == 1 and (
        builder.compared.is_mask(mask.type.shape[0], x.type.shape[axis])
        or (x.type.rank == 1 and _arrays_of(builder, mask, DEEPEST) == {x})
    )
    value = made.inputs[0]
    return Tensor(builder, value, BOOL) if fits and value is not None else None


def _arrays_of(builder: Builder, mask: Value, depth: int) -> set[Value]:
    """The arrays whose elements are compared for a mask, and whose sizes it has; itself where it is none."""
    node = builder.ranges.maker(mask)
    if node is None or not depth or node.op not in OPS or OPS[node.op].family not in BROADCASTING:
        return {mask}
    return {array for value in node.inputs if value.type.rank for array in _arrays_of(builder, value, depth - 1)}


def _is_range(indices: Tensor) -> bool:
    node = indices.value.producer()
    return node is not None and node.op_type == "Range"


def _stacked(builder: Builder, indices: Sequence[Tensor]) -> Tensor:
    """Index tensors of one shape as one, with a last axis that holds an element's indices."""
    columns = [unsqueezed(index, -1) for index in indices]
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
        behind = self.axis + len(self.indices)
        parts = [x.shape(0, self.axis)] if self.axis else []
        parts += [self.indices[0].shape()] if self.index_rank else []
        parts += [x.shape(behind)] if behind < self.rank else []
        if len(parts) > 1:
            return x.builder.op("Concat", *parts, axis=0)
        return parts[0] if parts else x.builder.ints()


def _rotated(x: Tensor, rank: int, start: int, count: int) -> Tensor:
    """x with the axes `start` to `start + count` first, and the others behind them."""
    moved = range(start, start + count)
    return transposed(x, [*moved, *(axis for axis in range(rank) if axis not in moved)])


def _positions(builder: Builder, node: Node, first: int, indices: Sequence[Tensor]) -> Positions:
    """The index tensors of a node, broadcast to one shape."""
    types = [v.type for v in node.inputs[first:]]
    rank = max(t.rank for t in types)
    if any(t.shape != types[0].shape for t in types):
        wide = [t.rank == rank and all(o.shape in ((), t.shape) for o in types) for t in types]
        total = indices[wide.index(True)] if True in wide else functools.reduce(operator.add, indices)
        whole = total.shape()
        indices = [x if is_wide else x.op("Expand", whole) for x, is_wide in zip(indices, wide, strict=True)]
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
    if _is_along_last(builder, node):
        return x.op("GatherElements", indices[-1], axis=len(indices) - 1)
    at = _positions(builder, node, 1, indices)
    if _is_empty(node, 1):
        return x.like(0).op("Expand", at.shape(x))
    stacked = _stacked(builder, at.indices) if index_rank else builder.vector(indices)
    selected = at.first(x).op("GatherND", stacked)
    return _rotated(selected, at.selected_rank, at.index_rank, at.axis)


def _is_along_last(builder: Builder, node: Node) -> bool:
    """Whether each element is of the row where it stands: all indices but those into the last axis count rows."""
    x, *counted, last = node.inputs
    shape = x.type.shape
    if len(counted) + 1 != len(shape) or last.type.shape[:-1] != shape[:-1] or last.type.rank != len(shape):
        return False
    ranked = [value for value in counted if value.type.rank]
    return len(ranked) == len(counted) and all(
        counts_along(builder.ranges.maker, value, shape[axis], axis - len(shape)) for axis, value in enumerate(counted)
    )


def _scatter_nd(builder: Builder, node: Node, x: Tensor, value: Tensor, *indices: Tensor) -> Tensor:
    if _is_empty(node, 2):
        return x.op("Identity")
    column = _column(node, value, indices)
    if column is not None:
        return x.op("ScatterElements", column, value.op("Unsqueeze", builder.ints(1)), axis=1)
    at = _positions(builder, node, 2, indices)
    x_shape, value_type = node.inputs[0].type.shape, node.inputs[1].type
    index_shape = node.inputs[2].type.shape
    expected = x_shape[: at.axis] + index_shape + x_shape[at.axis + len(indices) :]
    if at.indices[0] is not indices[0] or value_type.shape != expected:
        value = expanded(value, value_type.rank, at.shape(x), at.selected_rank)
    value = _rotated(value, at.selected_rank, at.axis, at.index_rank)
    x = at.first(x)
    if node.attrs["unique"] or not at.index_rank:
        return at.back(x.op("ScatterND", _stacked(builder, at.indices), value))
    return at.back(_last_wins(x, value, at))


def _column(node: Node, value: Tensor, indices: Sequence[Tensor]) -> Tensor | None:
    """The number of a column, beside each row, where a write is of one column of a matrix; None if it is of others."""
    x, given = (v.type for v in node.inputs[:2])
    if node.attrs["axis"] or len(indices) != 2 or x.rank != 2 or given.rank != 1 or given.shape != x.shape[:1]:
        return None
    rows, count, column = indices[0].known, x.shape[0].constant, _repeated(node.inputs[3], indices[1])
    if column is None or count is None or rows is None or not np.array_equal(rows, np.arange(count)):
        return None
    return column.op("Expand", value.builder.ints(count, 1))


def _repeated(value: Value, index: Tensor) -> Tensor | None:
    """The number that all elements of an index are; None if it is not known to be one."""
    if not value.type.rank:
        return index
    maker, made = index.builder.ranges.maker(value), index.value.producer()
    is_repeated = maker is not None and maker.op == "broadcast_to" and not maker.inputs[0].type.rank
    source = made.inputs[0] if is_repeated and made is not None and made.op_type == "Expand" else None
    return None if source is None else Tensor(index.builder, source, index.dtype)


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
    zero, one = (b.constant(np.array(number, np.int64)) for number in (0, 1))
    return zero.op("Range", size.op("Squeeze"), one)


RULES: dict[str, Lowering] = {
    "take": Lowering(ANY, _take),
    "gather_nd": Lowering(ANY, _gather_nd),
    "nonzero": Lowering("b", _nonzero),
    "set_index": Lowering(ANY, _set_index),
    "scatter_nd": Lowering(ANY, _scatter_nd),
    "scatter_add": Lowering("iuf", _scatter_add),
}
