"""Attributes of instances, classes, modules and captured objects: what the object has, and what its class gives."""

from __future__ import annotations

import functools
import inspect
import types
from fractions import Fraction
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.array_attributes import array_attribute, number_attribute
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.decisions import EVERYWHERE, STEPS
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.objects import captured_state, construct, live_reads, object_tables
from graph_program.extract.stage.operations import attributes
from graph_program.extract.stage.operations.code_ownership import is_own
from graph_program.extract.stage.operations.objects import call_with, class_has, container_attribute, no_attribute
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.column_data import SEQUENCES
from graph_program.extract.stage.values.questions import is_partly_set
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    Bound,
    Ref,
    Static,
    Stream,
    Tuple,
    Value,
    is_numeric_static,
)

MISSING = object()


GETATTR = "use getattr() and setattr() with names that are known"


METHODS = (types.FunctionType, functools.singledispatchmethod)
"""What a class has that an instance finds as a method."""


DESCRIPTORS = (property, staticmethod, classmethod, *METHODS, functools.cached_property)
"""What a class has that gives something of its own for every instance."""


PARTS_OF = dict.fromkeys([range, slice], ("start", "stop", "step")) | {Fraction: ("numerator", "denominator")}
"""Attributes of captured values that are plain numbers, where there are methods as well."""


CONTAINERS = (list, tuple, dict, str, set, frozenset, bytes, range)


def _is_own_attribute(obj: Any, name: str) -> bool:
    """Whether an object of a class made from a builtin one (`class Level(str, Enum)`) has an attribute of its own."""
    owner = next((c for c in type(obj).__mro__ if name in vars(c)), None)
    return owner not in (*CONTAINERS, object) if owner is not None else name in getattr(obj, "__dict__", ())


@attributes.attribute.of(Static)
def _attribute_of_known(m: Machine, value: Static, name: str) -> Value:
    if is_numeric_static(value) and (name in registry.ATTRIBUTES or name in registry.METHODS):
        of_number = isinstance(value.value, np.generic)
        return array_attribute(m, value, name) if of_number else number_attribute(m, value, name)
    return captured_attribute(m, value, name)


def captured_attribute(m: Machine, value: Static, name: str) -> Value:
    """An attribute of a captured object, class or module."""
    if isinstance(value, Stream):
        raise Needed(STEPS, [EVERYWHERE])
    obj = value.value
    if isinstance(obj, np.iinfo | np.finfo | range | slice | Fraction) and name in PARTS_OF.get(type(obj), dir(obj)):
        return Static(getattr(obj, name))
    if isinstance(obj, CONTAINERS) and not hasattr(type(obj), "_fields") and not _is_own_attribute(obj, name):
        return container_attribute(m, Static(str.__str__(obj)) if isinstance(obj, str) else value, type(obj), name)
    attribute = inspect.getattr_static(type(obj), name, None) if not isinstance(obj, type | types.ModuleType) else None
    if isinstance(attribute, property) and attribute.fget is not None:
        live_reads.member(m, type(obj), name)
        return call_with(m, Bound(value, Static(attribute.fget)))
    instance = not isinstance(obj, type | types.ModuleType)
    if instance and runs_code(m, type(obj), name) and name not in captured_state.instance_attributes(obj):
        return class_attribute(m, value, type(obj), name)
    if isinstance(attribute, functools.cached_property) and name not in getattr(obj, "__dict__", {}):
        return cached_attribute(m, value, attribute.func, name)
    if isinstance(attribute, METHODS) and name not in getattr(obj, "__dict__", {}):
        live_reads.member_of(m, obj, name)
        return Bound(value, Static(attribute))
    if isinstance(obj, type) and isinstance(inspect.getattr_static(obj, name, None), functools.singledispatchmethod):
        live_reads.member(m, obj, name)
        return Bound(value, Static(inspect.getattr_static(obj, name)))
    return live_reads.captured_attribute(m, value, name)


@attributes.attribute.of(Ref)
def instance_attribute(m: Machine, value: Ref, name: str) -> Value:
    """An attribute of an instance made in the program or passed to it, or a list's or dict's method."""
    if value.cls in (*SEQUENCES, dict):
        return container_attribute(m, value, value.cls, name)
    if name == "__class__":
        return Static(value.cls)
    if name == "__dict__":
        raise m.error("GP331", "an object's __dict__ looks at names, which do not exist in a graph", hint=GETATTR)
    contents = m.live.heap[value]
    live = captured_state.live_object(m, value)
    if name in contents:
        return present_attribute(m, value, name, contents[name])
    return class_attribute(m, value, value.cls, name) if live is None else live_attribute(m, value, live, name)


