"""Functions that go by the class of their first argument: `functools.singledispatch` and `singledispatchmethod`.

    @functools.singledispatch
    def area(shape): ...
                                area(disc)      ->      of_disc(disc), inlined
    @area.register
    def of_disc(shape: Disc): ...

Where the path decides the class, so it does which function is called.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.objects import live_reads
from graph_program.extract.stage.operations.classes import python_class
from graph_program.extract.stage.operations.code_ownership import is_own
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.paths.several.forms import NUMBERS, OPTIONAL, THINGS, asked_of_each
from graph_program.extract.stage.values.questions import is_known_as
from graph_program.extract.stage.values.values import Bound, Static, Value

_WRAPPER = functools.singledispatch(lambda value: value).__code__  # type: ignore[attr-defined]


def dispatcher(m: Machine, function: Any) -> Any:
    """What `singledispatch` has made of a function of the user's own, or the one in a method; None for others."""
    if isinstance(function, functools.singledispatchmethod):
        return function.dispatcher
    if not (isinstance(function, types.FunctionType) and function.__code__ is _WRAPPER):
        return None
    return function if is_own(m, function.__wrapped__) else None  # type: ignore[attr-defined]


@asked_of_each(THINGS, NUMBERS, OPTIONAL, operand=1)
def implementation(m: Machine, function: Any, first: Value, call: Callable[[Any, Value], Value]) -> Value:
    """The result of `call(f, first)`, where f is the function registered for the class of the first argument."""
    cls = python_class(m, first)
    found = function.dispatch(cls)
    text = f"{function.__module__}.{function.__qualname__}.dispatch({cls.__module__}.{cls.__qualname__})"
    live_reads.guard(m, f"{text}@{id(function)}@{id(cls)}", lambda: function.dispatch(cls), found)
    return call(found, first)


def call_method(m: Machine, method: Any, holder: Value, args: list[Value], call: Callable[..., Value]) -> Value:
    """`holder.method(*args)` of a `singledispatchmethod`; the holder is an object or a class."""
    if not args:
        return Static(call_now(m, method.__get__(None, object)))

    def call_one(found: Any, first: Value) -> Value:
        return call(_bound(m, found, holder), [first, *args[1:]])

    return implementation(m, method.dispatcher, args[0], call_one)


def _bound(m: Machine, found: Any, holder: Value) -> Value:
    """What `found.__get__(holder)` gives for what is registered."""
    of_class = is_known_as(holder, type)
    if isinstance(found, staticmethod):
        return Static(found.__func__)
    if isinstance(found, classmethod):
        return Bound(holder if of_class else Static(python_class(m, holder)), Static(found.__func__))
    return Static(found) if of_class else Bound(holder, Static(found))
