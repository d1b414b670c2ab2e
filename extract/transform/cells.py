"""The cells of recurrent networks: an LSTM and the kinds of GRU, in the body of a loop.

    c1 = sigmoid(f) * c + sigmoid(i) * tanh(g)          is    an LSTM of the gates i, o, f, g
    h1 = sigmoid(o) * tanh(c1)

    h1 = (1 - sigmoid(z)) * tanh(n + sigmoid(r) * m) + sigmoid(z) * h
                                                        is    a GRU of the gates z, r, n; reset behind the product m

A GRU may also be `h + sigmoid(z) * (tanh(...) - h)` and the like, where the update gate says what is new.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.gates import Gates, Part


@dataclass(frozen=True)
class Gate:
    """The columns that make a gate: of the input's matrix, of the state's, and biases before and behind the reset."""

    x: Value
    matrix: Part
    state: Part
    biases: tuple[Part, ...] = ()
    inner: tuple[Part, ...] = ()
    is_negated: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell: the gates in the order of ONNX's operator, and whether a GRU's state is reset behind its product."""

    op: str
    gates: tuple[Gate, ...]
    behind: bool = True

    @property
    def x(self) -> Value:
        """The sequence."""
        return self.gates[0].x


class Cells(Gates):
    """A rewriter that sees cells."""

    def lstm(self, h: Value, c: Value, new_h: Value, new_c: Value) -> Cell | None:
        """The cell that makes new states of old ones."""
        opened = self._gated(new_h, new_c)
        kept = None if opened is None else self._memory(new_c, c)
        if opened is None or kept is None:
            return None
        forget, write, new = kept
        return self._cell("lstm", [self._gate(part, h) for part in (write, opened, forget, new)])

    def gru(self, h: Value, new_h: Value) -> Cell | None:
        """The cell that makes a new state of the old one."""
        mixed = self._mixed(new_h, h)
        if mixed is None:
            return None
        update, is_negated, new = mixed
        inside = self._reset(new, h)
        if inside is None:
            return None
        reset, gate, behind = inside
        return self._cell("gru", [self._gate(update, h, is_negated), self._gate(reset, h), gate], behind)

    def _gated(self, hidden: Value, memory: Value) -> Part | None:
        """The gate of `sigmoid(...) * tanh(memory)`."""
        found = self._gate_and_other(hidden)
        inner = None if found is None else self.tanh(found[1])
        is_of_memory = inner is not None and inner.value is memory and inner.is_all
        return found[0] if found is not None and is_of_memory else None

    def _memory(self, new_c: Value, c: Value) -> tuple[Part, Part, Part] | None:
        """The gates of `sigmoid(forget) * c + sigmoid(write) * tanh(new)`."""
        total = self.made_by(new_c, "add")
        for a, b in () if total is None else (total.inputs, total.inputs[::-1]):
            kept, written = self._gate_and_other(a), self._gate_and_other(b)
            new = None if written is None else self.tanh(written[1])
            if kept is not None and kept[1] is c and written is not None and new is not None:
                return kept[0], written[0], new
        return None

    def _gate_and_other(self, value: Value) -> tuple[Part, Value] | None:
        """A sigmoid times something else."""
        found = self.factors(value)
        return (found[0][0], found[1][0]) if found is not None and [len(n) for n in found] == [1, 1] else None

    # ------------------------------------------------------------ mixing the old state and the new one

    def _mixed(self, value: Value, h: Value) -> tuple[Part, bool, Part] | None:
        """The update gate, whether it says what is new and not what is kept, and the new state before its function."""
        total = self.made_by(value, "add")
        for a, b in () if total is None else (total.inputs, total.inputs[::-1]):
            found = self._moved(a, b, h) or self._weighted(a, b, h)
            if found is not None:
                return found
        return None

    def _moved(self, a: Value, b: Value, h: Value) -> tuple[Part, bool, Part] | None:
        """`new + z * (h - new)` and `h + z * (new - h)`."""
        found = self._gate_and_other(b)
        difference = None if found is None else self.made_by(found[1], "subtract")
        if found is None or difference is None or difference.inputs[1] is not a:
            return None
        is_new = a is h
        new = self.tanh(difference.inputs[0] if is_new else a)
        return (found[0], is_new, new) if new is not None and (is_new or difference.inputs[0] is h) else None

    def _weighted(self, a: Value, b: Value, h: Value) -> tuple[Part, bool, Part] | None:
        """`(1 - z) * x + z * y`, of which one is the old state."""
        first, second = self.product(a, self.producer.get(a)), self._gate_and_other(b)
        if first.number != 1.0 or first.below or second is None or len(first.above) != 2:
            return None
        for rest, x in (first.above, first.above[::-1]):
            node = self.made_by(rest, "subtract")
            if (
                node is None
                or self.number(node.inputs[0]) != 1.0
                or self.sigmoid(self.part(node.inputs[1])) != second[0]
            ):
                continue
            is_new = x is h
            new = self.tanh(second[1] if is_new else x)
            if new is not None and (is_new or second[1] is h):
                return second[0], is_new, new
        return None

    def _reset(self, new: Part, h: Value) -> tuple[Part, Gate, bool] | None:
        """The reset gate, what makes the new state, and whether the state is reset behind its product."""
        terms = self.terms(new, h)
        if len(terms.others) != 1 or terms.states or len(terms.inputs) != 1:
            return None
        leaf, (x, matrix) = terms.others[0], terms.inputs[0]
        product = self.made_by(leaf.value, "matmul")
        if product is not None:
            reset = self._gate_and_other(product.inputs[0])
            weights = self.matrix(leaf, product)
            if reset is None or reset[1] is not h or weights is None:
                return None
            return reset[0], Gate(x, matrix, weights, tuple(terms.biases)), False
        reset = self._gate_and_other(leaf.value) if leaf.is_all else None
        inner = None if reset is None else self.part(reset[1])
        under = None if inner is None else self.terms(inner, h)
        if reset is None or under is None or len(under.states) != 1 or under.inputs or under.others:
            return None
        return reset[0], Gate(x, matrix, under.states[0], tuple(terms.biases), tuple(under.biases)), True

    def _gate(self, part: Part, h: Value, is_negated: bool = False) -> Gate | None:
        """What makes a gate, if it is a product with the input, one with the state, and biases."""
        terms = self.terms(part, h)
        if len(terms.inputs) != 1 or len(terms.states) != 1 or terms.others:
            return None
        x, matrix = terms.inputs[0]
        return Gate(x, matrix, terms.states[0], tuple(terms.biases), (), is_negated)

    @staticmethod
    def _cell(op: str, gates: Sequence[Gate | None], behind: bool = True) -> Cell | None:
        """A cell whose gates are all found and have the same input."""
        found = tuple(gate for gate in gates if gate is not None)
        return Cell(op, found, behind) if len(found) == len(gates) and len({gate.x for gate in found}) == 1 else None


__all__ = ["Cell", "Cells", "Gate"]
