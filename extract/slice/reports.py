"""A program that tells nothing of its run does not do what would only be told: clocks are not read, for one.

    h1 = host[0]()            # time.perf_counter()
    y = matmul(x, w)                                     y = matmul(x, w)
    h2 = host[1]()            # time.perf_counter()  ->
    h3 = host[2](h2, h1)      # h2 - h1, for a `print` that is left out

Left out is what reads a clock or a standard stream, and what is done with nothing but that, where nothing else needs
what it makes.
"""

from __future__ import annotations

import datetime
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import residual
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.residual import Const, Host, Operand, Stmt
from graph_program.extract.ir.results import CapturedResult, StreamResult
from graph_program.extract.slice.statements import hosts_in, made_by, read_by, walk, with_bodies

CLOCKS = (
    *(
        getattr(time, name + end)
        for name in ("time", "perf_counter", "monotonic", "process_time")
        for end in ("", "_ns")
    ),
    datetime.datetime.now,
    datetime.datetime.utcnow,
)
WORDS = (abs, float, format, int, max, min, repr, round, str)
"""Functions that do nothing but give a result."""
RESULTS = frozenset({"binary", "compare", "item", "keep", "tell", "test", "truth", "unary"})
"""Kinds of steps that do nothing but give results, of numbers and texts."""
STREAMS = ("stdout", "stderr")


def without_reports(program: residual.Program) -> tuple[residual.Program, tuple[tuple[Loc, str], ...]]:
    """The program without what only tells of its run, and the writes to standard streams among that."""
    if not program.host:
        return program, ()
    reporting = _Reporting(program)
    needed = reporting.needed()
    gone = {
        id(stmt)
        for stmt in hosts_in(program.body)
        if reporting.is_idle(stmt) and needed.isdisjoint((*stmt.results, *stmt.receives))
    }
    if not gone:
        return program, ()
    names = {name for stmt in hosts_in(program.body) if id(stmt) in gone for name in made_by(stmt)}
    names |= reporting.told - needed
    body = _without(program.body, gone, names)
    left = sorted({stmt.step for stmt in hosts_in(body)})
    numbers = {step: number for number, step in enumerate(left)}
    body = _renumbered(body, numbers)
    steps = [_unscoped(program.host[step], names) for step in left]
    writes = (program.host[stmt.step] for stmt in hosts_in(program.body) if id(stmt) in gone)
    told = {step.loc.in_program: step.text.removesuffix("(...)") for step in writes if _is_write(step)}
    return replace(program, body=body, host=steps), tuple(told.items())


class _Reporting:
    """Which steps only read clocks and streams and make something of that, and which of them are needed."""

    def __init__(self, program: residual.Program):
        self.program = program
        self.statements = list(walk(program.body))
        self.told = {name for stmt in self.statements for name in made_by(stmt)}
        """The variables of what comes from clocks and streams alone."""
        while True:
            other = {name for stmt in self.statements for name in self._others(stmt)} & self.told
            if not other:
                break
            self.told -= other

    def _others(self, stmt: Stmt) -> Iterator[str]:
        """What a statement makes that is something else."""
        if isinstance(stmt, residual.Copy):
            for target, source in zip(stmt.targets, stmt.sources, strict=True):
                if not self._is_told(source):
                    yield target
        elif not isinstance(stmt, Host) or not self.is_idle(stmt):
            yield from made_by(stmt)

    def _is_told(self, operand: Operand) -> bool:
        return operand in self.told if isinstance(operand, str) else _is_nothing(operand)

    def is_idle(self, stmt: Host) -> bool:
        """Whether a statement does nothing that matters beside what it makes."""
        step = self.program.host[stmt.step]
        if step.catches:
            return False
        if _begins(step):
            return True
        of_told = bool(stmt.objects) and all(map(self._is_told, stmt.objects))
        first = step.args[0] if step.args else None
        if step.kind == "call" and isinstance(first, CapturedResult):
            return of_told and first.value in WORDS
        return of_told and step.kind in (*RESULTS, "attribute", "call")

    def needed(self) -> set[str]:
        """The variables that something else needs."""
        found = {name for name in self.program.outputs if isinstance(name, str)}
        waiting: list[tuple[list[str], list[Operand]]] = []
        for stmt in self.statements:
            if isinstance(stmt, Host) and self.is_idle(stmt):
                waiting.append((made_by(stmt), read_by(stmt)))
            elif isinstance(stmt, residual.Copy):
                waiting += [([t], [s]) for t, s in zip(stmt.targets, stmt.sources, strict=True)]
            else:
                found.update(name for name in read_by(stmt) if isinstance(name, str))
        while True:
            new = {
                name
                for made, read in waiting
                if not found.isdisjoint(made)
                for name in read
                if isinstance(name, str) and name not in found
            }
            if not new:
                return found
            found |= new


def _begins(step: HostStep) -> bool:
    """Whether a step reads a clock, or gives a standard stream."""
    first = step.args[0] if step.args else None
    if step.kind == "attribute" and isinstance(first, CapturedResult | StreamResult):
        return isinstance(first, StreamResult) or (first.value is sys and step.detail in STREAMS)
    return step.kind == "call" and isinstance(first, CapturedResult) and first.value in CLOCKS


def _is_write(step: HostStep) -> bool:
    return step.kind == "call" and step.text.startswith(tuple(f"sys.{name}." for name in STREAMS))


def _is_nothing(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value.ndim == 0 and bool(operand.value == 0)


def _without(body: Iterable[Stmt], gone: set[int], names: set[str]) -> list[Stmt]:
    found: list[Stmt] = []
    for stmt in body:
        if id(stmt) in gone:
            continue
        if isinstance(stmt, residual.Copy):
            pairs = [(t, s) for t, s in zip(stmt.targets, stmt.sources, strict=True) if t not in names]
            found.append(replace(stmt, targets=[t for t, _ in pairs], sources=[s for _, s in pairs]))
        else:
            found.append(with_bodies(stmt, lambda inner: _without(inner, gone, names)))
    return found


def _renumbered(body: Iterable[Stmt], numbers: dict[int, int]) -> list[Stmt]:
    return [
        replace(stmt, step=numbers[stmt.step])
        if isinstance(stmt, Host)
        else with_bodies(stmt, lambda inner: _renumbered(inner, numbers))
        for stmt in body
    ]


def _unscoped(step: HostStep, names: set[str]) -> HostStep:
    """The step without places that have what is gone."""
    has = tuple((place, name) for place, name in step.scope.has if name not in names)
    return replace(step, scope=replace(step.scope, has=has))


__all__ = ["without_reports"]
