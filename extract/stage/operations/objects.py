"""Objects: making them, and reading the attributes of lists, dicts, tuples, instances and captured objects."""

from __future__ import annotations

import enum
import functools
import inspect
import operator
import types
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.host.library import library_signatures
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_texts
from graph_program.extract.stage.kinds import caught
from graph_program.extract.stage.language.syntax import names
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.code_ownership import is_own
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import StepsNeeded
from graph_program.extract.stage.objects import captured_state, construct, live_reads, object_tables
from graph_program.extract.stage.objects.captured_state import lift_item
from graph_program.extract.stage.opened import subscripts
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled
from graph_program.extract.stage.paths import flow, one_of_several, optional
from graph_program.extract.stage.paths.joins import join_choices
from graph_program.extract.stage.values.column_data import SEQUENCES, Growing
from graph_program.extract.stage.values.described import Described
from graph_program.extract.stage.values.exception_values import Caught
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import (
    ArrayMethod,
    Bound,
    Closure,
    DictView,
    Host,
    Maybe,
    Partial,
    Range,
    Ref,
    Row,
    SliceValue,
    Static,
    Stream,
    Tensor,
    Text,
    Tuple,
    Value,
    is_numeric_static,
    type_of,
)

MISSING = object()
GETATTR = "use getattr() and setattr() with names that are known"
METHODS = (types.FunctionType, functools.singledispatchmethod)
"""What a class has that an instance finds as a method."""
DESCRIPTORS = (property, staticmethod, classmethod, *METHODS, functools.cached_property)
"""What a class has that gives something of its own for every instance."""

# ---------------------------------------------------------------- making objects


def new_list(m: Machine, items: Sequence[Value] | Growing) -> Ref:
    """A new list."""
    ref = Ref(list, m.loc)
    m.live.heap[ref] = items if isinstance(items, Growing) else tuple(items)
    return ref


def new_sequence(m: Machine, cls: type, items: Sequence[Value] | Growing) -> Value:
    """A new list or tuple; a tuple is taken apart where its length is known."""
    if cls is list:
        return new_list(m, items)
    if not isinstance(items, Growing):
        return Tuple(tuple(items))
    ref = Ref(tuple, m.loc)
    m.live.heap[ref] = items
    return ref


def new_dict(m: Machine, contents: dict[Any, Value]) -> Ref:
    """A new dict with static keys."""
    ref = Ref(dict, m.loc)
    m.live.heap[ref] = dict(contents)
    return ref


def dict_contents(m: Machine, value: Value) -> dict[Any, Value]:
    """The items of a dict of known structure."""
    value = settled(m, value)
    if isinstance(value, Ref) and value.cls is dict:
        return dict(contents_of(m, value))
    if isinstance(value, Static) and isinstance(value.value, dict):
        return {k: lift_item(m, value, k) for k in dict.__iter__(value.value)}
    raise m.error("GP319", f"a {describe(value)} is not a dict of known structure", cls=diagnostics.DTypeError)


def class_of(value: Value) -> type | None:
    """The Python class of a structure or captured object; None for tensors and functions."""
    match value:
        case Ref(cls) | Row(cls):
            return cls
        case Tuple(_, cls):
            return cls or tuple
        case Static(obj):
            return type(obj)
    return None


# ---------------------------------------------------------------- attributes


