"""Every value of a model with its shape: numbers for known sizes, names and expressions for others.

    x: [n]    y = Concat(x, x): [2*n]    z = Slice(y): [max(0,2*n-1)]

A name means one size wherever it is visible.  The names of arguments' dims are visible everywhere; the
name of a size that is found while running (`NonZero`) is visible in the graph that finds it, and inside
that graph's own graphs.  A size that differs from one round of a loop to the next has no name.  Neither has
that of a value for which a placeholder may stand, since onnxruntime gives values whose dims have equal names
the same memory; but the model's own outputs are told as they are where there is no error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import onnx_ir as ir

from graph_program.backends.onnx.shapes import Shape, Shapes, attribute
from graph_program.extract.types.dims import Dim


def annotate(graph: ir.Graph, given: Mapping[ir.Value, Shape], placeholders: Iterable[ir.Value] = ()) -> None:
    """Set the shape of every value of a graph and its inner graphs.

    Parameters
    ----------
    graph : onnx_ir.Graph
        The main graph.
    given : mapping of onnx_ir.Value to tuple of Dim
        Shapes by the program's types: of inputs, results of operations, and what loops carry.
    placeholders : iterable of onnx_ir.Value
        Constants that are of the right rank only; what is computed from them is not used.
    """
    walk = _Walk(given, placeholders)
    visible = {name for value in graph.inputs for d in given[value] for name in d.symbols if "?" not in name}
    walk.seen |= visible
    for value in graph.inputs:
        walk.tell(value, given[value], visible)
    walk.graph(graph, visible)
    for value in graph.outputs:
        if value in given:
            value.shape = written(given[value], visible)


def written(shape: Shape, visible: set[str] | None = None) -> ir.Shape:
    """A shape as ONNX has it; dims with names that are not visible (by default: anonymous ones) are unknown."""
    return ir.Shape([_size(d, visible) for d in shape])


def _size(d: Dim, visible: set[str] | None) -> int | str | None:
    if d.constant is not None:
        return d.constant
    known = d.symbols <= visible if visible is not None else not any("?" in name for name in d.symbols)
    return str(d) if known else None


class _Walk(Shapes):
    """Goes through a model in order.

    Attributes
    ----------
    seen : set of str
        All names met so far; only a new one can be made visible.
    loose : set of onnx_ir.Value
        Values for which a placeholder may stand, and what is computed from them.
    """

    def __init__(self, given: Mapping[ir.Value, Shape], placeholders: Iterable[ir.Value]):
        super().__init__()
        self.given = given
        self.loose = set(placeholders)
        self.seen: set[str] = set()

    def graph(self, graph: ir.Graph, visible: set[str]) -> None:
        for node in graph:
            self.node(node, visible)

    def node(self, node: ir.Node, visible: set[str]) -> None:
        inferred = {"If": self._if, "Loop": self._loop}[node.op_type](node, visible) if _inner(node) else None
        if inferred is None and not self.loose.isdisjoint(node.inputs):
            self.loose.update(node.outputs)
        for value, shape in zip(node.outputs, inferred or self.infer(node), strict=True):
            given = self.typed(value)
            new = {name for d in given or () for name in d.symbols if "?" not in name} - self.seen
            self.seen |= new
            visible |= new
            self.tell(value, self._merged(given, shape, visible), visible)

    def typed(self, value: ir.Value) -> Shape | None:
        """The shape by the program's types, where it holds."""
        return None if value in self.loose else self.given.get(value)

    def tell(self, value: ir.Value, shape: Shape | None, visible: set[str]) -> None:
        self.shapes.pop(value, None)
        value.shape = None if shape is None else written(shape, visible)
        if shape is not None:
            self.shapes[value] = shape

    def _merged(self, given: Shape | None, inferred: Shape | None, visible: set[str]) -> Shape | None:
        """The program's own dims, but for those that the operator's say more of."""
        if given is None or inferred is None or len(given) != len(inferred):
            return inferred if given is None else given
        pairs = zip(given, inferred, strict=True)
        return tuple(i if g.constant is None and _says_more(i, g, visible) else g for g, i in pairs)

    def _if(self, node: ir.Node, visible: set[str]) -> list[Shape | None]:
        branches = _inner(node)
        for branch in branches:
            self.graph(branch, set(visible))
        pairs = list(zip(*(branch.outputs for branch in branches), strict=True))
        self.loose |= {value for value, pair in zip(node.outputs, pairs, strict=True) if self.loose & set(pair)}
        return [self._common(pair) for pair in pairs]

    def _common(self, values: Iterable[ir.Value]) -> Shape | None:
        """The shape of one of several values."""
        shapes = [self.shape(value) for value in values]
        first, *others = shapes
        for other in others:
            if first is None or other is None or len(first) != len(other):
                return None
            first = tuple(a if a == b else self.fresh() for a, b in zip(first, other, strict=True))
        return first

    def _loop(self, node: ir.Node, visible: set[str]) -> list[Shape | None]:
        (body,) = _inner(node)
        carried = list(zip(body.inputs[2:], node.inputs[2:], strict=True))
        self.loose |= {value for value, start in carried if start in self.loose}
        shapes = [self.typed(value) or self.shape(start) for value, start in carried]
        self._rounds(body, shapes, visible)
        self.loose |= {
            value for value, inner in zip(node.outputs, body.inputs[2:], strict=False) if inner in self.loose
        }
        collected = [self.shape(value) for value in body.outputs[1 + len(shapes) :]]
        return [*map(self._afterwards, shapes), *map(self._stacked, collected)]

    def _afterwards(self, shape: Shape | None) -> Shape | None:
        return None if shape is None else tuple(self.fresh() if _is_anonymous(d) else d for d in shape)

    def _stacked(self, shape: Shape | None) -> Shape | None:
        """The shape of values collected in a loop; without rounds, onnxruntime takes dims unknown to it as 0."""
        if shape is None:
            return None
        return (self.fresh(), *(self.fresh() if d.constant is None else d for d in shape))

    def _rounds(self, body: ir.Graph, shapes: list[Shape | None], visible: set[str]) -> None:
        """Go through a body until what it gives back fits what it takes; changes `shapes`."""
        changed = True
        while changed:
            for value, shape in zip(body.inputs, [(), (), *shapes], strict=True):
                self.tell(value, shape, visible)
                self.seen |= {name for d in shape or () for name in d.symbols}
            self.graph(body, set(visible))
            changed = False
            for i, (value, result) in enumerate(zip(body.inputs[2:], body.outputs[1:], strict=False)):
                if result in self.loose:
                    self.loose.add(value)
                if self.typed(value) is None:
                    after = self._carried(shapes[i], self.shape(result))
                    changed |= after != shapes[i]
                    shapes[i] = after

    def _carried(self, before: Shape | None, after: Shape | None) -> Shape | None:
        """The shape that both a round's beginning and its end have."""
        if before is None or after is None or len(before) != len(after):
            return None
        pairs = zip(before, after, strict=True)
        return tuple(b if b == a or _is_anonymous(b) else self.fresh() for b, a in pairs)


def _is_anonymous(d: Dim) -> bool:
    return any("?" in name for name in d.symbols)


def _says_more(new: Dim, old: Dim, visible: set[str]) -> bool:
    return new.constant is not None or (new.symbols <= visible and not old.symbols <= visible)


def _inner(node: ir.Node) -> list[ir.Graph]:
    names = {"If": ("then_branch", "else_branch"), "Loop": ("body",)}.get(node.op_type, ())
    return [attribute(node, name) for name in names]


__all__ = ["annotate", "written"]
