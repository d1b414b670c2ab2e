"""What is told where one of several checks has failed is read from vectors, at its place among them.

    e, a = if bad:                              row = argmax([worse, not worse and bad, true])
        e, a = if worse:                        e, a = if row < 2:
            give 1, n                  to           give row + 1, [n, m][row]
        else:                                   else:
            give 2, m                               give 0, placeholder
    else:
        give 0, placeholder

Checks that are asked at once (`joined_checks`, and those of sizes) have one branch, on whose failing side branches
in each other find out which of them it was: as many as there are checks, each of which hands on all that is told.
Nobody is in a hurry there, but whoever opens the file sees them.  The first that has failed is where the vector of
the tests has its first true; what is told of each stands at that place in vectors of their numbers and arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.hoist import TOTAL_ON_SCALARS
from graph_program.extract.transform.rewrite import Rewriter, needed, uses_of
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, PY_BOOL, TensorType

TOTAL = TOTAL_ON_SCALARS | {"constant", "placeholder", "dim"}
"""Operations on numbers that may be done whichever check has failed."""

FEWEST = 3
"""So many checks are worth a vector: a choice of two is an operation for each number."""
DEEPEST = 8
"""So many operations are looked through."""
ROW = 3
"""Operations that find the place of the first check that has failed."""
OPPOSITES = {"equal": "not_equal", "less": "greater_equal", "less_equal": "greater"}
OPPOSITES |= {opposite: op for op, opposite in OPPOSITES.items()}
"""Comparisons of integers by what they are not."""

Nodes = list[Node]


@dataclass(frozen=True)
class _Flag:
    """A number that says whether a check has failed: it has where `value` is `bad`."""

    value: Value
    bad: bool


@dataclass
class _Row:
    """What is told where a check has failed and none before it.

    Attributes
    ----------
    flag : _Flag or None
        Whether it has failed; None for the last one, which has if no other has.
    told : list of Value
        What the failing side gives.
    """

    flag: _Flag | None
    told: list[Value]


Rows = tuple[Nodes, list[_Row]]
"""What is computed on a failing side, whichever check has failed, and what is told."""


def error_rows(program: GraphProgram) -> None:
    """Choose what is told without branches, in place."""
    if program.errors:
        _ErrorRows(program).run()


class _ErrorRows(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.places = _places(program)
        self.chosen = _chosen(program)
        """Numbers of errors in whose place others may be told outside, with whose arguments."""

    def run(self) -> None:
        self.graph(self.program.graph)
        self._choose_outputs()
        self.program.graph.nodes[:0] = self._new_constants

    def visit(self, node: Node) -> Nodes:
        if "fails" not in node.attrs:
            return [node]
        fails = node.attrs["fails"]
        side = node.regions[fails]
        self.producer.update({value: inner for inner in side.walk() for value in inner.outputs})
        found = self._rows(side)
        if found is None:
            return [node]
        nodes, rows = found
        own, before, told = set(nodes), Nodes(), Nodes()
        places = [frozenset[int]() if v in self.chosen else self.places.get(v, frozenset()) for v in node.outputs]
        self._split(rows, own, told, places)
        if len(rows) < FEWEST or not all(map(self._are_numbers, zip(*(row.told for row in rows), strict=True))):
            return [node]
        asked = self._asks_for(node, rows, before)
        flags = self._flags(rows, own if asked else set(), before, node.loc)
        row, test = self._row(flags, before, node.loc), node.inputs[0]
        if asked:
            less, count = ("greater_equal" if fails else "less"), self.integer(len(flags))
            test = self._made(before, less, [row, count], PY_BOOL, "bad", node.loc)
        outputs = self._told(rows, row, told, node.loc, ends=not asked)
        told = needed([*nodes, *([] if asked else before), *told], outputs)
        saved = self._size(side.nodes) - self._size(told) + (len(flags) - 2 - ROW if asked else 0)
        if saved <= sum(not self._is_of_sizes(flag.value) for flag in flags):
            return [node]
        node.inputs[0] = test
        node.regions[fails] = Graph([], told, outputs)
        return [*before, node] if asked else [node]

    def _choose_outputs(self) -> None:
        """Have rows of what the program tells in the end, where nothing that follows had to be kept from failing."""
        graph, number = self.program.graph, len(self.program.output_names)
        places = sorted({number}.union(*self.program.error_args))
        rows = [_Row(None, [graph.outputs[place] for place in places])]
        made, loc = Nodes(), UNKNOWN
        self._split(rows, {node for node in graph.nodes if node.op == "where"}, made, [{place} for place in places])
        if len(rows) < FEWEST:
            return
        flags = self._flags(rows, set(), made, loc)
        row = self._row(flags, made, loc)
        outputs = list(graph.outputs)
        for place, value in zip(places, self._told(rows, row, made, loc), strict=True):
            outputs[place] = value
        nodes = needed([*graph.nodes, *made], outputs)
        more = sum(not self._is_of_sizes(flag.value) for flag in flags)
        if self._size(nodes) + more < self._size(needed(graph.nodes, graph.outputs)):
            graph.nodes, graph.outputs = nodes, outputs

    def _size(self, nodes: Sequence[Node]) -> int:
        """How many nodes of the file these are, about; each side of a branch has one more for what it hands on."""
        found = 0
        for node in nodes:
            if node.op == "expand_dims":
                found += not self._is_of_sizes(node.inputs[0])
            elif node.op not in ("constant", "placeholder"):
                found += 1 + sum(self._size(region.nodes) + len(region.outputs) for region in node.regions)
        return found

    def _is_of_sizes(self, value: Value, deepest: int = DEEPEST) -> bool:
        """Whether a number is computed of sizes before all loops; those are vectors of one number in the file."""
        node = self.producer.get(value)
        if node is None or self.depth or not deepest:
            return False
        return node.op == "dim" or any(self._is_of_sizes(operand, deepest - 1) for operand in node.inputs)

    # ------------------------------------------------------------ rows

    def _rows(self, side: Graph) -> Rows | None:
        """A side as rows, if it asks one test after the other and computes numbers that cannot fail."""
        choices = [node for node in side.nodes if node.op == "if"]
        others = [node for node in side.nodes if node.op != "if"]
        if len(choices) > 1 or not all(map(_is_total, others)):
            return None
        if not choices:
            return others, [_Row(None, list(side.outputs))]
        (choice,) = choices
        given = {value: place for place, value in enumerate(choice.outputs)}
        sides = [self._rows(region) for region in choice.regions]
        if sides[0] is None or sides[1] is None or any(not given.keys().isdisjoint(node.inputs) for node in others):
            return None
        leaf = next((k for k, (_, rows) in enumerate(filter(None, sides)) if len(rows) == 1), None)
        if leaf is None:
            return None
        (first, (row,)), (then, rows) = sides[leaf], sides[1 - leaf]  # type: ignore[misc]
        found = [_Row(self._flag(choice.inputs[0], not leaf), row.told), *rows]
        for row in found:
            row.told = [row.told[given[value]] if value in given else value for value in side.outputs]
        return [*others, *first, *then], found

    def _split(self, rows: list[_Row], own: set[Node], nodes: Nodes, places: Sequence[Collection[int]]) -> None:
        """Have a row for each side of what rows choose by nodes of their own; `places` are those of what is told."""
        place, before = 0, set[_Flag]()
        while place < len(rows):
            row = rows[place]
            self._leave_out_unread(row, nodes, places)
            for node in self._choices(row, own):
                test = node.inputs[0]
                sides = self._sides(self._flag(test, True), row, before)
                told = [[self._side(value, test, side) for value in row.told] for side in sides]
                if told:
                    row.told = told[-1]
                    rows[place:place] = [_Row(self._flag(test, True), first) for first in told[:-1]]
                    break
            else:
                asked = self._all_asked(row.flag)
                if row.flag is not None and asked <= before:  # of which no check is left
                    rows.pop(place)
                    continue
                before |= asked
                place += 1

    def _leave_out_unread(self, row: _Row, nodes: Nodes, places: Sequence[Collection[int]]) -> None:
        """Leave out the arguments of other errors than the one that a row tells, if it is what the program tells."""
        number = len(self.program.output_names)
        known = next((self.constant_of(row.told[k]) for k, found in enumerate(places) if number in found), None)
        if known is None or not 0 <= int(known) <= len(self.program.error_args):
            return  # another number, which stands for an error's where nobody reads that
        read = {number, *(self.program.error_args[int(known) - 1] if known else ())}
        for column, found in enumerate(places):
            value = row.told[column]
            if found and read.isdisjoint(found) and self.made_by(value, "placeholder") is None:
                row.told[column] = self.append(nodes, "placeholder", [], value.type, value.name)
                self.producer[row.told[column]] = nodes[-1]

    def _choices(self, row: _Row, own: set[Node]) -> list[Node]:
        """What chooses numbers that are told; first that which is chosen most often, as the error's number is."""
        found = {value: self._chain(value, own) for value in row.told}
        return [chain[0] for chain in sorted(found.values(), key=len, reverse=True) if chain]

    def _chain(self, value: Value, own: set[Node]) -> Nodes:
        """The choices of a number, of which each is between one and the next."""
        found: Nodes = []
        node = self.made_by(value, "where")
        while node is not None and node in own and not node.inputs[0].type.rank:
            found.append(node)
            node = self.made_by(node.inputs[2], "where") or self.made_by(node.inputs[1], "where")
        return found

    def _sides(self, test: _Flag, row: _Row, before: set[_Flag]) -> tuple[int, ...]:
        """The operands of a choice that may be taken in a row, in the order of rows; none where that is not known."""
        constant = self.constant_of(test.value)
        asked, known = self._all_asked(test) - before, self._all_asked(row.flag) - before
        if not asked or (constant is not None and constant != test.bad):
            return (2,)
        if constant is not None:
            return (1,)
        if known and known <= asked:
            return (1,)
        if any(_Flag(flag.value, not flag.bad) in before for flag in asked):
            return (1,)
        return (1, 2) if row.flag is None or asked < known else ()

    def _side(self, value: Value, test: Value, side: int) -> Value:
        node = self.made_by(value, "where")
        return node.inputs[side] if node is not None and node.inputs[0] is test else value

    # ------------------------------------------------------------ tests

    def _flag(self, test: Value, bad: bool) -> _Flag:
        node = self.made_by(test, "invert")
        return _Flag(test, bad) if node is None else self._flag(node.inputs[0], not bad)

    def _all_asked(self, flag: _Flag | None) -> set[_Flag]:
        """The flags of which one is asked for."""
        if flag is None:
            return set()
        node = self.made_by(flag.value, "bitwise_or" if flag.bad else "bitwise_and")
        if node is None:
            return {flag}
        return {asked for value in node.inputs for asked in self._all_asked(self._flag(value, flag.bad))}

    def _asks_for(self, check: Node, rows: list[_Row], before: Nodes) -> bool:
        """Whether the check asks for all rows, and the vector costs less; the last one gets the flag that is left.

        In a loop, where numbers are rarely vectors of one, only the side that has failed makes a vector.
        """
        asked = self._all_asked(self._flag(check.inputs[0], not check.attrs["fails"]))
        known = {flag for row in rows for flag in self._all_asked(row.flag)}
        if self.depth or not known <= asked:
            return False
        if asked - known:
            rows[-1].flag = self._any(asked - known, before, check.loc)
        else:
            rows.pop()
        return True

    def _any(self, flags: Collection[_Flag], nodes: Nodes, loc: Loc) -> _Flag:
        """A flag for several."""
        first, *others = sorted(flags, key=lambda flag: flag.value.name)
        for flag in others:
            inputs = [self._with(first, True, nodes, loc), self._with(flag, True, nodes, loc)]
            first = _Flag(self._made(nodes, "bitwise_or", inputs, PY_BOOL, "bad", loc), True)
        return first

    def _flags(self, rows: list[_Row], own: Collection[Node], nodes: Nodes, loc: Loc) -> list[_Flag]:
        """The flags of rows, without what those before them ask, nor what is made by nodes that are not there yet."""
        found, before = list[_Flag](), set[_Flag]()
        for flag in (row.flag for row in rows if row.flag is not None):
            asked = self._all_asked(flag)
            is_there = asked.isdisjoint(before) and self.producer.get(flag.value) not in own
            found.append(flag if is_there else self._any(asked - before, nodes, loc))
            before |= asked
        return found

    def _with(self, flag: _Flag, bad: bool, nodes: Nodes, loc: Loc) -> Value:
        """A flag as a number that is `bad` where the check has failed."""
        return flag.value if flag.bad == bad else self._opposite(flag.value, nodes, loc)

    def _opposite(self, test: Value, nodes: Nodes, loc: Loc) -> Value:
        node = self.made_by(test, "invert", "bitwise_and", "bitwise_or", *OPPOSITES)
        if node is not None and node.op == "invert":
            return node.inputs[0]
        if node is None or not _of_integers(node):
            return self._made(nodes, "invert", [test], PY_BOOL, "bad", loc)
        op, inputs = OPPOSITES.get(node.op), node.inputs
        if op is None:
            op = "bitwise_or" if node.op == "bitwise_and" else "bitwise_and"
            inputs = [self._opposite(value, nodes, loc) for value in inputs]
        return self._made(nodes, op, list(inputs), PY_BOOL, "good", loc)

    def _negatives(self, test: Value, negated: bool = False) -> int:
        """How many negations a test, or its opposite, takes: there is an operator for equal numbers only."""
        node = self.made_by(test, "invert", "bitwise_and", "bitwise_or", *OPPOSITES)
        if node is None:
            return int(negated)
        if node.op in OPPOSITES:
            return int(node.op == ("equal" if negated else "not_equal"))
        return sum(self._negatives(value, negated != (node.op == "invert")) for value in node.inputs)

    def _row(self, flags: Sequence[_Flag], nodes: Nodes, loc: Loc) -> Value:
        """The place of the first check that has failed, or how many there are."""
        costs = {bad: sum(self._negatives(flag.value, flag.bad != bad) for flag in flags) for bad in (True, False)}
        bad = costs[True] <= costs[False]
        end = self.constant(np.array([bad]), "end")
        parts = [self._single(self._with(flag, bad, nodes, loc), nodes, loc) for flag in flags]
        tests = self._made(nodes, "concatenate", [*parts, end], _vector(BOOL, len(flags) + 1), "failed", loc, axis=0)
        op = "argmax" if bad else "argmin"
        return self._made(nodes, op, [tests], TensorType(INT64), "row", loc, axis=0, keepdims=False)

    # ------------------------------------------------------------ what is told

    def _told(self, rows: list[_Row], row: Value, nodes: Nodes, loc: Loc, ends: bool = True) -> list[Value]:
        """What is told at the place of the first check that has failed; `ends`: the last row is there if none has.

        Where it is not, there is an element behind it: runtimes that do both sides of a branch read that.
        """
        columns = zip(*(row.told for row in rows), strict=True)
        return [self._read(list(column), row, nodes, loc, ends) for column in columns]

    def _are_numbers(self, column: Sequence[Value]) -> bool:
        """Whether what is told in one place are numbers, or one value: arrays have no vectors."""
        told = {value for value in column if self.made_by(value, "placeholder") is None}
        return len(told) < 2 or not any(value.type.rank for value in told)

    def _read(self, column: list[Value], row: Value, nodes: Nodes, loc: Loc, ends: bool) -> Value:
        told = dict.fromkeys(value for value in column if self.made_by(value, "placeholder") is None)
        if len(told) < 2:
            return next(iter(told), column[0])
        first = next(iter(told))
        values = [value if value in told else first for value in column]
        known = [self.constant_of(value) for value in values]
        numbers = [int(number) for number in known if number is not None]
        if len(numbers) < len(values):
            parts = [self._single(value, nodes, loc) for value in values]
            parts += [] if ends else [self.constant(np.zeros(1, first.type.dtype), "end")]
            type_ = _vector(first.type.dtype, len(parts))
            vector = self._made(nodes, "concatenate", parts, type_, "told", loc, axis=0)
        elif numbers == list(range(numbers[0], numbers[0] + len(numbers))):
            return self._made(nodes, "add", [row, self.integer(numbers[0])], first.type, first.name, loc)
        else:
            vector = self.constant(np.array(numbers + [0] * (not ends), first.type.dtype), "told")
        return self._made(nodes, "take", [vector, row], first.type, first.name, loc, axis=0)

    def _single(self, value: Value, nodes: Nodes, loc: Loc) -> Value:
        """A number as a vector of one element."""
        known = self.constant_of(value)
        if known is not None:
            return self.constant(known.reshape(1), value.name)
        return self._made(nodes, "expand_dims", [value], _vector(value.type.dtype, 1), value.name, loc, axes=(0,))

    def _made(
        self, nodes: Nodes, op: str, inputs: list[Value], type_: TensorType, name: str, loc: Loc, **attrs: object
    ) -> Value:
        made = self.append(nodes, op, inputs, type_, name, **attrs)
        nodes[-1].loc = loc
        self.producer[made] = nodes[-1]
        return made


