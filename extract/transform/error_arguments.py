"""Numbers and arguments of errors that have not happened are not computed, nor carried.

    e, a = if bad:                          e, a = if bad:
        give 2, index                           give 2, index
    else:                           to      else:
        y, b = loop ...                         y = loop ...
        give 0, b                               give 0, placeholder

The text of error 2 has an argument, and nobody reads it where the error's number is another one.  Nobody reads the
number where it is chosen only if a flag says so.  Such conditions are followed to where numbers, arguments and flags
are given: through choices, to the sides of branches, and into loops of which no round reads what the one before it has
given.  Where a side gives a flag that says that nobody reads it, what it gives beside it is dead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from graph_program.extract.control.names import Names
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter, replace_values, uses_of
from graph_program.extract.transform.truths import Truths

DEEPEST = 8
"""So many operations are looked through for what a flag is, or for what it says of others."""

DEEPEST_TEST = 6
"""And of tests; what is found of one is kept (`Truths`)."""
MOST = 16
"""So many conditions are taken into a branch or a loop besides those on what it gives."""


def error_arguments(program: GraphProgram) -> None:
    """Leave out what is told of errors that have not happened, in place."""
    if program.errors:
        _Errors(program).run()


@dataclass(frozen=True)
class _When:
    """A value is read only where a flag is one of some numbers, or is none of them; a truth is 0 or 1."""

    flag: Value
    numbers: frozenset[int]
    among: bool = True

    def reads(self, number: int) -> bool:
        return (number in self.numbers) is self.among


def _where(test: Value, holds: bool) -> _When:
    return _When(test, frozenset([int(holds)]))


@dataclass(frozen=True)
class _Conditions:
    """All of them hold where a value is read: what has been said last, and what has been said around it."""

    new: Sequence[_When] = ()
    old: Sequence[_When] = ()

    def through(self, outputs: Sequence[Value], given: Sequence[Value], *more: _When) -> _Conditions:
        """Conditions on what a node gives, as conditions on what is given for it inside, and further ones."""
        inside = dict(zip(outputs, given, strict=True))
        around = [*self.new, *self.old]
        mapped = [_When(inside[when.flag], when.numbers, when.among) for when in around if when.flag in inside]
        return _Conditions([*mapped, *more], [when for when in around if when.flag not in inside][:MOST])


@dataclass(frozen=True)
class _Place:
    """Where a value is given: among the outputs of a graph, or what a loop begins with."""

    values: list[Value]
    number: int
    home: Graph
    """What is given instead is made there."""

    @property
    def value(self) -> Value:
        return self.values[self.number]


class _Errors:
    def __init__(self, program: GraphProgram):
        self.program = program
        self.makers = program.graph.makers()
        self.uses = uses_of(program.graph)
        self.replaced: dict[Value, Value] = {}
        self.unread: list[_Place] = []

    @cached_property
    def names(self) -> Names:
        """Asked for by few programs, and made of all names that there are."""
        return Rewriter(self.program).names

    def run(self) -> None:
        graph, count = self.program.graph, len(self.program.output_names)
        outputs, known = graph.outputs, Truths(self.makers)
        for place in sorted({place for places in self.program.error_args for place in places}):
            errors = {number for number, places in enumerate(self.program.error_args, 1) if place in places}
            self._given(_Place(outputs, place, graph), _Conditions([_When(outputs[count], frozenset(errors))]), known)
        self._given(_Place(outputs, count, graph), _Conditions(), known)
        for at in self.unread:
            self._leave_out(at)
        while any(value in self.replaced for value in self.replaced.values()):
            self.replaced = {old: self.replaced.get(new, new) for old, new in self.replaced.items()}
        replace_values(self.program.graph, self.replaced)

    # ------------------------------------------------------------ where it is given

    def _given(self, at: _Place, conditions: _Conditions, known: Truths) -> None:
        """Leave out what a place gives if nobody reads it; look where it comes from, otherwise."""
        if any(self._is_unread(when.flag, when, known) for when in conditions.new):
            self.unread.append(at)
        elif self.uses[at.value] == 1:
            self._made(at.value, conditions, known)

    def _made(self, value: Value, conditions: _Conditions, known: Truths) -> None:
        """Look at what a value is made of that is read once, by somebody who reads it under some conditions."""
        node = self.makers.get(value)
        if node is None or node.op not in ("where", "if", "loop"):
            return
        said = dict.fromkeys(one for when in conditions.new for one in self._said(when, known, DEEPEST))
        conditions = _Conditions([*said], conditions.old)
        if node.op == "where":
            self._chosen(node, conditions, known)
        elif node.op == "if":
            self._sides(node, node.outputs.index(value), conditions, known)
        else:
            self._rounds(node, node.outputs.index(value), conditions, known)

    def _chosen(self, node: Node, conditions: _Conditions, known: Truths) -> None:
        test, *sides = node.inputs
        if test.type.rank:
            return
        around = [*conditions.new, *conditions.old]
        for side, other, holds in zip(sides, sides[::-1], (True, False), strict=True):
            given = known.where(test, holds)
            if any(self._is_unread(when.flag, when, given) for when in around):
                self.replaced[node.outputs[0]] = other
            elif self.uses[side] == 1:
                self._made(side, _Conditions([*conditions.new, _where(test, holds)], conditions.old), given)

    def _sides(self, node: Node, slot: int, conditions: _Conditions, known: Truths) -> None:
        for region, holds in zip(node.regions, (True, False), strict=True):
            inner = conditions.through(node.outputs, region.outputs, _where(node.inputs[0], holds))
            self._given(_Place(region.outputs, slot, region), inner, known.where(node.inputs[0], holds))

    def _rounds(self, loop: Node, slot: int, conditions: _Conditions, known: Truths) -> None:
        """A round may leave out what it gives only if the next one reads nothing of it, whatever it gives."""
        body = loop.regions[0]
        carried, at = body.inputs[slot + 1], _Place(body.outputs, slot + 1, body)
        unread, replaced = len(self.unread), dict(self.replaced)
        self._given(at, conditions.through(loop.outputs, body.outputs[1:]), known)
        if self.uses[carried] == sum(place.value is carried for place in self.unread[unread:]):
            start = _Place(loop.inputs, slot + 2, self.program.graph)
            self._given(start, conditions.through(loop.outputs, loop.inputs[2:]), known)
        else:
            del self.unread[unread:]
            self.replaced = replaced

    # ------------------------------------------------------------ what flags say

    def _is_unread(self, flag: Value, when: _When, known: Truths, depth: int = DEEPEST) -> bool:
        """Whether a flag is a choice of numbers of which none is one where the value is read."""
        if flag.type.rank or not depth:
            return False
        node = self.makers.get(flag)
        if node is not None and node.op in ("where", "if"):
            test, sides = node.inputs[0], _sides_of(node, flag)
            holds = None if test.type.rank else known.truth(test, DEEPEST_TEST)
            if holds is not None:
                return self._is_unread(sides[1 - holds], when, known, depth - 1)
            given = [known if test.type.rank else known.where(test, side) for side in (True, False)]
            return all(self._is_unread(side, when, said, depth - 1) for side, said in zip(sides, given, strict=True))
        if node is not None and node.op == "constant":
            return not when.reads(int(node.attrs["value"]))
        holds = known.truth(flag, DEEPEST_TEST) if flag.type.dtype.kind == "b" else None
        return holds is not None and not when.reads(int(holds))

    def _said(self, when: _When, known: Truths, depth: int) -> Iterator[_When]:
        """A condition, and what it says of what its flag is made of."""
        yield when
        node = self.makers.get(when.flag)
        if node is None or not depth or when.flag.type.rank:
            return
        for inner in self._said_at_first_sight(node, when, known):
            yield from self._said(inner, known, depth - 1)

    def _said_at_first_sight(self, node: Node, when: _When, known: Truths) -> Iterator[_When]:
        if node.op in ("where", "if"):
            sides, chosen = _sides_of(node, when.flag), known.truth(node.inputs[0], DEEPEST_TEST)
            if chosen is not None:
                yield _When(sides[1 - chosen], when.numbers, when.among)
            for side, holds in zip(sides, (True, False), strict=True):
                if chosen is None and self._is_unread(side, when, known):
                    yield _where(node.inputs[0], not holds)
            return
        if when.flag.type.dtype.kind != "b" or when.reads(0) is when.reads(1):
            return
        holds = when.reads(1)
        if node.op == "invert":
            yield _where(node.inputs[0], not holds)
        elif node.op == ("bitwise_and" if holds else "bitwise_or"):
            for operand in node.inputs:
                yield _where(operand, holds)
        elif node.op in ("equal", "not_equal"):
            flag, number = node.inputs
            made = self.makers.get(number)
            if made is not None and made.op == "constant" and flag.type.dtype.kind in "biu" and not flag.type.rank:
                yield _When(flag, frozenset([int(made.attrs["value"])]), (node.op == "equal") is holds)

    def _leave_out(self, at: _Place) -> None:
        node = self.makers.get(at.value)
        if node is None or node.op not in ("constant", "placeholder"):
            unset = Value(self.names.fresh(at.value.name), at.value.type)
            at.home.nodes.insert(0, Node("placeholder", [], [unset]))
            at.values[at.number] = unset


def _sides_of(node: Node, value: Value) -> Sequence[Value]:
    """What a choice, or a branch, gives for a value: where its test holds, and where not."""
    if node.op == "where":
        return node.inputs[1:]
    return [region.outputs[node.outputs.index(value)] for region in node.regions]


__all__ = ["error_arguments"]
