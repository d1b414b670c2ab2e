"""Calls: who takes which callable, from functions with a lowering to the user's own, which are inlined.

def f(p, k=2):                       v = f(a)        ->      (p is a, k is 2)
    if p > 0: return p * k                                   if greater(a, 0): r := multiply(a, 2)
    return k                                                 else: r := 2
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program import tensor_api
from graph_program.extract import diagnostics, library
from graph_program.extract.ir import tree
from graph_program.extract.ir.models import Model
from graph_program.extract.ir.paths import KeyStep
from graph_program.extract.records import dataclass
from graph_program.extract.source.load import load_function
from graph_program.extract.stage.arrays import array_writes
from graph_program.extract.stage.functions.builtins import sequence_methods
from graph_program.extract.stage.functions.library import higher_order, model_calls
from graph_program.extract.stage.host.steps import host_loops
from graph_program.extract.stage.host.steps.host_code import call_host, no_graph_form
from graph_program.extract.stage.host.values import host_operands, host_parts, host_texts, host_types
from graph_program.extract.stage.kinds import explicit_iterators, generators
from graph_program.extract.stage.language.calls.recursion import inline
from graph_program.extract.stage.language.diagnosis import recovery
from graph_program.extract.stage.language.diagnosis.extraction_queries import call_word
from graph_program.extract.stage.language.syntax import comprehensions
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.make import creation
from graph_program.extract.stage.numpy.ufunc_methods import ufunc_method
from graph_program.extract.stage.objects import construct, live_reads, own_host_code
from graph_program.extract.stage.objects.attribute_writes import set_plainly
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.operations.code_ownership import is_own, unwrapped
from graph_program.extract.stage.operations.known_and_truth import settled, static, tensor
from graph_program.extract.stage.operations.of_numbers import number_members, number_protocol
from graph_program.extract.stage.operations.static_evaluation import PURE_FUNCTIONS, evaluate_now, is_pure
from graph_program.extract.stage.paths.several import member_numbers, mixed_numbers, one_of_several, optional
from graph_program.extract.stage.paths.several.forms import THINGS, asked_of_each
from graph_program.extract.stage.values import structure
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_just, is_known, is_known_as, is_optional
from graph_program.extract.stage.values.values import (
    NONE,
    UNKNOWN,
    ArrayMethod,
    Bound,
    Closure,
    Host,
    Partial,
    Ref,
    Row,
    Static,
    Tensor,
    Tuple,
    Value,
)
from graph_program.extract.types.tensors.bfloat16 import is_bfloat16_class


@entries.call.given
@asked_of_each(THINGS)
def call(m: Machine, function: Value, args: list[Value], keywords: dict[str, Value], *, tail: bool = False) -> Value:
    args = explicit_iterators.given_to(m, function, generators.given_to(m, function, args), keywords)
    if m.options.recovery is not None and recovery.abandons(m, function, args, keywords):
        return UNKNOWN
    return called(m, function, args, keywords, tail)


@generic
def called(m: Machine, function: Value, args: list[Value], keywords: dict[str, Value], tail: bool) -> Value:
    """`function(*args, **keywords)` of a function that is one, not one of several."""
    raise not_callable(m, function)


@called.of(Closure)
def _call_function(m: Machine, function: Closure, args: list[Value], keywords: dict[str, Value], tail: bool) -> Value:
    return inline(m, function.function, None, function.scope, function.defaults, args, keywords, tail)


@called.of(Bound)
def _call_method(m: Machine, function: Bound, args: list[Value], keywords: dict[str, Value], tail: bool) -> Value:
    return call(m, function.function, [function.self, *args], keywords, tail=tail)


@called.of(Partial)
def _call_partial(m: Machine, function: Partial, args: list[Value], keywords: dict[str, Value], tail: bool) -> Value:
    return call(m, function.function, [*function.args, *args], {**function.keywords, **keywords}, tail=tail)


@called.of(ArrayMethod)
def _array_method(
    m: Machine, function: ArrayMethod, args: list[Value], keywords: dict[str, Value], tail: bool
) -> Value:
    return call_method(m, function.self, function.name, args, keywords)


called.register(Host, lambda m, function, args, keywords, *_: host_types.called_object(m, function, args, keywords))


@called.of(Ref, Row, Tuple)
def _call_object(m: Machine, function: Value, args: list[Value], keywords: dict[str, Value], tail: bool) -> Value:
    method = objects.user_method(function, "__call__")
    if method is None:
        raise not_callable(m, function)
    return call(m, method, args, keywords, tail=tail)


@entries.call_there.given
def call_there(
    m: Machine, function: Value, args: list[Value], keywords: dict[str, Value], *, tail: bool = False
) -> Value:
    function = optional.present(m, one_of_several.read(m, function), lambda none: none())
    return call(m, function, args, keywords, tail=tail)


def not_callable(m: Machine, value: Value) -> diagnostics.GraphProgramError:
    """The TypeError for a call of something else."""
    if is_optional(value):
        return m.error("GP312", "this function may be None", hint="test it with `is None` first")
    return m.error("GP302", f"'{structure.class_name(value)}' object is not callable")


@dataclass(frozen=True)
class LiveCall:
    """A call of a live Python object; `value` is the function inside a program object or a static method."""

    m: Machine
    function: Static
    value: Any
    args: list[Value]
    keywords: dict[str, Value]
    tail: bool

    def instead(self, function: Value, first: Sequence[Value] = (), given: dict[str, Value] | None = None) -> Value:
        """The same call of another function, with more arguments in front of its own."""
        return call(self.m, function, [*first, *self.args], {**(given or {}), **self.keywords}, tail=self.tail)


@called.of(Static)
def _call_live(m: Machine, function: Static, args: list[Value], keywords: dict[str, Value], tail: bool) -> Value:
    """A call of a live Python object: by the first of `TAKERS` that takes it."""
    value = function.value
    if getattr(value, "_object", None) is not None and hasattr(type(value), "__graph_program__"):
        path = function.path[:-1] if function.path[-1:] == (f".{value.__name__}",) else function.path
        bound = Bound(m.lift(value._object, path), Static(unwrapped(value)))
        return call(m, bound, args, keywords, tail=tail)
    made = LiveCall(m, function, library.instead(unwrapped(value)), args, keywords, tail)
    return next(result for take in TAKERS if (result := take(made)) is not None)


def _known(c: LiveCall) -> Value | None:
    """A NumPy function, a builtin or a `math` function that has a lowering."""
    lowering = known_function(c.value)
    if lowering is None:
        return None
    args, keywords = host_texts.given_to(c.m, c.value, c.args, c.keywords)
    c = replace(c, args=args, keywords=keywords)
    given = [*c.args, *c.keywords.values()]
    on_host = host_parts.only_host(c.m, given) if is_numpy(c.value) else structure.is_host(*given)
    if on_host and not host_loops.takes_turns(c.value, c.args, c.keywords):
        return call_host(c.m, c.value, c.args, c.keywords)
    place = next((i for i, v in enumerate(c.args) if number_protocol.one_of_asked(c.value, v)), None)
    if place is not None:
        return _of_each_argument(c, place)
    args = [number_members.argument(c.m, c.value, v) for v in optional.called(c.m, c.value, c.args, c.keywords)]
    keywords = {name: number_members.argument(c.m, c.value, v) for name, v in c.keywords.items()}
    each = mixed_numbers.distributed(c.m, c.value, args, keywords, lambda a, named: lowering(c.m, a, named))
    return lowering(c.m, args, keywords) if each is None else each


def _method(c: LiveCall) -> Value | None:
    """A method with its object."""
    method = c.value
    if not isinstance(method, types.MethodType):
        return None
    if construct.makes_named_tuple(method) and len(c.args) == 1:
        return construct.named_tuple_of(c.m, method.__self__, c.args[0], c.keywords)
    if not is_own(c.m, method.__func__):
        return call_host(c.m, method, c.args, c.keywords)
    return c.instead(Bound(c.m.lift(method.__self__, c.function.path), Static(method.__func__)))


def _of_each_argument(c: LiveCall, place: int) -> Value:
    """The call for each of the things that an argument is one of."""

    def answer(one: Value) -> Value:
        return call(c.m, c.function, [*c.args[:place], one, *c.args[place + 1 :]], c.keywords)

    one_of = one_of_several.choice(c.args[place])
    assert one_of is not None
    return one_of_several.of_each(c.m, one_of, answer)


def _dispatched(c: LiveCall) -> Value | None:
    """A function that goes by the class of its first argument; where that is on the host, so is the call."""
    function = higher_order.dispatcher(c.m, c.value)
    if function is not None and function is not c.value:
        holder, *args = c.args
        return higher_order.call_method(c.m, c.value, holder, args, lambda f, given: call(c.m, f, given, c.keywords))
    if function is None or not c.args or structure.is_host(c.args[0]):
        return None
    return higher_order.implementation(
        c.m, function, c.args[0], lambda f, first: call(c.m, Static(f), [first, *c.args[1:]], c.keywords, tail=c.tail)
    )


def _partial(c: LiveCall) -> Value | None:
    """`functools.partial(...)`, and a call of what it has given."""
    if c.value is functools.partial and c.args:
        return Partial(c.args[0], tuple(c.args[1:]), c.keywords)
    if not isinstance(c.value, functools.partial):
        return None
    path = c.function.path
    given = {k: c.m.lift(v, (*path, ".keywords", KeyStep(k))) for k, v in c.value.keywords.items()}
    return c.instead(
        Static(c.value.func), [c.m.lift(v, (*path, ".args", i)) for i, v in enumerate(c.value.args)], given
    )


def _ufunc(c: LiveCall) -> Value | None:
    """A ufunc without a lowering, or a method of a ufunc."""
    if isinstance(c.value, np.ufunc):
        raise no_graph_form(c.m, c.value)
    if not (isinstance(c.value, types.BuiltinMethodType) and isinstance(c.value.__self__, np.ufunc)):
        return None

    return ufunc_method(c.m, c.value.__self__, c.value.__name__, c.args, c.keywords)


def _class(c: LiveCall) -> Value | None:
    """A class, also as `list[int]`."""
    origin = typing.get_origin(c.value)
    cls = origin if isinstance(origin, type) else c.value
    if isinstance(cls, type) and issubclass(cls, np.finfo | np.iinfo):
        return evaluate_now(c.m, cls, c.args, c.keywords)
    return construct.construct(c.m, cls, c.args, c.keywords) if isinstance(cls, type) else None


def _function(c: LiveCall) -> Value | None:
    return call_function(c.m, c.value, c.args, c.keywords, c.tail) if isinstance(c.value, types.FunctionType) else None


def _pure(c: LiveCall) -> Value | None:
    computed = structure.is_host(*c.args, *c.keywords.values())
    return evaluate_now(c.m, c.value, c.args, c.keywords) if is_pure(c.value) and not computed else None


def _model(c: LiveCall) -> Value | None:
    """A trained model, or what loads one."""
    if isinstance(c.value, Model):
        return model_calls.call(c.m, c.value, c.args, c.keywords)
    loads = getattr(c.value, "__graph_program_word__", "") == "load_onnx"
    return model_calls.load(c.m, c.value, c.args, c.keywords) if loads else None


def _callable(c: LiveCall) -> Value:
    """Any other object: by its class's own `__call__`, else host code."""
    if not callable(c.value):
        raise not_callable(c.m, c.function)
    method: Any = inspect.getattr_static(type(c.value), "__call__", None)
    if isinstance(method, types.FunctionType) and is_own(c.m, method):
        return c.instead(Bound(c.function, Static(method)))
    return call_host(c.m, c.value, c.args, c.keywords)


