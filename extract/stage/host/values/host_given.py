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


def given(m: Machine, value: Value, consumer: Value | None = None) -> Value:
    """A value in a form that can be handed over, to a function that is called with it."""
    match value:
        case Caught():
            return each_case.of_each(m, value.cases, lambda error: object_of(m, error, value.outside))
        case ExceptionObject():
            return object_of(m, value)
        case DictView():
            return dict_views.on_host(m, value)
        case Range(start, stop, step):
            return _made(m, range, start, stop, step)
        case SliceValue(start, stop, step):
            return _made(m, slice, *(NONE if v is None else v for v in (start, stop, step)))
        case Iteration(kind, parts, start, None) if kind in MADE:
            return _made(m, MADE[kind], *parts, *(() if start is None else (start,)))
        case Iteration() if isinstance(consumer, Host) and consumer.member == "join":
            return gone_through(m, value)
        case Tuple(elts, cls) if any(isinstance(e, _MADE_FIRST) for e in elts):
            return Tuple(tuple(given(m, e) for e in elts), cls)
        case Closure():
            return local_functions.on_host(m, value, consumer)
        case Bound() | ArrayMethod() | Partial():
            raise local_functions.refused(m, "it is bound to a value of the program")
    return value


def gone_through(m: Machine, value: Value) -> Value:
    """A list of what an iterator gives, for `str.join`, which goes through it before it does anything else."""
    return new_list(m, iteration.elements(m, value, "join")) if isinstance(value, Iteration) else value


_MADE_FIRST = (Caught, ExceptionObject, Range, SliceValue, Iteration, Closure, Bound, ArrayMethod, Partial)


def _made(m: Machine, function: Callable[..., object], *parts: Value) -> Host:
    return host_code.call(m, Static(function), parts, {}, f"{function.__name__}(...)")


__all__ = ["given"]
