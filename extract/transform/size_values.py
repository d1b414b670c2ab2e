"""Sizes as numbers: the operations that compute an expression in sizes."""

from __future__ import annotations

import functools

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.dims import Atom, Dim, Symbol, symbol
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT

HEAVIEST = 8
"""The weight of a dim that is still computed."""


class SizeMaker(Rewriter):
    """Makes the values of sizes from the dims of the program's inputs, and from numbers that are known to be sizes."""

    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.places: dict[Dim, tuple[Value, int]] = {}
        """The inputs that have a size, with the axis."""
        self.values: dict[Dim, Value] = {}
        """Numbers that are sizes."""
        for value in program.graph.inputs:
            for axis, d in enumerate(value.type.shape):
                self.places.setdefault(d, (value, axis))
        self.made: list[Node] = []

    def is_cheap(self, size: Dim) -> bool:
        """Whether a size takes few operations on what is known."""
        known = (symbol(name) for name in size.symbols)
        return size.weight <= HEAVIEST and all(d in self.places or d in self.values for d in known)

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
        if size in self.values:
            return self.values[size]
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


__all__ = ["SizeMaker"]
