"""`raise`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.stage.host.steps import exception_context, host_raising
from graph_program.extract.stage.kinds import caught
from graph_program.extract.stage.language.syntax import expressions, trying
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.paths import raising
from graph_program.extract.stage.paths.flow import branch
from graph_program.extract.stage.paths.several import each_case, optional
from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.values.questions import is_just, is_optional, known_value
from graph_program.extract.stage.values.values import NONE, Host, Static, Value


def run_raise(m: Machine, node: tree.Raise) -> None:
    """Raise the user's exception, or the one being handled again."""
    if node.exc is None:
        if not m.tries.handling:
            raise m.error(
                "GP340", "a bare `raise` needs an exception being handled", hint="name the exception to raise"
            )
        trying.raise_again(m, m.tries.handling[-1].what, _is_own(m))
        return
    if isinstance(node.exc, tree.IfExp):
        choice = node.exc
        sides = [replace(node, exc=side) for side in (choice.body, choice.orelse)]
        branch(m, expressions.truth(m, choice.test), *(partial(run_raise, m, side) for side in sides))
        return
    value = settled(m, expressions.evaluate(m, node.exc))
    m.node_loc = node.exc.loc
    value = settled(m, optional.present(m, value, _raised))
    if isinstance(value, Caught):
        trying.raise_again(m, value, _is_own(m))
        return
    if isinstance(value, Host):
        behind = [] if node.cause is None else [settled(m, expressions.evaluate(m, node.cause))]
        m.node_loc = node.loc
        host_raising.raise_again(m, value, *behind)
    error = exception_object(m, value)
    if node.cause is None:
        m.node_loc = node.loc
        raise_one(m, error)
        return
    cause = settled(m, expressions.evaluate(m, node.cause))
    m.node_loc = node.loc
    if is_optional(cause):
        alone, because = (partial(_raise_from, m, error, one) for one in (NONE, cause.value))
        branch(m, cause.missing, alone, because)
    else:
        _raise_from(m, error, cause)


def _is_own(m: Machine) -> bool:
    """Whether the statement is the user's, and not one of ours by which a function of a library fails."""
    return not m.loc.is_library


def _raised(value: Any) -> None:
    raise value


def _raise_from(m: Machine, error: ExceptionObject, cause: Value) -> None:
    """`raise error from cause`."""
    if is_just(cause, None):
        raise_one(m, replace(error, cause=cause))
    elif isinstance(cause, Caught):
        each_case.for_each(m, cause.cases, lambda found: raise_one(m, exception_context.caused(m, error, found, cause)))
    elif isinstance(cause, Host):
        raising.fail(m, replace(error, cause=cause, explicit=_is_own(m)))
    else:
        raise_one(m, replace(error, cause=exception_object(m, cause)))


@entries.raise_one.given
def raise_one(m: Machine, error: ExceptionObject) -> None:
    mixed = caught.first_choice(error.given)
    if mixed is None:
        raising.fail(m, replace(error, explicit=_is_own(m)))
    each_case.for_each_value(
        m, mixed, lambda value: raise_one(m, exception_object(m, caught.chosen(error, mixed, value)))
    )


def exception_object(m: Machine, value: Value) -> ExceptionObject:
    """What is raised, as an exception; a class is called without arguments."""
    if isinstance(value, ExceptionObject):
        return value
    known = known_value(value)
    if isinstance(known, type) and issubclass(known, BaseException):
        return ExceptionObject(known)
    if isinstance(known, BaseException):
        return ExceptionObject(type(known), tuple(map(Static, known.args)))
    raise m.error(
        "GP342", "exceptions must derive from BaseException", hint="raise an exception class or a call of one"
    )
