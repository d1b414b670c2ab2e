"""Types of what the host gives: from annotations of functions and of assignments, and from `to_device`."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import math
import random
import time
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract.ir import specs, tree
from graph_program.extract.source.annotation_places import read_annotations
from graph_program.extract.stage import host_code, host_numbers
from graph_program.extract.stage.annotation_values import read_local_annotation
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.own_code import is_installed
from graph_program.extract.stage.values import Host, Range, Static, Tensor, Tuple, Value
from graph_program.extract.types.annotations import spec_from_annotation, spec_of
from graph_program.extract.types.tensor_type import PY_BOOL, TensorType

ITERABLES = (
    collections.abc.Iterator,
    collections.abc.Iterable,
    collections.abc.Generator,
    collections.abc.Sequence,
    list,
)
"""Classes of annotations whose first argument is the type of the elements."""


def called(m: Machine, function: Any, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """The call of a host function."""
    from graph_program.extract.slice import effects
    from graph_program.extract.stage.host_calls import public_name

    inner = getattr(function, "__wrapped__", function)
    own = isinstance(inner, types.FunctionType) and not is_installed(inner.__code__.co_filename)
    text = f"{function.__qualname__ if own else public_name(function)}(...)"
    if effects.can_wait(function):
        return host_code.run(m, Static(function), args, keywords, text)
    type_ = host_numbers.called_type(function, args)
    if type_ is not None:
        return _tensor(m, Static(function), args, keywords, text, type_)
    element = _combined(function, args)
    if element is not None:
        return replace(host_code.call(m, Static(function), args, keywords, text), element=element)
    note = result_annotation(function)
    if function is next and args and isinstance(args[0], Host):
        note = element_of(args[0])
    return _called(m, Static(function), note, args, keywords, text)


def called_object(m: Machine, function: Host, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """The call of an object on the host; a method of a known class says what it returns."""
    note = None if function.function is None else result_annotation(function.function)
    return _called(m, function, note, args, keywords, f"{function.text}(...)")


def _called(
    m: Machine, function: Value, note: Any, args: Sequence[Value], keywords: Mapping[str, Value], text: str
) -> Value:
    """A call on the host of what is annotated to return `note`; None where that is not known."""
    spec = None if note is None else spec_from_annotation(note, m.hint or "value")
    if isinstance(spec, specs.TensorSpec):
        return _tensor(m, function, args, keywords, text, open_dims(m, spec.type))
    made = host_code.call(m, function, args, keywords, text)
    if note in (None, types.NoneType):
        return made if note is None else Static(None)
    element = _element(note)
    if element is not None:
        return replace(made, element=element)
    if spec is None and isinstance(note, type):
        return replace(made, cls=note)
    return typed(m, made, spec)


def _tensor(
    m: Machine, function: Value, args: Sequence[Value], keywords: Mapping[str, Value], text: str, type_: TensorType
) -> Value:
    """A call on the host that gives a number or array of a type."""
    made = host_code.call(m, function, args, keywords, text, type_)
    assert made.told is not None
    return host_code.from_host(replace(made, told=None), made.told)


def attribute(m: Machine, value: Host, name: str) -> Value:
    """`value.name`, of the type that the class says."""
    found = None if value.cls is None else inspect.getattr_static(value.cls, name, None)
    if isinstance(found, property) and found.fget is not None:
        made = host_code.attribute(m, value, name)
        note = result_annotation(found.fget)
        return made if note in (None, types.NoneType) else typed(m, made, spec_from_annotation(note, m.hint or name))
    made = host_code.attribute(m, value, name)
    if isinstance(found, staticmethod):
        found = found.__func__
    return replace(made, function=found) if isinstance(found, types.FunctionType) else made


def result_annotation(function: Any) -> Any:
    """What a function says that it returns; None where it says nothing."""
    found = function
    while isinstance(found, functools.partial | types.MethodType):
        found = found.func if isinstance(found, functools.partial) else found.__func__
    if isinstance(found, functools._lru_cache_wrapper):
        found = found.__wrapped__
    if not isinstance(found, types.FunctionType) or "return" not in found.__annotations__:
        return SHIPPED.get(function, found if isinstance(found, type) else None) if _hashable(function) else None
    note = read_annotations(found).get("return")
    return types.NoneType if note is None else note


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _element(note: Any) -> Any:
    """The annotation of the elements that an iterator gives."""
    args = typing.get_args(note)
    return args[0] if typing.get_origin(note) in ITERABLES and args else None


def element_of(value: Host) -> Any:
    """The annotation of what something on the host gives when it is gone through; None where none is known."""
    if value.element is not None or value.cls is None:
        return value.element
    own = getattr(value.cls, "__next__", None) or getattr(value.cls, "__iter__", None)
    note = result_annotation(own) if isinstance(own, types.FunctionType) else None
    return note if own is getattr(value.cls, "__next__", None) else _element(note)


def _items_of(value: Value) -> Any:
    """The annotation of what any value gives when it is gone through; `Any` where none is known."""
    match value:
        case Host():
            return element_of(value) or Any
        case Range():
            return int
        case Tensor(type=type_) if type_.rank == 1:
            return type_.dtype.type
    return Any


def _combined(function: Any, args: Sequence[Value]) -> Any:
    """The annotation of the elements of what goes through others; None where nothing is known of them."""
    if not args or not _hashable(function) or function not in ITERATORS:
        return None
    notes = [_items_of(v) for v in (args if function is zip else args[:1])]
    if all(note is Any for note in notes):
        return None
    if function is zip:
        return types.GenericAlias(tuple, tuple(notes))
    return types.GenericAlias(tuple, (int, notes[0])) if function is enumerate else notes[0]


def annotated(m: Machine, value: Host, note: tree.Expr) -> Value:
    """`name: note = value`."""
    return typed(m, value, spec_of(read_local_annotation(m, note), m.hint or "value"))


def typed(m: Machine, value: Host, spec: specs.ArgSpec | None, explicit: bool = False) -> Value:
    """The value as one of the graph, as far as its type is known."""
    match spec:
        case specs.TensorSpec(type_):
            return host_code.tell(m, value, open_dims(m, type_), explicit)
        case specs.TupleSpec(elts, cls):
            parts = host_code.unpack(m, value, len(elts), None)
            return Tuple(tuple(typed(m, p, s, explicit) for p, s in zip(parts, elts, strict=True)), cls)
    return value


def open_dims(m: Machine, type_: TensorType) -> TensorType:
    """A type with its named dims unknown: the host says them when it has the value."""
    shape = tuple(d if d.constant is not None else m.fresh_dim() for d in type_.shape)
    return TensorType(type_.dtype, shape, type_.kind)


def following(m: Machine, iterator: Host, iterable: Host) -> tuple[Callable[[], Value], Tensor]:
    """What the host goes through next, and whether there is anything; the item only where there is."""
    (item,), (there,) = host_code.step(m, "next", [iterator], receives=[PY_BOOL], text=f"next({iterable.text})")
    found = Host(item.number, item.loc, f"an item of {iterable.text}")
    note = element_of(iterable)
    spec = None if note is None else spec_from_annotation(note, m.hint or "item")
    return lambda: typed(m, found, spec), there


ITERATORS = frozenset([zip, enumerate, reversed, iter, list, tuple, sorted])
"""What goes through its arguments, and gives their elements or tuples of them."""
CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
FLOATS = ("random", "uniform", "gauss", "normalvariate", "expovariate", "triangular", "betavariate", "gammavariate")
SHIPPED: dict[Any, Any] = {
    **{getattr(time, name): float for name in CLOCKS},
    **{getattr(time, f"{name}_ns"): int for name in CLOCKS},
    **{getattr(random, name): float for name in FLOATS},
    random.randint: int,
    random.randrange: int,
    random.getrandbits: int,
    **{cls: cls for cls in (int, float, bool)},
    **dict.fromkeys([math.floor, math.ceil, math.trunc, math.gcd, math.isqrt], int),
    **dict.fromkeys([math.isnan, math.isinf, math.isfinite], bool),
    **dict.fromkeys([math.sqrt, math.exp, math.log, math.sin, math.cos, math.tan, math.atan2, math.hypot], float),
    range: collections.abc.Sequence[int],
    len: int,
    ord: int,
    hash: int,
    id: int,
}
"""What functions of the standard library return, which do not say so themselves."""
