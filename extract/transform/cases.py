"""Choices of numbers and truths that come to less in every case that there is.

    e = where(failed, 1, loop's 3 or 4)
    on = equal(e, 4)                            good = invert(failed)
    t = where(on, 6, e)                 to      error = where(failed, 1, 0)
    good = bitwise_or(equal(t, 6), equal(t, 3))
    error = where(good, 0, 1)

Where control has left a loop or a branch is a number from a small set, which is asked for again and again.  Each
choice is a function of few truths and of numbers of which the possible ones are known (what a loop begins with and
gives from round to round), so it is tabulated over all of them: one value, a truth or its opposite, a comparison, or
a choice between two constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.rewrite import Rewriter

MOST_CASES = 64
MOST_NUMBERS = 8
"""Numbers of one set."""
UNKNOWN = 2**62
"""No number of a way is as large: from here on, numbers stand for values of which nothing is known."""
DEEPEST = 8
"""So many operations are looked through."""
OPERATIONS: dict[str, Callable[..., np.ndarray]] = {
    "where": np.where,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "invert": np.invert,
}
"""Operations that tables are made of."""


def cases(program: GraphProgram) -> None:
    """Tabulate choices of numbers and truths, in place."""
    _Cases(program).run()


class TooManyCases(Exception):
    """A choice depends on more than is tabulated."""


class _Cases(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.makers = program.graph.makers()
        self.carried = {
            parameter: slot
            for node in program.graph.walk()
            if node.op == "loop"
            for parameter, *slot in zip(
                node.regions[0].inputs[1:], node.inputs[2:], node.regions[0].outputs[1:], strict=True
            )
        }
        """What a loop begins with and what its rounds give, for each value that it carries."""
        self._sets: dict[Value, frozenset[int] | None] = {}
        self.unknown: dict[Value, int] = {}
        """Numbers that stand for values that may be any."""
        self._operands: dict[Value, Sequence[Value]] = {}
        self._columns: dict[Value, np.ndarray] = {}
        """What has been asked for: what comes later is made of much of what came before."""

    def visit(self, node: Node) -> list[Node]:
        if node.op not in OPERATIONS or not _is_choice(node.outputs[0]):
            return [node]
        try:
            table = _Table(self, node.outputs[0])
        except TooManyCases:
            return [node]
        made = self._simpler(node, table)
        if made is None:
            return [node]
        for new in made:
            for output in new.outputs:
                self.makers[output] = new
                self._operands.pop(output, None)
                self._columns.pop(output, None)
        return made

    def _simpler(self, node: Node, table: _Table) -> list[Node] | None:
        """What is the same in every case, if it is less."""
        outcomes = table.outcomes
        if (outcomes == outcomes[0]).all() and not _is_any_unknown(outcomes):
            self.replace(node.outputs[0], self.constant(np.array(outcomes[0], node.outputs[0].type.dtype)))
            return []
        for other, column in table.others.items():
            if column.dtype == outcomes.dtype and (column == outcomes).all():
                self.replace(node.outputs[0], other)
                return []
        if outcomes.dtype == np.bool_:
            return self._truth(node, table)
        return self._number(node, table)

    def _truth(self, node: Node, table: _Table) -> list[Node] | None:
        for other, column in table.others.items():
            if column.dtype == np.bool_:
                if node.op != "invert" and (column != table.outcomes).all():
                    return [self.node("invert", [other], node.outputs[0], {}, node.loc)]
            elif node.op not in ("equal", "not_equal") and not _is_any_unknown(column):
                for op in ("equal", "not_equal"):
                    for number in np.unique(column):
                        if (OPERATIONS[op](column, number) == table.outcomes).all():
                            operands = [other, self.constant(np.array(number, other.type.dtype))]
                            return [self.node(op, operands, node.outputs[0], {}, node.loc)]
        return None

    def _number(self, node: Node, table: _Table) -> list[Node] | None:
        """A choice between two numbers by one truth."""
        if node.op != "where" or all(self._number_of(value) is not None for value in node.inputs[1:]):
            return None
        for other, column in table.others.items():
            if column.dtype != np.bool_:
                continue
            sides = [np.unique(table.outcomes[column == holds]) for holds in (True, False)]
            if all(len(side) == 1 and not _is_any_unknown(side) for side in sides):
                numbers = [self.constant(np.array(side[0], node.outputs[0].type.dtype)) for side in sides]
                return [self.node("where", [other, *numbers], node.outputs[0], {}, node.loc)]
        return None

    # ------------------------------------------------------------ what values are

    def _number_of(self, value: Value) -> Any:
        """The number that a value is; None if it is no constant."""
        node = self.makers.get(value) or self.producer.get(value)
        return node.attrs["value"][()] if node is not None and node.op == "constant" and not value.type.rank else None

    def operands(self, value: Value) -> Sequence[Value]:
        """What a value is computed of, or chosen from by a branch."""
        if value not in self._operands:
            self._operands[value] = self._operands_of(self.makers.get(value), value)
        return self._operands[value]

    def _operands_of(self, node: Node | None, value: Value) -> Sequence[Value]:
        if node is None or not _is_choice(value):
            return ()
        if node.op == "if":
            return (node.inputs[0], *(region.outputs[node.outputs.index(value)] for region in node.regions))
        return node.inputs if node.op in OPERATIONS and all(map(_is_choice, node.inputs)) else ()

    def column(self, value: Value) -> np.ndarray:
        """All that a value may be that no operation of tables makes."""
        if value not in self._columns:
            self._columns[value] = self._column(value)
        return self._columns[value]

    def _column(self, value: Value) -> np.ndarray:
        number = self._number_of(value)
        if number is not None and number < UNKNOWN:
            return np.array([number])
        if value.type.dtype == np.bool_:
            return np.array([False, True])
        known = None if number is not None else self._numbers(value)
        found = known or {self.unknown.setdefault(value, UNKNOWN + len(self.unknown))}
        return np.array(sorted(found), value.type.dtype)

    def _numbers(self, value: Value) -> frozenset[int] | None:
        """The numbers that a value may be; None if that is not known."""
        if value not in self._sets:
            self._sets[value] = None  # while it is asked for
            found: set[int] = set()
            for source in self._sources(value):
                number = None if source is None else self._number_of(source)
                if number is None or number >= UNKNOWN or len(found) > MOST_NUMBERS:
                    return None
                found.add(int(number))
            self._sets[value] = frozenset(found)
        return self._sets[value]

    def _sources(self, value: Value) -> Iterator[Value | None]:
        """The constants that a value may come from; None for anything else."""
        work, seen = [value], set[Value]()
        while work:
            one = work.pop()
            if one in seen:
                continue
            seen.add(one)
            node = self.makers.get(one)
            if one in self.carried:
                work += self.carried[one]
            elif node is not None and node.op == "where":
                work += node.inputs[1:]
            elif node is not None and node.op == "if":
                work += [region.outputs[node.outputs.index(one)] for region in node.regions]
            elif node is not None and node.op == "loop":
                work.append(node.regions[0].inputs[1 + node.outputs.index(one)])
            else:
                yield one if self._number_of(one) is not None else None


class _Table:
    """What a value is for all that it is chosen by.

    Attributes
    ----------
    others : dict of Value to numpy.ndarray
        What each value that it is made of is in each case.
    outcomes : numpy.ndarray
        What it is itself.
    """

    def __init__(self, known: _Cases, value: Value):
        self._known = known
        self._columns: dict[Value, np.ndarray] = {}
        self._found: dict[Value, bool] = {}
        """What has been found, and whether it can be read where the value is made."""
        self._cases = 1
        self._find(value, DEEPEST, True)
        apart = cases = self._cases
        self._results: dict[Value, np.ndarray] = {}
        for (
            atom,
            column,
        ) in self._columns.items():  # there may be more than NumPy has axes
            apart //= len(column)
            self._results[atom] = column[np.arange(cases) // apart % len(column)]
        self.outcomes = self._result(value)
        self.others = {v: found for v, found in self._results.items() if self._found[v] and v is not value}

    def _find(self, value: Value, depth: int, is_visible: bool) -> None:
        """The values that a value depends on."""
        if self._found.get(value, False) or (value in self._found and not is_visible):
            return
        self._found[value] = is_visible
        operands = self._known.operands(value) if depth and value not in self._columns else ()
        if not operands and value not in self._columns:
            self._columns[value] = self._known.column(value)
            self._cases *= len(self._columns[value])
            if self._cases > MOST_CASES:
                raise TooManyCases  # at once, as most choices depend on all that was chosen before
        for place, operand in enumerate(operands):
            self._find(operand, depth - 1, is_visible and (place == 0 or self._known.makers[value].op != "if"))

    def _result(self, value: Value) -> np.ndarray:
        if value not in self._results:
            operation = OPERATIONS.get(self._known.makers[value].op, np.where)
            operands = [*map(self._result, self._known.operands(value))]
            if operation is not np.where and any(map(_is_any_unknown, operands)):
                raise TooManyCases
            self._results[value] = operation(*operands)
        result: np.ndarray = self._results[value]
        return result


def _is_any_unknown(column: np.ndarray) -> bool:
    """Whether values are among numbers of which nothing is known."""
    return column.dtype != np.bool_ and bool((column >= UNKNOWN).any())


def _is_choice(value: Value) -> bool:
    """Whether a value is a truth or a number of 64 bits."""
    return not value.type.rank and value.type.dtype in (np.bool_, np.int64)


__all__ = ["cases"]
