"""Which operations cannot fail, whatever their operands hold.

A type says the sizes of a value on the paths where the program computes it.  Where it is computed in vain they
may be others, if it took more than the sizes of its operands to know them: `x[:k]` has k elements behind a
check of k.  So what an operation needs of sizes must follow from sizes that hold in any case; a value of which
that is not known is in doubt.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import overload

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.sizes_read import EXTREMES, INDICES, axes_of, sizes_read
from graph_program.extract.types.dims import Dim, dim, provably_less_equal
from graph_program.extract.types.rules.type_rules import infer
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.tensor_api.opdef import OPS

BROADCASTING = frozenset({"elementwise", "predicate", "where"})
"""Families of operations whose operands must broadcast."""
VIEWS = frozenset({"cast", "dim", "transpose", "expand_dims"})
"""Families of operations that do the same for any shape."""
ANY_SHAPE = frozenset({"same", "positions", "same_float32", "same_float", "reduction"})
"""Families of operations that take an operand of any shape, but for extremes."""


@dataclass(frozen=True)
class _Place:
    """The graphs around that of a node, and sizes that are at least 1 there."""

    outer: tuple[Graph, ...]
    positive: tuple[Dim, ...]


class _Numbers(Sequence[Dim | None]):
    """The operands of a node as sizes, as far as they are known; most rules of types ask for none."""

    def __init__(self, ranges: Ranges, node: Node):
        self.ranges, self.node = ranges, node

    def __len__(self) -> int:
        return len(self.node.inputs)

    @overload
    def __getitem__(self, place: int) -> Dim | None: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Dim | None]: ...

    def __getitem__(self, place: int | slice) -> Dim | Sequence[Dim | None] | None:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        return self.ranges.number(self.node.inputs[place])


class Totality:
    """What is known of a graph's values in any case.

    Parameters
    ----------
    graph : Graph
    doubts : iterable of Value
        Values of which earlier conversions have put the sizes into doubt.
    """

    def __init__(self, graph: Graph, doubts: Iterable[Value] = ()):
        self.ranges = Ranges(self.shape)
        self._places: dict[Node, _Place] = {}
        self._here = _Place((), ())
        self._home: dict[Value, Graph] = {}
        self.doubted: dict[Value, None] = dict.fromkeys(doubts)
        """Values whose sizes may be others since something is computed in vain, in that order."""
        self._unset: set[Value] = set()
        """Values that are, or may be, what stands for one that is not there."""
        self._lost: set[Value] = set()
        """Values that may be such behind an error."""
        self._sizes = frozenset[str]().union(*(size.symbols for x in graph.inputs for size in x.type.shape))
        """The names of the sizes of arguments."""
        self._graph(graph, (), ())

    def _graph(self, graph: Graph, outer: tuple[Graph, ...], positive: tuple[Dim, ...]) -> None:
        for node in graph.nodes:
            self.ranges.note(node)
            self._home.update(dict.fromkeys(node.outputs, graph))
            inside = positive
            if node.op == "if":
                self._places[node] = _Place(outer, positive)
            elif node.op == "loop":
                inside = (*positive, *self._rounds(node))
            else:
                positive = (*positive, *sizes_read(node, arrays=False))
            for region in node.regions:
                self._graph(region, (*outer, graph), inside)
            self._note_undefined(node)
            self._note_doubts(node)

    def _rounds(self, loop: Node) -> tuple[Dim, ...]:
        """The number of rounds of a loop, which is positive inside."""
        found = self.ranges.of(loop.inputs[0])
        return () if found is None else (found[1],)

    def _note_undefined(self, node: Node) -> None:
        if node.op == "placeholder":
            self._unset.update(node.outputs)
        elif node.op == "if":
            for i, output in enumerate(node.outputs):
                for k, region in enumerate(node.regions):
                    self._note(output, region.outputs[i], node.attrs.get("fails") == k)
        elif node.op == "loop":
            body = node.regions[0]
            slots = zip(body.inputs[1:], node.outputs, node.inputs[2:], body.outputs[1:], strict=True)
            for parameter, output, initial, result in slots:
                for value in (initial, result):
                    self._note(output, value)
                    if value in self._unset:  # after an error there is no other round
                        self._unset.add(parameter)

    def _note_doubts(self, node: Node) -> None:
        """Note what has other sizes than its type where a loop does not begin after an error, and what is made of it.

        A loop that has all its rounds, or else none, gives sizes that do not come from it.
        """
        if node.op == "loop" and not self.ranges.is_constant(node.inputs[1]):
            self._doubt_others(node.outputs, node.inputs[2:])
        elif node.op == "if" and "fails" not in node.attrs:
            for region in node.regions:  # of which one may be such a loop as array operations
                self._doubt_others(node.outputs, region.outputs)
        elif not node.regions and any(value in self.doubted for value in node.inputs):
            self.doubt(node)

    def _doubt_others(self, outputs: Sequence[Value], given: Sequence[Value]) -> None:
        """Note outputs of which the sizes that arguments say are others than those of what may be given."""
        for output, other in zip(outputs, given, strict=True):
            known = all(size.symbols <= self._sizes for size in output.type.shape)
            if known and output.type.shape != other.type.shape:
                self.doubted[output] = None

    def _note(self, value: Value, source: Value, fails: bool = False) -> None:
        """Note what becomes of one value in another."""
        if source in self._unset and not fails:
            self._unset.add(value)
        elif self._is_in_doubt(source):
            self._lost.add(value)

    def may_be_unset(self, value: Value) -> bool:
        """Whether a value is, or may be, what stands for one that is not there."""
        return value in self._unset

    # ------------------------------------------------------------ doubts

    def look_at(self, node: Node) -> None:
        """Say of what holds where an `if` is."""
        self._here = self._places[node]

    def _is_in_doubt(self, value: Value) -> bool:
        """Whether the sizes of a value may be others.

        An inner graph whose operations might fail is not run in vain; there, what is outside is as it should be.
        """
        if not value.type.rank:
            return False
        in_vain = value in self.doubted or value in self._lost
        return value in self._unset or (in_vain and self._home.get(value) not in self._here.outer)

    def mark(self) -> int:
        """How much is in doubt; see `forget`."""
        return len(self.doubted)

    def forget(self, mark: int) -> None:
        """Take back what has come into doubt."""
        for value in list(self.doubted)[mark:]:
            del self.doubted[value]

    def doubt(self, node: Node) -> None:
        """The sizes of what a node gives may be others than its types say."""
        self.doubted.update(dict.fromkeys(output for output in node.outputs if output.type.rank))

    def doubt_loop(self, node: Node) -> None:
        """The same of a loop that may have no rounds: where it has changed sizes."""
        for output, initial in zip(node.outputs, node.inputs[2:], strict=True):
            if self._is_in_doubt(initial) or initial.type.shape != output.type.shape:
                self.doubted[output] = None

    def move(self, nodes: Iterable[Node], place: Node) -> None:
        """Nodes stand where another one has stood."""
        home = self._home[place.outputs[0]]
        for node in nodes:
            self.ranges.note(node)
            self._home.update(dict.fromkeys(node.outputs, home))

    def copied(self, graph: Graph, place: Node) -> None:
        """A copy of nodes stands in one of the sides of an `if`, or further inside."""
        for node in graph.walk():
            self._home.update(dict.fromkeys(node.outputs, graph))
            if node.op == "if":
                self._places[node] = self._places[place]

    def shape(self, value: Value) -> tuple[Dim, ...] | None:
        """The sizes of a value, if they hold in any case."""
        return None if self._is_in_doubt(value) else value.type.shape

    # ------------------------------------------------------------ operations

    def is_total(self, node: Node, safe_indices: bool = False) -> bool:
        """Whether an operation cannot fail; the sizes of what it gives may come into doubt.

        With `safe_indices`, its indices are 0 where they might be outside.
        """
        if node.op == "if":
            self.doubt(node)
            return all(self.is_total(inner) for region in node.regions for inner in region.nodes)
        verdict = self._verdict(node, safe_indices)
        if verdict is not None and not (verdict and self._follows(node)):
            self.doubt(node)
        return verdict is not None

    def may_tell(self, node: Node) -> bool:
        """Whether an operation may fail where the program does it, so that an error is told by that.

        What fails where operands do not broadcast has a check before it, which is never left to the operation.
        """
        is_checked = node.op in OPS and OPS[node.op].family in BROADCASTING
        return not self.is_total(node) and not is_checked

    def _follows(self, node: Node) -> bool:
        """Whether the sizes of what an operation gives follow from those of its operands, without a check of them."""
        if node.op not in OPS or not node.outputs[0].type.rank:
            return True
        try:
            inferred = infer(node.op, [value.type for value in node.inputs], node.attrs, _Numbers(self.ranges, node))
        except TypeRuleError:
            return False
        return inferred.shape == node.outputs[0].type.shape

    def _verdict(self, node: Node, safe_indices: bool) -> bool | None:
        """Whether the sizes of what a total operation gives are known; None if it may fail."""
        if node.op in ("constant", "placeholder"):
            return True
        if node.op not in OPS:
            return None
        family = OPS[node.op].family
        known = all(self.shape(value) is not None for value in node.inputs)
        if family in BROADCASTING:
            return self._broadcast(node)
        if family in VIEWS:
            return known
        if not known:
            return None  # the back end may have counted on its sizes
        if family in ANY_SHAPE and node.op not in EXTREMES:
            return True
        if node.op == "slice":
            return True if all(node.attrs["steps"]) else None
        if node.op in INDICES:
            return self._indexed(node, safe_indices)
        rule = RULES.get(node.op)
        return True if rule is not None and rule(self, node) else None

    def _broadcast(self, node: Node) -> bool | None:
        shapes = [self.shape(value) for value in node.inputs if value.type.rank]
        sizes = [shape for shape in shapes if shape is not None]
        if len(shapes) < 2:
            return len(sizes) == len(shapes)
        if len(sizes) < len(shapes):
            return None
        return True if fit_each_other(sizes) else None

    def _indexed(self, node: Node, safe: bool) -> bool | None:
        """An access of an array by indices, one for each axis."""
        x, indices = node.inputs[0], node.inputs[INDICES[node.op] :]
        if node.op == "set_index":
            value = node.inputs[1].type
            if value.rank and value.shape != x.type.shape[len(indices) :]:
                return None
        sizes = x.type.shape[node.attrs.get("axis", 0) :]
        outside = [sizes[i - INDICES[node.op]] for i in self.perhaps_outside(node)]
        return True if not outside or (safe and all(map(self.is_positive, outside))) else None

    def perhaps_outside(self, node: Node) -> list[int]:
        """The numbers of the operands of an access that are indices which may be outside."""
        first, axis = INDICES[node.op], node.attrs.get("axis", 0)
        pairs = zip(node.inputs[first:], node.inputs[0].type.shape[axis:], strict=False)
        return [i for i, (index, size) in enumerate(pairs, first) if not self._is_inside(index, size)]

    def is_positive(self, size: Dim) -> bool:
        """Whether an axis has elements."""
        return any(provably_less_equal(least, size) for least in (dim(1), *self._here.positive))

    def _is_inside(self, index: Value, size: Dim) -> bool:
        found = self.ranges.of(index)
        if found is None:
            return False
        return provably_less_equal(-size, found[0]) and provably_less_equal(found[1] + 1, size)


def fit_each_other(shapes: Collection[tuple[Dim, ...]]) -> bool:
    """Whether arrays of these shapes broadcast, as each axis has one size, or 1."""
    longest = max(map(len, shapes), default=0)
    aligned = [(dim(1),) * (longest - len(shape)) + shape for shape in shapes]
    return all(len({d for d in axis if d.constant != 1}) <= 1 for axis in zip(*aligned, strict=True))


# ---------------------------------------------------------------- operations with a rule of their own


def _extreme(totality: Totality, node: Node) -> bool:
    return all(totality.is_positive(node.inputs[0].type.shape[axis]) for axis in axes_of(node))


def _product(totality: Totality, node: Node) -> bool:
    x, y = (value.type.shape for value in node.inputs)
    return 0 < len(x) <= 2 and 0 < len(y) <= 2 and x[-1] == y[0]


def _joined(totality: Totality, node: Node) -> bool:
    axis = node.attrs["axis"]
    return len({(*v.type.shape[:axis], *v.type.shape[axis + 1 :]) for v in node.inputs}) == 1


def _made(totality: Totality, node: Node) -> bool:
    """An array of sizes that others have in any case."""
    found = [totality.ranges.of(size) for size in (node.inputs[1:] if node.op == "full" else node.inputs)]
    return all(r is not None and r[0] == r[1] and provably_less_equal(0, r[0]) for r in found)


def _squeezed(totality: Totality, node: Node) -> bool:
    return all(node.inputs[0].type.shape[axis].constant == 1 for axis in node.attrs["axes"])


def _reshaped(totality: Totality, node: Node) -> bool:
    sizes = [d.constant for d in (*node.inputs[0].type.shape, *node.outputs[0].type.shape)]
    return None not in sizes and all(map(totality.ranges.is_constant, node.inputs[1:]))


RULES: dict[str, Callable[[Totality, Node], bool]] = {
    **dict.fromkeys(EXTREMES, _extreme),
    "matmul": _product,
    "concatenate": _joined,
    "full": _made,
    "iota": _made,
    "squeeze": _squeezed,
    "reshape": _reshaped,
}
"""Whether an operation on arrays of known sizes cannot fail."""

__all__ = ["EXTREMES", "INDICES", "Totality", "fit_each_other"]