TAKERS: tuple[Callable[[LiveCall], Value | None], ...] = (
    lambda c: call_word(c.m, c.value, c.args, c.keywords),
    lambda c: call_host(c.m, c.value, c.args, c.keywords) if c.value is print else None,
    _known,
    _dispatched,
    _method,
    _partial,
    _ufunc,
    lambda c: set_attribute_directly(c.m, c.args) if c.value is object.__setattr__ else None,
    _class,
    _model,
    _function,
    lambda c: higher_order.getter(c.m, c.value, c.args, c.keywords),
    _pure,
    _callable,
)
"""Who takes a call of a live object, in this order; the last one takes what is left."""


def is_numpy(value: Any) -> bool:
    """Whether a function is NumPy's: it works on tensors, which the host does not have."""
    return isinstance(value, np.ufunc) or (getattr(value, "__module__", None) or "").startswith("numpy")


def known_function(value: Any) -> registry.Lowering | None:
    """The lowering of a NumPy function, builtin or `math` function."""
    try:
        known = registry.FUNCTIONS.get(value)
    except TypeError:
        return None
    if known is None and isinstance(value, type) and is_bfloat16_class(value):
        creation.conversion(value)
        return registry.FUNCTIONS.get(value)
    return known


def call_function(
    m: Machine, function: types.FunctionType, args: list[Value], keywords: dict[str, Value], tail: bool = False
) -> Value:
    """A Python function: inlined if it is the user's own, else the host's."""
    if getattr(function, "__graph_program_host__", False):
        return call_host(m, function, args, keywords)
    if function is dataclasses.replace:
        return construct.replace(m, args, keywords)
    if function in PURE_FUNCTIONS:
        return evaluate_now(m, function, args, keywords)
    if not is_own(m, function):
        return call_host(m, function, args, keywords)
    live_reads.method(m, function, args)
    if own_host_code.is_host(function):
        return call_host(m, function, args, keywords)
    if (function.__module__ or "").startswith(tensor_api.__name__):  # what it is given is for the graph
        args = [host_operands.told(m, v) for v in args]
        keywords = {name: host_operands.told(m, v) for name, v in keywords.items()}
    node = load_function(function)
    defaults = function_defaults(function)
    return inline(m, node, function, None, defaults, args, keywords, tail)


