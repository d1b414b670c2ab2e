"""Loops for runtimes that have none: a Scan, or the rounds one after the other.

    y, s = Loop(n, true, x) {(k, _, a) true, b, c}    ->    y, s = Scan(x, Range(0, n)) {(a, k) b, c}

    y = Loop(2, true, x) {(k, _, a) true, f(k, a)}    ->    y = f(1, f(0, x))

    y = Loop(2, p, x) {(k, _, a) q, f(k, a)}          ->    y = If(p) {a = f(0, x); If(q) {f(1, a)} {a}} {x}

A Scan has as many rounds as sizes say, each of which is done, and what it carries keeps its sizes.  tract leaves out
what no round reads, also what is carried, which it then misses; takes no constants as what is carried on; takes numbers
that are collected for vectors where the round reads them, too; does not take whole numbers that are carried, times a
constant, or divided by one; and takes no Scan over nothing (0.23).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.merging import inner_graphs
from graph_program.backends.onnx.portable_sides import NUMBERS, Decided
from graph_program.backends.onnx.shapes import attribute

MOST = 8
"""Rounds that are written one after the other."""
BOOL = ir.TensorType(ir.DataType.BOOL)
INTEGERS = frozenset(ir.DataType[f"{sign}INT{bits}"] for sign in ("", "U") for bits in (8, 16, 32, 64))
Unique = Callable[[str], str]


def without_loops(graph: ir.Graph, unique: Unique) -> None:
    """Write loops in other words where there are any, in place, and in inner graphs.

    Parameters
    ----------
    graph : onnx_ir.Graph
    unique : callable
        Makes a name unique.
    """
    for node in [*ir.traversal.RecursiveGraphIterator(graph)][::-1]:
        if node.op_type == "Loop" and not node.domain and isinstance(node.graph, ir.Graph):
            loop = _Loop(node, node.graph, unique)
            trips = loop.trips
            if trips is not None and 0 < trips <= MOST and (loop.goes_on or loop.may_end_in_branches):
                loop.write_out(trips)
            elif loop.goes_on and loop.can_scan:
                loop.scan()


class _Loop:
    """A loop, and what is to stand in its place."""

    def __init__(self, node: ir.Node, around: ir.Graph, unique: Unique) -> None:
        self.node, self.around, self.unique = node, around, unique
        self.inputs = [value for value in node.inputs if value is not None]
        self.body: ir.Graph = attribute(node, "body")
        self.count = len(self.body.inputs) - 2
        """What is carried."""

    @property
    def trips(self) -> int | None:
        """The number of rounds, at most, where that is known."""
        array = _constant(self.inputs[0])
        return None if array is None else int(array)

    @property
    def goes_on(self) -> bool:
        """Whether no round ends the loop."""
        again = _copied(self.body.outputs[0])
        tests = [self.inputs[1], *([again] if again is not self.body.inputs[1] else [])]
        found = [_constant(test) for test in tests]
        return len(self.inputs) == self.count + 2 and all(array is not None and bool(array) for array in found)

    @property
    def can_scan(self) -> bool:
        """Whether a Scan can do it: over the numbers of its rounds, which are read, or can be."""
        is_read = self.count or self.body.inputs[0].uses()
        return self.is_sized and bool(is_read) and not Decided().by_a_run(self.inputs[0])

    @property
    def is_sized(self) -> bool:
        """Whether all that is carried keeps the sizes that it begins with."""
        pairs = zip(self.inputs[2:], self.body.inputs[2:], self.body.outputs[1:], strict=False)
        return all(_same_sizes(*each) for each in pairs)

    @property
    def may_end_in_branches(self) -> bool:
        """Whether branches can give what the rounds carry; they collect nothing, as these are not as many as rounds."""
        return len(self.inputs) == self.count + 2 and len(self.body.outputs) == self.count + 1 and self.is_sized

    def scan(self) -> None:
        """The loop as a Scan over the numbers of its rounds."""
        number, goes_on, *carried = self.body.inputs
        ir.convenience.replace_all_uses_with(goes_on, self.inputs[1])
        self.body.inputs.clear()
        self.body.inputs.extend([*carried, number])
        _drop(self.body.outputs.pop(0))
        self._hide_factors(number)
        self._read_all(number, carried)
        self._give_copies()
        name = str(number.name)
        ends = [self._number(self.around, self.node, f"{name}.{word}", k) for word, k in (("first", 0), ("step", 1))]
        numbers = ir.Value(name=self.unique(f"{name}.all"), type=ir.TensorType(ir.DataType.INT64))
        given = [ends[0], self.inputs[0], ends[1]]
        self._insert(self.around, ir.Node("", "Range", given, outputs=[numbers], name=f"Range_{numbers.name}"))
        attributes = [ir.AttrGraph("body", self.body), ir.AttrInt64("num_scan_inputs", 1)]
        old = [*self.node.outputs]
        new = [ir.Value(name=value.name, type=value.type, shape=value.shape) for value in old]
        self.node.attributes.clear()
        scan = ir.Node("", "Scan", [*self.inputs[2:], numbers], attributes, outputs=new, name=f"Scan_{old[0].name}")
        self._replace(scan, old, new)

    def _hide_factors(self, number: ir.Value) -> None:
        """Have no whole number multiplied with a constant, or divided by one, but with one plus a zero of the round."""
        hidden: dict[tuple[bytes, tuple[int, ...], ir.DataType], ir.Value] = {}
        for node in [*self.body]:
            operands = node.inputs if node.op_type == "Mul" else node.inputs[1:2]
            if node.op_type not in ("Div", "Mod", "Mul") or node.domain or node.inputs[0].dtype not in INTEGERS:
                continue
            for place, value in enumerate(operands, start=len(node.inputs) - len(operands)):
                factor = None if value is None else _constant(value)
                if value is None or factor is None or value.dtype is None:
                    continue
                key = factor.tobytes(), factor.shape, value.dtype
                if key not in hidden:
                    hidden[key] = self._hidden(number, value, node)
                node.replace_input_with(place, hidden[key])

    def _hidden(self, number: ir.Value, value: ir.Value, before: ir.Node) -> ir.Value:
        """A constant as what is made of the number of a round."""
        name = f"{value.name}.round"
        zero = self._added("Sub", [number, number], f"{name}.zero", number.type, number.shape, before)
        if value.dtype != number.dtype:
            zero = self._added("CastLike", [zero, value], f"{name}.cast", value.type, number.shape, before)
        return self._added("Add", [zero, value], name, value.type, value.shape, before)

    def _read_all(self, number: ir.Value, carried: Sequence[ir.Value]) -> None:
        """Have the rounds read all that they are given, and give no constants on, in choices that are never made."""
        for place, old in enumerate(carried):
            new = self.body.outputs[place]
            if not number.uses():
                self._read(number, place)
            elif new is not old and (not old.uses() or _constant(new) is not None):
                self._read(None, place)

    def _read(self, number: ir.Value | None, place: int) -> None:
        """What is carried on is `Where(old < old, old, new)`; with a number, of `(old < old) & (number < old)`.

        A test of the number alone is done before the rounds, and is not read in any then.
        """
        old, new = self.body.inputs[place], self.body.outputs[place]
        if old.dtype not in NUMBERS | INTEGERS | {ir.DataType.BOOL}:
            return
        is_truth = old.dtype == ir.DataType.BOOL
        less = "Xor" if is_truth else "Less"
        never = self._added(less, [old, old], f"{old.name}.never", BOOL, old.shape)
        if number is not None:
            one = self._added("CastLike", [number, old], f"{number.name}.read", old.type, number.shape)
            other = self._added(less, [one, old], f"{number.name}.less", BOOL, old.shape)
            never = self._added("And", [never, other], f"{number.name}.never", BOOL, old.shape)
        operator, given = ("Or", [new, never]) if is_truth else ("Where", [never, old, new])
        if old.dtype not in NUMBERS and not is_truth:
            nothing = self._added("CastLike", [never, new], f"{old.name}.nothing", new.type, new.shape)
            operator, given = "BitwiseOr", [new, nothing]
        self.body.outputs[place] = self._added(operator, given, f"{old.name}.kept", new.type, new.shape)

    def _added(
        self,
        operator: str,
        given: Sequence[ir.Value],
        name: str,
        type_: ir.TypeProtocol | None,
        shape: ir.Shape | None,
        before: ir.Node | None = None,
    ) -> ir.Value:
        """The result of one more operation of the body; at its end, or before another one."""
        made = ir.Value(name=self.unique(name), type=type_, shape=shape)
        self._insert(self.body, ir.Node("", operator, given, outputs=[made], name=f"{operator}_{made.name}"), before)
        return made

    def _give_copies(self) -> None:
        """Have the rounds not read what they give as rows, of which each is then one of an array."""
        for place in range(self.count, len(self.body.outputs)):
            value = self.body.outputs[place]
            if value.uses() or [*self.body.outputs].count(value) > 1:
                self.body.outputs[place] = self._own(self.body, value)

    def write_out(self, trips: int) -> None:
        """The rounds one after the other."""
        old = [*self.node.outputs]
        if self.goes_on:
            carried, rounds = self.inputs[2:], list[Sequence[ir.Value]]()
            for number in range(trips):
                again, *given = self._round(self.around, self.node, number, carried)
                _drop(again)
                carried = given[: self.count]
                rounds.append(given[self.count :])
            results = [*carried, *(self._stacked(values) for values in zip(*rounds, strict=True))]
        else:
            begins = _constant(self.inputs[1])
            place, carried, again = (self.around, self.node), self.inputs[2:], self.inputs[1]
            if begins is not None and bool(begins):
                again, *carried = self._round(*place, 0, carried)
            first = int(again is not self.inputs[1])
            results = self._rounds(*place, first, trips, again, carried) if first < trips else carried
        for value, result in zip(old, results, strict=True):
            made = ir.Value(name=value.name, type=value.type, shape=value.shape)
            value.name = self.unique(f"{value.name}.loop")
            self._insert(self.around, ir.Node("", "Identity", [result], outputs=[made], name=f"Identity_{made.name}"))
            ir.convenience.replace_all_uses_with(value, made, replace_graph_outputs=True)
        self.around.remove(self.node, safe=True)

    def _rounds(
        self, graph: ir.Graph, before: ir.Node | None, number: int, trips: int, test: ir.Value, carried: list[ir.Value]
    ) -> list[ir.Value]:
        """What is carried behind all rounds from one on, each in a branch of the one before it."""
        then, other = (ir.Graph([], [], nodes=[], name=self.unique("rounds")) for _ in range(2))
        again, *results = self._round(then, None, number, carried)
        if number + 1 == trips:
            _drop(again)
        else:
            results = self._rounds(then, None, number + 1, trips, again, results)
        then.outputs.extend(self._own(then, value) for value in results)
        other.outputs.extend(self._own(other, value) for value in carried)
        made = [self._like(value) for value in self.body.inputs[2:]]
        sides = [ir.AttrGraph("then_branch", then), ir.AttrGraph("else_branch", other)]
        name = f"If_{made[0].name if made else self.unique('rounds')}"
        self._insert(graph, ir.Node("", "If", [test], sides, outputs=made, name=name), before)
        return made

    def _round(
        self, graph: ir.Graph, before: ir.Node | None, number: int, carried: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """One round in a graph: all that the body gives."""
        copy = self.body.clone(allow_outer_scope_values=True)
        for node in [*ir.traversal.RecursiveGraphIterator(copy)]:
            for value in (*node.outputs, *(one for inner in inner_graphs(node) for one in inner.inputs)):
                value.name = self.unique(str(value.name))
            if node.outputs:
                node.name = f"{node.op_type}_{node.outputs[0].name}"
        given = [self._number(graph, before, f"{copy.inputs[0].name}.{number}", number), self.inputs[1], *carried]
        places = dict(zip(copy.inputs, given, strict=True))
        results = [places.get(value, value) for value in copy.outputs]
        copy.outputs.clear()
        for value, now in places.items():
            ir.convenience.replace_all_uses_with(value, now)
        nodes = [*copy]
        copy.remove(nodes)
        if before is None:
            graph.extend(nodes)
        else:
            graph.insert_before(before, nodes)
        return results

    def _stacked(self, values: Sequence[ir.Value]) -> ir.Value:
        """What each round gives as one array."""
        axis = self._number(self.around, self.node, f"{values[0].name}.axis", [0])
        parts = [self._like(value) for value in values]
        for part, value in zip(parts, values, strict=True):
            part.shape = None
            new = ir.Node("", "Unsqueeze", [value, axis], outputs=[part], name=f"Unsqueeze_{part.name}")
            self._insert(self.around, new)
        made = self._like(values[0])
        made.shape = None
        whole = ir.Node("", "Concat", parts, [ir.AttrInt64("axis", 0)], outputs=[made], name=f"Concat_{made.name}")
        self._insert(self.around, whole)
        return made

    def _own(self, graph: ir.Graph, value: ir.Value) -> ir.Value:
        """A value as one that a graph makes."""
        made = self._like(value)
        self._insert(graph, ir.Node("", "Identity", [value], outputs=[made], name=f"Identity_{made.name}"), None)
        return made

    def _like(self, value: ir.Value) -> ir.Value:
        return ir.Value(name=self.unique(str(value.name)), type=value.type, shape=value.shape)

    def _number(self, graph: ir.Graph, before: ir.Node | None, name: str, number: int | Sequence[int]) -> ir.Value:
        tensor = ir.Tensor(np.array(number, np.int64))
        made = ir.Value(name=self.unique(name), type=ir.TensorType(ir.DataType.INT64), shape=ir.Shape(tensor.shape))
        node = ir.Node(
            "", "Constant", [], [ir.AttrTensor("value", tensor)], outputs=[made], name=f"Constant_{made.name}"
        )
        self._insert(graph, node, before)
        return made

    def _insert(self, graph: ir.Graph, new: ir.Node, before: ir.Node | bool | None = True) -> None:
        new.metadata_props.update(self.node.metadata_props)
        where = self.node if before is True else before
        if isinstance(where, ir.Node):
            graph.insert_before(where, new)
        else:
            graph.append(new)

    def _replace(self, new: ir.Node, old: Sequence[ir.Value], values: Sequence[ir.Value]) -> None:
        self._insert(self.around, new)
        for value, made in zip(old, values, strict=True):
            value.name = self.unique(f"{value.name}.loop")
            ir.convenience.replace_all_uses_with(value, made, replace_graph_outputs=True)
        self.around.remove(self.node, safe=True)


def _copied(value: ir.Value) -> ir.Value:
    """What a value is a copy of."""
    node = value.producer()
    while node is not None and node.op_type == "Identity" and node.inputs[0] is not None:
        value = node.inputs[0]
        node = value.producer()
    return value


def _constant(value: ir.Value) -> np.ndarray | None:
    """The content of a constant."""
    value = _copied(value)
    node = value.producer()
    tensor = value.const_value
    if node is not None and node.op_type == "Constant" and "value" in node.attributes:
        tensor = attribute(node, "value")
    return None if tensor is None else tensor.numpy()


def _drop(value: ir.Value) -> None:
    """Leave out a constant, or a copy, that nobody reads."""
    node = value.producer()
    if (
        node is not None
        and node.op_type in ("Constant", "Identity")
        and not value.uses()
        and isinstance(node.graph, ir.Graph)
    ):
        node.graph.remove(node, safe=True)


def _same_sizes(*values: ir.Value) -> bool:
    shapes = [value.shape for value in values]
    known = [[*shape] for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return False
    return all(sizes == known[0] for sizes in known) and all(_is_known(size) for size in known[0])


def _is_known(size: int | ir.SymbolicDim) -> bool:
    return isinstance(size, int) or size.value is not None


__all__ = ["without_loops"]
