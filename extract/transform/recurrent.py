"""Loops over the elements of a sequence that are an LSTM or a GRU become the operations.

    loop (k < t) with h, c, rows:                       if isfinite(sum(x) + sum(w) + ...):
        g = add(matmul(take(x, k), w), matmul(h, u))        rows = lstm(x, w', u', b', h, c)
        i = sigmoid(slice(g, 0, n)); ...            to  else:
        c = add(multiply(f, c), multiply(i, j))             rows = loop ...
        h = multiply(o, tanh(c))
        give h, c, concatenate(rows, h)

The kernels take NaN for a number in their functions, so the loop stays for what is not finite, but in a program
without checks.  They end the process where the sequence is empty, or the batch (1.32), so the loop stays for these,
too, where they can be.

Gates may be columns of one product or products of their own, of the input and the state apart or joined, before the
loop or in it; their order is free.  Of a GRU the state may be reset before the product or behind it.  The number of
units is known, elements are float32, and weights that are no constants are few enough to be put in order in each run.

Sums of products are made in another order, and the functions' kernels round otherwise: this pass is declared as
reassociating.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import groupby
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.cells import Cell, Cells
from graph_program.extract.transform.gates import Part
from graph_program.extract.transform.rewrite import defined_in, uses_of
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, TensorType
from graph_program.tensor_api.opdef import OPS

FLOAT32 = np.dtype(np.float32)
INT = TensorType(INT64)
LARGEST = 1 << 16
"""Elements of weights that are put in order in each run."""


def recurrent(program: GraphProgram) -> None:
    """Recognise the loops, in place."""
    _Recurrent(program).run()


@dataclass
class _Loop:
    """A loop over a sequence: numbers of the carried values that are states, and of those that collect one."""

    node: Node
    states: list[int] = field(default_factory=list)
    rows: dict[int, Value] = field(default_factory=dict)

    @property
    def body(self) -> Graph:
        return self.node.regions[0]

    def parameter(self, number: int) -> Value:
        return self.body.inputs[number + 1]

    def result(self, number: int) -> Value:
        return self.body.outputs[number + 1]


class _Recurrent(Cells):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.branches: set[Node] = set()

    def graph(self, graph: Graph) -> None:
        super().graph(graph)
        for node in [node for node in graph.nodes if node in self.branches]:
            _sink(graph, node, self.program.graph)

    def visit(self, node: Node) -> list[Node]:
        loop = self._loop(node) if node.op == "loop" else None
        if loop is None:
            return [node]
        self.counter, self.inside = loop.body.inputs[0], defined_in([loop.body])
        for states in (loop.states, loop.states[::-1]):
            loop.states = states
            cell = self._cell_of(loop)
            if cell is not None and self._is_of(cell, loop):
                return self._chosen(cell, loop)
        return [node]

    def _cell_of(self, loop: _Loop) -> Cell | None:
        old, new = [loop.parameter(i) for i in loop.states], [loop.result(i) for i in loop.states]
        if len(old) == 2:
            return self.lstm(*old, *new)
        return self.gru(*old, *new) if len(old) == 1 else None

    # ------------------------------------------------------------ loops

    def _loop(self, node: Node) -> _Loop | None:
        """A loop that carries float32 states and rows of them, and nothing else, and always goes on."""
        loop = _Loop(node)
        goes_on = [self.constant_of(value) for value in (node.inputs[1], loop.body.outputs[0])]
        if not all(value is not None and bool(value) for value in goes_on):
            return None
        if not all(node.op == "constant" or _is_operation(node) for node in loop.body.nodes):
            return None
        for number in range(len(node.outputs)):
            appended = self._appended(loop, number)
            if appended is not None:
                loop.rows[number] = appended
            elif loop.parameter(number).type.dtype == FLOAT32 and loop.parameter(number).type.rank in (1, 2):
                loop.states.append(number)
            else:
                return None
        return loop

    def _appended(self, loop: _Loop, number: int) -> Value | None:
        """What each round appends to a carried value that it does not read otherwise."""
        node, parameter = self.made_by(loop.result(number), "concatenate"), loop.parameter(number)
        if node is None or node.attrs["axis"] or len(node.inputs) != 2 or node.inputs[0] is not parameter:
            return None
        row = self.made_by(node.inputs[1], "expand_dims")
        if row is None or tuple(row.attrs["axes"]) != (0,) or self.uses[parameter] != 1:
            return None
        return row.inputs[0] if self.uses[node.outputs[0]] == 1 else None

    def _is_of(self, cell: Cell, loop: _Loop) -> bool:
        """Whether a loop goes over all of the sequence and collects hidden states only, and the cell may be used."""
        h, hidden, x = loop.parameter(loop.states[0]), loop.result(loop.states[0]), cell.x.type
        if self.size(loop.node.inputs[0]) != cell.x.type.shape[0] or any(v is not hidden for v in loop.rows.values()):
            return False
        kinds = {value.type.shape for i in loop.states for value in (loop.node.inputs[i + 2], loop.result(i))}
        if kinds != {h.type.shape} or x.rank != h.type.rank + 1 or x.shape[1:-1] != h.type.shape[:-1]:
            return False
        size = h.type.shape[-1].constant
        columns = [p for gate in cell.gates for p in (gate.matrix, gate.state, *gate.biases, *gate.inner)]
        if x.dtype != FLOAT32 or not x.shape[-1].lower or not size or any(p.stop - p.start != size for p in columns):
            return False
        arrays = {p.value for gate in cell.gates for p in (gate.matrix, gate.state)}
        sizes = [math.prod(d.constant or 0 for d in v.type.shape) for v in arrays if self.constant_of(v) is None]
        return all(d.constant for v in arrays for d in v.type.shape) and sum(sizes) <= LARGEST

    # ------------------------------------------------------------ operations

    def _chosen(self, cell: Cell, loop: _Loop) -> list[Node]:
        """The operation for what it is good for, the loop for the rest."""
        writer = Writer(self, loop.node.loc)
        operands = self._operands(writer, cell, loop)
        conditions = self._conditions(writer, cell, loop, operands)
        kept = [i for i, value in enumerate(loop.node.outputs) if self.uses[value]]
        outputs = [loop.node.outputs[i] for i in kept]
        direct = Writer(self, loop.node.loc)
        results = self._results(direct, cell, loop, operands, kept)
        if not conditions:
            for old, new in zip(outputs, results, strict=True):
                self.replace(old, new)
            return [*writer.nodes, *direct.nodes]
        condition = conditions[0]
        for other in conditions[1:]:
            condition = writer.op("bitwise_and", [condition, other], TensorType(BOOL))
        again = Node(
            "loop",
            loop.node.inputs,
            [self.like(value) for value in loop.node.outputs],
            loop.node.attrs,
            loop.node.regions,
            loop.node.loc,
        )
        regions = [Graph([], direct.nodes, results), Graph([], [again], [again.outputs[i] for i in kept])]
        branch = Node("if", [condition], outputs, {}, regions, loop.node.loc)
        self.branches.add(branch)
        return [*writer.nodes, branch]

    def _operands(self, writer: Writer, cell: Cell, loop: _Loop) -> list[Value]:
        """The sequence, the matrices, the biases and the initial states, as the operation wants them."""
        x, batched = cell.x, cell.x.type.rank == 3
        columns = [(g.matrix, g.is_negated) for g in cell.gates], [(g.state, g.is_negated) for g in cell.gates]
        w, r = (writer.stacked([writer.rows(part, negated) for part, negated in parts]) for parts in columns)
        b = writer.stacked(self._biases(writer, cell))
        initial = [loop.node.inputs[i + 2] for i in loop.states]
        if not batched:
            x, *initial = writer.expanded(x, 1), *(writer.expanded(value, 0) for value in initial)
        return [x, w, r, b, *initial]

    def _biases(self, writer: Writer, cell: Cell) -> list[Value]:
        """Those of the input's products, then those of the state's, gate by gate."""
        size = cell.gates[0].state.stop - cell.gates[0].state.start
        zeros = self.constant(np.zeros(size, FLOAT32), "zeros")
        outer: list[Value] = []
        inner: list[Value] = []
        for gate in cell.gates:
            first, *rest = gate.biases or (None,)
            behind = [*gate.inner] if gate.inner or gate is cell.gates[-1] else rest
            before = [] if first is None else [first, *(rest if behind is not rest else ())]
            outer.append(writer.sum_of(before, gate.is_negated) or zeros)
            inner.append(writer.sum_of(behind, gate.is_negated) or zeros)
        return [*outer, *inner]

    def _conditions(self, writer: Writer, cell: Cell, loop: _Loop, operands: Sequence[Value]) -> list[Value]:
        """What holds where the operation gives what the loop does."""
        found = []
        zero = self.constant(np.array(0, np.int64), "zero")
        if not cell.x.type.shape[0].lower:
            found.append(writer.op("less", [zero, loop.node.inputs[0]], TensorType(BOOL)))
        if len(cell.x.type.shape) == 3 and not cell.x.type.shape[1].lower:
            size = writer.op("dim", [cell.x], INT, axis=1)
            found.append(writer.op("less", [zero, size], TensorType(BOOL)))
        if self.program.is_checked:
            found += writer.finite([value for value in operands if not self._is_finite(value)])
        return found

    def _is_finite(self, value: Value) -> bool:
        content = self.constant_of(value)
        if content is None:
            node = self.producer.get(value)
            content = self.constant_of(node.inputs[0]) if node is not None and node.op == "expand_dims" else None
        return content is not None and bool(np.isfinite(content).all())

    def _results(
        self, writer: Writer, cell: Cell, loop: _Loop, operands: Sequence[Value], kept: Sequence[int]
    ) -> list[Value]:
        """What the loop gives, made by the operation."""
        h, x = operands[4], operands[0]
        shape = (x.type.shape[0], *h.type.shape)
        attrs = {"units": h.type.shape[-1].constant}
        behind = {"behind": int(cell.behind)} if cell.op == "gru" else {}
        batched = cell.x.type.rank == 3
        states = writer.op(cell.op, operands, TensorType(FLOAT32, shape), **attrs, **behind)
        states = states if batched else writer.squeezed(states, 1)
        found = []
        for i in kept:
            if i in loop.rows:
                found.append(writer.appended(loop.node.inputs[i + 2], states, loop.node.outputs[i].type))
            elif i == loop.states[0]:
                place = self.constant(np.array(-1, np.int64), "last")
                found.append(writer.op("take", [states, place], TensorType(FLOAT32, states.type.shape[1:]), axis=0))
            else:
                memory = writer.op("lstm_memory", operands, h.type, **attrs)
                found.append(memory if batched else writer.squeezed(memory, 0))
        return found


class Writer:
    """Writes nodes in front of a place."""

    def __init__(self, rewriter: Cells, loc: Loc):
        self.rewriter, self.loc = rewriter, loc
        self.nodes: list[Node] = []
        self.known: dict[Any, Value] = {}
        self.cuts: dict[Value, tuple[Value, int, int]] = {}
        """What parts have been cut from, and where."""

    def op(self, op: str, inputs: Sequence[Value], type_: TensorType, **attrs: Any) -> Value:
        """The result of an operation; the same one is made once."""
        key = (op, *inputs, *attrs.items())
        if key not in self.known:
            value = self.known[key] = Value(self.rewriter.names.fresh(op), type_)
            node = self.rewriter.node(op, inputs, value, attrs, self.loc)
            self.nodes.append(node)
            self.rewriter.producer[value] = node
        return self.known[key]

    def rows(self, part: Part, is_negated: bool) -> Value:
        """Columns of a matrix as rows."""
        maker = self.rewriter.made_by(part.value, "transpose")
        if maker is not None and tuple(maker.attrs["perm"]) == (1, 0):
            turned = maker.inputs[0]
        else:
            shape = part.value.type.shape[::-1]
            turned = self.op("transpose", [part.value], TensorType(FLOAT32, shape), perm=(1, 0))
        if part.rows is not None:
            ends = [self.rewriter.constant(np.array(n, np.int64), "place") for n in part.rows]
            shape = (turned.type.shape[0], dim(part.rows[1] - part.rows[0]))
            turned = self.op("slice", [turned, *ends], TensorType(FLOAT32, shape), axes=(1,), steps=(1,))
        return self.cut(Part(turned, part.start, part.stop), is_negated)

    def cut(self, part: Part, is_negated: bool = False) -> Value:
        """The elements of a part along the first axis."""
        value, count = part.value, part.stop - part.start
        if value.type.shape[0].constant != count:
            ends = [self.rewriter.constant(np.array(n, np.int64), "place") for n in (part.start, part.stop)]
            kind = TensorType(FLOAT32, (dim(count), *value.type.shape[1:]))
            value = self.op("slice", [value, *ends], kind, axes=(0,), steps=(1,))
            self.cuts[value] = part.value, part.start, part.stop
        return self.op("negative", [value], value.type) if is_negated else value

    def sum_of(self, parts: Iterable[Part], is_negated: bool) -> Value | None:
        """The sum of parts of vectors."""
        total: Value | None = None
        for part in parts:
            value = self.cut(part, is_negated)
            total = value if total is None else self.op("add", [total, value], value.type)
        return total

    def stacked(self, values: Sequence[Value]) -> Value:
        """Values one behind the other; parts of one of them in another order are its rows in that order."""
        parts = [part for _, run in groupby(values, self._source) for part in self._reordered(list(run))]
        size = dim(0)
        for part in parts:
            size = size + part.type.shape[0]
        kind = TensorType(FLOAT32, (size, *parts[0].type.shape[1:]))
        return parts[0] if len(parts) == 1 else self.op("concatenate", parts, kind, axis=0)

    def _source(self, value: Value) -> Value | None:
        """What a value has been cut from."""
        return self.cuts[value][0] if value in self.cuts else None

    def _reordered(self, parts: list[Value]) -> list[Value]:
        """Parts of one value as one; others as they are."""
        source = self._source(parts[0])
        if source is None or len(parts) == 1:
            return parts
        places = np.concatenate([np.arange(*self.cuts[part][1:]) for part in parts])
        order = self.rewriter.constant(places, "order")
        kind = TensorType(FLOAT32, (dim(places.size), *source.type.shape[1:]))
        return [self.op("take", [source, order], kind, axis=0)]

    def expanded(self, value: Value, axis: int) -> Value:
        shape = list(value.type.shape)
        shape.insert(axis, dim(1))
        return self.op("expand_dims", [value], TensorType(FLOAT32, tuple(shape)), axes=(axis,))

    def squeezed(self, value: Value, axis: int) -> Value:
        shape = list(value.type.shape)
        del shape[axis]
        return self.op("squeeze", [value], TensorType(FLOAT32, tuple(shape)), axes=(axis,))

    def appended(self, initial: Value, rows: Value, type_: TensorType) -> Value:
        if initial.type.shape[0].constant == 0:
            return rows
        return self.op("concatenate", [initial, rows], type_, axis=0)

    def finite(self, values: Sequence[Value]) -> list[Value]:
        """Whether all elements are finite numbers, as far as their sum is one."""
        sums = [
            self.op("sum", [value], TensorType(FLOAT32), axes=tuple(range(value.type.rank)), keepdims=False)
            for value in values
        ]
        if not sums:
            return []
        total = sums[0]
        for value in sums[1:]:
            total = self.op("add", [total, value], TensorType(FLOAT32))
        nothing = self.op("subtract", [total, total], TensorType(FLOAT32))
        return [self.op("equal", [nothing, self.rewriter.constant(np.array(0, FLOAT32), "zero")], TensorType(BOOL))]


def _sink(graph: Graph, branch: Node, whole: Graph) -> None:
    """Move what only the second side of a branch reads into it."""
    side = branch.regions[1]
    uses = uses_of(whole)
    inner = uses_of(side)
    moved: list[Node] = []
    before = graph.nodes[: graph.nodes.index(branch)]
    for node in reversed(before):
        if not _is_operation(node) or not all(0 < uses[v] == inner[v] for v in node.outputs):
            continue
        moved.insert(0, node)
        inner.update(node.inputs)
    side.nodes[:0] = moved
    graph.nodes = [node for node in graph.nodes if node not in moved]


def _is_operation(node: Node) -> bool:
    """Whether a node computes something, and has no effect."""
    return node.op in OPS


__all__ = ["recurrent"]
