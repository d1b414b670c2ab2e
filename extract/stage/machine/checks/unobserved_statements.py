"""Statements beside the program's own, which sessions may leave out: what they find is not known outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph_program.extract.ir import residual
    from graph_program.extract.stage.machine.machine import Machine


@contextmanager
def aside(m: Machine) -> Iterator[list[residual.Stmt]]:
    """Gather what is emitted inside; a view that is read there is read again outside."""
    state = m.live
    written, synced = dict(state.written), dict(state.synced)
    with m.collect() as statements:
        yield statements
    state.written, state.synced = written, synced