def get_attribute(m: Machine, value: Value, name: str) -> Value:
    """`value.name`."""
    one_of = one_of_several.choice(value) or join_choices.one_of_numbers(value)
    if one_of is not None:
        return one_of_several.of_each(m, one_of, lambda v: get_attribute(m, v, name))
    value = settled(m, value)
    there = optional.present(m, value, lambda none: getattr(none, name))
    if there is not value:
        return get_attribute(m, there, name)
    if isinstance(value, Static) and m.is_captured_array(value):
        value = m.captured_array(value)
    if isinstance(value, Described):
        return value.attribute(m, name)
    if isinstance(value, Caught):
        return caught.attribute(m, value, name)
    if name == "__class__" and isinstance(value, Tensor | Tuple | Range | SliceValue | Ref | Row):
        from graph_program.extract.stage.functions.builtins.builtin_reflection import python_class

        return Static(python_class(m, value))
    match value:
        case Host():
            return host_code.attribute(m, value, name)
        case Text() if name == "__class__":
            return Static(str)
        case Text():
            return host_code.attribute(m, host_texts.on_host(m, value), name)
        case Tensor():
            return array_attribute(m, value, name)
        case Open():
            return subscripts.attribute(m, value, name)
        case Static() if is_numeric_static(value) and (name in registry.ATTRIBUTES or name in registry.METHODS):
            return (
                array_attribute(m, value, name)
                if isinstance(value.value, np.generic)
                else number_attribute(m, value, name)
            )
        case Static():
            return captured_attribute(m, value, name)
        case Ref():
            return instance_attribute(m, value, name)
        case Row():
            return object_tables.attribute(m, value, name)
        case DictView():
            from graph_program.extract.stage.kinds import dict_views

            return dict_views.attribute(m, value, name)
        case Tuple(elts, cls) if cls is not None and name in getattr(cls, "_fields", ()):
            return elts[cls._fields.index(name)]  # type: ignore[attr-defined]
        case Tuple(_, cls) if cls is not None and name not in ("_replace", "_asdict"):
            return class_attribute(m, value, cls, name)
        case Partial(function, args, keywords) if name in ("func", "args", "keywords"):
            return {"func": function, "args": Tuple(args)}.get(name) or new_dict(m, keywords)
        case Tuple(_, None):
            return container_attribute(m, value, tuple, name)
        case Closure(function) if name == "__name__":
            return Static(function.name)
        case Closure() if not hasattr(types.FunctionType, name):
            raise no_attribute(m, types.FunctionType, name)
        case SliceValue(start, stop, step) | Range(start, stop, step) if name in ("start", "stop", "step"):
            return {"start": start, "stop": stop, "step": step}[name]
        case Maybe():
            raise m.error(
                "GP312",
                f"this value may be None, which has no attribute '{name}'",
                cls=diagnostics.ProgramAttributeError,
                hint="test it with `is None` first",
            )
    return ArrayMethod(value, name)


def array_attribute(m: Machine, value: Value, name: str) -> Value:
    """An attribute or method of an array, NumPy scalar or Python number."""
    if isinstance(value, Tensor) and value.is_python:
        return number_attribute(m, value, name)
    scalar = value.type.dtype.type if isinstance(value, Tensor) else type(value.value)  # type: ignore[attr-defined]
    cls = np.ndarray if isinstance(value, Tensor) and value.is_array else scalar
    if not hasattr(cls, name):
        text = f"'numpy.{cls.__name__}' object has no attribute '{name}'"
        raise m.error("GP307", text, cls=diagnostics.ProgramAttributeError)
    if name in registry.ATTRIBUTES:
        return registry.ATTRIBUTES[name](m, [value], {})
    from graph_program.extract.stage.arrays import array_writes

    if name == "as_integer_ratio":
        raise no_number_form(m, cls, name)
    if name == "__getitem__":
        return Partial(Static(operator.getitem), (value,), {})
    if name in registry.METHODS or name in array_writes.METHODS:
        return ArrayMethod(value, name)
    if name in WRITING_OUT or library_signatures.member(cls, name) is not None:
        return host_code.attribute(m, replace(host_code.keep(m, value), note=cls), name)
    hint = array_writes.INSTEAD.get(name, "see the operations page")
    raise m.error("GP323", f"ndarray.{name} has no graph form", hint=hint)


WRITING_OUT = frozenset({"tobytes", "tofile", "dump", "dumps"})
"""Methods of arrays that are the host's."""


def number_attribute(m: Machine, value: Value, name: str) -> Value:
    """An attribute of a Python number."""
    if name in ("real", "imag") and type_of(value).is_complex:
        return registry.ATTRIBUTES[name](m, [value], {})
    cls = type(value.value) if isinstance(value, Static) else value.type.python_class  # type: ignore[attr-defined]
    if not hasattr(cls, name):
        raise m.error(
            "GP307",
            f"'{cls.__name__}' object has no attribute '{name}'",
            cls=diagnostics.ProgramAttributeError,
            hint="a Python number has no array methods; use np functions, or np.float64(...)"
            if hasattr(np.generic, name)
            else "",
        )
    if name in ("is_integer", "conjugate") or (name in INT_METHODS and cls is not float):
        return ArrayMethod(value, name)
    if name in ("real", "numerator"):  # an int of a bool
        from graph_program.extract.stage.operations.operators import unary

        return unary(m, "+", value)
    if name in ("imag", "denominator"):
        return Static(cls(0.0) if cls is float else int(name == "denominator"))
    if isinstance(value, Static):
        return Static(getattr(value.value, name))
    if library_signatures.member(cls, name) is not None:
        return host_code.attribute(m, replace(host_code.keep(m, value), note=cls), name)
    raise no_number_form(m, cls, name)


def no_number_form(m: Machine, cls: type, name: str) -> Exception:
    """The refusal of an attribute of a computed number."""
    return m.error(
        "GP323",
        f"{cls.__name__}.{name} of a computed number has no graph form",
        hint="call it in a function marked with @host_function",
    )


