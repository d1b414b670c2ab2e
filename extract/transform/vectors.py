"""Vectors that are taken apart and put together number by number are array operations again.

    a = take(x, 0); b = take(x, 1)
    c = divide(a, d); e = divide(b, d)      to      y = divide(x, d)
    y = concatenate([c], [e])

So is `y = np.zeros(2); y[0] = c; y[1] = e`.  The operations of each element are the same ones (see `packing`); it is
done where the vectors cost less than what they do without.

    a = take(x, 0); b = take(x, 1)                  v = take(x, [0, 1])
    y = add(multiply(a, a), multiply(b, b))  to     y = sum(multiply(v, v))

That is one operator, which may round once less for each square: of such sums the pass is reassociating.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.packing import CONCATENATION, JOINED, OPERATION, Packer, Plan
from graph_program.extract.transform.rewrite import Rewriter, uses_of
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import TensorType

WRITE = 0.45
"""The cost of writing an element, as in `packing`."""
LARGEST = 16
"""Elements of an array that is put together again."""


def vectors(program: GraphProgram) -> None:
    """Make array operations of operations on the elements of vectors, in place."""
    _Vectors(program).run()


class _Vectors(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.uses = uses_of(program.graph)
        self.homes: list[set[Node]] = []
        """The nodes of the graphs around."""
        self.made: dict[Plan, Value] = {}
        """The vectors of plans, of what is put together now."""
        writes = [node for node in program.graph.walk() if node.op == "set_index"]
        sums = [node for node in program.graph.walk() if node.op == "add"]
        self.makers, self.sums = program.graph.makers(), {value: node for node in sums for value in node.inputs}
        self.written_again = {node.inputs[0] for node in writes if self.uses[node.inputs[0]] == 1}

    def graph(self, graph: Graph) -> None:
        self.homes.append(set(graph.nodes))
        super().graph(graph)
        self.homes.pop()

    def visit(self, node: Node) -> list[Node]:
        if node.op == "concatenate" and node.outputs[0].type.rank == 1:
            return self._concatenated(node)
        if node.op == "set_index":
            return self._written(node)
        if node.op == "add" and not node.outputs[0].type.rank and not self._is_part(node):
            return self._squares(node) or [node]
        return [node]

    # ------------------------------------------------------------ what is put together

    def _concatenated(self, node: Node) -> list[Node]:
        """Numbers that are put one behind the other, and vectors between them."""
        pieces: list[Value | tuple[Value, ...]] = []
        saved: list[Node] = []
        for single, group in itertools.groupby(node.inputs, lambda value: self._number(value) is not None):
            values = list(group)
            if single:
                pieces.append(tuple(x for value in values if (x := self._number(value)) is not None))
                saved += [self.producer[value] for value in values]
            else:
                pieces += values
        return self._packed(node, pieces, saved, CONCATENATION) or [node]

    def _number(self, value: Value) -> Value | None:
        """The number that a vector of one element is made of."""
        maker = self.producer.get(value)
        made = maker is not None and maker.op == "expand_dims" and maker.inputs[0].type.rank == 0
        return maker.inputs[0] if maker is not None and made else None

    def _written(self, node: Node) -> list[Node]:
        """Numbers written one by one into a constant array; the last write stands for all."""
        if node.outputs[0] in self.written_again:
            return [node]
        shape = [d.constant for d in node.outputs[0].type.shape]
        found: dict[tuple[int, ...], Value] = {}
        chain: list[Node] = []
        last, array = node, None
        while array is None:
            place = self._place(last, len(shape))
            if place is None or (chain and self.uses[last.outputs[0]] > 1):
                return [node]
            found.setdefault(place, last.inputs[1])
            chain.append(last)
            array = self.constant_of(last.inputs[0])
            maker = self.producer.get(last.inputs[0])
            if array is None and (maker is None or maker.op != "set_index"):
                return [node]
            last = last if maker is None else maker
        if array.size > LARGEST or array.dtype.kind not in "fiub":
            return [node]
        lanes = [found.get(place) for place in np.ndindex(array.shape)]
        pieces = self._pieces(lanes, array.reshape(-1))
        return self._packed(node, pieces, chain[1:], WRITE - (OPERATION if array.ndim > 1 else 0)) or [node]

    def _place(self, write: Node, rank: int) -> tuple[int, ...] | None:
        """Where a number is written."""
        places = [self.constant_of(value) for value in write.inputs[2:]]
        sizes = [d.constant for d in write.outputs[0].type.shape]
        value = write.inputs[1]
        if len(places) != rank or value.type.rank or value.type.dtype != write.outputs[0].type.dtype:
            return None
        found = []
        for place, size in zip(places, sizes, strict=True):
            if place is None or size is None or not -size <= int(place) < size:
                return None
            found.append(int(place) % size)
        return tuple(found)

    def _pieces(self, lanes: list[Value | None], elements: np.ndarray) -> list[Value | tuple[Value, ...]]:
        pieces: list[Value | tuple[Value, ...]] = []
        start = 0
        for kept, group in itertools.groupby(lanes, lambda lane: lane is None):
            run = list(group)
            if kept:
                pieces.append(self.constant(elements[start : start + len(run)].copy(), "elements"))
            else:
                pieces.append(tuple(lane for lane in run if lane is not None))
            start += len(run)
        return pieces

    # ------------------------------------------------------------ sums of squares

    def _squares(self, node: Node) -> list[Node] | None:
        """The sum of the squares of numbers that are elements of one vector."""
        dtype, loc = node.outputs[0].type.dtype, node.loc
        found = self._terms(node, self.producer) if dtype.kind == "f" else None
        if found is None:
            return None
        roots, saved = found
        packer = Packer(self.producer.get)
        plan = packer.plan(tuple(roots))
        if plan.kind in ("join", "same", "constant"):
            return None
        dead = self._dead(node, [n for n in (*saved, *packer.used) if n.outputs[0] not in packer.read])
        if OPERATION * len(dead) <= plan.cost:
            return None
        made: list[Node] = []
        self.made = {}
        vector = self._vector(plan, len(roots), dtype, made, loc)
        squares = self._emit("multiply", [vector, vector], len(roots), dtype, made, loc)
        return [*made, self.node("sum", [squares], node.outputs[0], {"axes": (0,), "keepdims": False}, loc)]

    def _is_part(self, node: Node) -> bool:
        """Whether a sum is part of one that is of squares, too."""
        total = self.sums.get(node.outputs[0])
        return total is not None and self._terms(total, self.makers) is not None

    def _terms(self, node: Node, makers: Mapping[Value, Node]) -> tuple[list[Value], list[Node]] | None:
        """The numbers whose squares are added up, with the operations for that but the last; None for other sums."""
        roots: list[Value] = []
        saved: list[Node] = []
        pending = [*reversed(node.inputs)]
        while pending:
            value = pending.pop()
            maker = makers.get(value)
            if maker is None or self.uses[value] > 1 or maker not in self.homes[-1] or value.type.rank:
                return None
            if len(saved) > 2 * LARGEST:
                return None
            saved.append(maker)
            if maker.op == "multiply" and maker.inputs[0] is maker.inputs[1]:
                roots.append(maker.inputs[0])
            elif maker.op == "add":
                pending += reversed(maker.inputs)
            else:
                return None
        return roots, saved

    # ------------------------------------------------------------ vectors

    def _packed(
        self, node: Node, pieces: list[Value | tuple[Value, ...]], saved: list[Node], own: float
    ) -> list[Node] | None:
        """Nodes that put a vector together of pieces, if they cost less; `own` is what the node costs itself."""
        packer = Packer(self.producer.get)
        plans = [None if isinstance(piece, Value) else packer.plan(piece) for piece in pieces]
        if any(plan is not None and plan.kind == "same" for plan in plans):
            return None
        kinds = [plan.kind for plan in plans if plan is not None]
        if not kinds or set(kinds) == {"join"}:
            return None
        cost = sum(plan.cost for plan in plans if plan is not None) + (CONCATENATION if len(pieces) > 1 else 0)
        dead = self._dead(node, [n for n in (*saved, *packer.used) if n.outputs[0] not in packer.read])
        gain = sum(JOINED if n.op == "expand_dims" else WRITE if n.op == "set_index" else OPERATION for n in dead)
        if gain + own <= cost:
            return None
        return self._made(node, pieces, plans)

    def _dead(self, node: Node, candidates: list[Node]) -> list[Node]:
        """The nodes beside a node that nothing else reads than it and each other."""
        dead = dict.fromkeys(n for n in candidates if n in self.homes[-1])
        while True:
            inside = Counter(value for reader in (node, *dead) for value in reader.inputs)
            kept = [n for n in dead if self.uses[n.outputs[0]] == inside[n.outputs[0]]]
            if len(kept) == len(dead):
                return kept
            dead = dict.fromkeys(kept)

    def _made(self, node: Node, pieces: list[Value | tuple[Value, ...]], plans: list[Plan | None]) -> list[Node]:
        made: list[Node] = []
        output = node.outputs[0]
        self.made = {}
        parts = [
            piece if isinstance(piece, Value) else self._vector(plan, len(piece), output.type.dtype, made, node.loc)
            for piece, plan in zip(pieces, plans, strict=True)
            if isinstance(piece, Value) or plan is not None
        ]
        whole = parts[0] if len(parts) == 1 else self._join(parts, made, node.loc)
        if output.type.rank == 1:
            self.replace(output, whole)
            return made
        sizes = [self.constant(np.array(d.constant, np.int64), "size") for d in output.type.shape]
        return [*made, self.node("reshape", [whole, *sizes], output, {}, node.loc)]

    def _vector(self, plan: Plan | None, size: int, dtype: np.dtype, made: list[Node], loc: Loc) -> Value:
        """The vector of a plan; a number where all elements are the same one."""
        assert plan is not None
        if plan not in self.made:
            self.made[plan] = self._computed(plan, size, dtype, made, loc)
        return self.made[plan]

    def _computed(self, plan: Plan, size: int, dtype: np.dtype, made: list[Node], loc: Loc) -> Value:
        if plan.kind in ("same", "vector"):
            assert plan.value is not None
            return plan.value
        if plan.kind == "constant":
            assert plan.content is not None
            return self.constant(plan.content, "elements")
        if plan.kind == "join":
            singles = [self._emit("expand_dims", [lane], 1, dtype, made, loc, axes=(0,)) for lane in plan.lanes]
            return self._join(singles, made, loc)
        if plan.kind == "take":
            assert plan.value is not None and plan.content is not None
            at = self.constant(plan.content, "positions")
            return self._emit("take", [plan.value, at], size, dtype, made, loc, axis=0)
        operands = [self._vector(operand, size, dtype, made, loc) for operand in plan.operands]
        return self._emit(plan.kind, operands, size, dtype, made, loc)

    def _emit(
        self, op: str, inputs: list[Value], size: int, dtype: np.dtype, made: list[Node], loc: Loc, **attrs: object
    ) -> Value:
        value = Value(self.names.fresh("elements"), TensorType(dtype, (dim(size),)))
        made.append(self.node(op, inputs, value, attrs, loc))
        return value

    def _join(self, parts: list[Value], made: list[Node], loc: Loc) -> Value:
        size = dim(0)
        for part in parts:
            size = size + part.type.shape[0]
        value = Value(self.names.fresh("elements"), TensorType(parts[0].type.dtype, (size,)))
        made.append(self.node("concatenate", parts, value, {"axis": 0}, loc))
        return value


__all__ = ["vectors"]
