"""Makes nodes in front of a loop, with the types that follow from their operands."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.row_flow import fits
from graph_program.extract.transform.vectorize.reasons import StaysLoop
from graph_program.extract.types.dims import Atom, Dim, dim, provably_less_equal, symbol
from graph_program.extract.types.dims.integers import number_size
from graph_program.extract.types.dims.polynomials import Application, atom_dim
from graph_program.extract.types.rules.type_rules import infer
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType

INT64_MAX = int(np.iinfo(np.int64).max)
OPERATIONS = {"max": "maximum", "//": "floor_divide"}
"""How sizes are computed that are no sums."""


class Numbers:
    """Integers that are sizes, or computed of sizes.

    Parameters
    ----------
    rewriter : Rewriter
        Knows what makes a value.
    """

    def __init__(self, rewriter: Rewriter):
        self.rewriter = rewriter
        self.known: dict[Value, Dim | None] = {}
        self.positive: tuple[Dim, ...] = ()
        """Sizes of which an element has been taken here, and numbers of rounds of the loops around."""
        self.counts: dict[Value, Dim] = {}
        """The sizes of arrays that have as many elements as numbers say; none, if these are negative."""
        self.counters: dict[Dim, Value] = {}
        """What counts the rounds of loops around, as sizes that are less than their numbers of rounds."""

    def note_rounds(self, loop: Node) -> None:
        """Take note of what counts the rounds of a loop, for its body, and that there is one there."""
        rounds, counter = self.of(loop.inputs[0]), loop.regions[0].inputs[0]
        if rounds is None:
            return
        self.positive += (rounds,)
        if counter not in self.known:
            size = symbol("?" + self.rewriter.names.fresh("round"), rounds - 1)
            self.known[counter], self.counters[size] = size, counter

    def is_positive(self, size: Dim) -> bool:
        """Whether an axis has elements."""
        return any(provably_less_equal(least, size) for least in (dim(1), *self.positive))

    def is_round(self, size: Dim) -> bool:
        """Whether a size is another one in each round of a loop around."""
        return any(not size.symbols.isdisjoint(counter.symbols) for counter in self.counters)

    def of(self, value: Value) -> Dim | None:
        """The integer that a value is, as a size; None if that is not known."""
        if value not in self.known:
            node = self.rewriter.producer.get(value)
            if node is None or value.type.rank or value.type.dtype != INT64:
                return None
            self.known[value] = self._made(node)
        return self.known[value]

    def _made(self, node: Node) -> Dim | None:
        if node.op == "constant":
            return dim(int(node.attrs["value"]))
        if node.op == "dim":
            size: Dim = node.inputs[0].type.shape[node.attrs["axis"]]
            return size
        if node.regions or not node.inputs:
            return None
        sizes = [self.of(value) for value in node.inputs]
        if node.op == "maximum" and dim(0) in sizes and None in sizes:
            return self.counts.get(node.inputs[sizes.index(None)])
        return number_size(node.op, sizes)


@dataclass(frozen=True)
class Last:
    """What the last round of a loop has set.

    Attributes
    ----------
    before : Value
        What it was before.
    rows : Value
        What each round sets.
    wanted : Value, optional
        Whether it does.
    """

    before: Value
    rows: Value
    wanted: Value | None = None

    @property
    def parts(self) -> list[Value]:
        """What each round sets, and whether it does."""
        return [self.rows] if self.wanted is None else [self.rows, self.wanted]


class Maker:
    """Appends nodes to a list.

    Parameters
    ----------
    rewriter : Rewriter
    numbers : Numbers
    loc : Loc
        Where the nodes come from, unless `at` says otherwise.
    """

    def __init__(self, rewriter: Rewriter, numbers: Numbers, loc: Loc):
        self.rewriter, self.numbers = rewriter, numbers
        self.nodes: list[Node] = []
        self.at = loc
        self._places: dict[Dim, tuple[Value, int]] = {}
        self._made: dict[tuple[Any, ...], Value] = {}
        self._noted: list[tuple[dict[Any, Any], Any]] = []
        self.uses: Counter[Value] = Counter()
        """How often each value of the loop's body is read."""
        self.read: set[Value] = set()
        """The values of the loop's body that something in it reads."""
        self.sums: dict[Value, tuple[Value, Value]] = {}
        """Sums of floats that loops have given: what they began with, and what was added to it, one by one."""
        self.lasts: dict[Value, Last] = {}
        """What the last rounds of loops have set: what it was before, and what each round sets."""
        self.kept: set[Value] = set()
        """What is read behind the loop."""
        self.is_unset: Callable[[Value], bool] = lambda value: False
        """Whether a value may be what stands for one that is not there."""
        self.never_set: set[Value] = set()
        """What begins with nothing, or is what it was before where a loop has no round."""
        self.certain: set[Node] = set()
        """Accesses that are inside in every round that there is."""
        self.there: set[Value] = set()
        """What the program has made where the loop begins."""
        self.idle_loops: dict[Node, int] = {}
        """Loops of which more rounds would change nothing, with the number of what says which lanes still run."""

    def op(self, op: str, *inputs: Value, **attrs: Any) -> Value:
        """The value of an operation; the same one for the same operands."""
        key = (op, inputs, tuple(sorted((name, str(value)) for name, value in attrs.items())))
        if key not in self._made:
            value = Value(self.rewriter.names.fresh(op), self._type(op, inputs, attrs))
            self.add(Node(op, list(inputs), [value], attrs, loc=self.at))
            self._note(self._made, key, value)
        return self._made[key]

    def add(self, node: Node) -> None:
        """Append a node."""
        self.nodes.append(node)
        for value in node.outputs:
            self.rewriter.producer[value] = node
            self.note(value)

    def note(self, value: Value) -> None:
        """Take note of the sizes that can be read from a value."""
        if value.type.rank and self.is_unset(value):
            return
        for axis, size in enumerate(value.type.shape):
            if size not in self._places:
                self._note(self._places, size, (value, axis))

    def _note(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        table[key] = value
        self._noted.append((table, key))

    def mark(self) -> tuple[int, int]:
        """How much there is; see `forget` and `graph`."""
        return len(self.nodes), len(self._noted)

    def forget(self, mark: tuple[int, int]) -> list[Node]:
        """Take back, and give, the nodes that were made since."""
        nodes = self.nodes[mark[0] :]
        del self.nodes[mark[0] :]
        for table, key in self._noted[mark[1] :]:
            table.pop(key, None)
        del self._noted[mark[1] :]
        return nodes

    def _type(self, op: str, inputs: Sequence[Value], attrs: dict[str, Any]) -> TensorType:
        sizes = [self.numbers.of(value) for value in inputs]
        fresh = lambda: symbol("?" + self.rewriter.names.fresh("size"))  # noqa: E731
        try:
            return infer(op, [value.type for value in inputs], attrs, sizes, fresh)
        except TypeRuleError as error:
            raise StaysLoop(self.at, f"its rounds do not fit together: {error}") from error

    # ------------------------------------------------------------ often needed

    def constant(self, value: Any, dtype: Any = np.int64) -> Value:
        """A number."""
        return self.rewriter.constant(np.array(value, dtype))

    def size(self, size: Dim, unknown: Callable[[Atom], Value] | None = None) -> Value:
        """The value of a size that something has; `unknown` gives those of parts that nothing has."""
        if size.constant is not None:
            return self.constant(size.constant)
        if size in self._places:
            value, axis = self._places[size]
            return self.op("dim", value, axis=axis)
        if size in self.numbers.counters:
            return self.numbers.counters[size]
        if size.symbols and size.atom is None:
            terms = [self._term(monomial, factor, unknown) for monomial, factor in size.terms]
            return functools.reduce(lambda a, b: self.op("add", a, b), terms)
        atom = size.atom
        if atom is not None and isinstance(atom, Application) and atom.op in OPERATIONS:
            parts = [self.size(part, unknown) for part in atom.args]
            return functools.reduce(lambda a, b: self.op(OPERATIONS[atom.op], a, b), parts)
        if unknown is not None and atom is not None:
            return unknown(atom)
        raise StaysLoop(self.at, "the size of its arrays is not known before it begins")

    def in_front(self, value: Value) -> Value:
        """A number that a loop inside computes of others, before this one.

        Raises
        ------
        StaysLoop
            If it is another one in each round.
        """
        node = self.rewriter.producer.get(value)
        if value in self.there or (node is not None and node.op == "constant"):
            return value
        if node is None or node.regions or not node.inputs:
            raise StaysLoop(self.at, "the size of its arrays is not known before it begins")
        return self.op(node.op, *map(self.in_front, node.inputs), **node.attrs)

    def _term(self, monomial: tuple[Atom, ...], factor: int, unknown: Callable[[Atom], Value] | None) -> Value:
        """A part of the sum that a size is."""
        atoms = [self.size(atom_dim(atom), unknown) for atom in monomial]
        factors = atoms if factor == 1 and atoms else [self.constant(factor), *atoms]
        return functools.reduce(lambda a, b: self.op("multiply", a, b), factors)

    def expand(self, value: Value, *axes: int) -> Value:
        """A value with axes of size 1; the same one if there are none."""
        return self.op("expand_dims", value, axes=tuple(axes)) if axes else value

    def broadcast(self, value: Value, sizes: Sequence[Value], shape: Sequence[Dim]) -> Value:
        """A value broadcast to sizes, which are those of a shape; the same one if it has it."""
        return value if value.type.shape == tuple(shape) else self.op("broadcast_to", value, *sizes)

    def written(self, value: Value, sizes: Sequence[Value], shape: Sequence[Dim]) -> Value:
        """A value broadcast to what is written; what may not fit stays in the loop, whose rounds ask."""
        if not fits(value, shape):
            raise StaysLoop(self.at, "what a round writes may have other sizes than its place")
        return self.broadcast(value, sizes, shape)

    def inside(self, op: str, *inputs: Value, **attrs: Any) -> Value:
        """An access by indices that are inside for certain, along the first axis if nothing else is said."""
        found = self.op(op, *inputs, **{"axis": 0, **attrs})
        self.certain.add(self.rewriter.producer[found])
        return found

    def rows(self, value: Value, start: Value, stop: Value) -> Value:
        """`value[start:stop]`."""
        return self.op("slice", value, start, stop, axes=(0,), steps=(1,))

    def graph(self, inputs: list[Value], outputs: list[Value], mark: tuple[int, int]) -> Graph:
        """An inner graph of what was made since."""
        return Graph(inputs, self.forget(mark), outputs)
