"""Sizes of computed tensors are computed from the inputs' shapes, so that what only gives a shape is dead.

    y = exp(x)                              n = dim(x, axis=0)
    n = dim(y, axis=0)          to          z = full(1.0, n)
    z = full(1.0, n)                        return z
    return z

A size that is a dim of an input is always read there.  One that is an expression in such dims is
computed if that is little work, and either no more than the shape of the tensor is asked for, or the tensor is
computed in each round of a loop: before the loop once is less.
"""

from __future__ import annotations

import functools

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.dims import Atom, Dim, Symbol, symbol
from graph_program.extract.types.tensor_type import PY_BOOL, PY_INT

HEAVIEST = 8
"""The weight of a dim that is still computed."""


def sizes(program: GraphProgram) -> None:
    """Compute sizes from the inputs' shapes, in place."""
    _Sizes(program).run()


class _Sizes(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.places: dict[Dim, tuple[Value, int]] = {}
        for value in program.graph.inputs:
            for axis, d in enumerate(value.type.shape):
                self.places.setdefault(d, (value, axis))
        self.read = _contents_read(program.graph)
        self.made: list[Node] = []
        self.rounds = _made_in_loops(program.graph)

    def visit(self, node: Node) -> list[Node]:
        if node.op != "dim":
            return [node]
        (x,), axis = node.inputs, node.attrs["axis"]
        size = x.type.shape[axis]
        if size in self.places:
            place, axis = self.places[size]
            return [self.node("dim", [place], node.outputs[0], {"axis": axis}, node.loc)]
        if size.constant is None and not (self.is_cheap(size) and (x not in self.read or x in self.rounds)):
            return [node]
        self.made = []
        self.replace(node.outputs[0], self.value(size))
        for made in self.made:
            made.loc = node.loc
        return self.made

    def is_cheap(self, size: Dim) -> bool:
        """Whether a size takes few operations on the inputs' dims."""
        return size.weight <= HEAVIEST and all(symbol(name) in self.places for name in size.symbols)

    # ------------------------------------------------------------ making the values

    def emit(self, op: str, *inputs: Value, axis: int | None = None) -> Value:
        type_ = PY_BOOL if op == "equal" else PY_INT
        value = Value(self.names.fresh("size"), type_)
        self.made.append(self.node(op, inputs, value, {} if axis is None else {"axis": axis}))
        return value

    def number(self, value: int) -> Value:
        return self.constant(np.array(value, dtype=np.int64), "size")

    def value(self, size: Dim) -> Value:
        """The value of a size."""
        if size.constant is not None:
            return self.number(size.constant)
        if size in self.places:
            x, axis = self.places[size]
            return self.emit("dim", x, axis=axis)
        # What is added comes first, so that the sum does not begin with a negation.
        terms = sorted(size.terms, key=lambda t: t[1] < 0)
        total = self.product(*terms[0])
        for monomial, c in terms[1:]:
            total = self.emit("subtract" if c < 0 else "add", total, self.product(monomial, abs(c)))
        return total

    def product(self, monomial: tuple[Atom, ...], c: int) -> Value:
        factors = [self.number(c)] if c != 1 or not monomial else []
        factors += map(self.atom, monomial)
        return functools.reduce(lambda a, b: self.emit("multiply", a, b), factors)

    def atom(self, atom: Atom) -> Value:
        if isinstance(atom, Symbol):
            return self.value(symbol(atom.name))
        args = map(self.value, atom.args)
        return functools.reduce({"//": self.quotient, "max": self.larger, "&": self.broadcast}[atom.op], args)

    def quotient(self, a: Value, b: Value) -> Value:
        return self.emit("floor_divide", a, b)

    def larger(self, a: Value, b: Value) -> Value:
        return self.emit("maximum", a, b)

    def broadcast(self, a: Value, b: Value) -> Value:
        return self.emit("where", self.emit("equal", a, self.number(1)), b, a)


def _made_in_loops(graph: Graph) -> set[Value]:
    """The values that loops compute in their rounds."""
    bodies = (region for node in graph.walk() if node.op == "loop" for region in node.regions)
    return {value for body in bodies for inner in body.walk() for value in inner.outputs}


def _contents_read(graph: Graph) -> set[Value]:
    """The values of which more than the shape is asked for, somewhere in the program."""
    found = set(graph.outputs)
    for node in graph.walk():
        if node.op != "dim":
            found.update(node.inputs)
        for region in node.regions:
            found.update(region.outputs)
    return found