INT_METHODS = ("bit_length", "bit_count", "as_integer_ratio")
"""Methods of ints, written in the language (`library/integers`)."""


PARTS_OF = dict.fromkeys([range, slice], ("start", "stop", "step")) | {Fraction: ("numerator", "denominator")}
"""Attributes of captured values that are plain numbers, where there are methods as well."""


CONTAINERS = (list, tuple, dict, str, set, frozenset, bytes, range)


def _is_own_attribute(obj: Any, name: str) -> bool:
    """Whether an object of a class made from a builtin one (`class Level(str, Enum)`) has an attribute of its own."""
    owner = next((c for c in type(obj).__mro__ if name in vars(c)), None)
    return owner not in (*CONTAINERS, object) if owner is not None else name in getattr(obj, "__dict__", ())


def captured_attribute(m: Machine, value: Static, name: str) -> Value:
    """An attribute of a captured object, class or module."""
    if isinstance(value, Stream):
        raise StepsNeeded
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
    return names.captured_attribute(m, value, name)


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
        return present_attribute(m, value, name, contents[name], live)
    return class_attribute(m, value, value.cls, name) if live is None else live_attribute(m, value, live, name)


def present_attribute(m: Machine, holder: Ref, name: str, value: Value, live: Static | None) -> Value:
    """An attribute that an instance has, at least on some paths."""
    if not (isinstance(value, Maybe) and value.absent == "unbound"):
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
    return names.captured_attribute(m, live, name)


def no_attribute(m: Machine, cls: type, name: str) -> diagnostics.GraphProgramError:
    """Python's AttributeError."""
    text = f"'{cls.__name__}' object has no attribute '{name}'"
    return m.error("GP307", text, cls=diagnostics.ProgramAttributeError)


def container_attribute(m: Machine, value: Value, cls: type, name: str) -> Value:
    """A method of a list, tuple, dict, set, string or range."""
    if name == "__class__":
        return Static(cls)
    if not hasattr(cls, name):
        raise m.error(
            "GP307",
            f"'{cls.__name__}' object has no attribute '{name}'",
            cls=diagnostics.ProgramAttributeError,
        )
    return Partial(Static(operator.getitem), (value,), {}) if name == "__getitem__" else ArrayMethod(value, name)


def runs_code(m: Machine, cls: type, name: str) -> bool:
    """Whether a class has code of the user's that gives an attribute: a descriptor, or `__getattr__`."""
    attribute = inspect.getattr_static(cls, name, MISSING)
    if attribute is MISSING:
        return isinstance(inspect.getattr_static(cls, "__getattr__", None), types.FunctionType)
    if isinstance(attribute, DESCRIPTORS) or hasattr(type(attribute), "__graph_program__"):
        return False
    get = inspect.getattr_static(type(attribute), "__get__", None)
    return isinstance(get, types.FunctionType) and _is_own(m, get)


def _is_own(m: Machine, function: types.FunctionType) -> bool:

    return is_own(m, function)


def class_attribute(m: Machine, value: Value, cls: type, name: str) -> Value:
    """What `value.name` finds on the class: method, property, class method, constant."""
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
    from graph_program.extract.stage.language.syntax.attribute_writes import store_attribute

    found = call_with(m, Bound(value, Static(function)))
    store_attribute(m, value, name, found)
    return found


def class_has(cls: type, name: str) -> bool:
    """Whether a class has something for an attribute that its instance has not set."""
    member = isinstance(inspect.getattr_static(cls, name, None), types.MemberDescriptorType)
    return hasattr(cls, name) and not member


def call_with(m: Machine, function: Value, *args: Value) -> Value:
    """`function(*args)`."""
    from graph_program.extract.stage.language.calls import calls

    return calls.call(m, function, list(args), {})


def user_method(value: Value, name: str) -> Value | None:
    """A method that the user's class defines, bound to the value."""
    cls = (
        value.cls if isinstance(value, Ref | Row | Tuple) else type(value.value) if isinstance(value, Static) else None
    )
    function = None if cls is None else user_function(cls, name)
    return None if function is None else Bound(value, Static(function))


def user_function(cls: type, name: str) -> types.FunctionType | None:
    """A method that the user's class defines."""
    if cls.__module__ in ("builtins", "numpy") or issubclass(cls, type):
        return None
    attribute = inspect.getattr_static(cls, name, None)
    own = isinstance(attribute, types.FunctionType) and attribute.__module__ != enum.__name__
    return attribute if own else None


def user_defined(m: Machine, obj: Value, name: str, *args: Value) -> Value | None:
    """The result of a special method of the user's class, if it has one."""
    from graph_program.extract.stage.language.calls import calls

    method = user_method(obj, name)
    return None if method is None else calls.call(m, method, list(args), {})
