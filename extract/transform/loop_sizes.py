"""Sizes that every round of a loop keeps are those that the loop begins with.

    x = zeros(3)                                         x = zeros(3)
    y: [d] = loop(...) with y.1: [d] = x:        to      y: [3] = loop(...) with y.1: [3] = x:
        give again, add(y.1, 1)                              give again, add(y.1, 1)

The types of what a loop carries were found before it was known where rounds end: a side that fails, or leaves the
loop, gives what nobody reads, and so does what an operation behind a check would give of other sizes.  So all sizes
that a loop might keep are taken as kept, those that a round then would change are given up, and so on until the
others hold (a greatest fixed point).

An operation that takes an element has found one: from there on the size is at least 1, and `min(3, 3*n)` is 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.sizes_read import sizes_read
from graph_program.extract.transform.symbols import symbols_of
from graph_program.extract.types.dims import Dim, Symbol, dim, put_in, symbol
from graph_program.extract.types.dims.integers import number_size
from graph_program.extract.types.rules.type_rules import infer
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.shape_arithmetic import Shape
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType
from graph_program.tensor_api.opdef import OPS


def loop_sizes(program: GraphProgram) -> None:
    """Put the sizes that loops keep into types, in place."""
    kept = _begun_with(program.graph)
    while kept:
        found = _Shapes(kept)
        found.graph(program.graph)
        if not found.lost:
            _Retyped(program, found.shapes).run()
            return
        kept = {name: size for name, size in kept.items() if name not in found.lost}


def _begun_with(graph: Graph) -> dict[str, Dim]:
    """The sizes of what loops carry that have a name of their own, with what they are at the beginning.

    A name that something before the loop has is none of its own: what it is there may be known behind a check only.
    """
    found: dict[str, Dim] = {}
    several: set[str] = set()
    met = symbols_of(graph.inputs)
    unset: set[Value] = set()
    for node in graph.walk():
        if node.op == "loop":
            for name, size in _names(node, unset):
                if (name in met and name not in found) or size != found.setdefault(name, size):
                    several.add(name)
                if not size.symbols <= met:  # it is known in the loop only
                    several.add(name)
            met |= symbols_of(node.regions[0].inputs)
        if node.op == "placeholder":
            unset.update(node.outputs)
        else:
            met |= symbols_of(node.outputs)
    return {name: size for name, size in found.items() if name not in several and name not in size.symbols}


def _names(loop: Node, unset: set[Value]) -> Iterator[tuple[str, Dim]]:
    """The names of sizes of what a loop carries, with the sizes of the initial values.

    Where nobody reads those, the first round says what all others keep, and what the loop gives.
    """
    body = loop.regions[0]
    carried = zip(loop.inputs[2:], body.inputs[1:], body.outputs[1:], loop.outputs, strict=True)
    for initial, parameter, result, output in carried:
        first, named = (result, (parameter, output)) if initial in unset else (initial, (parameter,))
        for value in named:
            for size, begin in zip(value.type.shape, first.type.shape, strict=True):
                if isinstance(size.atom, Symbol) and size != begin:
                    yield size.atom.name, begin


class _Shapes:
    """The shapes of all values if loops keep some sizes.

    Attributes
    ----------
    shapes : dict of Value to Shape
        Those that are other than the types say.
    lost : set of str
        Names of sizes that are not kept.
    """

    def __init__(self, kept: dict[str, Dim]):
        self.kept = kept
        self.shapes: dict[Value, Shape] = {}
        self.lost: set[str] = set()
        self.numbers: dict[Value, Dim] = {}
        self.unset: dict[Value, Sequence[Value]] = {}
        """Values that nobody reads, with those of inner graphs that they are."""
        self.positive: dict[str, Dim] = {}
        """Names of sizes that are at least 1, with one more than a size."""

    def shape(self, value: Value) -> Shape:
        return self.shapes.get(value, value.type.shape)

    def type(self, value: Value) -> TensorType:
        return TensorType(value.type.dtype, self.shape(value), value.type.kind)

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            if node.op == "if":
                self._branch(node)
            elif node.op == "loop":
                self._loop(node)
            else:
                self._operation(node)

    def _set(self, value: Value, shape: Shape) -> None:
        if shape != value.type.shape:
            self.shapes[value] = shape

    # ------------------------------------------------------------ operations

    def _operation(self, node: Node) -> None:
        for output in node.outputs:
            self._set(output, tuple(self._known(size) for size in output.type.shape))
        if node.op == "placeholder":
            self.unset[node.outputs[0]] = ()
        if node.op in OPS and len(node.outputs) == 1:
            self._infer(node)
        number = self._number(node)
        if number is not None:
            self.numbers[node.outputs[0]] = number
        self._note_positive(sizes_read(node, self.shape))

    def _infer(self, node: Node) -> None:
        """The sizes that follow from those of the operands."""
        output = node.outputs[0]
        shape = self.shape(output)
        if all(size.constant is not None for size in shape):
            return
        sizes = [self.numbers.get(value) for value in node.inputs]
        try:
            inferred = infer(node.op, [self.type(value) for value in node.inputs], node.attrs, sizes).shape
        except TypeRuleError:
            return  # it fails when it runs, if it does
        if len(inferred) == len(shape):
            pairs = zip(shape, map(self._known, inferred), strict=True)
            self._set(output, tuple(old if new.constant is None else new for old, new in pairs))

    def _known(self, size: Dim) -> Dim:
        """A size by what is known here."""
        size = put_in(size, self.kept)
        if size.constant is None and not size.symbols.isdisjoint(self.positive):
            positive = put_in(size, self.positive)
            return size if positive.constant is None else positive
        return size

    def _number(self, node: Node) -> Dim | None:
        """The integer that a node gives, as a size."""
        output = node.outputs[0]
        if output.type.rank or output.type.dtype != INT64:
            return None
        if node.op == "constant":
            return dim(int(node.attrs["value"]))
        if node.op == "dim":
            axis: int = node.attrs["axis"]
            return self.shape(node.inputs[0])[axis]
        return number_size(node.op, [self.numbers.get(value) for value in node.inputs])

    def _note_positive(self, sizes: Sequence[Dim]) -> None:
        """Note sizes that are at least 1; those of which they are products are, too."""
        for size in sizes:
            if len(size.terms) == 1:
                for atom in size.terms[0][0]:
                    if isinstance(atom, Symbol):
                        self.positive[atom.name] = symbol(atom.name) + 1

    # ------------------------------------------------------------ inner graphs

    def _branch(self, node: Node) -> None:
        fails = node.attrs.get("fails")
        before, behind = self.positive, []
        for number, region in enumerate(node.regions):
            self.positive = dict(before)
            self.graph(region)
            if number != fails:
                behind.append(self.positive)
        self.positive = behind[0] if len(behind) == 1 else before
        for i, output in enumerate(node.outputs):
            given = [region.outputs[i] for k, region in enumerate(node.regions) if k != fails]
            self._join(output, [value for value in given if value not in self.unset])
            every = [region.outputs[i] for region in node.regions]
            if all(value in self.unset or k == fails for k, value in enumerate(every)):
                self.unset[output] = every
            self._set_unset(every, self.shape(output))

    def _join(self, output: Value, given: Sequence[Value]) -> None:
        """What a branch gives, of the values on its sides that somebody reads."""
        shapes = {self.shape(value) for value in given}
        declared = tuple(self._known(size) for size in output.type.shape)
        if len(shapes) == 1 and len(shape := shapes.pop()) == len(declared):
            self._require(output.type.shape, shape)
            declared = tuple(old if new.constant is None else new for old, new in zip(declared, shape, strict=True))
        elif shapes:
            self._require(output.type.shape, ())
        self._set(output, declared)

    def _set_unset(self, values: Sequence[Value], shape: Shape) -> None:
        """Values that nobody reads have the sizes of what they stand for."""
        for value in values:
            if value in self.unset and value.type.rank == len(shape):
                self._set(value, shape)
                self._set_unset(self.unset[value], shape)

    def _loop(self, node: Node) -> None:
        body = node.regions[0]
        for value in (*body.inputs, *node.outputs):
            self._set(value, tuple(put_in(size, self.kept) for size in value.type.shape))
        before = self.positive
        self.positive = dict(before)
        self.graph(body)
        self.positive = before
        for parameter, result, output in zip(body.inputs[1:], body.outputs[1:], node.outputs, strict=True):
            if result not in self.unset:
                self._require(parameter.type.shape, self.shape(result))
                self._require(output.type.shape, self.shape(result))

    def _require(self, declared: Shape, found: Shape) -> None:
        """Give up the names of sizes that are not what they should be."""
        sizes = found if len(found) == len(declared) else (None,) * len(declared)
        for size, other in zip(declared, sizes, strict=True):
            if isinstance(size.atom, Symbol) and size.atom.name in self.kept and put_in(size, self.kept) != other:
                self.lost.add(size.atom.name)


class _Retyped(Rewriter):
    """Values of better types in the place of others."""

    def __init__(self, program: GraphProgram, shapes: dict[Value, Shape]):
        super().__init__(program)
        self.shapes = shapes

    def graph(self, graph: Graph) -> None:
        if graph is not self.program.graph:
            graph.inputs = [self._typed(value) for value in graph.inputs]
        super().graph(graph)

    def visit(self, node: Node) -> list[Node]:
        node.outputs = [self._typed(value) for value in node.outputs]
        return [node]

    def _typed(self, value: Value) -> Value:
        shape = self.shapes.get(value)
        if shape is None:
            return value
        better = Value(value.name, TensorType(value.type.dtype, shape, value.type.kind))
        self.replace(value, better)
        return better


__all__ = ["loop_sizes"]
