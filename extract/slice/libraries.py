"""Which results are a library's: all, in a graph for a compiler in process that has one, or none.

    t = library_begun()
    x = ...                                           x = ...
    found = library_solve(a, b)              to       y = x        or      found = library_solve(a, b)
    part = take(found, 0, axis=0)                                          part = take(found, 0, axis=0)
    y = library_result(x, part, t)                                         y = part

What stands between and nobody else reads is left out with its checks: they are of what the library does not do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from graph_program.extract.ir.libraries import BEGUN, FUNCTIONS, RESULT
from graph_program.extract.ir.reach import reached
from graph_program.extract.ir.residual import Copy, Op, Operand, Program, Stmt
from graph_program.extract.slice.statements import bodies, made_by, read_by, walk, with_bodies


def asks_libraries(program: Program) -> bool:
    """Whether there is something that a library computes."""
    return any(isinstance(stmt, Op) and stmt.op == RESULT for stmt in walk(program.body))


def without_libraries(program: Program) -> Program:
    """The program that needs no library."""
    return replace(program, body=_without(program.body, set()))


def _without(body: Iterable[Stmt], dropped: set[Operand]) -> list[Stmt]:
    kept: list[Stmt] = []
    for stmt in body:
        if isinstance(stmt, Op) and stmt.op == RESULT:
            kept.append(_copy(stmt, 0))
        elif isinstance(stmt, Op) and (stmt.op in FUNCTIONS or not dropped.isdisjoint(_variables(stmt.args))):
            dropped.add(stmt.target)
        elif not (isinstance(stmt, Op) and stmt.op == BEGUN):
            kept.append(with_bodies(stmt, lambda inner: _without(inner, dropped)))
    return kept


def with_libraries(program: Program) -> Program:
    """The program whose results are those of libraries."""
    needs: dict[str, list[str]] = {}
    roots = [*_variables(program.outputs), *_needed(program.body, needs)]
    return replace(program, body=_with(program.body, reached(roots, needs)))


def _needed(body: Sequence[Stmt], needs: dict[str, list[str]]) -> Iterator[str]:
    """What is read in any case; `needs` is filled with what variables need that may have no reader."""
    inside = _between(body)
    for place, stmt in enumerate(body):
        if isinstance(stmt, Op) and stmt.op == RESULT:
            needs[stmt.target] = _variables(stmt.args[1:2])
        elif isinstance(stmt, Copy):
            for target, source in zip(stmt.targets, stmt.sources, strict=True):
                needs.setdefault(target, []).extend(_variables([source]))
        elif place in inside:
            for name in _made(stmt):
                needs.setdefault(name, []).extend(name for own in walk([stmt]) for name in _variables(read_by(own)))
        else:
            yield from _variables(read_by(stmt))
            for inner in bodies(stmt):
                yield from _needed(inner, needs)


def _with(body: Sequence[Stmt], needed: set[str]) -> list[Stmt]:
    inside = _between(body)
    kept: list[Stmt] = []
    for place, stmt in enumerate(body):
        if isinstance(stmt, Op) and stmt.op == RESULT:
            kept.append(_copy(stmt, 1))
        elif isinstance(stmt, Copy):
            pairs = [pair for pair in zip(stmt.targets, stmt.sources, strict=True) if pair[0] in needed]
            kept.append(Copy([target for target, _ in pairs], [source for _, source in pairs], loc=stmt.loc))
        elif place not in inside or not needed.isdisjoint(_made(stmt)):
            kept.append(with_bodies(stmt, lambda inner: _with(inner, needed)))
    return kept


def _made(stmt: Stmt) -> list[str]:
    """The variables that a statement gives values, and those in it."""
    return [name for inner in walk([stmt]) for name in made_by(inner)]


def _between(body: Sequence[Stmt]) -> set[int]:
    """The places from where something begins up to the last of its results."""
    begun: dict[Operand, int] = {}
    found: set[int] = set()
    for place, stmt in enumerate(body):
        if isinstance(stmt, Op) and stmt.op == BEGUN:
            begun[stmt.target] = place
        elif isinstance(stmt, Op) and stmt.op == RESULT and stmt.args[2] in begun:
            found.update(range(begun[stmt.args[2]], place + 1))
    return found


def _copy(op: Op, place: int) -> Stmt:
    return Copy([op.target], [op.args[place]], loc=op.loc)


def _variables(operands: Iterable[Operand]) -> list[str]:
    return [operand for operand in operands if isinstance(operand, str)]


__all__ = ["asks_libraries", "with_libraries", "without_libraries"]
