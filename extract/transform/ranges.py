"""Between which sizes integers lie, and the comparisons that this decides.

    c = take(codes, k)                  # uint8
    i = cast(c, dtype=int64)            to      i = cast(c, dtype=int64)
    bad = greater_equal(i, 256)                 bad = false

A range is two sizes (see `types/dims`): numbers, or expressions in the sizes of the inputs.  It follows from the
element type, from the number of rounds of the loop that counts, and from the operation that makes the value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.dims import Dim, dim, provably_less_equal
from graph_program.extract.types.number_sizes import number_size

LARGEST = 2**31
"""Greater integers are no sizes; sums and products of smaller ones are integers of 64 bits."""
DEEPEST = 6
"""So many operations are looked through."""

Range = tuple[Dim, Dim]
"""The least and the greatest value of an integer."""


def ranges(program: GraphProgram) -> None:
    """Decide comparisons of integers, in place."""
    _Decide(program).run()


class Ranges:
    """What is known of integers from where they come.

    Parameters
    ----------
    shape : callable
        The sizes of a value, as far as they may be relied on.
    sizes : dict of Value to Dim
        Integers that are known to be sizes wherever they are asked for.
    """

    def __init__(self, shape: Callable[[Value], tuple[Dim, ...] | None]):
        self.shape = shape
        self.sizes: dict[Value, Dim] = {}
        self._makers: dict[Value, Node] = {}
        self._trips: dict[Value, Value] = {}

    def note(self, node: Node) -> None:
        """Say what gives the outputs of a node, and how often a loop runs."""
        self._makers.update(dict.fromkeys(node.outputs, node))
        if node.op == "loop":
            self._trips[node.regions[0].inputs[0]] = node.inputs[0]

    def of(self, value: Value, depth: int = DEEPEST) -> Range | None:
        """The range of a number; None if nothing is known."""
        if value.type.rank or not depth:
            return None
        if value in self.sizes:
            return self.sizes[value], self.sizes[value]
        if value in self._trips:
            trips = self.of(self._trips[value], depth - 1)
            return None if trips is None else (dim(0), trips[1] - 1)
        node = self._makers.get(value)
        rule = RULES.get(node.op) if node is not None else None
        found = rule(self, node, depth - 1) if rule is not None and node is not None else None
        return _of_type(value.type.dtype) if found is None else found

    def is_constant(self, value: Value) -> bool:
        node = self._makers.get(value)
        return node is not None and node.op == "constant"


def _of_type(dtype: np.dtype) -> Range | None:
    if dtype.kind == "b":
        return dim(0), dim(1)
    if dtype.kind in "iu" and dtype.itemsize <= 2:
        return dim(int(np.iinfo(dtype).min)), dim(int(np.iinfo(dtype).max))
    return None


# ---------------------------------------------------------------- operations

Rule = Callable[[Ranges, Node, int], Range | None]


def _constant(ranges: Ranges, node: Node, depth: int) -> Range | None:
    array = node.attrs["value"]
    if array.dtype.kind not in "iu" or abs(int(array)) > LARGEST:
        return None
    return dim(int(array)), dim(int(array))


def _size(ranges: Ranges, node: Node, depth: int) -> Range | None:
    shape = ranges.shape(node.inputs[0])
    return None if shape is None else (shape[node.attrs["axis"]], shape[node.attrs["axis"]])


def _cast(ranges: Ranges, node: Node, depth: int) -> Range | None:
    if node.outputs[0].type.dtype != np.int64 or node.inputs[0].type.dtype.kind not in "biu":
        return None
    return ranges.of(node.inputs[0], depth)


def _operands(ranges: Ranges, node: Node, depth: int) -> tuple[Range, Range] | None:
    if node.outputs[0].type.dtype != np.int64:
        return None  # it may wrap around
    a, b = (ranges.of(value, depth) for value in node.inputs)
    return None if a is None or b is None else (a, b)


def _sum(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = _operands(ranges, node, depth)
    return None if found is None else (found[0][0] + found[1][0], found[0][1] + found[1][1])


def _difference(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = _operands(ranges, node, depth)
    return None if found is None else (found[0][0] - found[1][1], found[0][1] - found[1][0])


def _multiple(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = _operands(ranges, node, depth)
    for (low, high), (least, greatest) in (found, found[::-1]) if found is not None else ():
        if least == greatest and least.constant is not None:
            ends = (low * least, high * least)
            return ends if least.constant >= 0 else (ends[1], ends[0])
    return None


def _negative(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = ranges.of(node.inputs[0], depth) if node.outputs[0].type.dtype == np.int64 else None
    return None if found is None else (-found[1], -found[0])


def _remainder(ranges: Ranges, node: Node, depth: int) -> Range | None:
    divisor = ranges.of(node.inputs[1], depth)
    if divisor is None or not provably_less_equal(1, divisor[0]):
        return None
    return dim(0), divisor[1] - 1


def _masked(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """`x & mask` is not negative and at most the mask, if that is not negative."""
    if node.outputs[0].type.dtype.kind == "b":
        return None
    known = [found for value in node.inputs if (found := ranges.of(value, depth)) is not None]
    return next(((dim(0), high) for low, high in known if provably_less_equal(0, low)), None)


def _position(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """Where the greatest element is, on the one axis that there is."""
    shape = ranges.shape(node.inputs[0])
    return None if shape is None or len(shape) != 1 else (dim(0), shape[0] - 1)


def _of_sizes(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """What an operation gives for integers that are sizes."""
    found = [ranges.of(value, depth) for value in node.inputs] if node.outputs[0].type.dtype == np.int64 else [None]
    size = number_size(node.op, [r[0] if r is not None and r[0] == r[1] else None for r in found])
    return None if size is None else (size, size)


def _chosen(ranges: Ranges, node: Node, depth: int) -> Range | None:
    a, b = (ranges.of(value, depth) for value in node.inputs[1:])
    if a is None or b is None:
        return None
    low = next((x for x, y in ((a[0], b[0]), (b[0], a[0])) if provably_less_equal(x, y)), None)
    high = next((x for x, y in ((a[1], b[1]), (b[1], a[1])) if provably_less_equal(y, x)), None)
    return None if low is None or high is None else (low, high)


RULES: dict[str, Rule] = {
    "constant": _constant,
    "dim": _size,
    "cast": _cast,
    "add": _sum,
    "subtract": _difference,
    "multiply": _multiple,
    "negative": _negative,
    "floor_divide": _of_sizes,
    "maximum": _of_sizes,
    "minimum": _of_sizes,
    "remainder": _remainder,
    "bitwise_and": _masked,
    "argmax": _position,
    "argmin": _position,
    "where": _chosen,
}


# ---------------------------------------------------------------- comparisons


class _Decide(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.ranges = Ranges(lambda value: value.type.shape)

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.ranges.note(node)
        super().graph(graph)

    def visit(self, node: Node) -> list[Node]:
        order = ORDERS.get(node.op)
        if order is None:
            return [node]
        a, b = (self.ranges.of(value) for value in node.inputs)
        if a is None or b is None or all(map(self.ranges.is_constant, node.inputs)):
            return [node]
        answer = order(a, b)
        if answer is None:
            return [node]
        self.replace(node.outputs[0], self.constant(np.array(answer), str(answer).lower()))
        return []


def _less(a: Range, b: Range) -> bool | None:
    if provably_less_equal(a[1] + 1, b[0]):
        return True
    return False if provably_less_equal(b[1], a[0]) else None


def _not_above(a: Range, b: Range) -> bool | None:
    greater = _less(b, a)
    return None if greater is None else not greater


def _differ(a: Range, b: Range) -> bool | None:
    apart = provably_less_equal(a[1] + 1, b[0]) or provably_less_equal(b[1] + 1, a[0])
    return True if apart else None


def _are_equal(a: Range, b: Range) -> bool | None:
    return None if _differ(a, b) is None else False


ORDERS: dict[str, Callable[[Range, Range], bool | None]] = {
    "less": _less,
    "greater": lambda a, b: _less(b, a),
    "less_equal": _not_above,
    "greater_equal": lambda a, b: _not_above(b, a),
    "equal": _are_equal,
    "not_equal": _differ,
}

__all__ = ["Range", "Ranges", "ranges"]
