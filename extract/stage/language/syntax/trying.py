"""`try`: a block for each handler, which the failures that it catches leave for; `finally` for each way out; `raise`.

    try:                        block end:
        a()                         block handler:
    except ValueError:                  a()                  ...: leave handler
        b()             ->              leave end
    return c()                      b()
                                return c()

A `finally` is evaluated once for each place that the paths out of its `try` go to, in the state in
which they meet: behind the statement, a `return` or a loop's end, or on with an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from graph_program.extract.ir import residual, tree
from graph_program.extract.source.assigned_names import assigned_names
from graph_program.extract.stage.host.steps import exception_context, host_raising
from graph_program.extract.stage.host.steps.exception_context import handling
from graph_program.extract.stage.kinds import caught
from graph_program.extract.stage.language.syntax import expressions
from graph_program.extract.stage.language.syntax.expressions import evaluate
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.handlers import EVERYTHING, Clause, Scope, catching, end_of_program
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import append, close_path, departures, leave, reaching
from graph_program.extract.stage.machine.state import Exit
from graph_program.extract.stage.operations.known_and_truth import settled, static
from graph_program.extract.stage.paths import raising
from graph_program.extract.stage.paths.flow import branch, exit_block
from graph_program.extract.stage.paths.joins.join_states import join_exits
from graph_program.extract.stage.paths.several import each_case, optional
from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.values.questions import is_just, is_optional, known_value
from graph_program.extract.stage.values.values import NONE, Host, Static, Value

Work = Callable[[], None]


def run_try(m: Machine, node: tree.Try) -> None:
    """`try` with its handlers, `else` and `finally`."""
    if node.final:
        with_final(m, node, lambda: _with_handlers(m, node), lambda: entries.run_body(m, node.final))
    else:
        _with_handlers(m, node)


# ---------------------------------------------------------------- handlers


def _with_handlers(m: Machine, node: tree.Try) -> None:
    def body() -> None:
        entries.run_body(m, node.body)

    def orelse() -> None:
        entries.run_body(m, node.orelse)

    handlers = [(_classes(m, h), partial(_handle, m, h)) for h in node.handlers]
    if handlers:
        with_handlers(m, node, body, orelse, handlers)
        return
    body()
    if m.state is not None:
        orelse()


def _classes(m: Machine, handler: tree.Handler) -> tuple[type[BaseException], ...]:
    """The classes that an `except` names."""
    if handler.type is None:
        return EVERYTHING
    found = static(m, evaluate(m, handler.type), "the class of an `except`")
    classes: tuple[type[BaseException], ...] = found if isinstance(found, tuple) else (found,)
    if not all(isinstance(cls, type) and issubclass(cls, BaseException) for cls in classes):
        m.node_loc = handler.type.loc
        raise m.error(
            "GP342",
            "catching classes that do not inherit from BaseException is not allowed",
            hint="name exception classes",
        )
    return classes


@entries.with_handlers.given
def with_handlers(
    m: Machine,
    node: tree.Stmt,
    body: Work,
    orelse: Work,
    handlers: Sequence[tuple[tuple[type[BaseException], ...], Callable[[Caught], None]]],
) -> None:
    end = m.fresh("tried")
    clauses = tuple(Clause(classes, m.fresh("handler")) for classes, _ in handlers)
    scope = Scope(m.current_frame, clauses, f"<caught {end}>")

    def guarded(count: int) -> None:
        """The body inside the blocks of the first handlers, each followed by its handler."""
        if not count:
            with catching(m, scope):
                body()
            if m.state is not None:
                orelse()
        else:
            with exit_block(m, clauses[count - 1].label, node):
                guarded(count - 1)
            if m.state is not None:
                handlers[count - 1][1](_caught(m, scope))
        if m.state is not None:
            leave(m, end)

    with exit_block(m, end, node):
        guarded(len(handlers))


def _caught(m: Machine, scope: Scope) -> Caught:
    """What a handler has caught."""
    what = each_case.caught_of(m.live.frames[scope.frame.id].pop(scope.held))
    return replace(what, outside=len(m.loc.chain) - 1)


def _handle(m: Machine, handler: tree.Handler, what: Caught) -> None:
    """The body of an `except`; its name is set in it only."""
    m.node_loc = handler.loc
    before, frame = departures(m), m.current_frame.id
    with handling(m, what):
        if handler.name is not None:
            m.locals[handler.name] = host_raising.seen(m, what)
        entries.run_body(m, handler.body)
    if handler.name is None:
        return
    if m.state is not None:
        m.state.frames[frame].pop(handler.name, None)
    for exit_ in _since(m, before):
        exit_.state.frames.get(frame, {}).pop(handler.name, None)


def _since(m: Machine, before: dict[str, int]) -> list[Exit]:
    """The exits to blocks around, made since."""
    return [exit_ for label, exits in m.pending.items() if label in before for exit_ in exits[before[label] :]]


# ---------------------------------------------------------------- raising again


def raise_again(m: Machine, what: Caught, explicit: bool = False) -> None:
    """Raise an exception that was caught, as it was; `explicit` if a statement of the program does."""
    each_case.for_each(m, what.cases, partial(raising.fail, m, explicit=explicit))


# ---------------------------------------------------------------- finally


def with_final(
    m: Machine, node: tree.Stmt, body: Work, final: Work, raised: Callable[[Caught], None] | None = None
) -> None:
    """Evaluate `body`, and `final` on every way out of it; `raised` is what is done with an exception."""
    done = m.fresh("finished")
    with exit_block(m, done, node):
        ways = _Ways(m, node, done)
        ways.protect(body)
        m.loops.setting.append(ways.unset())
        try:
            ways.close(final, raised)
        finally:
            m.loops.setting.pop()


class _Ways:
    """The ways out of the body of a `try` with a `finally`."""

    def __init__(self, m: Machine, node: tree.Stmt, done: str):
        self.m, self.node, self.done, self.loc = m, node, done, m.loc
        label = m.fresh("raised")
        self.scope = Scope(m.current_frame, (Clause(EVERYTHING, label),), f"<caught {label}>")
        self.label = label
        self.statements: list[residual.Stmt] = []
        self.failed: list[Exit] = []
        self.end: Exit | None = None
        self.left: dict[str, list[Exit]] = {}
        """The exits by the label of the block around that they leave."""

    def protect(self, body: Work) -> None:
        """Evaluate the body, and stop what leaves it."""
        m = self.m
        before, end = departures(m), end_of_program(m)
        if end is not None:  # a limit of ours, for which Python does nothing
            before.pop(end[1].label, None)
        m.pending[self.label] = []
        with m.collect() as self.statements:
            with catching(m, self.scope), reaching(m):
                body()
            self.end = close_path(m) if m.state is not None else None
            self.failed = m.pending.pop(self.label)
        self.left = {name: _taken(m, name, count) for name, count in before.items()}

    def close(self, final: Work, raised: Callable[[Caught], None] | None) -> None:
        """What is done on each way, the one through the end last."""
        m = self.m
        if self.failed:
            self._way(self.label, self.failed, partial(self._go_on, final, raised))
        for name, exits in self.left.items():
            if exits:
                block = m.fresh("finally")
                for exit_ in exits:
                    _redirect(exit_, block)
                self._way(block, exits, partial(self._leave, final, name))
        m.state = None
        if self.end is not None:
            block = m.fresh("finally")
            self.end.out.append(residual.Leave(block, loc=self.loc))
            self._way(block, [self.end], final)
        append(m, self.statements)

    def unset(self) -> tuple[int, frozenset[str]]:
        """The names that some of several ways may set: on the others they are unset when the program runs."""
        ways = bool(self.failed) + any(self.left.values()) + (self.end is not None)
        assert self.m.frame is not None
        return self.m.frame.id, assigned_names([self.node]) if ways > 1 else frozenset()

    def _way(self, label: str, exits: Sequence[Exit], work: Work) -> None:
        """All statements so far as a block that some exits leave, with what comes for those behind it."""
        m = self.m
        with m.collect() as after:
            m.emit(residual.Block(label, self.statements, loc=self.loc))
            m.state = join_exits(m, exits)
            if m.state is not None and exits != [self.end]:
                m.state.reach = None
            with reaching(m):
                work()
        self.statements = after

    def _leave(self, final: Work, destination: str) -> None:
        final()
        if self.m.state is not None:
            leave(self.m, destination)

    def _go_on(self, final: Work, raised: Callable[[Caught], None] | None) -> None:
        """Handle an exception: the final statements, after which it goes on; or what `raised` does."""
        m = self.m
        what = _caught(m, self.scope)
        with handling(m, what):
            if raised is not None:
                raised(what)
            else:
                final()
                if m.state is not None:
                    raise_again(m, what)
        if m.state is not None:
            leave(m, self.done)


def _taken(m: Machine, label: str, count: int) -> list[Exit]:
    """The exits to a block around that a `finally` stops on their way."""
    exits = m.pending[label]
    taken = exits[count:]
    del exits[count:]
    return taken


def _redirect(exit_: Exit, label: str) -> None:
    """Let an exit leave another block."""
    place = next(i for i in range(len(exit_.out) - 1, -1, -1) if exit_.out[i] is exit_.copy)
    leave = next(stmt for stmt in exit_.out[place:] if isinstance(stmt, residual.Leave))
    leave.label = label


def run_raise(m: Machine, node: tree.Raise) -> None:
    """Raise the user's exception, or the one being handled again."""
    if node.exc is None:
        if not m.tries.handling:
            raise m.error(
                "GP340", "a bare `raise` needs an exception being handled", hint="name the exception to raise"
            )
        raise_again(m, m.tries.handling[-1].what, _is_own(m))
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
        raise_again(m, value, _is_own(m))
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
