"""Sums of the elements of a vector, each times a vector, are products with a matrix.

    a = take(p, 0) * q
    b = take(p, 1) * take(q, [1, 0, 2])                 m = take(q, [[0, 1, 2], [1, 0, 2], [2, 2, 0]])
    c = take(p, 2) * take(q, [2, 2, 0]) * [-1, 1, 1]    m = m * [[1, 1, 1], [1, 1, 1], [-1, 1, 1]]
    y = a + b + c                                 to    y = matmul(p, m)

Hamilton's product of quaternions is such a sum, once `vectors` has made it of its elements.  The matrix does not
depend on what a loop carries if `q` does not, and is then made for all rounds before it.  Signs are exact; terms may
be added in another order, so the pass is reassociating.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter, uses_of
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import TensorType

FEWEST = 3
"""Terms, of which fewer cost no more than a product."""
SUMS = ("add", "subtract")


def vector_products(program: GraphProgram) -> None:
    """Make products of sums of vectors, in place."""
    _VectorProducts(program).run()


@dataclass(frozen=True)
class _Term:
    """A number times a vector, which is taken from another one, with signs."""

    factor: Value | None = None
    source: Value | None = None
    positions: np.ndarray | int = 0
    signs: np.ndarray | int = 1


class _VectorProducts(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.uses = uses_of(program.graph)
        sums = [node for node in program.graph.walk() if node.op in SUMS]
        self.inner = {value for node in sums for value in node.inputs if self.uses[value] == 1}
        """Values of which nothing but another sum is made."""

    def visit(self, node: Node) -> list[Node]:
        type_ = node.outputs[0].type if node.outputs else None
        if node.op not in SUMS or type_ is None or type_.rank != 1 or node.outputs[0] in self.inner:
            return [node]
        size = type_.shape[0].constant
        if size is None or type_.dtype not in (np.float32, np.float64):
            return [node]
        return self._product(node, size) or [node]

    def _product(self, node: Node, size: int) -> list[Node] | None:
        """The nodes of the product that a sum is, if it is one."""
        rows: dict[int, _Term] = {}
        vectors: set[Value] = set()
        for value, sign in self._terms(node, 1):
            term = self._term(value, size)
            take = None if term is None or term.factor is None else self.producer.get(term.factor)
            place = None if take is None else self._place(take)
            if term is None or term.source is None or place is None or take is None or place in rows:
                return None
            rows[place] = replace(term, signs=term.signs * sign)
            vectors.add(take.inputs[0])
        terms = [rows[place] for place in sorted(rows)]
        sources = {term.source for term in terms if term.source is not None}
        if len(terms) < FEWEST or len(vectors) > 1 or len(sources) > 1:
            return None
        (vector,), (source,) = vectors, sources
        return self._made(node, vector, source, terms) if vector.type.shape[0].constant == len(terms) else None

    def _made(self, node: Node, vector: Value, source: Value, terms: list[_Term]) -> list[Node]:
        size = node.outputs[0].type.shape[0]
        width = int(size.constant or 0)
        positions = np.stack([np.broadcast_to(term.positions, width) for term in terms]).astype(np.int64)
        signs = np.stack([np.broadcast_to(term.signs, width) for term in terms]).astype(vector.type.dtype)
        type_ = TensorType(vector.type.dtype, (dim(len(terms)), size))
        matrix = Value(self.names.fresh("matrix"), type_)
        at = self.constant(positions, "positions")
        made = [self.node("take", [source, at], matrix, {"axis": 0}, node.loc)]
        if (signs != 1).any():
            signed = Value(self.names.fresh("matrix"), type_)
            made.append(self.node("multiply", [matrix, self.constant(signs, "signs")], signed, {}, node.loc))
            matrix = signed
        return [*made, self.node("matmul", [vector, matrix], node.outputs[0], {}, node.loc)]

    # ------------------------------------------------------------ what is added

    def _terms(self, node: Node, sign: int) -> Iterator[tuple[Value, int]]:
        """What is added, or subtracted."""
        for value, own in zip(node.inputs, (sign, sign if node.op == "add" else -sign), strict=True):
            maker = self.producer.get(value)
            if maker is not None and maker.op in SUMS and value in self.inner:
                yield from self._terms(maker, own)
            else:
                yield value, own

    def _term(self, value: Value, size: int) -> _Term | None:
        """A value as a term; None if it is none."""
        if not value.type.rank:
            return _Term(factor=value)
        if value.type.rank > 1 or value.type.shape[0].constant != size:
            return None
        constant, maker = self.constant_of(value), self.producer.get(value)
        if constant is not None:
            return _Term(signs=constant) if (np.abs(constant) == 1).all() else None
        if maker is not None and maker.op == "multiply" and self.uses[value] == 1:
            first, second = (self._term(operand, size) for operand in maker.inputs)
            return None if first is None or second is None else _both(first, second)
        positions = self.constant_of(maker.inputs[1]) if maker is not None and maker.op == "take" else None
        if maker is not None and positions is not None and maker.inputs[0].type.rank == 1:
            return _Term(source=maker.inputs[0], positions=positions)
        return _Term(source=value, positions=np.arange(size))

    def _place(self, take: Node) -> int | None:
        """Which element of a vector is taken."""
        if take.op != "take" or take.inputs[0].type.rank != 1 or take.inputs[1].type.rank:
            return None
        at, size = self.constant_of(take.inputs[1]), take.inputs[0].type.shape[0].constant
        if at is None or size is None or not -size <= int(at) < size:
            return None
        return int(at) % size


def _both(first: _Term, second: _Term) -> _Term | None:
    """The product of two terms; None if it has two numbers, or two vectors."""
    if None not in (first.factor, second.factor) or None not in (first.source, second.source):
        return None
    one, other = (first, second) if first.source is not None else (second, first)
    return replace(one, factor=one.factor or other.factor, signs=first.signs * second.signs)


__all__ = ["vector_products"]
