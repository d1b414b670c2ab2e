"""Functions of functions: `functools`, `operator`, and what a decorator inside a program may be.

@functools.wraps(f)              the wrapper itself: names and documentation do not matter here
operator.add(x, y)               x + y
operator.itemgetter(0, 1)(x)     (x[0], x[1])

Of `singledispatch` and `singledispatchmethod` the class of the first argument says which function is called; where the
path decides the class, so it does the function.
"""

from __future__ import annotations

import functools
import operator
import types
from collections.abc import Callable
from typing import Any

from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_other
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.objects import construct, live_reads
from graph_program.extract.stage.objects.attribute_writes import delete_item
from graph_program.extract.stage.operations import attributes, items, operators
from graph_program.extract.stage.operations.code_ownership import is_own
from graph_program.extract.stage.operations.known_and_truth import settled, static, truth_value
from graph_program.extract.stage.operations.objects import python_class
from graph_program.extract.stage.operations.of_numbers.conversions import index_of
from graph_program.extract.stage.operations.of_numbers.number_protocol import type_error
from graph_program.extract.stage.operations.static_evaluation import call_now, evaluate_now
from graph_program.extract.stage.paths.several.forms import NUMBERS, OPTIONAL, THINGS, asked_of_each
from graph_program.extract.stage.values.questions import is_known_as, one_or_tuple
from graph_program.extract.stage.values.values import NONE, Bound, Ref, Static, Value

# ---------------------------------------------------------------- operators


def _register_operators() -> None:
    for op, (function, _, name) in arithmetic.BINARY.items():
        lowers_other(function)(_of_two(operators.binary, op))
        lowers_other(getattr(operator, f"i{name.rstrip('_')}"))(_of_two(entries.in_place, op))
    for op, (compare, *_) in arithmetic.COMPARE.items():
        lowers_other(compare)(_of_two(operators.comparison, op))
    lowers_other(operator.is_)(_of_two(operators.comparison, "is"))
    lowers_other(operator.is_not)(_of_two(operators.comparison, "is not"))
    for op, (unary, *_) in arithmetic.UNARY.items():
        lowers_other(unary)(_unary(op))
    lowers_other(operator.not_)(_unary("not"))
    lowers_other(operator.concat)(_of_two(operators.binary, "+"))


def _of_two(run: Callable[[Machine, str, Value, Value], Value], op: str) -> Callable[..., Value]:
    return lambda m, a, b, /: run(m, op, a, b)


def _unary(op: str) -> Callable[..., Value]:
    return lambda m, a, /: operators.unary(m, op, a)


_register_operators()


lowers_other(operator.truth)(lambda m, a, /: truth_value(m, a))
lowers_other(operator.contains)(lambda m, a, b, /: operators.comparison(m, "in", b, a))
lowers_other(operator.abs)(lambda m, a, /: entries.call(m, Static(abs), [a], {}))
lowers_other(operator.index)(lambda m, a, /: index_of(m, a))
lowers_other(operator.getitem)(lambda m, a, b, /: items.get_item(m, a, b))


@lowers_other(operator.setitem)
def setitem(m: Machine, a: Value, b: Value, c: Value, /) -> Value:
    """`a[b] = c`."""
    items.set_item(m, a, b, c)
    return NONE


@lowers_other(operator.delitem)
def delitem(m: Machine, a: Value, b: Value, /) -> Value:
    """`del a[b]`."""
    delete_item(m, a, b)
    return NONE


# ---------------------------------------------------------------- getters


def getter(m: Machine, value: Any, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """A call of an `itemgetter`, `attrgetter` or `methodcaller`, else None."""
    take = next((take for cls, take in GETTERS.items() if isinstance(value, cls)), None)
    if take is None:
        return None
    if len(args) != 1 or keywords:
        raise type_error(m, f"{type(value).__name__} expected 1 argument, got {len(args)}")
    return take(m, value, settled(m, args[0]))


def _items(m: Machine, value: Any, obj: Value) -> Value:
    _, keys = value.__reduce__()
    found = [items.get_item(m, obj, Static(key)) for key in keys]
    return one_or_tuple(found)


def _attributes(m: Machine, value: Any, obj: Value) -> Value:
    _, paths = value.__reduce__()
    found = [
        functools.reduce(lambda o, name: attributes.get_attribute(m, o, name), path.split("."), obj) for path in paths
    ]
    return one_or_tuple(found)


def _method(m: Machine, value: Any, obj: Value) -> Value:
    make, given = value.__reduce__()
    name, *args = given if make is operator.methodcaller else (*make.args, *given)
    keywords = {} if make is operator.methodcaller else make.keywords
    method = attributes.get_attribute(m, obj, name)
    return entries.call(m, method, [Static(a) for a in args], {k: Static(v) for k, v in keywords.items()})


GETTERS: dict[type, Callable[[Machine, Any, Value], Value]] = {
    operator.itemgetter: _items,
    operator.attrgetter: _attributes,
    operator.methodcaller: _method,
}


def make_getter(cls: Any) -> None:
    """Register the making of a getter, whose keys are known at extraction."""
    lowers_other(cls)(lambda m, /, *args, **keywords: evaluate_now(m, cls, args, keywords))


for _getter in GETTERS:
    make_getter(_getter)

# ---------------------------------------------------------------- decorators


def _identity(function: Any) -> Any:
    return function


lowers_other(_identity, name="wraps(...)")(lambda m, function, /: function)


@lowers_other(functools.wraps)
def wraps(m: Machine, wrapped: Value, assigned: Value = NONE, updated: Value = NONE) -> Value:
    """`functools.wraps(f)`: what it decorates stays what it is."""
    return Static(_identity)


@lowers_other(functools.update_wrapper)
def update_wrapper(m: Machine, wrapper: Value, wrapped: Value, assigned: Value = NONE, updated: Value = NONE) -> Value:
    """`functools.update_wrapper(wrapper, f)`: the wrapper."""
    wrapper = settled(m, wrapper)
    if isinstance(wrapper, Ref):
        m.live.heap[wrapper] = {**m.live.heap[wrapper], "__wrapped__": wrapped}
    return wrapper


lowers_other(staticmethod)(lambda m, function, /: function)


def opaque(function: Any, what: str) -> None:
    """Register a decorator that makes host code of a function."""

    def run(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        raise m.error(
            "GP347",
            f"{what} makes host code of a function, which a program cannot define inside",
            hint="define the function without it; what it computes is computed once per call of the program anyway",
        )

    lowers_other(function)(run)


for _function in (functools.cache, functools.lru_cache, functools.singledispatch, functools.cached_property):
    opaque(_function, f"functools.{_function.__name__}")


# ---------------------------------------------------------------- super


@lowers_other(super)
def super_(m: Machine, cls: Value, obj: Value, /) -> Value:
    """`super(cls, obj)`; without arguments it is a form of its own."""
    return construct.Super(settled(m, obj), static(m, cls, "the class given to super()"))


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
