"""What the host tells of its objects and the graph does not read is not told, and not checked.

h1, reward = host[0](env)       # env.step()            h1 = host[0](env)
h2 = host[1](total, h1)         # total += reward   ->  h2 = host[1](total, h1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graph_program.extract.ir import residual
from graph_program.extract.ir.host import ERROR, HostStep
from graph_program.extract.ir.residual import Const, Host, Stmt
from graph_program.extract.slice.statements import hosts_in, read_by, walk, with_hosts
from graph_program.extract.types.tensors.tensor_type import INT64

NOTHING = Const(np.array(0, INT64))
Kept = tuple[list[int], list[int]]
"""The new objects and the told values of a step that stay, by their places."""


def without_unread(program: residual.Program) -> residual.Program:
    """The same program; its host steps tell what is read."""
    if not program.host:
        return program
    read, kept = _read(program), dict[int, Kept]()
    for stmt in hosts_in(program.body):
        results, receives = _kept(program.host[stmt.step], stmt, read)
        before = kept.get(stmt.step, ([], []))
        kept[stmt.step] = sorted({*before[0], *results}), sorted({*before[1], *receives})
    steps = [_with(step, *kept[i]) if i in kept else step for i, step in enumerate(program.host)]

    def shortened(stmt: Host) -> Stmt | None:
        results, receives = kept[stmt.step]
        step = program.host[stmt.step]
        if step.kind == ERROR and stmt.results[0] not in read:
            return residual.Copy(list(stmt.results), [NOTHING], loc=stmt.loc)
        if step.kind == "tell" and len(receives) == bool(step.catches):
            return None
        told = [stmt.receives[slot] for slot in receives]
        return replace(stmt, results=[stmt.results[i] for i in results], receives=told)

    return replace(program, body=with_hosts(program.body, shortened), host=steps)


def _read(program: residual.Program) -> set[str]:
    """What something reads besides copies to variables that nothing reads."""
    found = {name for name in program.outputs if isinstance(name, str)}
    sources: dict[str, list[str]] = {}
    for stmt in walk(program.body):
        if isinstance(stmt, residual.Copy | residual.Effect):
            for target, source in zip(stmt.targets, stmt.sources, strict=True):
                if isinstance(source, str):
                    sources.setdefault(target, []).append(source)
        elif isinstance(stmt, Host) and program.host[stmt.step].kind == ERROR:
            sources.setdefault(stmt.results[0], []).extend(name for name in read_by(stmt) if isinstance(name, str))
        else:
            found.update(name for name in read_by(stmt) if isinstance(name, str))
    work = list(found)
    while work:
        new = [name for name in sources.get(work.pop(), ()) if name not in found]
        found.update(new)
        work += new
    return found


def _kept(step: HostStep, stmt: Host, read: set[str]) -> Kept:
    """What is read of what a step makes and tells; besides what is told of objects, all stays."""
    told = len(step.receives) - bool(step.catches) if step.kind == "tell" else len(step.tells)
    receives = [
        slot
        for slot, name in enumerate(stmt.receives)
        if name in read or slot >= told or (step.tells and step.tells[slot] < 0)
    ]
    results = list(range(len(stmt.results)))
    if step.kind == "next":  # the parts of an item that nobody takes apart stay together
        inside = any(name in read for name in stmt.results[1 : _own(step)])
        if not inside and not any(step.tells[slot] > 0 for slot in receives if slot < len(step.tells)):
            results = [0, *results[_own(step) :]]
    return results, receives


def _own(step: HostStep) -> int:
    """How many of the objects the step makes by itself, besides an exception."""
    return step.results - bool(step.catches)


def _with(step: HostStep, results: Sequence[int], receives: Sequence[int]) -> HostStep:
    return replace(
        step,
        results=len(results),
        receives=tuple(step.receives[slot] for slot in receives),
        tells=tuple(step.tells[slot] for slot in receives if slot < len(step.tells)),
        asked=frozenset(i for i, slot in enumerate(receives) if slot in step.asked),
    )


__all__ = ["without_unread"]
