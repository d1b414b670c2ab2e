"""Of several whole numbers the extreme is taken so that what the round before gives comes last.

    best = min(left + 1, above + 1, corner + cost)      to      m = min(above + 1, corner + cost)
                                                                best = min(left + 1, m)

where `left` is the `best` of the round before, in a variable or in an array.  Each round waits for the one before it:
for one comparison then, not for all of them, and the others are done meanwhile.  Whole numbers have the same extreme in
any order; floats do not, for their NaN and their zeros.  Compilers would put what stands first last again, so that the
extreme of the others is `held`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass

SMALLER = {"less": True, "less_equal": True, "greater": False, "greater_equal": False}
"""Comparisons that hold where the first operand is the smaller, or the larger one; which is taken of equals is one."""
HELD = "held"
"""The attribute of a choice whose result is made before what follows."""
Form = tuple[int, Value | None, int]
"""An index: rounds of the loop, 0 or 1 times, a value that does not change in the loop, and a number."""


@dataclass
class _Extreme:
    """A choice of the smaller, or the larger of two numbers."""

    node: Node
    test: Node
    is_minimum: bool


def late_operands(program: GraphProgram) -> None:
    """Reorder extremes in the bodies of loops, in place."""
    makers = program.graph.makers()
    uses = Counter(value for node in program.graph.walk() for value in _read(node))
    uses.update(program.graph.outputs)
    for node in program.graph.walk():
        if node.op == "loop":
            _Body(node.regions[0], makers, uses).reorder()


def _read(node: Node) -> Iterator[Value]:
    yield from node.inputs
    for region in node.regions:
        yield from region.outputs


class _Body:
    """What the rounds of a loop do."""

    def __init__(self, body: Graph, makers: dict[Value, Node], uses: Counter[Value]):
        self.body, self.makers, self.uses = body, makers, uses
        self.own = {value: node for node in body.nodes for value in node.outputs}

    def reorder(self) -> None:
        for node in [node for node in self.body.nodes if node.op == "where"]:
            last = self._extreme(node)
            if last is None:
                continue
            links, operands = self._chain(last)
            late = self._late(node.outputs[0], operands)
            early = [value for value in operands if value not in late]
            if len(early) > 1 and late and operands[-len(late) :] != late:
                self._rewrite(links, early, late)

    def _extreme(self, node: Node | None) -> _Extreme | None:
        """What a node chooses, if it is an extreme of whole numbers."""
        if node is None or node.op != "where" or node.outputs[0].type.rank:
            return None
        test, yes, no = node.inputs
        made = self.own.get(test)
        if made is None or made.op not in SMALLER or self.uses[test] != 1 or yes is no:
            return None
        if {yes, no} != {*made.inputs} or len({v.type.dtype for v in (yes, no, node.outputs[0])}) != 1:
            return None
        if node.outputs[0].type.dtype.kind not in "iu":
            return None
        return _Extreme(node, made, SMALLER[made.op] == (yes is made.inputs[0]))

    def _chain(self, last: _Extreme) -> tuple[list[_Extreme], list[Value]]:
        """The extremes that one is taken of, in order, itself last, and what all of them are taken of."""
        links: list[_Extreme] = []
        operands: list[Value] = []
        for value in reversed(last.node.inputs[1:]):
            inner = self._extreme(self.own.get(value)) if self.uses[value] == 2 else None
            if inner is None or inner.is_minimum is not last.is_minimum:
                operands.append(value)
                continue
            found = self._chain(inner)
            links += found[0]
            operands += found[1]
        return [*links, last], operands

    def _rewrite(self, links: list[_Extreme], early: list[Value], late: list[Value]) -> None:
        """Take the same extreme in another order, with the nodes that there are, where the last of them stands."""
        moved = [node for link in links for node in (link.test, link.node)]
        place = self.body.nodes.index(moved[-1])
        behind = self.body.nodes[place + 1 :]
        before = [node for node in self.body.nodes[:place] if node not in moved]
        found, *others = [*early, *late]
        for number, (link, operand) in enumerate(zip(links, others, strict=True)):
            link.test.op = "less" if link.is_minimum else "greater"
            link.test.inputs = [operand, found]
            link.node.inputs = [link.test.outputs[0], operand, found]
            if number == len(early) - 2:
                link.node.attrs = {**link.node.attrs, HELD: True}
            found = link.node.outputs[0]
        self.body.nodes = [*before, *moved, *behind]

    # ------------------------------------------------------------ what the round before gives

    def _late(self, value: Value, operands: list[Value]) -> list[Value]:
        """Which of some operands need what `value` was in the round before."""
        made = self._behind({value})
        carried = list(zip(self.body.inputs[1:], self.body.outputs[1:], strict=False))  # what follows is collected
        first = {given for given, kept in carried if kept in made and not kept.type.rank}
        written = list(self._written(made, dict(carried)))
        for node in self.body.nodes:
            if node.op in ("take", "gather_nd") and not node.outputs[0].type.rank and self._reads(node, written):
                first |= {*node.outputs}
        late = self._behind(first)
        return [operand for operand in operands if operand in late]

    def _behind(self, first: set[Value]) -> set[Value]:
        """The numbers of a round that are computed with some others, and these."""
        found = set(first)
        for node in self.body.nodes:
            if any(value in found for value in node.inputs):
                found |= {value for value in node.outputs if not value.type.rank}
        return found

    def _written(self, made: set[Value], carried: dict[Value, Value]) -> Iterator[tuple[Value, list[Form]]]:
        """The arrays to which a round writes some numbers, by what the round was given, and where."""
        for node in self.body.nodes:
            if node.op != "set_index" or node.inputs[1] not in made:
                continue
            given, forms = self._given(node.inputs[0]), self._forms(node.inputs[2:])
            if forms is not None and given in carried and self._given(carried[given]) is given:
                yield given, forms

    def _given(self, array: Value) -> Value:
        """The array that the round was given of which another one is made by writes."""
        while (node := self.own.get(array)) is not None and node.op == "set_index":
            array = node.inputs[0]
        return array

    def _reads(self, node: Node, written: list[tuple[Value, list[Form]]]) -> bool:
        """Whether a node reads what the round before has written."""
        given, forms = self._given(node.inputs[0]), self._forms(node.inputs[1:])
        return any(
            given is array and forms == [(times, base, number - times) for times, base, number in places]
            for array, places in written
        )

    def _forms(self, indices: list[Value]) -> list[Form] | None:
        """What indices are; None where one of them changes otherwise than by one in each round."""
        forms = [self._form(index) for index in indices]
        return None if None in forms else [form for form in forms if form is not None]

    def _form(self, index: Value) -> Form | None:
        number = self._constant(index)
        node = self.own.get(index)
        if number is not None or index is self.body.inputs[0]:
            return (0, None, number) if number is not None else (1, None, 0)
        if node is None:
            return None if index in self.body.inputs else (0, index, 0)
        if node.op not in ("add", "subtract"):
            return None
        operand, other = node.inputs
        if node.op == "add" and self._constant(operand) is not None:
            operand, other = other, operand
        more, form = self._constant(other), self._form(operand)
        if more is None or form is None:
            return None
        return form[0], form[1], form[2] + (more if node.op == "add" else -more)

    def _constant(self, value: Value) -> int | None:
        node = self.makers.get(value)
        if node is None or node.op != "constant" or value.type.rank or value.type.dtype.kind not in "iu":
            return None
        return int(np.asarray(node.attrs["value"]))


__all__ = ["HELD", "late_operands"]
