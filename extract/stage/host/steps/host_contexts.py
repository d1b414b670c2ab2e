"""`with` over objects on the host: files, locks, timers, progress bars.

with open(p) as f:              m = host[0](p); f = host[1](m)      # enter
    body()              ->      try: body()
                                finally: host[2](m)                 # exit; with an exception it may end it
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir import tree
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.steps.exception_context import object_of
from graph_program.extract.stage.host.values import host_aliasing
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths.flow import branch
from graph_program.extract.stage.paths.several import each_case
from graph_program.extract.stage.values.exception_values import Case, Caught, ExceptionObject
from graph_program.extract.stage.values.values import Host, Static, Value
from graph_program.extract.types.tensors.tensor_type import PY_BOOL


def host_context(
    m: Machine, node: tree.With, manager: Host | Static, bind: Callable[[Value], None], body: Callable[[], None]
) -> None:
    """Enter an object on the host, and leave it on every way out."""
    text = manager.text
    if isinstance(manager, Static):
        _require_protocol(m, type(manager.value))
        text = type(manager.value).__name__
    exit_, entered = host_code.step(m, "enter", [manager], count=2, text=f"with {text}")[0]

    def work() -> None:
        bind(entered)
        body()

    def left() -> None:
        host_code.step(m, "call", [exit_, *[Static(None)] * 3], count=0, text=f"the end of with {text}")

    def raised(what: Caught) -> None:
        each_case.for_each(m, what.cases, failed)

    def failed(error: ExceptionObject) -> None:
        object = object_of(m, error)
        given = [exit_, object]
        ended = host_code.step(m, "exit", given, count=0, receives=[PY_BOOL], text=f"the end of with {text}")[1][0]
        again = Caught((Case((), error),), error)
        branch(m, ended, lambda: None, lambda: entries.raise_again(m, again))

    with host_aliasing.going_on(m, manager):
        entries.with_final(m, node, work, left, raised)


def _require_protocol(m: Machine, cls: type) -> None:
    if not (hasattr(cls, "__enter__") and hasattr(cls, "__exit__")):
        raise m.error("GP302", f"'{class_name(cls)}' object does not support the context manager protocol")


def class_name(cls: type) -> str:
    """A class as Python names it in messages about the protocol."""
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
