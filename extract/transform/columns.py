"""Arrays of which a loop reads and writes columns are carried with their last axis first: then those are rows.

    y = loop(...) with x = a:                           u = loop(...) with v = transpose(a):
        b = take(x, k, axis=1)                              b = take(v, k, axis=0)
        give true, scatter_nd(x, c, rows, k)    to          give true, set_index(v, c, k)
                                                        y = transpose(u)

A row is written as a whole, for a column takes an index for each element; and rows may be collected (see `rows`).
A column of an array of more axes is all that stands at one place of the last one.  What is written there fits, or the
write fails: so it is made as large as the column, where its type does not say that it is.

Of a matrix, a part of a column may be written, as by `a[1:-1, k] = c`; that is a part of a row, then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.counted_places import counts_along, is_each_place
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.row_flow import ArrayFlow, StateWriter, fits
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

T = TypeVar("T")


def columns(program: GraphProgram) -> None:
    """Carry arrays with their last axis first through loops, in place."""
    if any(node.op == "scatter_nd" for node in program.graph.walk()):
        _Columns(program).run()


class _Columns(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        before: list[Node] = []
        after: list[Node] = []
        for slot in range(len(node.outputs) if node.op == "loop" else 0):
            if node.outputs[slot].type.rank > 1:
                flow = ArrayFlow.of(node, slot, self._is_access)
                if flow is not None and any(access.op == "scatter_nd" for access in flow.accesses):
                    self._turn(node, slot, before, after)
        return [*before, node, *after]

    # ------------------------------------------------------------ which

    def _is_access(self, node: Node) -> bool:
        """Whether a node reads or writes a column or an element."""
        rank = node.inputs[0].type.rank
        if node.op == "take":
            return bool(node.attrs["axis"] == rank - 1) and not node.inputs[1].type.rank
        if node.op in ("gather_nd", "set_index"):
            at = node.inputs[1 if node.op == "gather_nd" else 2 :]
            return len(at) == rank and not node.attrs.get("axis", 0) and not any(index.type.rank for index in at)
        return node.op == "scatter_nd" and self._column(node) is not None

    def _column(self, write: Node) -> Value | None:
        """The number of the column that is written; None if something else is."""
        array, value, *places, column = write.inputs
        if write.attrs["axis"] or len(places) != array.type.rank - 1 or value.type.rank > len(places):
            return None
        if value.type.dtype != array.type.dtype or not (self._are_all(places, array) or self._part(write)):
            return None
        column = self._spread(column)
        if column.type.rank or column.type.dtype != np.int64:
            return None
        taken = self.made_by(column, "take")
        counted = None if taken is None else self.made_by(taken.inputs[0], "iota")
        if taken is None or counted is None:
            return column
        own = counted.outputs[0].type.shape[0] == array.type.shape[-1] and taken.inputs[1].type.dtype == np.int64
        return taken.inputs[1] if own else column

    def _are_all(self, places: list[Value], array: Value) -> bool:
        """Whether indices are those of all elements of a column, in order."""
        pairs = enumerate(zip(places, array.type.shape, strict=False))
        return all(counts_along(self.producer.get, index, size, k - len(places)) for k, (index, size) in pairs)

    def _part(self, write: Node) -> tuple[Value, Value] | None:
        """Between which places of a matrix's column all is written; None for other places, and where it may not fit."""
        array, value, places = write.inputs[:3]
        if array.type.rank != 2 or not fits(value, places.type.shape):
            return None
        known, size = self.constant_of(places), array.type.shape[0].constant
        if known is not None:
            return None if size is None else self._known_part(known, size)
        part = self.made_by(places, "slice")
        if part is None or tuple(part.attrs["steps"]) != (1,):
            return None
        every, start, stop = part.inputs
        return (start, stop) if is_each_place(self.producer.get, every, array.type.shape[0]) else None

    def _known_part(self, places: np.ndarray, size: int) -> tuple[Value, Value] | None:
        """Between which places known ones are, if they are one behind the other."""
        if places.ndim != 1 or not places.size or places[0] < 0 or places[-1] >= size:
            return None
        if not np.array_equal(places, np.arange(places[0], places[0] + places.size)):
            return None
        first, last = (np.array(end, np.int64) for end in (places[0], places[-1] + 1))
        return self.constant(first, "first"), self.constant(last, "last")

    def _spread(self, index: Value) -> Value:
        """What is repeated as an index."""
        maker = self.made_by(index, "broadcast_to")
        return index if maker is None else maker.inputs[0]

    # ------------------------------------------------------------ how

    def _turn(self, loop: Node, slot: int, before: list[Node], after: list[Node]) -> None:
        """Carry one array with its last axis first."""
        (body,) = loop.regions
        initial, output, parameter = loop.inputs[slot + 2], loop.outputs[slot], body.inputs[slot + 1]
        turned = self._fresh(initial)
        before.append(self._transposed(initial, turned, loop))
        new = self._fresh(parameter)
        writer = _ColumnWriter(
            initial,
            turned.type,
            {parameter: new},
            lambda name, type_: Value(self.names.fresh(name), type_),
            lambda: self._sizes(turned, before),
            self._column,
            self._part,
        )
        end = body.outputs[slot + 1]
        writer.graph(body)
        loop.inputs[slot + 2], body.inputs[slot + 1], body.outputs[slot + 1] = turned, new, writer.rows[end]
        loop.outputs[slot] = self._fresh(output)
        back = {"perm": (*range(1, output.type.rank), 0)}
        after.append(self.node("transpose", [loop.outputs[slot]], output, back, loop.loc))

    def _sizes(self, array: Value, before: list[Node]) -> list[Value]:
        sizes = [Value(self.names.fresh("size"), PY_INT) for _ in array.type.shape]
        before += [self.node("dim", [array], size, {"axis": axis}) for axis, size in enumerate(sizes)]
        return sizes

    def _fresh(self, array: Value) -> Value:
        return Value(self.names.fresh(array.name), _turned(array.type))

    def _transposed(self, initial: Value, turned: Value, loop: Node) -> Node:
        node = self.made_by(initial, "full")
        if node is not None:
            value, *sizes = node.inputs
            return self.node("full", [value, *_last_first(sizes)], turned, {}, loop.loc)
        perm = tuple(_last_first(range(turned.type.rank)))
        return self.node("transpose", [initial], turned, {"perm": perm}, loop.loc)


