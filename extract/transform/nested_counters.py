"""What loops inside of loops count on is computed from the numbers of their rounds.

    i = loop(k < h) with i.0 = 0:                       i = loop(k < h) with i.0 = 0:
        i.1 = loop(m < w) with i.2 = i.0:                   i.1 = loop(m < w) with i.2 = k * w:
            y[i.2] = ...                        to              y[i.2] = ...
            give add(i.2, 1)                                    give add(i.2, 1)
        give i.1                                            give i.1

Its range is then known, and rounds do not wait for those before them.  A loop may end early if that around it does,
too: in a round that there is, all rounds of loops inside have been done in those before it.  (Induction variable
substitution; Wolfe, "Beyond Induction Variables", 1992.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.rewrite import defined_in, replace_values
from graph_program.extract.transform.trip_counts import Arithmetic
from graph_program.extract.transform.truths import Truths
from graph_program.extract.types.dims import provably_less_equal

DEEPEST = 12
"""So many operations are looked through."""


def nested_counters(program: GraphProgram) -> None:
    """Compute what loops inside of loops count on from the numbers of their rounds, in place."""
    if any(_has_loop(node) for node in program.graph.walk()):
        _NestedCounters(program).run()


def _has_loop(node: Node) -> bool:
    return node.op == "loop" and any(inner.op == "loop" for inner in node.regions[0].walk())


@dataclass(frozen=True)
class _Amount:
    """A sum of products of numbers that are the same in all rounds; whether rounds of a loop inside are part of it."""

    terms: Mapping[tuple[Value, ...], int] = field(default_factory=dict)
    is_nested: bool = False

    def plus(self, other: _Amount, sign: int = 1) -> _Amount:
        terms = dict(self.terms)
        for factors, number in other.terms.items():
            terms[factors] = terms.get(factors, 0) + sign * number
        return _Amount({f: n for f, n in terms.items() if n}, self.is_nested or other.is_nested)

    def times(self, other: _Amount) -> _Amount:
        total = _Amount({}, self.is_nested or other.is_nested)
        for factors, number in self.terms.items():
            for more, by in other.terms.items():
                product = tuple(sorted((*factors, *more), key=lambda value: value.name))
                total = total.plus(_Amount({product: number * by}))
        return total


UNREAD = _Amount({}, True)
"""What nobody reads, so that it is anything."""


class _NestedCounters(RangedRewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.makers = program.graph.makers()

    def visit(self, node: Node) -> list[Node]:
        if not self.depth and _has_loop(node):
            known, found = set[Value](), list[tuple[_Loop, list[tuple[int, _Amount]]]]()
            for loop in (one for one in (node, *node.regions[0].walk()) if one.op == "loop"):
                one = _Loop(self, loop)
                counted = list(one.counted(known))
                known |= {loop.regions[0].inputs[1 + place] for place, _ in counted}
                found.append((one, counted))
            around = {inner: graph for graph in node.regions[0].graphs() for inner in graph.nodes}
            for one, counted in found:
                self._count(one.loop, counted)
                if one.loop in around and counted:
                    self._say_ends(around[one.loop], one, counted)
        return [node]

    def _count(self, loop: Node, counted: list[tuple[int, _Amount]]) -> None:
        """Compute numbers that a loop carries of the number of its rounds."""
        (body,), made = loop.regions, Arithmetic(self, loop.loc)
        replaced = {
            body.inputs[1 + place]: self._after(made, loop, place, amount, body.inputs[0]) for place, amount in counted
        }
        replace_values(body, replaced)
        body.nodes[:0] = made.nodes
        for node in made.nodes:
            self.ranges.note(node)

    def _say_ends(self, graph: Graph, one: _Loop, counted: list[tuple[int, _Amount]]) -> None:
        """Compute numbers behind a loop of a graph so, too, where a branch has asked whether it has done all rounds."""
        loop, number = one.loop, graph.nodes.index(one.loop) + 1
        regions = [
            region
            for node in (graph.nodes[number:] if one.has_all_rounds(loop) else ())
            for region, holds in (zip(node.regions, (True, False), strict=True) if node.op == "if" else ())
            if one.is_complete(loop, node.inputs[0], Truths(self.makers).where(node.inputs[0], holds))
        ]
        if not regions:
            return
        made = Arithmetic(self, loop.loc)
        ends = {
            loop.outputs[place]: self._after(made, loop, place, amount, loop.inputs[0]) for place, amount in counted
        }
        for region in regions:
            replace_values(region, ends)
        graph.nodes[number:number] = made.nodes
        for node in made.nodes:
            self.ranges.note(node)

    def _after(self, made: Arithmetic, loop: Node, place: int, amount: _Amount, rounds: Value) -> Value:
        """What so many rounds have made of a carried number."""
        by = functools.reduce(functools.partial(made.op, "add"), self._products(made, amount))
        grown = made.op("multiply", rounds, by)
        return made.op("add", loop.inputs[2 + place], grown, type=loop.outputs[place].type)

    def _products(self, made: Arithmetic, amount: _Amount) -> Iterator[Value]:
        for factors, number in amount.terms.items():
            parts = [*factors, *([made.number(number)] if number != 1 or not factors else [])]
            yield functools.reduce(functools.partial(made.op, "multiply"), parts)


class _Loop:
    """A loop of a nest."""

    def __init__(self, rewriter: _NestedCounters, loop: Node):
        self.rewriter, self.makers = rewriter, rewriter.makers
        self.loop, (self.body,) = loop, loop.regions
        self.inside = defined_in([self.body])

    def counted(self, known: Collection[Value]) -> Iterator[tuple[int, _Amount]]:
        """The places of numbers to which each round adds the same, and how much.

        Rounds of loops inside do, or the number begins as one that is known to be counted by the loops around.
        """
        again = self.body.outputs[0]
        truths = Truths(self.makers).where(again, True)
        for place, (parameter, given) in enumerate(zip(self.body.inputs[1:], self.body.outputs[1:], strict=True)):
            if parameter.type.rank or parameter.type.dtype != np.int64 or given is parameter:
                continue
            amount = self._amount(given, parameter, again, truths, DEEPEST)
            if amount is None or not amount.terms:
                continue
            if amount.is_nested or self.loop.inputs[2 + place] in known:
                yield place, amount

    def _amount(self, value: Value, parameter: Value, again: Value, truths: Truths, depth: int) -> _Amount | None:
        """By how much a number is more than a parameter behind a round with which a loop goes on."""
        node = self.makers.get(value)
        if value is parameter:
            return _Amount()
        if node is None or not depth or value.type.rank or value not in self.inside:
            return None
        of = functools.partial(self._amount, parameter=parameter, again=again, truths=truths, depth=depth - 1)
        if node.op == "placeholder":
            return UNREAD
        if node.op in ("add", "subtract"):
            return self._sum(node, of)
        if node.op in ("if", "where"):
            return self._chosen(node, value, parameter, again, truths, depth)
        if node.op == "loop":
            return self._of_loop(node, node.outputs.index(value), again, truths, of)
        return None

    def _sum(self, node: Node, of: Callable[[Value], _Amount | None]) -> _Amount | None:
        a, b = node.inputs
        sign = 1 if node.op == "add" else -1
        for one, other in ((a, b), (b, a)) if sign == 1 else ((a, b),):
            added = self._same(other)
            found = of(one) if added is not None else None
            if found is not None and added is not None and found is not UNREAD:
                return found.plus(added, sign)
        return None

    def _same(self, value: Value) -> _Amount | None:
        """A number that is the same in all rounds."""
        known = self.rewriter.integer_of(value)
        if known is not None:
            return _Amount({(): known} if known else {})
        is_outside = value not in self.inside and not value.type.rank and value.type.dtype == np.int64
        return _Amount({(value,): 1}) if is_outside else None

    def _chosen(
        self, node: Node, value: Value, parameter: Value, again: Value, truths: Truths, depth: int
    ) -> _Amount | None:
        found = []
        for number, holds in enumerate((True, False)):
            inner = truths.where(node.inputs[0], holds)
            if truths.truth(node.inputs[0]) is (not holds) or inner.truth(again) is False:
                continue
            place = node.outputs.index(value)
            given = node.regions[number].outputs[place] if node.op == "if" else node.inputs[1 + number]
            found.append(self._amount(given, parameter, again, inner, depth - 1))
        read = [amount for amount in found if amount is not UNREAD]
        return read[0] if read and all(amount == read[0] for amount in read) else None

    def _of_loop(
        self, loop: Node, place: int, again: Value, truths: Truths, of: Callable[[Value], _Amount | None]
    ) -> _Amount | None:
        """What a loop inside gives that does all of its rounds."""
        (body,), rounds, before = loop.regions, self._rounds(loop), of(loop.inputs[2 + place])
        if rounds is None or before is None or before is UNREAD or not self.is_complete(loop, again, truths):
            return None
        inner, parameter = body.outputs[0], body.inputs[1 + place]
        known = Truths(self.makers).where(inner, True)
        each = self._amount(body.outputs[1 + place], parameter, inner, known, DEEPEST)
        if each is None or each is UNREAD:
            return None
        return before.plus(each.times(rounds)).plus(_Amount({}, True))

    def _rounds(self, loop: Node) -> _Amount | None:
        """The number of rounds of a loop inside, which is not negative."""
        return self._same(loop.inputs[0]) if self.has_all_rounds(loop) else None

    def has_all_rounds(self, loop: Node) -> bool:
        """Whether the number of rounds of a loop is not negative."""
        found = self.rewriter.ranges.of(loop.inputs[0])
        return found is not None and provably_less_equal(0, found[0])

    def is_complete(self, loop: Node, goes_on: Value, truths: Truths) -> bool:
        """Whether a loop inside has done all of its rounds: what it gives would say so else."""
        begins, again = self.rewriter.constant_of(loop.inputs[1]), loop.regions[0].outputs[0]
        if begins is None or not bool(begins):
            return False
        known = self.makers.get(again)
        if known is not None and known.op == "constant" and bool(known.attrs["value"]):
            return True
        ended = Truths(self.makers).where(again, False)
        for output, given in zip(loop.outputs, loop.regions[0].outputs[1:], strict=True):
            if output.type.rank or output.type.dtype != np.bool_:
                continue
            truth = ended.truth(given)
            if truth is None:
                continue
            if truths.truth(output) is (not truth) or Truths(self.makers).where(output, truth).truth(goes_on) is False:
                return True
        return False


__all__ = ["nested_counters"]