def function_defaults(function: types.FunctionType) -> dict[str, Value]:
    """Default values of a live function's parameters."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    positional = function.__defaults__ or ()
    defaults = dict(zip(names[len(names) - len(positional) :], positional, strict=True))
    defaults |= function.__kwdefaults__ or {}
    return {k: Static(v, (function.__qualname__, f".{k}")) for k, v in defaults.items()}


# ---------------------------------------------------------------- whose code


def set_attribute_directly(m: Machine, args: list[Value]) -> Value:
    """`object.__setattr__(self, name, value)`, which frozen dataclasses use in `__post_init__`."""
    holder, name, value = args
    set_plainly(m, settled(m, holder), static(m, name, "an attribute name"), value)
    return NONE


def call_method(m: Machine, self_: Value, name: str, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A method that the extractor itself knows."""
    if isinstance(self_, Open):
        lowering = registry.METHODS.get(name)
        return m.inferring.lost(m) if lowering is None else lowering(m, [self_, *args], keywords)
    if isinstance(self_, Tensor) or is_known_as(self_, np.generic | int | float):
        if name in array_writes.METHODS:
            return array_writes.METHODS[name](m, [tensor(m, self_), *args], keywords)
        args = [member_numbers.array_number(m, v) for v in args]
        keywords = {k: member_numbers.array_number(m, v) for k, v in keywords.items()}
        if name in registry.METHODS:
            return registry.METHODS[name](m, [self_, *args], keywords)
        if is_known(self_):
            return evaluate_now(m, getattr(self_.value, name), args, keywords)
        raise m.error("GP323", f"{structure.describe(self_)}.{name} has no graph form")
    if isinstance(self_, Tuple) and self_.cls is not None:
        found = construct.named_tuple_method(m, self_, name, args, keywords)
        if found is not None:
            return found

    args = generators.elements_of(m, args)
    result = sequence_methods.call_method(m, self_, name, args, keywords)
    if result is None:
        raise m.error("GP307", f"'{structure.describe(self_)}' object has no attribute '{name}'")
    return result


# ---------------------------------------------------------------- forms that are not plain calls


def special_form(m: Machine, function: Value, node: tree.Call) -> Value | None:
    """`super()`, which reads the frame it stands in; `any` and `all` of a generator, which may stop early."""
    if is_just(function, super) and not node.args:
        return construct.super_object(m)
    if is_just(function, next) and not node.keywords and node.args:
        return comprehensions.first(m, node)
    if (is_just(function, any) or is_just(function, all)) and len(node.args) == 1 and not node.keywords:
        generator = node.args[0]
        if isinstance(generator, tree.Comprehension) and generator.kind == "generator":
            return comprehensions.quantified(m, function.value.__name__, generator)
    return None
