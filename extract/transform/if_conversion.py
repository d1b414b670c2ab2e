"""Compute what stands behind a check in any case, so that the check is no branch.

    e, y = if bad:                          a = sqrt(x)
        give 3, placeholder                 b = take(a, where(bad, 0, k))
    else:                           to      e = where(bad, 3, 0)
        a = sqrt(x)                         y = b
        b = take(a, k)
        give 0, b

If-conversion: control dependence becomes data dependence (Allen, Kennedy, Porterfield and Warren, 1983).
Nobody reads what a failed check has left undefined, so no `where` chooses it.  What is computed in vain must
not fail: an operation goes where it is total (see `totality`), an index is replaced by 0, a loop has no
rounds, an `if` takes its side that is total.  Where nothing of that helps, the branch stays.

An `if` of a few operations on numbers, which are cheaper than a branch, is converted whatever it decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.totality import INDICES, Totality
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, TensorType

CHEAP = 4
"""So many operations on numbers cost no more than a branch."""
TOLD = 6
"""So many operations may tell what has failed: the first index that is outside, and of which axis."""
ROUNDS = 3
SMALL = 16
"""Elements of an array that is chosen by `where`."""

_Choice = tuple[Value, Value, Value]
"""An output and its values on both sides, the same one twice where only it can be read."""


def if_conversion(program: GraphProgram) -> None:
    """Make straight code of branches, in place.

    A branch may hide the sizes of what another one reads, so there are some rounds.
    """
    doubts: Iterable[Value] = ()
    for _ in range(ROUNDS):
        convert = _Convert(program, doubts)
        convert.run()
        if not convert.found:
            return
        doubts = convert.totality.doubted


@dataclass
class _Sides:
    """An `if` as the side that does next to nothing, the other one, and when it would be the first."""

    trivial: Graph
    working: Graph
    trivial_first: bool


class _Convert(Rewriter):
    def __init__(self, program: GraphProgram, doubts: Iterable[Value]):
        super().__init__(program)
        self.totality = Totality(program.graph, doubts)
        self.found = False

    def visit(self, node: Node) -> list[Node]:
        if node.op != "if":
            return [node]
        for first in (True, False):
            sides = _Sides(node.regions[not first], node.regions[first], first)
            if self._worth(node, sides):
                made = self._converted(node, sides)
                if made is not None:
                    return made
        return [node]

    # ------------------------------------------------------------ which

    def _worth(self, node: Node, sides: _Sides) -> bool:
        if self._is_exit(node, sides):
            return _work(sides.trivial) <= TOLD and _only_numbers(sides.trivial, SMALL)
        if not _only_numbers(sides.trivial) or _work(sides.trivial) > CHEAP:
            return False
        work = _work(sides.trivial) + _work(sides.working)
        return work <= CHEAP and _only_numbers(sides.working) and self._choices_made(node) <= 1

    def _choices_made(self, node: Node) -> int:
        """How many outputs it would take `where` to choose; one is about as dear as a branch."""
        pairs = zip(*(region.outputs for region in node.regions), strict=True)
        return sum(self._only(first, second) is None for first, second in pairs)

    def _is_exit(self, node: Node, sides: _Sides) -> bool:
        """Whether the trivial side is that of a check that has failed."""
        return bool(node.attrs.get("fails") == (0 if sides.trivial_first else 1))

    # ------------------------------------------------------------ how

    def _converted(self, node: Node, sides: _Sides) -> list[Node] | None:
        """The nodes of both sides and the choices among their results; None if one may fail."""
        guard = _Guard(self, node, sides.trivial_first)
        before = self.totality.mark()
        self.totality.look_at(node)
        plans = [guard.plan(inner) for inner in sides.working.nodes]
        total = None not in plans and all(map(self.totality.is_total, sides.trivial.nodes))
        choices = self._choices(node) if total else None
        if choices is None or (self.depth and any(map(self._is_in_doubt, choices))):  # it may be a row of a loop's
            self.totality.forget(before)
            return None
        self.found = True
        made = [inner for plan in plans if plan is not None for inner in plan()]
        made = [*guard.nodes, *sides.trivial.nodes, *made, *self._chosen(node, choices)]
        self.totality.move(made, node)
        return made

    def _is_in_doubt(self, choice: _Choice) -> bool:
        """Whether an array that is given may have other sizes than its type."""
        return any(value in self.totality.doubted for value in choice[1:])

    def _choices(self, node: Node) -> list[_Choice] | None:
        """For each output its two values, or the one that can be read; None if one is too large to be chosen."""
        found: list[_Choice] = []
        for output, first, second in zip(node.outputs, *(region.outputs for region in node.regions), strict=True):
            only = self._only(first, second)
            if only is None and not self._is_small(first, second):
                return None
            found.append((output, first if only is None else only, second if only is None else only))
        return found

    def _only(self, first: Value, second: Value) -> Value | None:
        """The one value that can be read, if there is one."""
        if first is second or self._is_undefined(second):
            return first
        return second if self._is_undefined(first) else None

    def _is_small(self, first: Value, second: Value) -> bool:
        """Whether two values are of one type, and no larger than it is cheap to choose."""
        if first.type.rank == second.type.rank == 0:
            return first.type.dtype == second.type.dtype
        shape = self.totality.shape(first)
        if shape is None or shape != self.totality.shape(second) or first.type.dtype != second.type.dtype:
            return False
        sizes = [d.constant for d in shape if d.constant is not None]
        return len(sizes) == len(shape) and math.prod(sizes) <= SMALL

    def _is_undefined(self, value: Value) -> bool:
        node = self.producer.get(value)
        return node is not None and node.op == "placeholder"

    def _chosen(self, node: Node, choices: list[_Choice]) -> list[Node]:
        made = []
        for output, first, second in choices:
            if first is second:
                self.replace(output, first)
            else:
                made.append(self.node("where", [node.inputs[0], first, second], output, {}, node.loc))
        return made


class _Guard:
    """Makes the nodes of a side such that they do not fail where the other side would have been taken."""

    def __init__(self, convert: _Convert, node: Node, trivial_first: bool):
        self.convert, self.loc = convert, node.loc
        self.test = node.inputs[0]
        self.trivial_first = trivial_first
        self.nodes: list[Node] = []
        self._inverted: Value | None = None

    def plan(self, node: Node) -> Callable[[], list[Node]] | None:
        """What makes the nodes that stand for a node and cannot fail; None if there are none."""
        totality = self.convert.totality
        if node.op == "loop":
            totality.doubt_loop(node)
            return partial(self._without_rounds, node)
        if totality.is_total(node):
            return lambda: [node]
        if node.op == "if":
            return self._on_total_side(node)
        if node.op in INDICES and totality.is_total(node, safe_indices=True):
            return partial(self._with_safe_indices, node, totality.perhaps_outside(node))
        return None

    def _with_safe_indices(self, node: Node, unsafe: list[int]) -> list[Node]:
        """An access by indices that are 0 where they might be outside."""
        made = []
        for i in unsafe:
            index = node.inputs[i]
            zero = self.convert.constant(np.zeros((), index.type.dtype), "int_0")
            inputs = [zero, index] if self.trivial_first else [index, zero]
            made.append(self._made("where", [self.test, *inputs], "index", index.type))
            node.inputs[i] = made[-1].outputs[0]
        return [*made, node]

    def _without_rounds(self, node: Node) -> list[Node]:
        """A loop that does not begin."""
        condition = node.inputs[1]
        known = self.convert.constant_of(condition)
        if known is not None and bool(known):
            node.inputs[1] = self._good()
            return [node]
        both = self._made("bitwise_and", [condition, self._good()], "condition", PY_BOOL)
        node.inputs[1] = both.outputs[0]
        return [both, node]

    def _on_total_side(self, node: Node) -> Callable[[], list[Node]] | None:
        """An `if` that takes a side which cannot fail."""
        for region, op, other in zip(node.regions, ("bitwise_or", "bitwise_and"), (self._bad, self._good), strict=True):
            if all(map(self.convert.totality.is_total, region.nodes)):
                self.convert.totality.doubt(node)
                return partial(self._with_test, node, op, other)
        return None

    def _with_test(self, node: Node, op: str, other: Callable[[], Value]) -> list[Node]:
        both = self._made(op, [node.inputs[0], other()], "test", PY_BOOL)
        node.inputs[0] = both.outputs[0]
        return [both, node]

    def _bad(self) -> Value:
        return self.test if self.trivial_first else self._inverse()

    def _good(self) -> Value:
        return self._inverse() if self.trivial_first else self.test

    def _inverse(self) -> Value:
        if self._inverted is None:
            self.nodes.append(self._made("invert", [self.test], "good" if self.trivial_first else "bad", PY_BOOL))
            self._inverted = self.nodes[-1].outputs[0]
        return self._inverted

    def _made(self, op: str, inputs: list[Value], name: str, type_: TensorType) -> Node:
        return self.convert.node(op, inputs, Value(self.convert.names.fresh(name), type_), {}, self.loc)


def _work(graph: Graph) -> int:
    """How many operations a side has."""
    return sum(node.op not in ("constant", "placeholder") for node in graph.nodes)


def _only_numbers(graph: Graph, most: int = 1) -> bool:
    """Whether a side has no loops, branches or arrays, but for arrays of a few elements."""
    return all(
        not node.regions and all(_is_number(value, most) for value in (*node.inputs, *node.outputs))
        for node in graph.nodes
        if node.op not in ("placeholder", "dim")
    )


def _is_number(value: Value, most: int) -> bool:
    sizes = [size.constant for size in value.type.shape]
    return not sizes or (most > 1 and None not in sizes and math.prod(s for s in sizes if s is not None) <= most)
