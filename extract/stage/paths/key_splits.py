"""Statements that are evaluated once with a key of a dict, and once without it.

    d = {}                              if c:
    if c: d["a"] = x            ->          n := len({"a": x})
    n = len(d)                          else:
                                            n := len({})

Which keys a dict has, and whether a value is None, may matter in a way that no operation of the graph stands for.
The use raises `KeysNeeded`, the evaluation starts again, and the statement becomes a branch; in each of its sides
the value is known (`narrowing`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import KeysNeeded, Unreachable
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.values.values import Tensor, births

Handler = Callable[[Machine, Any], None]
MAX_SPLITS = 6
"""A statement is evaluated for at most this many keys at once: two to this power times."""


def within(handler: Handler, told: tuple[Tensor, ...] = ()) -> Handler:
    """A statement's evaluation, on each side of a test where it needs one."""

    def run(m: Machine, node: tree.Stmt) -> None:
        m.current_frame.live_now = m.current_frame.live_after.get(id(node))
        checkpoint, born = Checkpoint(m), next(births)
        m.choices.splitting += bool(told)
        try:
            handler(m, node)
            return
        except Unreachable:
            m.state = None
            return
        except KeysNeeded as found:
            if found.subjects or found.flag.born >= born or not _is_new(found, told):
                raise
            needed = found
        finally:
            m.choices.splitting -= bool(told)
        checkpoint.restore()
        inner = within(handler, (*told, needed.flag))
        flow.branch(m, needed.flag, lambda: inner(m, node), lambda: inner(m, node))

    return run


def _is_new(found: KeysNeeded, told: tuple[Tensor, ...]) -> bool:
    """Whether another test may tell more: one flag is tested once."""
    return len(told) < MAX_SPLITS and not any(found.flag is one for one in told)
