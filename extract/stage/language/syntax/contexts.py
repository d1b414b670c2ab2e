"""`with`: objects of the program's own classes and of the host, `suppress`, `nullcontext`, `errstate`.

with Guard(x) as g:             g = Guard(x).__enter__()
    body()              ->      try: body()
                                finally: __exit__(None, None, None), or of the exception that was raised
"""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from graph_program.extract.ir import tree
from graph_program.extract.stage.host.steps import host_code, host_raising
from graph_program.extract.stage.host.steps.exception_context import object_of
from graph_program.extract.stage.host.values import host_aliasing
from graph_program.extract.stage.language.calls import calls
from graph_program.extract.stage.language.syntax import targets, trying, written_contexts
from graph_program.extract.stage.language.syntax.expressions import elements, evaluate
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import code_ownership, objects
from graph_program.extract.stage.operations.known_and_truth import settled, static, truth_value
from graph_program.extract.stage.paths.flow import branch
from graph_program.extract.stage.paths.several import each_case, optional
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.exception_values import Case, Caught, ExceptionObject
from graph_program.extract.stage.values.questions import is_known, known_value
from graph_program.extract.stage.values.values import NONE, Host, Static, Value
from graph_program.extract.types.tensors.tensor_type import PY_BOOL

Item = tuple[tree.Expr, tree.Expr | None]


def run_with(m: Machine, node: tree.With) -> None:
    """`with a as x, b as y:`, from the outside in."""
    _enter(m, node, node.items)


def _enter(m: Machine, node: tree.With, items: Sequence[Item]) -> None:
    if not items:
        entries.run_body(m, node.body)
        return
    (item, target), *rest = items
    enter = KNOWN.get(_class_of_manager(m, node, item), _own_context)  # type: ignore[arg-type]
    enter(m, node, item, target, lambda: _enter(m, node, rest))


def _class_of_manager(m: Machine, node: tree.With, item: tree.Expr) -> type | None:
    """The class that is called to make a context manager."""
    if not isinstance(item, tree.Call):
        return None
    m.node_loc = item.loc
    function = evaluate(m, item.func)
    m.node_loc = node.loc
    found = code_ownership.unwrapped(known_value(function))
    return found if isinstance(found, type) else None


def _entered(value: Any) -> None:
    """What Python raises for `with value`."""
    with value:
        pass


def _bind(m: Machine, target: tree.Expr | None, value: Value) -> None:
    if target is not None:
        targets.assign(m, target, value)


def _arguments(m: Machine, item: tree.Expr) -> list[Value]:
    assert isinstance(item, tree.Call)
    return elements(m, item.args)


Body = Callable[[], None]


def _errstate(m: Machine, node: tree.With, item: tree.Expr, target: tree.Expr | None, body: Body) -> None:
    """NumPy's warnings are not reproduced, so there is nothing to switch off; exceptions cannot be switched on."""
    assert isinstance(item, tree.Call)
    for keyword in item.keywords:
        value = evaluate(m, keyword.value)
        modes = objects.dict_contents(m, value).values() if keyword.name is None else [value]
        for mode in (static(m, v, "a mode of np.errstate") for v in modes):
            if mode in ("raise", "call"):
                raise m.error(
                    "GP480",
                    f"np.errstate(... = {mode!r}) acts on single elements that are not finite, which a graph does not",
                    hint="test for them: `if (y == 0).any(): ...` before a division, or np.isfinite(...) after it",
                )
    _bind(m, target, NONE)
    body()


def _nullcontext(m: Machine, node: tree.With, item: tree.Expr, target: tree.Expr | None, body: Body) -> None:
    args = _arguments(m, item)
    _bind(m, target, args[0] if args else NONE)
    body()


def _suppress(m: Machine, node: tree.With, item: tree.Expr, target: tree.Expr | None, body: Body) -> None:
    classes = tuple(static(m, a, "a class given to suppress()") for a in _arguments(m, item))
    _bind(m, target, NONE)
    trying.with_handlers(m, node, body, lambda: None, [(classes, lambda what: None)])


