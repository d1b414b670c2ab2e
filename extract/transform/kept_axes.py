"""Axes that are put back behind a reduction are kept by it.

    s = sum(x, axes=(1,), keepdims=False)           s = sum(x, axes=(1,), keepdims=True)
    r = sqrt(s)                             to      r = sqrt(s)
    y = divide(x, expand_dims(r, axes=(1,)))        y = divide(x, r)

That is `x / np.sqrt(x.sum(axis=1))[:, None]`.  Between the reduction and where the axes are put back there may be
operations on elements, also of several reductions over the same axes.  What else reads them gets them without the
axes, where that is less often than they are put back:

    s = sum(x, axes=(1,), keepdims=False)           t = sum(x, axes=(1,), keepdims=True)
    a = expand_dims(sin(s), axes=(1,))      to      a = sin(t); b = cos(t)
    b = expand_dims(cos(s), axes=(1,))              s = squeeze(t, axes=(1,))
    return s, a * b                                 return s, a * b

A row that is put behind others stays one: the round of a loop gives it as it was before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.sizes_read import axes_of
from graph_program.extract.types.tensors.shape_arithmetic import ONE
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.tensor_api.opdef import OPS

ELEMENTWISE = frozenset({"elementwise", "predicate", "where", "cast"})
"""Families of operations on elements."""


def kept_axes(program: GraphProgram) -> None:
    """Let reductions keep axes, in place."""
    if any(node.op == "expand_dims" for node in program.graph.walk()):
        _KeptAxes(program).run()


@dataclass(frozen=True)
class _Reduced:
    """Over which axes of how many a value, or what it is computed of, has been reduced."""

    axes: tuple[int, ...]
    rank: int


class _KeptAxes(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.readers: dict[Value, list[Node | None]] = {}
        """What reads each value; None where a graph gives it back."""
        self.reduced: dict[Value, _Reduced] = {}
        self.kept: dict[Value, Value] = {}
        """What keeps its axes, by what it was without them."""
        makers: dict[Value, Node] = {}
        for graph in (program.graph, *(region for node in program.graph.walk() for region in node.regions)):
            for value in graph.outputs:
                self.readers.setdefault(value, []).append(None)
        for node in program.graph.walk():
            for value in node.inputs:
                self.readers.setdefault(value, []).append(node)
            found = self._reduced(node)
            if found is not None:
                self.reduced[node.outputs[0]] = found
                makers[node.outputs[0]] = node
        self.read_without = {value for value in self.reduced if not all(self._take(value))}
        """What is read as it was, too."""
        for group in self._groups(makers):
            put_back = {reader for value in group for reader in self.readers.get(value, []) if self._puts_back(reader)}
            if len(put_back) <= len(self.read_without & group):
                for value in group:
                    del self.reduced[value]

    def _groups(self, makers: Mapping[Value, Node]) -> Iterator[set[Value]]:
        """Values that keep their axes together or not at all: operands and results of operations on elements."""
        groups: dict[Value, set[Value]] = {}
        for value, maker in makers.items():
            reduced = self.reduced[value]
            operands = [] if "keepdims" in maker.attrs else maker.inputs
            of = [operand for operand in operands if operand in groups and self.reduced[operand] == reduced]
            group = {value}.union(*(groups[operand] for operand in of))
            groups.update(dict.fromkeys(group, group))
        while groups:
            group = next(iter(groups.values()))
            for value in group:
                del groups[value]
            yield group

    def _reduced(self, node: Node) -> _Reduced | None:
        family = OPS[node.op].family if node.op in OPS else ""
        if "keepdims" in node.attrs:
            rank = node.inputs[0].type.rank
            axes = tuple(sorted(axis % rank for axis in axes_of(node))) if rank else ()
            return None if node.attrs["keepdims"] or not axes else _Reduced(axes, rank)
        if family not in ELEMENTWISE:
            return None
        of = {self.reduced.get(value) for value in node.inputs if value.type.rank}
        return of.pop() if len(of) == 1 else None

    def _take(self, value: Value) -> Iterator[bool]:
        """Of each reader whether it takes a value with the axes that it was reduced over."""
        for reader in self.readers.get(value, []):
            puts_back = reader is not None and reader.op == "expand_dims" and self._puts_back(reader)
            yield puts_back or (reader is not None and self._keeps(reader, self.reduced[value]))

    def _keeps(self, reader: Node, reduced: _Reduced) -> bool:
        """Whether a reader may have an operand with axes, and then has them in its result."""
        is_one = len(reader.outputs) == 1 and not reader.regions and "keepdims" not in reader.attrs
        return is_one and self.reduced.get(reader.outputs[0]) == reduced

    def _puts_back(self, reader: Node | None) -> bool:
        """Whether a node puts back the axes over which its operand was reduced."""
        reduced = None if reader is None or reader.op != "expand_dims" else self.reduced.get(reader.inputs[0])
        if reduced is None or reader is None:
            return False
        axes = tuple(sorted(axis % reduced.rank for axis in reader.attrs["axes"]))
        others = self.readers.get(reader.outputs[0], [])
        is_row = axes == (0,) and any(node is not None and node.op == "concatenate" for node in others)
        return reader.outputs[0].type.rank == reduced.rank and axes == reduced.axes and not is_row

    def visit(self, node: Node) -> list[Node]:
        if self._puts_back(node):
            self.replace(node.outputs[0], self.kept[node.inputs[0]])
            return []
        reduced = self.reduced.get(node.outputs[0]) if node.outputs else None
        if reduced is None:
            return [node]
        (output,) = node.outputs
        sizes = iter(output.type.shape)
        shape = tuple(ONE if axis in reduced.axes else next(sizes) for axis in range(reduced.rank))
        kept = self.kept[output] = Value(self.names.fresh(output.name), TensorType(output.type.dtype, shape))
        if "keepdims" in node.attrs:
            made = [self.node(node.op, node.inputs, kept, {**node.attrs, "keepdims": True}, node.loc)]
        else:
            operands = [self.kept[v] if self.reduced.get(v) == reduced else v for v in node.inputs]
            made = [self.node(node.op, operands, kept, node.attrs, node.loc)]
        if output in self.read_without:
            made.append(self.node("squeeze", [kept], output, {"axes": reduced.axes}, node.loc))
        return made


__all__ = ["kept_axes"]