def _turned(type_: TensorType) -> TensorType:
    return TensorType(type_.dtype, tuple(_last_first(type_.shape)))


def _last_first(items: Iterable[T]) -> list[T]:
    """What belongs to the axes, in the order in which they are carried."""
    *others, last = items
    return [last, *others]


@dataclass
class _ColumnWriter(StateWriter):
    """Replaces the states of an array by those with the last axis first, in place.

    Attributes
    ----------
    column : callable
        The number of the column that a node writes.
    part : callable
        Between which places of the column it writes; None if it writes all.
    """

    column: Callable[[Node], Value | None]
    part: Callable[[Node], tuple[Value, Value] | None]

    def write(self, node: Node) -> list[Node]:
        array, value, *at = node.inputs
        column = self.column(node) if node.op == "scatter_nd" else None
        new = self.fresh(node.outputs[0].name, self.type)
        self.rows[node.outputs[0]] = new
        places = _last_first(at) if column is None else [column]
        made = [] if column is None else self._whole(node, column)
        if made:
            value = made[-1].outputs[0]
        return [*made, Node("set_index", [self.rows[array], value, *places], [new], loc=node.loc)]

    def _whole(self, node: Node, column: Value) -> list[Node]:
        """What makes a whole column of what is written there."""
        array, value = node.inputs[:2]
        part = self.part(node)
        if part is None:
            return self._spread(value)
        type_ = TensorType(value.type.dtype, self.type.shape[1:])
        before, behind = (self.fresh(name, type_) for name in ("column", value.name))
        written = {"axes": (0,), "steps": (1,)}
        return [
            Node("take", [self.rows[array], column], [before], {"axis": 0}, loc=node.loc),
            Node("set_slice", [before, value, *part], [behind], written, loc=node.loc),
        ]

    def _spread(self, value: Value) -> list[Node]:
        """What makes a value as large as a column, where that may be needed."""
        shape = self.type.shape[1:]
        if fits(value, shape):
            return []
        whole = self.fresh(value.name, TensorType(value.type.dtype, shape))
        return [Node("broadcast_to", [value, *self.dims()[1:]], [whole])]

    def read(self, node: Node) -> list[Node]:
        array, *at = node.inputs
        return [Node(node.op, [self.rows[array], *_last_first(at)], node.outputs, {"axis": 0}, loc=node.loc)]


__all__ = ["columns"]