KNOWN: dict[type, Callable[[Machine, tree.With, tree.Expr, tree.Expr | None, Body], None]] = {
    np.errstate: _errstate,
    contextlib.nullcontext: _nullcontext,
    contextlib.suppress: _suppress,
}


# ---------------------------------------------------------------- the program's own


def _own_context(m: Machine, node: tree.With, item: tree.Expr, target: tree.Expr | None, body: Body) -> None:
    if written_contexts.inlined(m, node, item, partial(_bind, m, target), body):
        return
    m.node_loc = item.loc
    manager = settled(m, optional.present(m, settled(m, evaluate(m, item)), _entered))
    m.node_loc = node.loc
    if isinstance(manager, Host) or (is_known(manager) and not _own_methods(m, type(manager.value))):
        _host_context(m, node, manager, partial(_bind, m, target), body)
        return
    methods = _require_own(m, user_classes.class_of(manager))
    entered = calls.call(m, Static(methods[0]), [manager], {})
    _bind(m, target, entered)

    def leave(*args: Value) -> Value:
        return truth_value(m, calls.call(m, Static(methods[1]), [manager, *args], {}))

    def ends(error: ExceptionObject, caught: Caught) -> Value:
        seen = host_raising.seen(m, caught)
        return leave(Static(error.cls) if error.host is None else host_raising.class_of(m, error.host), seen, NONE)

    _with_end(m, node, body, lambda: _done(leave(NONE, NONE, NONE)), ends)


def _with_end(
    m: Machine, node: tree.With, body: Body, left: Body, ends: Callable[[ExceptionObject, Caught], Value]
) -> None:
    """The body with what is done on every way out of it; `ends` leaves with an exception, and says if it ends there."""

    def failed(error: ExceptionObject) -> None:
        caught = Caught((Case((), error),), error)
        branch(m, ends(error, caught), lambda: None, lambda: trying.raise_again(m, caught))

    trying.with_final(m, node, body, left, lambda what: each_case.for_each(m, what.cases, failed))


def _done(value: Value) -> None:
    """What `__exit__` gives matters only for exceptions."""


def _own_methods(m: Machine, cls: type) -> list[types.FunctionType]:
    """`__enter__` and `__exit__`, where they are the program's own."""
    methods = [inspect.getattr_static(cls, name, None) for name in ("__enter__", "__exit__")]
    own = [f for f in methods if isinstance(f, types.FunctionType) and code_ownership.is_own(m, f)]
    return own if len(own) == len(methods) else []


def _require_own(m: Machine, cls: type | None) -> list[types.FunctionType]:
    own = [] if cls is None else _own_methods(m, cls)
    if own:
        return own
    name = "value" if cls is None else _class_name(cls)
    raise m.error("GP302", f"'{name}' object does not support the context manager protocol")


def _host_context(
    m: Machine, node: tree.With, manager: Host | Static, bind: Callable[[Value], None], body: Callable[[], None]
) -> None:
    """Enter an object on the host, and leave it on every way out; with an exception, its end may end that.

    with open(p) as f:              m = host[0](p); f = host[1](m)
        body()              ->      try: body()
                                    finally: host[2](m)
    """
    text = manager.text
    if is_known(manager):
        cls = type(manager.value)
        if not (hasattr(cls, "__enter__") and hasattr(cls, "__exit__")):
            raise m.error("GP302", f"'{_class_name(cls)}' object does not support the context manager protocol")
        text = cls.__name__
    exit_, entered = host_code.step(m, "enter", [manager], count=2, text=f"with {text}")[0]

    def work() -> None:
        bind(entered)
        body()

    def left() -> None:
        host_code.step(m, "call", [exit_, *[Static(None)] * 3], count=0, text=f"the end of with {text}")

    def ends(error: ExceptionObject, caught: Caught) -> Value:
        given = [exit_, object_of(m, error)]
        return host_code.step(m, "exit", given, count=0, receives=[PY_BOOL], text=f"the end of with {text}")[1][0]

    with host_aliasing.going_on(m, manager):
        _with_end(m, node, work, left, ends)


def _class_name(cls: type) -> str:
    """A class as Python names it in messages about the protocol."""
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
