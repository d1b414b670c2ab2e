"""A matrix of which columns are written is put together of columns.

    y = full(0.0, n, 3)                             b = expand_dims(a, axes=(1,))
    y1 = scatter_nd(y, a, iota(n), 1)       to      c = broadcast_to(0.0, n, 1)
    y2 = scatter_nd(y1, 2.0, iota(n), 2)            d = broadcast_to(2.0, n, 1)
                                                    y2 = concatenate(c, b, d, axis=1)

Writes at places that are known, one behind the other, copy the array each, and places of elements have to be computed
for them.  What is left of the array between the columns is cut out of it, or made as it is where it is filled with one
number.  (The same for elements along any axis behind the first one.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.counted_places import is_each_place
from graph_program.extract.transform.rewrite import Rewriter, uses_of
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

END = np.iinfo(np.int64).max
FILLING = frozenset(["full", "broadcast_to"])
"""Operations that repeat what they are given."""


def column_writes(program: GraphProgram) -> None:
    """Put matrices together of the columns that are written, in place."""
    if any(node.op == "scatter_nd" for node in program.graph.walk()):
        _ColumnWrites(program).run()


@dataclass(frozen=True)
class _Write:
    """A column, by its number, and what is written there: a number or a vector for each element of the first axis."""

    node: Node
    column: int

    @property
    def value(self) -> Value:
        return self.node.inputs[1]


class _ColumnWrites(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.uses = uses_of(program.graph)
        self.writes: dict[Value, _Write] = {}
        """Writes of columns, by the array that they give."""

    def visit(self, node: Node) -> list[Node]:
        write = self._write(node)
        if write is None:
            return [node]
        self.writes[node.outputs[0]] = write
        return self._put_together(write)

    # ------------------------------------------------------------ which

    def _write(self, node: Node) -> _Write | None:
        """A write of one column of all rows; None if a node is none."""
        if node.op != "scatter_nd" or node.attrs["axis"] or len(node.inputs) != 4:
            return None
        x, value, rows, column = node.inputs
        number, width = self._number(column), x.type.shape[1].constant
        if number is None or not is_each_place(self.producer.get, rows, x.type.shape[0]):
            return None
        if number < 0:
            number += END if width is None else width
        fits = value.type.rank in (0, x.type.rank - 1) and (not value.type.rank or self._has_its_sizes(value, x))
        return _Write(node, number) if fits and 0 <= number < (END if width is None else width) else None

    def _has_its_sizes(self, value: Value, x: Value) -> bool:
        return value.type.shape == (*x.type.shape[:1], *x.type.shape[2:])

    def _number(self, index: Value) -> int | None:
        """The number that all elements of an index are; None if it is not known."""
        known = self.constant_of(index)
        node = self.producer.get(index)
        if known is None and node is not None and node.op in FILLING:
            known = self.constant_of(node.inputs[0])
        return int(known.flat[0]) if known is not None and known.size and (known == known.flat[0]).all() else None

    # ------------------------------------------------------------ how

    def _put_together(self, write: _Write) -> list[Node]:
        """What gives the array behind a write and those before it that nobody else asks for."""
        columns = {write.column: write}
        base = write.node.inputs[0]
        while base in self.writes and self.uses[base] == 1:
            columns.setdefault(self.writes[base].column, self.writes[base])
            base = self.writes[base].node.inputs[0]
        made: list[Node] = []
        parts = list(self._parts(made, base, columns))
        axis = {"axis": 1}
        return [*made, self.node("concatenate", parts, write.node.outputs[0], axis, write.node.loc)]

    def _parts(self, made: list[Node], base: Value, columns: dict[int, _Write]) -> Iterator[Value]:
        start, width = 0, base.type.shape[1]
        for column, write in sorted(columns.items()):
            if start < column:
                yield self._rest(made, base, start, dim(column))
            yield self._column(made, base, write)
            start = column + 1
        if width.constant is None or start < width.constant:
            yield self._rest(made, base, start, width)

    def _column(self, made: list[Node], base: Value, write: _Write) -> Value:
        """What is written, as a matrix of one column."""
        if not write.value.type.rank:
            return self._filled(made, base, write.value, dim(1))
        return self.append(made, "expand_dims", [write.value], self._wide(base, dim(1)), "column", axes=(1,))

    def _rest(self, made: list[Node], base: Value, start: int, stop: Dim) -> Value:
        """Columns that are not written."""
        node, count = self.producer.get(base), stop - start
        if node is not None and node.op in FILLING and not node.inputs[0].type.rank and count.constant is not None:
            return self._filled(made, base, node.inputs[0], count)
        last = END if stop.constant is None else int(stop.constant)
        bounds = [self.integer(start), self.integer(last)]
        return self.append(made, "slice", [base, *bounds], self._wide(base, count), "column", axes=(1,), steps=(1,))

    def _filled(self, made: list[Node], base: Value, value: Value, count: Dim) -> Value:
        """So many columns of one number."""
        assert count.constant is not None
        node = self.producer.get(base)
        if node is not None and node.op in FILLING:
            sizes = list(node.inputs[1:])
        else:
            axes = range(base.type.rank)
            sizes = [self.append(made, "dim", [base], PY_INT, "column", axis=axis) for axis in axes if axis != 1]
            sizes.insert(1, sizes[0])
        sizes[1] = self.integer(int(count.constant))
        return self.append(made, "broadcast_to", [value, *sizes], self._wide(base, count), "column")

    def _wide(self, base: Value, count: Dim) -> TensorType:
        return TensorType(base.type.dtype, (base.type.shape[0], count, *base.type.shape[2:]))


__all__ = ["column_writes"]
