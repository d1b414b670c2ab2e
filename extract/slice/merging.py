"""Steps on the host that follow each other become one: fewer exchanges between graph and host.

    h1 = host[0](s)                 # env.step(s)
    h2, h3 = host[1](h1)            # obs, done = h1          h2, t = host[0](s)
    t = host[2](h3)                 # bool(done)         ->   y = add(x, 1.0)
    y = add(x, 1.0)
    if t: ...                                                 if t: ...

Arithmetic on single numbers between two steps is done before both, where the second is sent its result and the
first does not tell it, else after both.  Anything else between them keeps them apart: a check, a branch, a loop,
so that what is reached stays as it is; work on arrays, so that clocks and messages come when they should (the
look-up of a method that is called next can wait for that work).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field, replace

from graph_program.extract.ir import residual
from graph_program.extract.ir.host import HostStep, Variables
from graph_program.extract.ir.residual import Host, Op, Operand, Stmt
from graph_program.extract.ir.results import ObjectResult
from graph_program.extract.records import dataclass
from graph_program.extract.slice.statements import hosts_in, read_by, walk

RUN = "run"
"""The kind of a step that has parts."""


def named(program: residual.Program, given: Sequence[str] = ()) -> residual.Program:
    """The program whose steps know what the variables are called; `given` names the caller's objects."""
    steps = list(program.host)
    for stmt in hosts_in(program.body):
        steps[stmt.step] = replace(steps[stmt.step], variables=_variables(stmt, given))
    return replace(program, host=steps)


def merged(program: residual.Program) -> tuple[residual.Program, dict[int, int]]:
    """The same program with fewer steps, and where each step has gone; they have their `named` variables."""
    if not program.host:
        return program, {}
    merger = _Merger(program)
    body = merger.statements(program.body)
    return replace(program, body=body, host=merger.steps), merger.numbers


def _variables(stmt: Host, given: Sequence[str]) -> Variables:
    objects = tuple(o if isinstance(o, str) else _given(int(o.value), given) for o in stmt.objects)
    sends = tuple(s if isinstance(s, str) else f"value.{i}.{stmt.step}" for i, s in enumerate(stmt.sends))
    return Variables(objects, sends, tuple(stmt.results), tuple(stmt.receives))


def _given(number: int, given: Sequence[str]) -> str:
    place = -1 - number
    return f"{given[place]}.given" if place < len(given) and given[place] else f"object.{place}.given"


@dataclass
class _Run:
    """Steps that follow each other, and what the graph computes between them."""

    hosts: list[Host] = field(default_factory=list)
    before: list[Stmt] = field(default_factory=list)
    after: list[Op] = field(default_factory=list)
    made: set[str] = field(default_factory=set)
    """What the steps give, and what is computed of it."""

    def add(self, stmt: Host) -> None:
        self.hosts.append(stmt)
        self.made.update([*stmt.results, *stmt.receives])

    def needed(self, stmt: Host) -> list[Op] | None:
        """What has to be computed before a step can be a part of this run; None where it cannot."""
        own = {name for host in self.hosts for name in host.results}
        told = {name for host in self.hosts for name in host.receives}
        wanted = {name for name in (*stmt.objects, *stmt.sends) if isinstance(name, str)} - own
        found: list[Op] = []
        for op in reversed(self.after):
            if op.target in wanted:
                wanted.update(a for a in op.args if isinstance(a, str))
                found.append(op)
        return None if wanted & (own | told) else found[::-1]


