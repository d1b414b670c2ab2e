"""Values that the host has already are not sent again: arguments, and what stays the same while a loop goes round.

                                            h = host[0](y)              # kept there
    for k in range(n):                      for k in range(n):
        show(x, y, k)       ->                  host[1](x, h, k)        # show(x, y, k)

`x` is an argument that the program has not written: the host reads the caller's array.  One variable may hold what
is an array here and a number there (`show(x, int(x))` of an array of rank 0): these are two values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from graph_program.extract.ir.host import NUMBER, HostStep
from graph_program.extract.ir.interface import ArgInput, Interface
from graph_program.extract.ir.paths import ROW
from graph_program.extract.ir.residual import Block, Const, Host, Loop, Operand, Program, Stmt
from graph_program.extract.ir.results import (
    DictResult,
    LentResult,
    ListResult,
    ObjectResult,
    OutputResult,
    RecordResult,
    Result,
    SharedResult,
    TextResult,
    TupleResult,
    mapped,
    outputs_in,
    parts_of,
    renumbered,
)
from graph_program.extract.slice.copies import both_sides
from graph_program.extract.slice.statements import hosts_in, made_by, walk, with_bodies
from graph_program.extract.types.tensors.tensor_type import Kind

Sent = tuple[str, Kind]
"""A variable, and the class in which it is sent."""


def with_lent(program: Program, interface: Interface) -> tuple[Program, Interface]:
    """The program whose steps read what the host has, and the interface that says which arguments those are."""
    if not program.host:
        return program, interface
    sent = {name for stmt in hosts_in(program.body) for name in stmt.sends}
    written = {name for stmt in walk(program.body) for name in made_by(stmt)}
    given, numbers = list(interface.host or ()), dict[Sent, Operand]()
    for leaf in interface.inputs:
        if (
            isinstance(leaf, ArgInput)
            and leaf.type.kind is Kind.ARRAY
            and ROW not in leaf.path
            and leaf.name in sent - written
        ):
            given.append(LentResult(leaf.path))
            numbers[leaf.name, Kind.ARRAY] = Const(np.array(-len(given)))
    lender = _Lender(program)
    body = lender.statements(program.body, numbers)
    lent = replace(program, body=body, host=lender.steps, types=lender.types)
    return lent, replace(interface, host=tuple(given))


class _Lender:
    def __init__(self, program: Program):
        self.steps = list(program.host)
        self.types = dict(program.types)
        self.both = both_sides(program)
        self.places = Counter(stmt.step for stmt in hosts_in(program.body))

    def reading(self, stmt: Host, numbers: Mapping[Sent, Operand]) -> Host:
        """The statement that reads objects, whose `numbers` are known, where these values were sent."""
        step = self.steps[stmt.step]
        moved = {slot: numbers[value] for slot, value in self.values(stmt) if value in numbers}
        if not moved:
            return stmt
        stays = [slot for slot in range(len(stmt.sends)) if slot not in moved]
        objects = {slot: len(stmt.objects) + i for i, slot in enumerate(moved)}
        order = [stays.index(slot) if slot in stays else -1 for slot in range(len(stmt.sends))]

        def changed(result: Result) -> Result:
            return renumbered(_of_objects(result, objects), order)

        changed_step = replace(
            step,
            args=tuple(map(changed, step.args)),
            keywords=tuple((k, changed(v)) for k, v in step.keywords),
            sends=tuple(step.sends[slot] for slot in stays),
            made=tuple(step.made[slot] for slot in stays),
        )
        return replace(
            stmt,
            step=self.number(stmt, changed_step),
            objects=(*stmt.objects, *moved.values()),
            sends=tuple(stmt.sends[slot] for slot in stays),
        )

    def number(self, stmt: Host, step: HostStep) -> int:
        """The number of the step that takes the place of a statement's; it has one of its own from then on."""
        if self.places[stmt.step] == 1:
            self.steps[stmt.step] = step
            return stmt.step
        self.places[stmt.step] -= 1
        return self.new(step)

    def new(self, step: HostStep) -> int:
        self.steps.append(step)
        self.places[len(self.steps) - 1] = 1
        return len(self.steps) - 1

    def values(self, stmt: Host) -> list[tuple[int, Sent]]:
        """What the graph sends as such, by slot: not the columns of lists, nor what says which of several it is.

        A column of objects on the host is their numbers, which are no reading of an output.
        """
        step = self.steps[stmt.step]
        results = [*step.args, *(v for _, v in step.keywords)]
        alone = Counter(slot for result in results for slot in _alone(result))
        read = Counter(slot for result in results for slot in outputs_in(result))
        found = ((slot, name) for slot, name in enumerate(stmt.sends) if 0 < alone[slot] == read[slot])
        names = ((slot, name) for slot, name in found if isinstance(name, str) and name not in self.both)
        return [(slot, (name, step.sends[slot].kind)) for slot, name in names]

    def statements(self, body: list[Stmt], numbers: Mapping[Sent, Operand]) -> list[Stmt]:
        """The statements where the host has what `numbers` says when they begin."""
        known, done = dict(numbers), list[Stmt]()
        sent = [[value for inner in hosts_in([stmt]) for _, value in self.values(inner)] for stmt in body]
        left = Counter(value for values in sent for value in values)
        for stmt, values in zip(body, sent, strict=True):
            left.subtract(values)
            if isinstance(stmt, Host):
                again = {value for value in left if left[value] and not self.steps[stmt.step].catches}
                done += self.keep(stmt, known, lambda value: value in again and value[1] is Kind.ARRAY)  # noqa: B023
                done.append(self.reading(stmt, known))
                continue
            if isinstance(stmt, Loop):
                before, stmt = self.before(stmt, known)
                done += before
            if known:
                changed = {name for inner in walk([stmt]) for name in made_by(inner)}
                known = {value: number for value, number in known.items() if value[0] not in changed}
            done.append(with_bodies(stmt, partial(self.statements, numbers=known)))
        return done

    def before(self, loop: Loop, known: dict[Sent, Operand]) -> tuple[list[Stmt], Loop]:
        """What stands before a loop, and the loop: what its steps are sent in every round is kept, and `known`."""
        changed = {name for stmt in walk([loop]) for name in made_by(stmt)}
        before: list[Stmt] = []

        def every_round(body: list[Stmt]) -> list[Stmt]:
            done: list[Stmt] = []
            for stmt in body:
                match stmt:
                    case Block() | Loop():
                        done.append(with_bodies(stmt, every_round))
                    case Host() if self.is_kept(stmt) and changed.isdisjoint(stmt.sends):
                        before.append(stmt)
                        if isinstance(self.steps[stmt.step].args[0], OutputResult):  # not a text or list of it
                            known.update(dict.fromkeys([value for _, value in self.values(stmt)], stmt.results[0]))
                    case Host():
                        before.extend(self.keep(stmt, known, lambda value: value[0] not in changed))
                        done.append(stmt)
                    case _:
                        done.append(stmt)
            return done

        return before, replace(loop, body=every_round(loop.body))

    def keep(self, stmt: Host, known: dict[Sent, Operand], worth: Callable[[Sent], bool]) -> list[Host]:
        """What puts the values on the host that a statement is sent, where it is worth it; they are `known` then."""
        made: list[Host] = []
        for slot, value in self.values(stmt):
            if value not in known and worth(value):
                made.append(self.kept(stmt, slot, value[0]))
                known[value] = made[-1].results[0]
        return made

    def is_kept(self, stmt: Host) -> bool:
        """Whether a step only puts a value of the graph on the host."""
        step = self.steps[stmt.step]
        return step.kind == "keep" and not (stmt.objects or stmt.receives or step.catches)

    def kept(self, stmt: Host, slot: int, name: str) -> Host:
        """The statement that puts a value on the host for another one."""
        step = self.steps[stmt.step]
        type_ = step.sends[slot]
        number = self.new(
            HostStep(
                "keep",
                (OutputResult(0, type_),),
                results=1,
                sends=(type_,),
                text=step.text,
                loc=step.loc,
                changes=False,
                explicit=step.explicit,
                made=(step.made[slot],),
            )
        )
        result = f"{name}.kept.{number}"
        self.types[result] = NUMBER
        return Host(number, (), (name,), [result], [], loc=stmt.loc)


PARTED = (TupleResult, ListResult, DictResult, RecordResult, SharedResult, TextResult)
"""What may have a value of the graph or an object in the same places."""


def _alone(result: Result) -> Iterator[int]:
    """The outputs that stand for themselves."""
    if isinstance(result, OutputResult):
        yield result.index
    elif isinstance(result, PARTED):
        for part in parts_of(result):
            yield from _alone(part)


def _of_objects(result: Result, objects: Mapping[int, int]) -> Result:
    """A result with objects in the places of some outputs."""
    if isinstance(result, OutputResult):
        return ObjectResult(objects[result.index]) if result.index in objects else result
    return mapped(result, lambda part: _of_objects(part, objects)) if isinstance(result, PARTED) else result


__all__ = ["with_lent"]
