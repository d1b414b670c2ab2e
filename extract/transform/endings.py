"""Which loops end early only where the program then ends with an error.

    again, e = loop(while true) with again = true, e = 0:
        ...
        give good, good, 3
    return where(again, 0, e)               # not 0 where a round was not good

What such a loop gives after an early end is not read, but for what follows it in vain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from graph_program.extract.ir.error_numbers import sources
from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.truths import Truths

DEEPEST_CHOICES = 12
"""Numbers are looked for behind so many choices."""


def only_a_result(program: GraphProgram, value: Value) -> bool:
    """Whether nothing reads a value but whoever reads the results, of a run without an error."""
    if program.keeps_writes:
        return False
    uses = 0
    for node in program.graph.walk():
        uses += node.inputs.count(value) + sum(region.outputs.count(value) for region in node.regions)
    return not uses and value not in program.graph.outputs[len(program.output_names) :]


Around = Sequence[tuple[Node, int]]
"""The loops and branches that something stands in, outer ones first, and in which of their regions."""


def ends_in_error(program: GraphProgram, loop: Node) -> bool:
    """Whether the program's error number is not 0 where a loop, which stands in nothing, has ended early."""
    if not any(node is loop for node in program.graph.nodes):
        return False
    return bool(program.errors) and inner_ends_in_error(program, loop, (), program.graph.makers())


def inner_ends_in_error(program: GraphProgram, loop: Node, around: Around, makers: dict[Value, Node]) -> bool:
    """The same of a loop that may stand in others: each of them must end early, too."""
    if not program.errors or program.host:
        return False
    known = _LastRound(makers)
    known.say_false(loop.regions[0].outputs[0])
    for node, number in [*around, (loop, 0)][::-1]:
        results = node.regions[number].outputs
        if node.op == "loop" and node is not loop and known.truth(results[0]) is not False:
            return False
        known.note_results(node, number)
    return known.truth(program.graph.outputs[len(program.output_names)]) is True


@dataclass
class _LastRound(Truths):
    """What is known of the last round of a loop, and of the last ones of those around it.

    Where other rounds are asked about, too, nothing follows of choices: `Truths.say` does not look into branches.

    Attributes
    ----------
    among : dict of Value to frozenset of int
        The numbers of which a value is one.
    others : dict of Value to set of int
        Numbers that a value is not.
    """

    among: dict[Value, frozenset[int]] = field(default_factory=dict)
    others: dict[Value, set[int]] = field(default_factory=dict)
    _asked: dict[tuple[Value, int], frozenset[int] | None] = field(default_factory=dict)
    """What has been found since something was said: the same numbers are come to on many ways."""

    def say(self, value: Value, holds: bool) -> None:
        self._asked.clear()
        super().say(value, holds)

    def say_false(self, value: Value) -> None:
        """Say that a condition does not hold: of what is chosen, the side that does was not.

        Where a loop has given it, it did not in the last round of that.
        """
        self.say(value, False)
        node = self.makers.get(value)
        if node is not None and node.op == "equal":
            for one, other in (node.inputs, node.inputs[::-1]):
                numbers = self._numbers(other)
                if numbers is not None and len(numbers) == 1:
                    self._say_is_not(one, *numbers)
        self._follow(value, lambda side: self.truth(side) is True, self.say_false)

    def _say_is_not(self, value: Value, number: int) -> None:
        self._asked.clear()
        self.others.setdefault(value, set()).add(number)
        self._follow(
            value, lambda side: self._numbers(side) == frozenset([number]), lambda v: self._say_is_not(v, number)
        )

    def _follow(self, value: Value, is_out: Callable[[Value], bool], say: Callable[[Value], None]) -> None:
        """Say of what a value is chosen from what is said of it, which some sides cannot be."""
        node = self.makers.get(value)
        if node is None or node.op not in ("where", "if", "loop"):
            return
        place = node.outputs.index(value)
        if node.op == "loop":
            if is_out(node.inputs[place + 2]):  # so there was a round, which has changed it
                say(node.regions[0].outputs[place + 1])
                self.note_results(node, 0)
            return
        first, second = sources(node, place) or []
        for side, other, taken in ((first, second, False), (second, first, True)):
            if is_out(side):
                self.say(node.inputs[0], taken)
                say(other)

    def note_results(self, node: Node, number: int) -> None:
        """Say of what a loop or a branch gives what is known of it in its last round, or on one side."""
        results = node.regions[number].outputs
        self._asked.clear()
        for output, result in zip(node.outputs, results[len(results) - len(node.outputs) :], strict=True):
            answer, numbers = self.truth(result), self._numbers(result) or self._in_order(result)
            if answer is not None:
                self.facts[output] = answer
            if numbers is not None:
                self.among[output] = numbers

    def _in_order(self, value: Value) -> frozenset[int] | None:
        """The numbers of which a value is one that asks tests one after the other, of which the last need not be."""
        known, found = Truths(self.makers, dict(self.facts)), set[int]()
        for _ in range(DEEPEST_CHOICES):
            node = self.makers.get(value)
            if node is not None and node.op == "constant" and value.type.dtype.kind == "i" and not value.type.rank:
                return frozenset({*found, int(node.attrs["value"])})
            if node is None or node.op != "where" or value.type.rank:
                return None
            test, first, second = node.inputs
            holds = known.truth(test)
            if holds is None:
                numbers = self._numbers(first)
                if numbers is None:
                    return None
                found |= numbers
                known = known.where(test, False)
            value = first if holds else second
        return None

    def _truth(self, value: Value, depth: int) -> bool | None:
        found = super()._truth(value, depth)
        numbers = None if found is not None or value.type.dtype.kind != "i" else self._numbers(value)
        return True if numbers and 0 not in numbers else found

    def _are_apart(self, a: Value, b: Value, depth: int) -> bool | None:
        found = super()._are_apart(a, b, depth)
        if found is not None:
            return found
        first, second = self._numbers(a), self._numbers(b)
        if first is None or second is None or (first == second and len(first) > 1):
            return None
        return True if first.isdisjoint(second) else False if first == second else None

    def _numbers(self, value: Value, depth: int = DEEPEST_CHOICES) -> frozenset[int] | None:
        """The numbers of which a value is one, if it is set at all; None if it may be any."""
        if value in self.among:
            return self.among[value]
        node = self.makers.get(value)
        if node is None or not depth or value.type.rank:
            return None
        if (value, depth) not in self._asked:
            found = self._chosen_numbers(node, node.outputs.index(value), depth - 1)
            self._asked[value, depth] = None if found is None else found - self.others.get(value, set())
        return self._asked[value, depth]

    def _chosen_numbers(self, node: Node, place: int, depth: int) -> frozenset[int] | None:
        if node.op == "constant":
            return frozenset([int(node.attrs["value"])]) if node.outputs[0].type.dtype.kind == "i" else None
        sides = sources(node, place)
        if sides is None:
            return None
        if node.op == "loop":
            sides = [side for side in sides if side is not node.regions[0].inputs[place + 1]]
        test = self.truth(node.inputs[0]) if node.op in ("where", "if") else None
        parts = [self._numbers(side, depth) for side in (sides if test is None else [sides[1 - test]])]
        return None if None in parts else frozenset[int]().union(*(part for part in parts if part is not None))


__all__ = ["Around", "ends_in_error", "inner_ends_in_error", "only_a_result"]
