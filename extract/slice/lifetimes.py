"""How long objects stay on the host: the table of a call loses what the graph cannot name any more.

    h = host[0]()
    for k in range(n):                  group 0: h, best, other
        if c: best = h
        h = host[1](k; keeps best)      ends group 0: of it, only `best` and the new `h` are left
        other = host[2](h)

A group is variables that may have each other's numbers: copies connect them, and operations on numbers.  Behind a step
at which no variable of a group is live, its objects are gone, whichever they were; behind one that makes an object of
the group, those stay whose numbers the live variables have, which the step is given for that.  So nothing is lost that
a variable can still lead to, however the graph has moved the numbers about.  Numbers in arrays (lists of a computed
length) cannot be given to a step: as long as such an array is live, its group only grows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from graph_program.extract.control.cfg import Cfg, variables
from graph_program.extract.control.dominators import Dominators
from graph_program.extract.control.liveness import Liveness, liveness
from graph_program.extract.control.residual_to_cfg import HostPoint, residual_to_cfg
from graph_program.extract.ir.host import HostStep, Lifetimes
from graph_program.extract.ir.residual import Copy, Effect, Host, Loop, Op, Operand, Program, Stmt
from graph_program.extract.ir.results import ObjectResult
from graph_program.extract.slice.statements import bodies, hosts_in, walk, with_hosts

UNREAD = -1
"""The group of an object whose number nobody reads."""


def with_lifetimes(program: Program) -> Program:
    """The program whose steps know which objects end behind them; each place of a step is a step of its own."""
    if not program.host:
        return program
    places = _Places(program)
    steps = list(program.host)
    taken: set[int] = set()

    def described(stmt: Host) -> Host:
        lifetimes, kept = places.of(stmt)
        step, number = replace(program.host[stmt.step], lifetimes=lifetimes), stmt.step
        if number in taken:
            number = len(steps)
            steps.append(step)
        steps[number] = step
        taken.add(number)
        return replace(stmt, step=number, objects=(*stmt.objects, *kept), loc=stmt.loc)

    body = with_hosts(program.body, described)
    return replace(program, body=body, host=steps)


class _Places:
    """What is live behind each host statement of a program, and which variables belong together."""

    def __init__(self, program: Program):
        self.types = program.types
        self.group = _groups(program)
        self.iterators = {self.group[name] for step in program.host for name in _iterators(step) if name in self.group}
        self.held: dict[int, frozenset[int]] = {}
        """For each host statement, the iterators of the loops around it: they stay until their loop is left."""
        self._hold(program.body, program.host, frozenset())
        points: list[HostPoint] = []
        cfg = residual_to_cfg(program, points)
        live = liveness(cfg)
        repeated = frozenset[int]().union(*Dominators(cfg).loops().values())
        self.live: dict[int, frozenset[str]] = {}
        self.repeated: set[int] = set()
        for point in points:
            if point.before not in cfg.blocks:
                continue
            self.live[id(point.stmt)] = self.live.get(id(point.stmt), frozenset()) | _behind(cfg, live, point)
            if point.before in repeated:
                self.repeated.add(id(point.stmt))

    def _hold(self, body: list[Stmt], steps: Sequence[HostStep], held: frozenset[int]) -> None:
        for stmt in body:
            inside = held
            if isinstance(stmt, Host):
                self.held[id(stmt)] = held
            if isinstance(stmt, Loop):
                asked = (name for host in _of_a_round(stmt.body) for name in _iterators(steps[host.step]))
                inside |= {self.group[name] for name in asked if name in self.group}
            for inner in bodies(stmt):
                self._hold(inner, steps, inside)

    def of(self, stmt: Host) -> tuple[Lifetimes, list[Operand]]:
        """What ends behind a statement, and the variables whose objects it has to be told that they do not."""
        if id(stmt) not in self.live:  # it is not reached
            return Lifetimes((UNREAD,) * len(stmt.results)), []
        after, held = self.live[id(stmt)], self.held[id(stmt)]
        others = after - set(stmt.results)
        made = tuple(self.group[name] if name in after else UNREAD for name in stmt.results)
        operands = (*stmt.objects, *stmt.sends)
        read = {self.group[name] for name in operands if isinstance(name, str) and name in self.group}
        ends, kept = [], list[str]()
        for group in sorted({*made, *read} - {UNREAD} - held):
            living = sorted(name for name in others if self.group.get(name) == group)
            wanted = group in made and id(stmt) in self.repeated and not any(self.types[n].rank for n in living)
            if not living or wanted:
                ends.append(group)
                kept += living
        there = {self.group[name] for name in others if name in self.group} | read
        over = tuple(sorted(self.iterators - there - held))
        return Lifetimes(made, tuple(ends), len(kept), over), list[Operand](kept)


def _of_a_round(body: list[Stmt]) -> Iterator[Host]:
    """The host statements of a loop that are not in loops inside of it."""
    for stmt in body:
        if isinstance(stmt, Host):
            yield stmt
        elif not isinstance(stmt, Loop):
            for inner in bodies(stmt):
                yield from _of_a_round(inner)


def _iterators(step: HostStep) -> Iterator[str]:
    """The variables whose next items a step asks for."""
    for part in step.parts or (step,):
        if part.kind == "next":
            iterator = part.args[0]
            if isinstance(iterator, ObjectResult):
                yield part.variables.objects[iterator.index]


def _behind(cfg: Cfg, live: Liveness, point: HostPoint) -> frozenset[str]:
    """The variables that are live behind a host step, those that it makes included."""
    block = cfg.blocks[point.after]
    read = set(variables(block.terminator.operands)) | live.exit[point.after]
    for item in block.body:
        read.update(variables(item.sources if isinstance(item, Copy) else item.args))
    return live.entry[point.after] | (read & set(point.stmt.results))


def _groups(program: Program) -> dict[str, int]:
    """The group of each variable that may have the number of an object."""
    flows = [(a, b) for stmt in walk(program.body) for a, b in _flows(stmt, program)]
    makers = {name for stmt in hosts_in(program.body) for name in stmt.results}
    numbers, work = set(makers), list(makers)
    following: dict[str, list[str]] = {}
    for source, target in flows:
        following.setdefault(source, []).append(target)
    while work:
        for target in following.get(work.pop(), ()):
            if target not in numbers:
                numbers.add(target)
                work.append(target)
    parent = {name: name for name in numbers}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for source, target in flows:
        if source in numbers:
            parent[root(source)] = root(target)
    order = {name: i for i, name in enumerate(dict.fromkeys(root(name) for name in sorted(numbers)))}
    return {name: order[root(name)] for name in sorted(numbers)}


def _flows(stmt: Stmt, program: Program) -> Iterator[tuple[str, str]]:
    """Pairs of variables where the second may get what the first has; truth values have no numbers."""
    match stmt:
        case Copy() | Effect():
            pairs = [(s, t) for s, t in zip(stmt.sources, stmt.targets, strict=True)]
        case Op():
            pairs = [(argument, stmt.target) for argument in stmt.args]
        case _:
            return
    for source, target in pairs:
        if isinstance(source, str) and program.types[target].dtype.kind != "b":
            yield source, target


__all__ = ["UNREAD", "with_lifetimes"]