@attributes.attribute.of(Tuple)
def _attribute_of_tuple(m: Machine, value: Tuple, name: str) -> Value:
    cls = value.cls
    if cls is None:
        return container_attribute(m, value, tuple, name)
    if name in getattr(cls, "_fields", ()):
        return value.elts[cls._fields.index(name)]  # type: ignore[attr-defined]
    return class_attribute(m, value, cls, name) if name not in ("_replace", "_asdict") else ArrayMethod(value, name)


def present_attribute(m: Machine, holder: Ref, name: str, value: Value) -> Value:
    """An attribute that an instance has, at least on some paths."""
    if not is_partly_set(value):
        return one_of_several.read(m, value)
    if class_has(holder.cls, name):
        return flow.choose(
            m,
            value.missing,
            lambda: class_attribute(m, holder, holder.cls, name),
            lambda: one_of_several.read(m, value.value),
        )
    m.check(value.missing, AttributeError, f"'{holder.cls.__name__}' object has no attribute '{name}'")
    return one_of_several.read(m, value.value)


def live_attribute(m: Machine, holder: Ref, live: Static, name: str) -> Value:
    """An attribute that is no state, of a captured object that has state: a captured value, or the class's."""
    own = captured_state.instance_attributes(live.value)
    attribute = inspect.getattr_static(holder.cls, name, MISSING)
    if name not in own and (isinstance(attribute, DESCRIPTORS) or hasattr(type(attribute), "__graph_program__")):
        return class_attribute(m, holder, holder.cls, name)
    if attribute is MISSING and name not in own and captured_state.is_attribute(m, live, name):
        raise no_attribute(m, holder.cls, name)
    return live_reads.captured_attribute(m, live, name)


def runs_code(m: Machine, cls: type, name: str) -> bool:
    """Whether a class has code of the user's that gives an attribute: a descriptor, or `__getattr__`."""
    attribute = inspect.getattr_static(cls, name, MISSING)
    if attribute is MISSING:
        return isinstance(inspect.getattr_static(cls, "__getattr__", None), types.FunctionType)
    if isinstance(attribute, DESCRIPTORS) or hasattr(type(attribute), "__graph_program__"):
        return False
    get = inspect.getattr_static(type(attribute), "__get__", None)
    return isinstance(get, types.FunctionType) and is_own(m, get)


@object_tables.class_attribute.given
def class_attribute(m: Machine, value: Value, cls: type, name: str) -> Value:
    attribute = construct.method_of_program(inspect.getattr_static(cls, name, MISSING))
    if attribute is MISSING or isinstance(attribute, types.MemberDescriptorType):
        hook = inspect.getattr_static(cls, "__getattr__", None)
        if isinstance(hook, types.FunctionType):
            return call_with(m, Bound(value, Static(hook)), Static(name))
        if isinstance(value, Tuple):
            return ArrayMethod(value, name)
        raise no_attribute(m, cls, name)
    live_reads.member(m, cls, name)
    if runs_code(m, cls, name):
        get = inspect.getattr_static(type(attribute), "__get__")
        return call_with(m, Bound(Static(attribute), Static(get)), value, Static(cls))
    if isinstance(attribute, property):
        return call_with(m, Bound(value, Static(attribute.fget)))
    if isinstance(attribute, functools.cached_property):
        return cached_attribute(m, value, attribute.func, name)
    if isinstance(attribute, staticmethod):
        return Static(attribute.__func__)
    if isinstance(attribute, classmethod):
        if name == "_make" and isinstance(value, Tuple):
            return ArrayMethod(value, name)
        return Bound(Static(cls), Static(attribute.__func__))
    if isinstance(attribute, METHODS) or hasattr(attribute, "python"):
        return Bound(value, Static(attribute))
    if isinstance(value, Tuple) and callable(attribute):
        return ArrayMethod(value, name)
    return m.lift(getattr(cls, name), (cls.__name__, f".{name}"))


def cached_attribute(m: Machine, value: Value, function: Any, name: str) -> Value:
    """A `functools.cached_property` that has not been asked for: computed, and kept as an attribute."""
    found = call_with(m, Bound(value, Static(function)))
    entries.store_attribute(m, value, name, found)
    return found
