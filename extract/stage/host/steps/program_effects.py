"""Host calls with no result for the graph: reached in the graph, made when it has run.

    print(f"x = {x}")         ->      effect host.0, host.0.0 := True, x
                                      ... after the run: if host.0: print(f"x = {host.0.0}")

What such a call needs is a result of the graph, so nothing is copied in between.  Only functions that
cannot change what the program computes may wait like that.
"""

from __future__ import annotations

import logging
import types
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import interface, residual
from graph_program.extract.ir.residual import Const, Operand
from graph_program.extract.ir.results import Result, renumbered, unshared
from graph_program.extract.records import dataclass
from graph_program.extract.stage.host.steps.program_results import Results
from graph_program.extract.stage.kinds import caught
from graph_program.extract.stage.machine.decisions import EVERYWHERE, STEPS
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.exception_values import Caught
from graph_program.extract.stage.values.values import NONE, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import PY_BOOL

LOGGING = ("debug", "info", "warning", "error", "critical", "log", "exception")


@dataclass(frozen=True)
class Effect:
    """One call site: its function and arguments, over variables that hold what it needs."""

    function: Any
    args: tuple[Result, ...]
    keywords: tuple[tuple[str, Result], ...]
    flag: str
    needs: tuple[str, ...]
    loc: Loc


def can_wait(function: Any) -> bool:
    """Whether a host function only reports: nothing that the program reads can change by it."""
    if function is print or function is warnings.warn:
        return True
    if isinstance(function, types.MethodType):
        return isinstance(function.__self__, logging.Logger) and function.__name__ in LOGGING
    return getattr(function, "__module__", None) == "logging" and getattr(function, "__name__", None) in LOGGING


def shows_handled(function: Any, keywords: Mapping[str, Value]) -> bool:
    """Whether a function that reports asks for the exception being handled, or may raise."""
    return (
        function is warnings.warn
        or getattr(function, "__name__", "") == "exception"
        or "exc_info" in keywords
        or None in keywords
    )


class Captures(Results):
    """Results that are kept in variables of their own, as they are when the call is reached."""

    def __init__(self, m: Machine, base: str):
        super().__init__(m)
        self.base = base
        self.arguments_are_outputs = True

    def output(self, value: Value, name: str) -> int:
        if not isinstance(value, Tensor):  # the number of an object on the host
            raise Needed(STEPS, [EVERYWHERE])
        self.outputs.append(self.m.operand(value))
        self.names.append(self.m.fresh(f"{self.base}.{len(self.outputs) - 1}", value.type))
        return len(self.outputs) - 1


def reach(m: Machine, function: Any, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A call of a host function that can wait; its value is None."""
    args = [_shown(m, function, a) for a in args]
    flag = m.fresh("host", PY_BOOL)
    captures = Captures(m, flag)
    positional = tuple(captures.result(a, "argument") for a in args)
    named = tuple((k, captures.result(v, "argument")) for k, v in keywords.items())
    true: Operand = Const(np.asarray(True))
    m.emit(residual.Effect([flag, *captures.names], [true, *captures.outputs], loc=m.loc))
    m.host.effects.append(Effect(function, positional, named, flag, tuple(captures.names), m.loc))
    return NONE


def _shown(m: Machine, function: Any, value: Value) -> Value:
    """A caught exception as its text, where that is all that the call shows of it."""
    if not isinstance(value, Caught) or function is warnings.warn:
        return value
    return structure.joined_text(caught.formatted(m, value, "", ""))


def prologue(m: Machine) -> list[residual.Stmt]:
    """Before anything runs, no effect is reached."""
    flags = [e.flag for e in m.host.effects]
    false: Operand = Const(np.asarray(False))
    return [residual.Copy(flags, [false] * len(flags), loc=m.loc)] if flags else []


def interface_effects(m: Machine, results: Results) -> tuple[interface.HostEffect, ...]:
    """The effects over graph outputs, which are appended to `results`."""
    found = []
    for effect in m.host.effects:
        reached = _append(results, effect.flag)
        indices = [_append(results, name) for name in effect.needs]
        args = tuple(renumbered(unshared(a), indices) for a in effect.args)
        keywords = tuple((k, renumbered(unshared(a), indices)) for k, a in effect.keywords)
        found.append(interface.HostEffect(effect.function, args, keywords, reached, effect.loc))
    return tuple(found)


def _append(results: Results, variable: str) -> int:
    results.outputs.append(variable)
    results.names.append(variable)
    return len(results.outputs) - 1
