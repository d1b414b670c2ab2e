"""Matrices of which a loop reads and writes columns are carried transposed: then those are rows.

    y = loop(...) with x = a:                           u = loop(...) with v = transpose(a):
        b = take(x, k, axis=1)                              b = take(v, k, axis=0)
        give true, scatter_nd(x, c, rows, k)    to          give true, set_index(v, c, k)
                                                        y = transpose(u)

A row is written as a whole, for a column takes an index for each element; and rows may be collected (see `rows`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.row_flow import ArrayFlow, StateWriter, fits
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

SWAPPED = (1, 0)


def columns(program: GraphProgram) -> None:
    """Carry transposed matrices through loops, in place."""
    _Columns(program).run()


class _Columns(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.makers: dict[Value, Node] = {}

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.makers.update(dict.fromkeys(node.outputs, node))
        super().graph(graph)

    def visit(self, node: Node) -> list[Node]:
        before: list[Node] = []
        after: list[Node] = []
        for slot in range(len(node.outputs) if node.op == "loop" else 0):
            if node.outputs[slot].type.rank == 2:
                flow = ArrayFlow.of(node, slot, self._is_access)
                if flow is not None and any(access.op == "scatter_nd" for access in flow.accesses):
                    self._turn(node, slot, before, after)
        return [*before, node, *after]

    # ------------------------------------------------------------ which

    def _is_access(self, node: Node) -> bool:
        """Whether a node reads or writes a column or an element."""
        if node.op == "take":
            return bool(node.attrs["axis"] == 1) and not node.inputs[1].type.rank
        if node.op in ("gather_nd", "set_index"):
            at = node.inputs[1 if node.op == "gather_nd" else 2 :]
            return len(at) == 2 and not node.attrs.get("axis", 0) and not any(index.type.rank for index in at)
        return node.op == "scatter_nd" and self._column(node) is not None

    def _column(self, write: Node) -> Value | None:
        """The number of the column that is written; None if something else is."""
        if write.attrs["axis"] or len(write.inputs) != 4:
            return None
        array, value, rows, column = write.inputs
        same_type = value.type.dtype == array.type.dtype
        if not same_type or not fits(value, array.type.shape[:1]) or not self._is_all(rows, array):
            return None
        maker = self.makers.get(column)
        if maker is not None and maker.op == "broadcast_to" and not maker.inputs[0].type.rank:
            column = maker.inputs[0]
        if column.type.rank or column.type.dtype != np.int64:
            return None
        taken = self.makers.get(column)
        counted = None if taken is None or taken.op != "take" else self.makers.get(taken.inputs[0])
        if taken is None or counted is None or counted.op != "iota":
            return column
        own = taken.inputs[0].type.shape[0] == array.type.shape[1] and taken.inputs[1].type.dtype == np.int64
        return taken.inputs[1] if own else column

    def _is_all(self, rows: Value, array: Value) -> bool:
        """Whether indices are those of all rows, in order."""
        maker, size = self.makers.get(rows), array.type.shape[0]
        if maker is None or rows.type.rank != 1 or rows.type.shape[0] != size:
            return False
        if maker.op == "iota":
            return True
        return maker.op == "constant" and np.array_equal(maker.attrs["value"], np.arange(size.constant or 0))

    # ------------------------------------------------------------ how

    def _turn(self, loop: Node, slot: int, before: list[Node], after: list[Node]) -> None:
        """Carry one matrix transposed."""
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
        )
        end = body.outputs[slot + 1]
        writer.graph(body)
        loop.inputs[slot + 2], body.inputs[slot + 1], body.outputs[slot + 1] = turned, new, writer.rows[end]
        loop.outputs[slot] = self._fresh(output)
        after.append(self.node("transpose", [loop.outputs[slot]], output, {"perm": SWAPPED}, loop.loc))

    def _sizes(self, matrix: Value, before: list[Node]) -> list[Value]:
        sizes = [Value(self.names.fresh("size"), PY_INT) for _ in SWAPPED]
        before += [self.node("dim", [matrix], size, {"axis": axis}) for axis, size in enumerate(sizes)]
        return sizes

    def _fresh(self, matrix: Value) -> Value:
        return Value(self.names.fresh(matrix.name), _turned(matrix.type))

    def _transposed(self, initial: Value, turned: Value, loop: Node) -> Node:
        node = self.producer.get(initial)
        if node is not None and node.op == "full":
            value, rows, columns = node.inputs
            return self.node("full", [value, columns, rows], turned, {}, loop.loc)
        return self.node("transpose", [initial], turned, {"perm": SWAPPED}, loop.loc)


def _turned(type_: TensorType) -> TensorType:
    return TensorType(type_.dtype, type_.shape[::-1])


@dataclass
class _ColumnWriter(StateWriter):
    """Replaces the states of a matrix by their transposed ones, in place.

    Attributes
    ----------
    column : callable
        The number of the column that a node writes.
    """

    column: Callable[[Node], Value | None]

    def write(self, node: Node) -> list[Node]:
        array, value, *at = node.inputs
        column = self.column(node) if node.op == "scatter_nd" else None
        new = self.fresh(node.outputs[0].name, self.type)
        self.rows[node.outputs[0]] = new
        places = at[::-1] if column is None else [column]
        return [Node("set_index", [self.rows[array], value, *places], [new], loc=node.loc)]

    def read(self, node: Node) -> list[Node]:
        array, *at = node.inputs
        return [Node(node.op, [self.rows[array], *at[::-1]], node.outputs, {"axis": 0}, loc=node.loc)]


__all__ = ["columns"]
