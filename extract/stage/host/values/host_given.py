"""What a step on the host is given that is no number, array or structure: made on the host first, or refused.

show(range(n), error)       ->      h1 = host[0](n)             # range(0, n, 1)
                                    host[1](h1, error)          # show(...)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from graph_program.extract.stage.host.library import local_functions
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.steps.exception_context import object_of
from graph_program.extract.stage.kinds import dict_views
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import iteration
from graph_program.extract.stage.operations.objects import new_list
from graph_program.extract.stage.paths.several import each_case
from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.values import (
    NONE,
    ArrayMethod,
    Bound,
    Closure,
    DictView,
    Host,
    Iteration,
    Partial,
    Range,
    SliceValue,
    Static,
    Tuple,
    Value,
)

MADE: dict[str, Callable[..., object]] = {"zip": zip, "enumerate": enumerate, "reversed": reversed, "iter": iter}
MADE["repeat"] = itertools.repeat
"""What makes an iterator of each kind."""


@generic
def given(m: Machine, value: Value, consumer: Value | None = None) -> Value:
    """A value in a form that can be handed over, to a function that is called with it."""
    return value


@given.of(Caught)
def _caught(m: Machine, value: Caught, consumer: Value | None = None) -> Value:
    return each_case.of_each(m, value.cases, lambda error: object_of(m, error, value.outside))


given.register(ExceptionObject, lambda m, value, *_: object_of(m, value))
given.register(DictView, lambda m, value, *_: dict_views.on_host(m, value))
given.register(Range, lambda m, value, *_: _made(m, range, value.start, value.stop, value.step))


@given.of(SliceValue)
def _slice(m: Machine, value: SliceValue, consumer: Value | None = None) -> Value:
    return _made(m, slice, *(NONE if v is None else v for v in (value.start, value.stop, value.step)))


@given.of(Iteration)
def _iterator(m: Machine, value: Iteration, consumer: Value | None = None) -> Value:
    if value.kind in MADE and value.function is None:
        return _made(m, MADE[value.kind], *value.parts, *(() if value.start is None else (value.start,)))
    return gone_through(m, value) if consumer is not None and consumer.member == "join" else value


@given.of(Tuple)
def _tuple(m: Machine, value: Tuple, consumer: Value | None = None) -> Value:
    elts = tuple(given(m, e) for e in value.elts)
    return value if all(a is b for a, b in zip(elts, value.elts, strict=True)) else Tuple(elts, value.cls)


given.register(Closure, lambda m, value, consumer=None: local_functions.on_host(m, value, consumer))


@given.of(Bound, ArrayMethod, Partial)
def _bound(m: Machine, value: Value, consumer: Value | None = None) -> Value:
    raise local_functions.refused(m, "it is bound to a value of the program")


def gone_through(m: Machine, value: Value) -> Value:
    """A list of what an iterator gives, for `str.join`, which goes through it before it does anything else."""
    return new_list(m, iteration.elements(m, value, "join")) if isinstance(value, Iteration) else value


def _made(m: Machine, function: Callable[..., object], *parts: Value) -> Host:
    return host_code.call(m, Static(function), parts, {}, f"{function.__name__}(...)")
