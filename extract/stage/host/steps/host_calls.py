"""Calls of host code: made after the run where they can wait, else where they are reached."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.stage.arrays.array_writes import INSTEAD
from graph_program.extract.stage.host.steps import program_effects as effects
from graph_program.extract.stage.host.values import host_types
from graph_program.extract.stage.machine.decisions import STEPS
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.static_evaluation import try_now
from graph_program.extract.stage.values.values import NONE, Value


@host_entries.call_there.given
def call_host(m: Machine, value: Any, args: list[Value], keywords: dict[str, Value]) -> Value:
    if effects.can_wait(value) and not m.options.purpose.reports:
        m.host.unreported.setdefault(m.loc.in_program, value.__qualname__)
        return NONE
    waits = effects.can_wait(value) and not (m.tries.handling and effects.shows_handled(value, keywords))
    if waits and not m.decided[STEPS] and not m.loops.rounds:
        return effects.reach(m, value, args, keywords)
    return host_types.called(m, value, args, keywords)


def known_or_on_host(
    m: Machine, function: Callable[..., Any], args: Sequence[Value], keywords: Mapping[str, Value] | None = None
) -> Value:
    """A call of a pure function without a graph form: of what is known it is made now, else on the host."""
    keywords = keywords or {}
    return try_now(m, function, *args, **keywords) or call_host(m, function, list(args), dict(keywords))


def _home(value: Any, name: str) -> str:
    """The public module that has a function which does not say where it is from, as ufuncs do not."""
    public = (n for n in list(sys.modules) if not any(part.startswith("_") for part in n.split(".")))
    having = [n for n in public if vars(sys.modules[n] or types).get(name) is value]
    return "numpy" if "numpy" in having else min(having, key=len, default="numpy")


@host_entries.no_graph_form.given
def no_graph_form(m: Machine, value: Any) -> diagnostics.GraphProgramError:
    name = getattr(value, "__name__", type(value).__name__)
    module = (getattr(value, "__module__", None) or _home(value, name)).replace("numpy", "np", 1)

    general = "see the operations page for what has; combine those, or call it outside the program"
    if module.partition(".")[0] != "np":
        general = "write it with NumPy, or call it in a function of yours that is marked @host_function"
    return m.error("GP323", f"{module}.{name} has no graph form", hint=INSTEAD.get(name, general))
