"""What goes into the gates of a recurrent cell: parts of products with the input and with the state, and biases.

    p = take(matmul(x, w), k); g = add(add(p, matmul(h, u)), b)
    i = sigmoid(slice(g, 0, n))           is    sigmoid(x[k] @ w[:, :n] + h @ u[:, :n] + b[:n])

The rounds of the loop are numbered by k, and h is what it carries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.formulas import Formulas


@dataclass(frozen=True)
class Part:
    """Columns of a value, those of its last axis from `start` to `stop`."""

    value: Value
    start: int
    stop: int
    rows: tuple[int, int] | None = None
    """Of a matrix, the rows; None if these are all."""

    def of(self, other: Value) -> Part:
        """The same columns of another value."""
        return Part(other, self.start, self.stop)

    @property
    def is_all(self) -> bool:
        return self.stop - self.start == self.value.type.shape[-1].constant


@dataclass
class Terms:
    """What is added up for a gate: an input times a matrix, the state times one, and biases.

    Attributes
    ----------
    inputs : list of tuple of Value and Part
        The sequence, and the columns of the matrix.
    states : list of Part
        Columns of matrices that the state is multiplied with.
    biases : list of Part
    others : list of Part
        What is none of these.
    """

    inputs: list[tuple[Value, Part]] = field(default_factory=list)
    states: list[Part] = field(default_factory=list)
    biases: list[Part] = field(default_factory=list)
    others: list[Part] = field(default_factory=list)


class Gates(Formulas):
    """A rewriter that sees gates in the body of a loop."""

    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.counter: Value | None = None
        self.inside: set[Value] = set()
        """What the loop defines that is looked at; `counter` is its number of the round."""

    # ------------------------------------------------------------ parts

    def part(self, value: Value) -> Part | None:
        """A value as columns of what it is cut out of."""
        size = value.type.shape[-1].constant if value.type.rank else None
        return None if size is None else self.whole(Part(value, 0, size))

    def whole(self, part: Part) -> Part:
        """Columns of what a value is cut out of."""
        while True:
            node = self.producer.get(part.value)
            start = None if node is None else self._start(node)
            if node is None or start is None:
                return part
            source = node.inputs[0] if node.op == "slice" else self.producer[node.inputs[0]].inputs[0]
            part = Part(source, start + part.start, start + part.stop)

    def _start(self, node: Node) -> int | None:
        """The first of the columns that a node cuts out."""
        x = node.inputs[0]
        if node.op == "slice":
            size = x.type.shape[-1].constant
            first = self.number(node.inputs[1])
            if tuple(node.attrs["axes"]) != (x.type.rank - 1,) or tuple(node.attrs["steps"]) != (1,):
                return None
            if size is None or first is None or node.outputs[0].type.shape[-1].constant is None:
                return None
            return int(min(max(first + (size if first < 0 else 0), 0), size))
        rows = self.made_by(x, "reshape")
        if node.op != "take" or rows is None or rows.inputs[0].type.rank != 1 or x.type.rank != 2 or node.attrs["axis"]:
            return None
        size, row = x.type.shape[1].constant, self.number(node.inputs[1])
        count = x.type.shape[0].constant
        if size is None or row is None or count is None or not 0 <= row < count:
            return None
        return int(row) * size

    # ------------------------------------------------------------ functions

    def sigmoid(self, part: Part | None) -> Part | None:
        """Of what columns are the sigmoid: 1 / (1 + exp(-x))."""
        node = None if part is None else self.made_by(part.value, "divide")
        if part is None or node is None or self.number(node.inputs[0]) != 1.0:
            return None
        return self.below(self.whole(part.of(node.inputs[1])))

    def below(self, part: Part) -> Part | None:
        """Of what columns are 1 + exp(-x)."""
        total = self.made_by(part.value, "add")
        for number, power in () if total is None else (total.inputs, total.inputs[::-1]):
            inner = self.whole(part.of(power))
            exponential = self.made_by(inner.value, "exp")
            if self.number(number) == 1.0 and exponential is not None:
                inner = self.whole(inner.of(exponential.inputs[0]))
                minus = self.made_by(inner.value, "negative")
                return None if minus is None else self.whole(inner.of(minus.inputs[0]))
        return None

    def tanh(self, value: Value) -> Part | None:
        """Of what columns are the hyperbolic tangent."""
        part = self.part(value)
        node = None if part is None else self.made_by(part.value, "tanh")
        return None if part is None or node is None else self.whole(part.of(node.inputs[0]))

    def factors(self, value: Value) -> tuple[list[Part], list[Value]] | None:
        """A product: of which columns sigmoids are its factors, and the other factors."""
        product = self.product(value, self.producer.get(value))
        sigmoids, others = [], []
        for factor in product.below:
            part = self.part(factor)
            found = None if part is None else self.below(part)
            if found is None:
                return None
            sigmoids.append(found)
        for factor in product.above:
            found = self.sigmoid(self.part(factor))
            if found is None:
                others.append(factor)
            else:
                sigmoids.append(found)
        return (sigmoids, others) if product.number == 1.0 else None

    # ------------------------------------------------------------ terms

    def terms(self, part: Part, state: Value) -> Terms:
        """What columns are the sum of, `state` being what the loop carries."""
        found = Terms()
        for leaf in self.leaves(part):
            self._sort(leaf, state, found)
        return found

    def leaves(self, part: Part) -> Iterator[Part]:
        """What is added up."""
        part = self.whole(part)
        node = self.made_by(part.value, "add")
        columns = part.value.type.shape[-1]
        if node is None or any(not x.type.rank or x.type.shape[-1] != columns for x in node.inputs):
            yield part
            return
        for x in node.inputs:
            yield from self.leaves(part.of(x))

    def _sort(self, leaf: Part, state: Value, found: Terms) -> None:
        value, node = leaf.value, self.producer.get(leaf.value)
        if value not in self.inside and value.type.rank == 1:
            found.biases.append(leaf)
        elif node is not None and node.op == "matmul":
            self._product(node, leaf, state, found)
        elif self.of_round(value) is not None:
            self._rows(leaf, found)
        else:
            found.others.append(leaf)

    def _product(self, node: Node, leaf: Part, state: Value, found: Terms) -> None:
        x, matrix = self.of_round(node.inputs[0]), self.matrix(leaf, node)
        if matrix is None:
            found.others.append(leaf)
        elif node.inputs[0] is state:
            found.states.append(matrix)
        elif x is not None:
            found.inputs.append((x, matrix))
        elif not self._joined(node, matrix, state, found):
            found.others.append(leaf)

    def matrix(self, leaf: Part, product: Node) -> Part | None:
        """Of the matrix of a product, the columns that make these; None if the loop changes it."""
        matrix = self.whole(leaf.of(product.inputs[1]))
        return matrix if matrix.value.type.rank == 2 and matrix.value not in self.inside else None

    def _joined(self, node: Node, matrix: Part, state: Value, found: Terms) -> bool:
        """A product with the input and the state joined, as two products."""
        joined = self.made_by(node.inputs[0], "concatenate")
        if joined is None or joined.attrs["axis"] % node.inputs[0].type.rank != node.inputs[0].type.rank - 1:
            return False
        inputs, states, start = [], [], 0
        for value in joined.inputs:
            size, x = value.type.shape[-1].constant, self.of_round(value)
            if size is None or (value is not state and x is None):
                return False
            part = replace(matrix, rows=(start, start + size))
            if value is state:
                states.append(part)
            elif x is not None:
                inputs.append((x, part))
            start += size
        found.inputs += inputs
        found.states += states
        return True

    def _rows(self, leaf: Part, found: Terms) -> None:
        """What is made of all of the sequence before the loop."""
        rows = self.of_round(leaf.value)
        for term in () if rows is None else self.leaves(leaf.of(rows)):
            node = self.producer.get(term.value)
            if term.value.type.rank == 1:
                found.biases.append(term)
            elif rows is not None and term.value.type.shape != rows.type.shape:
                found.others.append(term)
            elif node is not None and node.op == "matmul" and node.inputs[1].type.rank == 2:
                found.inputs.append((node.inputs[0], term.of(node.inputs[1])))
            else:
                found.others.append(term)

    def of_round(self, value: Value) -> Value | None:
        """The sequence of which a value is the element of the round."""
        node = self.made_by(value, "take")
        if node is None or node.inputs[1] is not self.counter or node.attrs["axis"]:
            return None
        return None if node.inputs[0] in self.inside else node.inputs[0]


__all__ = ["Gates", "Part", "Terms"]
