"""Going on after a refusal, so that one extraction reports every independent error.

    y = a @ b          refused: reported, and y is unknown
    z = np.exp(y)      made of an unknown: nothing is said, and z is unknown
    w = a @ c          refused: reported, too

An expression that is refused, or that uses an `Unknown`, has the value `UNKNOWN`; a statement that
fails as a whole leaves the names that it assigns unknown.  Where control depends on an unknown, every
side is looked at.  The residual program that comes out has no meaning; what it found has.

A refusal that a loop may still avert (`StaticNeeded`, `PeelNeeded`) goes up to the loop.  If that
gives up, the extraction starts again, and the refusal is taken as final where it arises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir import tree
from graph_program.extract.source.assigned_names import assigned_in_target, assigned_names
from graph_program.extract.stage.language.loops.loops import counted_loop
from graph_program.extract.stage.language.syntax.names import owner
from graph_program.extract.stage.machine import signals
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import leave, reaching
from graph_program.extract.stage.machine.recovery import Recovery
from graph_program.extract.stage.machine.state import RETURN
from graph_program.extract.stage.operations.code_ownership import is_own, unwrapped
from graph_program.extract.stage.operations.iteration import Source
from graph_program.extract.stage.paths import raising
from graph_program.extract.stage.values.exception_values import ExceptionObject
from graph_program.extract.stage.values.questions import is_array_of_graph, known_value
from graph_program.extract.stage.values.values import (
    UNBOUND,
    UNKNOWN,
    ArrayMethod,
    Bound,
    Closure,
    Ref,
    Static,
    Tensor,
    UnknownUsed,
    Value,
)
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT

LENIENT = (tree.Call, tree.IfExp, tree.BoolOp)
"""Expressions that may have a value although a part of theirs is unknown."""


class GiveUp(Exception):
    """A loop could not avert a refusal: start again, and take it as final."""

    def __init__(self, error: GraphProgramError):
        self.error = error


# ---------------------------------------------------------------- expressions


def attempt(m: Machine, recovery: Recovery, node: tree.Expr, handler: Callable[[Machine, Any], Value]) -> Value:
    """The value of an expression; unknown where it is refused or made of unknowns."""
    state, outer, recovery.tainted = m.state, recovery.tainted, False
    loose, recovery.loose = recovery.loose, False
    value: Value = UNKNOWN
    try:
        with _recovered(m, recovery):
            value = handler(m, node)
            if recovery.tainted and not isinstance(node, LENIENT):
                value = UNKNOWN
            state = m.state
    finally:
        recovery.tainted = outer or value is UNKNOWN
        recovery.loose = loose or not isinstance(value, Tensor | Static)
    m.state = state
    return value


def attempt_truth(m: Machine, recovery: Recovery, node: tree.Expr, handler: Callable[[Machine, Any], Value]) -> Value:
    """The truth of an expression; either one where it is unknown."""
    state, outer, recovery.tainted = m.state, recovery.tainted, False
    value: Value = UNKNOWN
    try:
        with _recovered(m, recovery):
            value = handler(m, node)
            state = m.state
    finally:
        recovery.tainted = outer
    m.state = state
    return unknown_bool(m) if value is UNKNOWN else value


@contextmanager
def _recovered(m: Machine, recovery: Recovery) -> Iterator[None]:
    """Note what is refused inside, unless it may come from an unknown."""
    try:
        yield
    except UnknownUsed:
        pass
    except GraphProgramError as error:
        if recovery.went_up(error):
            raise GiveUp(error) from None
        if not recovery.tainted:
            recovery.report(error, m.state is not None and m.state.certain)
    except (signals.Needed, signals.StaticNeeded, signals.PeelingFails, signals.SplitNeeded) as needed:
        if needed.error is None or (isinstance(needed, signals.Needed) and not needed.decision.may_fail):
            raise
        final = recovery.final(needed.error)
        if final is None:
            recovery.goes_up(needed.error)
            raise
        recovery.report(final)


def unknown_bool(m: Machine) -> Tensor:
    """A truth value of which nothing is known."""
    return _unknown(m, "unknown", PY_BOOL)


def _unknown(m: Machine, hint: str, type_: Any) -> Tensor:
    return Tensor(m.fresh(hint, type_), type_, m.loc)


# ---------------------------------------------------------------- statements


def run(m: Machine, recovery: Recovery, node: tree.Stmt, handler: Callable[[Machine, Any], None]) -> None:
    """Evaluate a statement; where it fails, what it would have set is unknown."""
    frame, state, outer, recovery.tainted = m.frame, m.state, recovery.tainted, False
    done = False
    try:
        with _recovered(m, recovery):
            handler(m, node)
            done = True
    finally:
        recovery.tainted = outer
    if not done:
        m.frame, m.state, m.node_loc = frame, state, node.loc
        skip(m, node)


def skip(m: Machine, node: tree.Stmt) -> None:
    """Go on behind a statement that failed."""
    match node:
        case tree.Return():
            m.locals[RETURN] = UNKNOWN
            leave(m, m.current_frame.labels[RETURN])
        case tree.Raise():
            with reaching(m):
                raising.fail(m, ExceptionObject(Exception))
        case tree.For():
            _forget(m, assigned_names([node]))
            _any_rounds(m, node)
        case tree.With(items, body):
            _forget(m, assigned_names([node]) | _targets(target for _, target in items))
            entries.run_body(m, body)
        case tree.Try(body, _, orelse, final):
            _forget(m, assigned_names([node]))
            entries.run_body(m, (*body, *orelse, *final))
        case tree.Unsupported():
            _forget(m, _unset(m))
        case tree.AugAssign(tree.Name(name)) if _is_array(m, name):
            pass  # changed in place: the same array, of the same type
        case _:
            _forget(m, assigned_names([node]))


def _targets(targets: Iterable[tree.Expr | None]) -> frozenset[str]:
    return frozenset().union(*(assigned_in_target(t) for t in targets if t is not None))


def _forget(m: Machine, names: frozenset[str]) -> None:
    """Make names unknown."""
    for name in names:
        frame = owner(m, name)
        if frame is not None and frame.id in m.live.frames:
            m.live.frames[frame.id][name] = UNKNOWN


def _unset(m: Machine) -> frozenset[str]:
    """The local names that have no value: what a construct without a meaning may have set."""
    names = m.locals
    return frozenset(n for n in m.current_frame.function.locals if names.get(n, UNBOUND) is UNBOUND)


def _is_array(m: Machine, name: str) -> bool:
    frame = owner(m, name)
    value = None if frame is None else m.live.frames.get(frame.id, {}).get(name)
    return is_array_of_graph(value)


def _any_rounds(m: Machine, node: tree.For) -> None:
    """The body of a loop over something unknown, so that its own errors are found."""
    trips = _unknown(m, "rounds", PY_INT)
    state, frame = m.state, m.frame
    source = Source(lambda: trips, lambda _: UNKNOWN)
    assert m.options.recovery is not None
    try:
        counted_loop(m, node, source, next(m.naming.counter))
    except GraphProgramError as error:
        if m.options.recovery.went_up(error):
            raise GiveUp(error) from None
        m.state, m.frame = state, frame  # it is of the loop as a whole, of which something was reported
    except UnknownUsed:
        m.state, m.frame = state, frame


# ---------------------------------------------------------------- calls


def abandons(m: Machine, function: Value, args: list[Value], keywords: dict[str, Value]) -> bool:
    """Whether a call gives an unknown: one with unknown arguments that is not inlined."""
    if UNKNOWN not in args and UNKNOWN not in keywords.values():
        return False
    if isinstance(function, ArrayMethod) and isinstance(function.self, Ref):
        _lose(m, function.self)  # `xs.append(unknown)`
    return not _is_inlined(m, function)


def _is_inlined(m: Machine, function: Value) -> bool:
    match function:
        case Closure():
            return True
        case Bound(_, inner):
            return _is_inlined(m, inner)
    inner = unwrapped(known_value(function))
    return hasattr(inner, "__code__") and not hasattr(inner, "__graph_program_word__") and is_own(m, inner)


def _lose(m: Machine, ref: Ref) -> None:
    """Make a list or dict unknown wherever it can be seen."""
    for names in m.live.frames.values():
        for name in [n for n, value in names.items() if value is ref]:
            names[name] = UNKNOWN
    for holder, contents in m.live.heap.items():
        if isinstance(contents, dict) and any(v is ref for v in contents.values()):
            m.live.heap[holder] = {k: UNKNOWN if v is ref else v for k, v in contents.items()}
