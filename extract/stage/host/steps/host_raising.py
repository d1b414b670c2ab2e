"""Exceptions of host code: the graph is told which handler takes one, and raises again what it has kept.

    try:                                h1, e, which = host[0](d, k)
        v = d[k]                ->      if which == 1: leave handler
    except KeyError as error:           ...
        print(error)                    handler: host[1](e)        # print(error)

The exception itself is an object on the host like any other.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NoReturn

from graph_program.extract.diagnostics import UNKNOWN
from graph_program.extract.ir import residual
from graph_program.extract.ir.errors import ErrorInfo, TextArgument
from graph_program.extract.ir.host import NUMBER
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.steps.exception_context import object_handled, object_of
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.handlers import Clause, Scope
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import Unreachable
from graph_program.extract.stage.paths import raising
from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.values.values import Host, Static, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT

ENDED = ErrorInfo(RuntimeError, (TextArgument(("the host has raised an exception",)),), UNKNOWN)
"""What ends the graph where the host raises for certain; the caller sees what the host has raised."""


def clauses(m: Machine) -> list[tuple[Scope, Clause]]:
    """The handlers around, the innermost first, as far as one catches everything."""
    found = []
    for scope in reversed(m.tries.scopes):
        for clause in () if scope.is_program else scope.clauses:
            found.append((scope, clause))
            if BaseException in clause.classes:
                return found
    return found


def variables(m: Machine) -> tuple[list[str], list[str]]:
    """Variables for the exception that a step raises, and for who takes it."""
    return [m.fresh("error", NUMBER)], [m.fresh("which", PY_INT)]


def leave_where_raised(m: Machine, found: list[tuple[Scope, Clause]], error: str, which: str) -> None:
    """Go to the handler that the host has named."""
    for number, (scope, clause) in enumerate(found, 1):
        test = m.op("equal", Tensor(which, PY_INT, m.loc), Static(number), kind=PY_BOOL.kind)
        outer = m.live
        with m.collect() as leaving:
            m.state = outer.copy()
            m.state.reach = None
            raising.jump(m, _kept(m, scope, clause, error), scope, clause)
        m.state = outer
        outer.reach = None
        m.emit(residual.If(m.operand(test), leaving, [], loc=m.loc))


def _kept(m: Machine, scope: Scope, clause: Clause, error: str) -> ExceptionObject:
    """The exception of a handler: the same variable for all steps that lead there."""
    if clause.label not in scope.hosts:
        name = m.fresh("error", NUMBER)
        (cls, *others) = clause.classes or (BaseException,)
        host = Host(Tensor(name, NUMBER, m.loc), m.loc, "the exception", None if others else cls)
        scope.hosts[clause.label] = ExceptionObject(BaseException, raised=m.loc, host=host)
    kept = scope.hosts[clause.label]
    assert kept.host is not None
    m.emit(residual.Copy([m.operand(kept.host.number)], [error], loc=m.loc))  # type: ignore[list-item]
    return kept


def seen(m: Machine, what: Caught) -> Value:
    """What a handler's name is: an object on the host where one of the exceptions is."""
    if not any(case.exception.host for case in what.cases):
        return what
    return object_handled(m)


def class_of(m: Machine, error: Host) -> Value:
    """`type(error)`."""
    return host_code.call(m, Static(type), [error], {}, "type(...)")


@entries.raise_on_host.given
def raise_on_host(m: Machine, error: ExceptionObject) -> NoReturn:
    """Raise an exception that is on the host, or holds something that is."""
    again = bool(m.tries.handling) and m.tries.handling[-1].what.has(error)
    raise_again(m, object_of(m, error), again=again)


def raise_again(m: Machine, error: Host, *cause: Value, again: bool = False) -> NoReturn:
    """Have the host raise an exception that it has; `again`: as the one being handled, which goes on as it was."""
    with suppress(Unreachable):
        host_code.step(m, "raise", [error, *cause], detail="again" if again else "", count=0, text="raise")
    if m.state is not None:
        if ENDED not in m.report.errors:
            m.report.errors.append(ENDED)
        m.emit(residual.Raise(m.report.errors.index(ENDED), (), loc=m.loc))
        m.state = None
    raise Unreachable