def _places(program: GraphProgram) -> dict[Value, set[int]]:
    """The places among the outputs of the error's number, and of its arguments, of values that are nothing else."""
    found: dict[Value, set[int]] = {}
    readers: dict[Value, set[tuple[int, int]]] = {}
    makers, uses = program.graph.makers(), uses_of(program.graph)
    new: list[tuple[Value, int, object, int]] = []
    new += [(value, place, program, place) for place, value in enumerate(program.graph.outputs)]
    del new[: len(program.output_names)]
    while new:
        value, place, reader, position = new.pop()
        readers.setdefault(value, set()).add((id(reader), position))
        node = makers.get(value)
        if place in found.setdefault(value, set()):
            continue
        found[value].add(place)
        if node is not None and node.op in ("if", "loop"):
            given = node.outputs.index(value) + (node.op == "loop")
            new += [(region.outputs[given], place, region, given) for region in node.regions]
        elif node is not None and node.op == "where":
            new += [(node.inputs[k], place, node, k) for k in (1, 2)]
    return {value: places for value, places in found.items() if len(readers[value]) == uses[value]}


def _chosen(program: GraphProgram) -> set[Value]:
    """What may be told as the error's number, or else another one."""
    makers, found = program.graph.makers(), set[Value]()
    work = [(program.graph.outputs[len(program.output_names)], False)]
    while work:
        value, is_chosen = work.pop()
        if value in found:
            continue
        found |= {value} if is_chosen else set()
        node = makers.get(value)
        if node is not None and node.op in ("if", "loop"):
            place = node.outputs.index(value) + (node.op == "loop")
            work += [(region.outputs[place], is_chosen) for region in node.regions]
        elif node is not None and node.op == "where":
            work += [(operand, True) for operand in node.inputs[1:]]
    return found


def _vector(dtype: np.dtype, size: int) -> TensorType:
    return TensorType(dtype, (dim(size),))


def _of_integers(node: Node) -> bool:
    return not any(value.type.dtype.kind == "f" or value.type.rank for value in node.inputs)


def _is_total(node: Node) -> bool:
    if node.op in ("placeholder", "dim"):
        return True
    return node.op in TOTAL and not any(value.type.rank for value in (*node.inputs, *node.outputs))


__all__ = ["error_rows"]
