"""What follows of the truth of some numbers for that of others: a number that is not 0 counts as true."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.opposites import are_opposite, opposite_of

DEEPEST = 8
"""So many operations are looked through."""
DEEPEST_CHOICE = 3
"""And so many behind a choice that is open, of which both sides are looked at."""


@dataclass
class Truths:
    """Numbers that are 0, or false, and numbers that are not.

    Attributes
    ----------
    makers : dict of Value to Node
    facts : dict of Value to bool
    """

    makers: dict[Value, Node]
    facts: dict[Value, bool] = field(default_factory=dict)
    _found: dict[tuple[Value | int, ...], bool | None] = field(default_factory=dict)
    """What one question has found so far: the same numbers are come to on many ways."""

    def where(self, value: Value, holds: bool) -> Truths:
        """What is known where a number is not 0, or is."""
        inner = Truths(self.makers, dict(self.facts))
        inner.say(value, holds)
        while any(inner._settled(*fact) for fact in [*inner.facts.items()]):
            pass  # each of them says more of others
        return inner

    def _settled(self, value: Value, holds: bool) -> bool:
        """Take in which operand of an `and` is false, or of an `or` is true, if it can be no other one."""
        node = self.makers.get(value)
        if node is None or node.op != ("bitwise_or" if holds else "bitwise_and") or value.type.dtype.kind != "b":
            return False
        found = {operand: self.truth(operand) for operand in node.inputs}
        left = [operand for operand, truth in found.items() if truth is None]
        if holds in found.values() or len(left) != 1:
            return False
        self.say(left[0], holds)
        return True

    def say(self, value: Value, holds: bool) -> None:
        """Take in whether a number is not 0, and what follows of others."""
        self.facts[value] = holds
        node = self.makers.get(value)
        if node is None:
            return
        if node.op == "invert":
            self.say(node.inputs[0], not holds)
        elif node.op == ("bitwise_and" if holds else "bitwise_or") and value.type.dtype.kind == "b":
            for operand in node.inputs:
                self.say(operand, holds)
        elif node.op in ("equal", "not_equal") and self.truth(node.inputs[1]) is False:
            self.say(node.inputs[0], holds is (node.op == "not_equal"))

    def truth(self, value: Value, depth: int = DEEPEST) -> bool | None:
        """Whether a number is not 0; None if that is not known."""
        if value in self.facts:
            return self.facts[value]
        if depth == DEEPEST:
            self._found.clear()
        if (value, depth) not in self._found:
            self._found[value, depth] = self._truth(value, depth)
        return self._found[value, depth]

    def _truth(self, value: Value, depth: int) -> bool | None:
        node = self.makers.get(value)
        if node is None or not depth or value.type.rank:
            return None
        said = self._said_of_opposite(node)
        if said is not None:
            return not said
        if node.op == "constant":
            return bool(node.attrs["value"])
        if node.op == "invert":
            return _opposite(self.truth(node.inputs[0], depth - 1))
        if node.op in ("equal", "not_equal"):
            differ = self._differ(node.inputs[0], node.inputs[1], depth - 1)
            return differ if node.op == "not_equal" else _opposite(differ)
        if node.op in ("bitwise_and", "bitwise_or") and value.type.dtype.kind == "b":
            return self._joined(node, node.op == "bitwise_or", depth - 1)
        if node.op == "where":
            test, first, second = node.inputs
            return self._chosen(test, first, second, depth - 1)
        if node.op == "if":
            first, second = (region.outputs[node.outputs.index(value)] for region in node.regions)
            return self._chosen(node.inputs[0], first, second, depth - 1)
        return None

    def _said_of_opposite(self, node: Node) -> bool | None:
        """What is known of a comparison that holds where this one does not."""
        if opposite_of(node) is None:
            return None
        makers = ((self.makers.get(fact), holds) for fact, holds in self.facts.items())
        return next((holds for other, holds in makers if other is not None and are_opposite(node, other)), None)

    def _differ(self, a: Value, b: Value, depth: int) -> bool | None:
        if (a, b, depth) not in self._found:
            self._found[a, b, depth] = self._are_apart(a, b, depth)
        return self._found[a, b, depth]

    def _are_apart(self, a: Value, b: Value, depth: int) -> bool | None:
        numbers = [self._number(value, depth) for value in (a, b)]
        if None not in numbers:
            return bool(numbers[0] != numbers[1])
        for one, other, number in ((a, b, numbers[1]), (b, a, numbers[0])):
            sides = [] if number is None else self._sides(one, depth)
            found = {self._differ(side, other, min(depth - 1, DEEPEST_CHOICE)) for side in sides}
            if len(found) == 1 and None not in found:
                return found.pop()
        return self.truth(a, depth) if self.truth(b, depth) is False else None

    def _sides(self, value: Value, depth: int) -> list[Value]:
        """What a choice is between that is still open; empty if a value is none."""
        node = self.makers.get(value)
        if node is None or node.op not in ("if", "where") or depth <= 0 or value.type.rank:
            return []
        if self.truth(node.inputs[0], depth - 1) is not None:
            return []
        place = node.outputs.index(value)
        return node.inputs[1:] if node.op == "where" else [region.outputs[place] for region in node.regions]

    def _number(self, value: Value, depth: int) -> Any:
        """A number that is chosen by what is known; None if that does not say which."""
        node = self.makers.get(value)
        while node is not None and node.op in ("if", "where") and depth and not value.type.rank:
            holds = self.truth(node.inputs[0], depth)
            if holds is None:
                return None
            place = node.outputs.index(value)
            value = node.inputs[2 - holds] if node.op == "where" else node.regions[1 - holds].outputs[place]
            node, depth = self.makers.get(value), depth - 1
        is_known = node is not None and node.op == "constant" and not value.type.rank
        return node.attrs["value"][()] if node is not None and is_known else None

    def _joined(self, node: Node, decides: bool, depth: int) -> bool | None:
        """`and` or `or`; the latter is decided by one operand that is true."""
        found = [self.truth(operand, depth) for operand in node.inputs]
        if decides in found:
            return decides
        return None if None in found else not decides

    def _chosen(self, test: Value, first: Value, second: Value, depth: int) -> bool | None:
        chosen = self.truth(test, depth)
        if chosen is not None:
            return self.truth(first if chosen else second, depth)
        a, b = self.truth(first, depth), self.truth(second, depth)
        return a if a == b else None


def _opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


__all__ = ["Truths"]
