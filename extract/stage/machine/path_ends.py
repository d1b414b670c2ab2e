"""Paths of control: where they end, what is emitted at an end, and what gets behind a construct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from graph_program.extract.ir import residual
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import Unreachable
from graph_program.extract.stage.machine.state import Exit
from graph_program.extract.types.dims import Dim


@contextmanager
def reaching(m: Machine) -> Iterator[None]:
    """Evaluate as far as control gets: no path goes on where it gets to no end."""
    try:
        yield
    except Unreachable:
        m.state = None


def ensure_reachable(m: Machine) -> None:
    """End the evaluation of a statement where no path has come here."""
    if m.state is None:
        raise Unreachable


@contextmanager
def on_path(m: Machine, exit_: Exit) -> Iterator[None]:
    """Emit just before the copy at the end of a path, in that path's state."""
    outer_out, outer_state = m.out, m.state
    m.out, m.state = [], exit_.state
    try:
        yield
    finally:
        added, m.out, m.state = m.out, outer_out, outer_state
    if added:
        position = next(i for i in range(len(exit_.out) - 1, -1, -1) if exit_.out[i] is exit_.copy)
        exit_.out[position:position] = added


def close_path(m: Machine) -> Exit:
    """Close the present path with an (as yet empty) copy."""
    copy = residual.Copy([], [], loc=m.loc)
    m.out.append(copy)
    exit_ = Exit(m.live, m.out, copy)
    m.state = None
    return exit_


def leave(m: Machine, label: str, error: residual.Check | None = None) -> None:
    """Jump to just after the block `label`; an error is recorded last, as the host does nothing more behind it."""
    exit_ = close_path(m)
    if error is not None:
        m.out.append(error)
    m.out.append(residual.Leave(label, loc=m.loc))
    m.pending[label].append(exit_)


def append(m: Machine, statements: list[residual.Stmt]) -> None:
    """Emit statements that were gathered in a list of their own; a path that ends in them ends here from now on."""
    m.out.extend(statements)
    last = statements[-1] if statements else None
    if isinstance(last, residual.Leave):
        for exit_ in m.pending.get(last.label, ()):
            if exit_.out is statements:
                exit_.out = m.out


def departures(m: Machine) -> dict[str, int]:
    """How many paths lead to the end of each enclosing block so far."""
    return {label: len(exits) for label, exits in m.pending.items()}


def rejoin(m: Machine, before: Mapping[str, int], reach: tuple[Dim, ...] | None) -> None:
    """Behind a construct: what got to it gets here, unless some path has left an enclosing block."""
    if m.state is not None:
        left = any(len(m.pending[label]) > count for label, count in before.items() if label in m.pending)
        m.state.reach = None if left else reach
