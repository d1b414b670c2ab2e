"""Arguments of errors that have not happened are not computed, nor carried.

    e, a = if bad:                          e, a = if bad:
        give 2, index                           give 2, index
    else:                           to      else:
        y, b = loop ...                         y = loop ...
        give 0, b                               give 0, placeholder

The text of error 2 has an argument, and nobody reads it where the error's number is another one.  Where sides of
branches and of choices give a number that is known, what they give for arguments of other errors is dead.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from graph_program.extract.control.names import Names
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter, replace_values, uses_of
from graph_program.extract.transform.truths import Truths

DEEPEST = 8
"""So many choices of an error's number are looked through."""


def error_arguments(program: GraphProgram) -> None:
    """Leave out arguments of errors that have not happened, in place."""
    if program.errors:
        _Arguments(program).run()


class _Arguments:
    def __init__(self, program: GraphProgram):
        self.program = program
        self.makers = program.graph.makers()
        self.uses = uses_of(program.graph)
        self.replaced: dict[Value, Value] = {}

    @cached_property
    def names(self) -> Names:
        """Asked for by few programs, and made of all names that there are."""
        return Rewriter(self.program).names

    def run(self) -> None:
        outputs, count = self.program.graph.outputs, len(self.program.output_names)
        for place in sorted({place for places in self.program.error_args for place in places}):
            errors = {number for number, places in enumerate(self.program.error_args, 1) if place in places}
            if self._is_none_of(outputs[count], errors):
                self._leave_out(self.program.graph, place)
            else:
                self._follow(outputs[count], outputs[place], errors)
        while any(value in self.replaced for value in self.replaced.values()):
            self.replaced = {old: self.replaced.get(new, new) for old, new in self.replaced.items()}
        replace_values(self.program.graph, self.replaced)

    def _follow(self, error: Value, argument: Value, errors: set[int]) -> None:
        """Look where an error's number and one of its arguments come from; `errors` have that argument."""
        node, other = self.makers.get(argument), self.makers.get(error)
        if node is None or other is None or self.uses[argument] > 1:
            return
        if node.op == "if" and node is other:
            self._branch(node, node.outputs.index(error), node.outputs.index(argument), errors)
        elif other.op == "where":
            if node.op == "where":
                self._leave_out_choices(error, node, errors, Truths(self.makers))
            test, *sides = other.inputs
            unread = [self._is_none_of(side, errors) for side in sides]
            if node.op != "where" or node.inputs[0] is not test:
                self._by_test(test, argument, {True: unread[0], False: unread[1]}, errors)
                return
            first, second = node.inputs[1:]
            if any(unread):
                self.replaced[argument] = second if unread[0] else first
            self._by_test(test, first, {True: unread[0], False: True}, errors)
            self._by_test(test, second, {True: True, False: unread[1]}, errors)
            for error, given in zip(sides, node.inputs[1:], strict=True):
                self._follow(error, given, errors)

    def _by_test(self, test: Value, argument: Value, unread: Mapping[bool, bool], errors: set[int]) -> None:
        """Leave out an argument on sides of a branch that give such a test that nobody reads it."""
        node = self.makers.get(argument)
        if node is None or node is not self.makers.get(test) or node.op != "if" or self.uses[argument] > 1:
            return
        for region in node.regions:
            asked, given = (region.outputs[node.outputs.index(value)] for value in (test, argument))
            made = self.makers.get(asked)
            if made is None or made.op != "constant":
                self._by_test(asked, given, unread, errors)
            elif unread[bool(made.attrs["value"])]:
                self._leave_out(region, node.outputs.index(argument))

    def _leave_out_choices(self, error: Value, choice: Node, errors: set[int], known: Truths) -> None:
        """Leave out what is chosen for an argument where the tests that choose it say that nobody reads it."""
        test, *sides = choice.inputs
        for side, holds in zip(sides, (True, False), strict=True):
            given = known.where(test, holds)
            if self._is_none_of(error, errors, given):
                self.replaced[choice.outputs[0]] = sides[holds]
                continue
            node = self.makers.get(side)
            if node is not None and node.op == "where" and self.uses[side] == 1:
                self._leave_out_choices(error, node, errors, given)

    def _is_none_of(self, error: Value, errors: set[int], known: Truths | None = None, depth: int = DEEPEST) -> bool:
        """Whether an error's number is a choice of known ones, of which none is one of some errors."""
        node = self.makers.get(error)
        if node is None or not depth:
            return False
        if node.op in ("where", "if"):
            place = node.outputs.index(error)
            sides = node.inputs[1:] if node.op == "where" else [region.outputs[place] for region in node.regions]
            holds = None if known is None or node.inputs[0].type.rank else known.truth(node.inputs[0])
            sides = sides if holds is None else [sides[1 - holds]]
            return all(self._is_none_of(side, errors, known, depth - 1) for side in sides)
        return self._is_unread(error, errors)

    def _branch(self, node: Node, error: int, argument: int, errors: set[int]) -> None:
        for region in node.regions:
            if self._is_none_of(region.outputs[error], errors):
                self._leave_out(region, argument)
            else:
                self._follow(region.outputs[error], region.outputs[argument], errors)

    def _is_unread(self, error: Value, errors: set[int]) -> bool:
        """Whether an error's number is known, and is none of some errors."""
        node = self.makers.get(error)
        return node is not None and node.op == "constant" and int(node.attrs["value"]) not in errors

    def _leave_out(self, region: Graph, argument: int) -> None:
        given = region.outputs[argument]
        node = self.makers.get(given)
        if node is None or node.op not in ("constant", "placeholder"):
            unset = Value(self.names.fresh(given.name), given.type)
            region.nodes.append(Node("placeholder", [], [unset]))
            region.outputs[argument] = unset


__all__ = ["error_arguments"]
