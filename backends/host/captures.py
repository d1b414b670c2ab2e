"""Captured values that host code changes in the middle of a call: an error, as the graph has the old ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graph_program.backends.host.exchange import Step
from graph_program.backends.host.shim import guard_test
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.interface import CapturedInput, Guard, Interface

Tests = list[tuple[Guard, Callable[[], bool]]]


def watched(run: Sequence[Step], steps: Sequence[HostStep], guards: Sequence[Guard]) -> list[Step]:
    """The steps; behind those that run unknown code it is seen that what the program reads later is unchanged."""
    tests = [(guard, guard_test(guard)) for guard in guards if guard.late]
    if not tests:
        return list(run)
    return [_watched(one, step, tests) if step.changes else one for one, step in zip(run, steps, strict=True)]


def _watched(run: Step, step: HostStep, tests: Tests) -> Step:
    def watching(objects: Sequence[Any], sent: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        result = run(objects, sent)
        for guard, unchanged in tests:
            if not unchanged():
                raise _changed(guard, step)
        try:
            return result
        finally:
            del result  # an exception in it leads to this frame

    return watching


def kept(feed: Mapping[str, Any], interface: Interface) -> dict[str, Any]:
    """Copies of the captured arrays: the graph may come to an operation after the host has come to a later step."""
    arrays = [i for i in interface.inputs if isinstance(i, CapturedInput) and i.array.flags.writeable]
    return {i.name: feed[i.name].copy() for i in arrays if i.name in feed}


def require_unchanged(feed: Mapping[str, Any], copies: Mapping[str, Any], interface: Interface, loc: Loc) -> None:
    """Refuse a call in which host code has changed captured arrays in place that the program reads later.

    Raises
    ------
    GraphProgramError
        GP524.
    """
    late = {i.name for i in interface.inputs if isinstance(i, CapturedInput) and i.late}
    for name, copy in copies.items():
        if name in late and copy.tobytes() != feed[name].tobytes():
            text = f"host code has changed the captured array '{name}', which this program reads later in the same call"
            hint = "have a host function return the new array"
            raise GraphProgramError(Diagnostic("GP524", text, loc, hint=hint))


def _changed(guard: Guard, step: HostStep) -> GraphProgramError:
    name = guard.text.partition("@")[0]
    return GraphProgramError(
        Diagnostic(
            "GP524",
            f"{step.text} has changed '{name}', which this program reads later in the same call",
            step.loc,
            hint="have a host function return what it changes, or read it in one",
        )
    )