class _Merger:
    def __init__(self, program: residual.Program):
        self.program = program
        self.steps: list[HostStep] = []
        self.numbers: dict[int, int] = {}
        self.reads = Counter(name for stmt in walk(program.body) for name in read_by(stmt) if isinstance(name, str))
        self.reads.update(name for name in program.outputs if isinstance(name, str))
        self.called = {name for stmt in hosts_in(program.body) if (name := self._called(stmt))}
        self.places = Counter(stmt.step for stmt in hosts_in(program.body))

    def statements(self, body: list[Stmt]) -> list[Stmt]:
        done: list[Stmt] = []
        run = _Run()
        for stmt in body:
            if isinstance(stmt, Host):
                if self._is_idle(stmt):
                    continue
                needed = self._fits(run, stmt)
                if needed is None:
                    self._end(run, done)
                    run, needed = _Run(), []
                run.before += needed
                run.after = [op for op in run.after if all(op is not n for n in needed)]
                run.add(stmt)
            elif isinstance(stmt, Op) and run.hosts and all(map(self._is_method, run.hosts)):
                run.before.append(stmt)
            elif isinstance(stmt, Op) and run.hosts and self._is_cheap(stmt):
                run.after.append(stmt)
            else:
                self._end(run, done)
                run = _Run()
                done.append(self._inside(stmt))
        self._end(run, done)
        return done

    def _inside(self, stmt: Stmt) -> Stmt:
        match stmt:
            case residual.If():
                return replace(stmt, body=self.statements(stmt.body), orelse=self.statements(stmt.orelse))
            case residual.Loop() | residual.Block():
                return replace(stmt, body=self.statements(stmt.body))
        return stmt

    def _is_cheap(self, op: Op) -> bool:
        """Whether an operation is arithmetic on single numbers."""
        ranks = [self.program.types[a].rank if isinstance(a, str) else a.value.ndim for a in (op.target, *op.args)]
        return not any(ranks)

    def _called(self, stmt: Host) -> Operand | None:
        """The function that a step calls."""
        step = self.program.host[stmt.step]
        function = step.args[0] if step.kind == "call" else None
        return stmt.objects[function.index] if isinstance(function, ObjectResult) else None

    def _is_method(self, stmt: Host) -> bool:
        """Whether a step looks up a method, for one call."""
        is_attribute = self.program.host[stmt.step].kind == "attribute" and not stmt.receives
        return is_attribute and all(self.reads[name] == 1 and name in self.called for name in stmt.results)

    def _is_idle(self, stmt: Host) -> bool:
        """Whether a step only puts a value on the host, where nobody reads it."""
        step = self.program.host[stmt.step]
        return step.kind == "keep" and not step.receives and not any(self.reads[name] for name in stmt.results)

    def _fits(self, run: _Run, stmt: Host) -> list[Op] | None:
        if not run.hosts:
            return []
        first, last = (self.program.host[s.step] for s in (run.hosts[0], stmt))
        same = (first.loc.file, first.loc.function, first.loc.call) == (last.loc.file, last.loc.function, last.loc.call)
        same = same and not first.catches and not last.catches and last.kind != "raise"
        once = all(self.places[s.step] == 1 for s in (run.hosts[-1], stmt))
        return run.needed(stmt) if same and once else None

    def _end(self, run: _Run, done: list[Stmt]) -> None:
        if not run.hosts:
            return
        done += run.before
        done.append(self._one(run.hosts))
        done += run.after

    def _one(self, hosts: list[Host]) -> Host:
        """The statement of a run."""
        if len(hosts) == 1:
            return replace(hosts[0], step=self._number(hosts[0].step))
        inner = Counter(name for host in hosts for name in read_by(host) if isinstance(name, str))
        made = {name for host in hosts for name in host.results}
        objects = {
            name: operand
            for host in hosts
            for name, operand in zip(self._step(host).variables.objects, host.objects, strict=True)
            if name not in made
        }
        results = [name for host in hosts for name in host.results if self.reads[name] > inner[name]]
        receives = [name for host in hosts for name in host.receives if self.reads[name]]
        self.numbers.update(dict.fromkeys([host.step for host in hosts], len(self.steps)))
        self.steps.append(self._merged([self._step(h) for h in hosts], list(objects), results, receives))
        sends = tuple(operand for host in hosts for operand in host.sends)
        return Host(len(self.steps) - 1, tuple(objects.values()), sends, results, receives, loc=hosts[0].loc)

    def _number(self, step: int) -> int:
        if step not in self.numbers:
            self.numbers[step] = len(self.steps)
            self.steps.append(self.program.host[step])
        return self.numbers[step]

    def _step(self, host: Host) -> HostStep:
        return self.program.host[host.step]

    def _merged(self, parts: list[HostStep], objects: list[str], results: list[str], receives: list[str]) -> HostStep:
        sends = tuple(name for part in parts for name in part.variables.sends)
        types = {n: t for part in parts for n, t in zip(part.variables.receives, part.receives, strict=True)}
        return HostStep(
            RUN,
            (),
            results=len(results),
            receives=tuple(types[name] for name in receives),
            sends=tuple(type_ for part in parts for type_ in part.sends),
            text="; ".join(dict.fromkeys(part.text for part in parts)),
            loc=parts[0].loc,
            changes=any(part.changes for part in parts),
            made=tuple(made for part in parts for made in part.made),
            variables=Variables(tuple(objects), sends, tuple(results), tuple(receives)),
            parts=tuple(parts),
        )
