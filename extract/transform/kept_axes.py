"""Axes that are put back behind a reduction are kept by it.

    s = sum(x, axes=(1,), keepdims=False)           s = sum(x, axes=(1,), keepdims=True)
    r = sqrt(s)                             to      r = sqrt(s)
    y = divide(x, expand_dims(r, axes=(1,)))        y = divide(x, r)

That is `x / np.sqrt(x.sum(axis=1))[:, None]`.  Between the reduction and where the axes are put back there may be
operations on elements, also of several reductions over the same axes; nothing else may read them.  A row that is put
behind others stays one: the round of a loop gives it as it was before.
"""

from __future__ import annotations

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
        self.kept: set[Value] = set()
        """What keeps its axes."""
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
        while wrong := [value for value in self.reduced if not self._is_kept(value, makers[value])]:
            for value in wrong:
                del self.reduced[value]

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

    def _is_kept(self, value: Value, maker: Node) -> bool:
        """Whether a value may have the axes that it was reduced over: all that reads it puts them back, or may, too."""
        if "keepdims" not in maker.attrs and any(v.type.rank and v not in self.reduced for v in maker.inputs):
            return False
        readers = self.readers.get(value, [])
        return bool(readers) and all(self._takes(reader, self.reduced[value]) for reader in readers)

    def _takes(self, reader: Node | None, reduced: _Reduced) -> bool:
        if reader is None:
            return False
        if reader.op == "expand_dims":
            axes = tuple(sorted(axis % reduced.rank for axis in reader.attrs["axes"]))
            is_row = any(
                node is not None and node.op == "concatenate" for node in self.readers.get(reader.outputs[0], [])
            )
            return reader.outputs[0].type.rank == reduced.rank and axes == reduced.axes and not is_row
        return bool(reader.outputs) and self.reduced.get(reader.outputs[0]) == reduced and not reader.regions

    def visit(self, node: Node) -> list[Node]:
        if node.op == "expand_dims" and node.inputs[0] in self.kept:
            self.replace(node.outputs[0], node.inputs[0])
            return []
        reduced = self.reduced.get(node.outputs[0]) if node.outputs else None
        if reduced is None:
            return [node]
        (output,) = node.outputs
        sizes = iter(output.type.shape)
        shape = tuple(ONE if axis in reduced.axes else next(sizes) for axis in range(reduced.rank))
        kept = Value(self.names.fresh(output.name), TensorType(output.type.dtype, shape))
        self.replace(output, kept)
        self.kept.add(kept)
        attrs = {**node.attrs, "keepdims": True} if "keepdims" in node.attrs else node.attrs
        return [self.node(node.op, node.inputs, kept, attrs, node.loc)]


__all__ = ["kept_axes"]
