"""`dataclasses.fields`, `is_dataclass`, `asdict` and `astuple`, of instances whose fields are graph values."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_other
from graph_program.extract.stage.objects.captured_state import lift_item, lift_items
from graph_program.extract.stage.operations import attributes, objects
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.questions import is_array_of_graph, is_known_as
from graph_program.extract.stage.values.values import Ref, Static, Tuple, Value


def _class(m: Machine, obj: Value, name: str) -> type:
    """The class of a dataclass instance."""
    cls = user_classes.class_of(obj)
    if cls is None or not dataclasses.is_dataclass(cls) or is_known_as(obj, type):
        raise m.error("GP302", f"{name}() should be called on dataclass instances")
    return cls


@lowers_other(dataclasses.fields)
def fields(m: Machine, class_or_instance: Value, /) -> Value:
    obj = settled(m, class_or_instance)
    cls = obj.value if is_known_as(obj, type) else user_classes.class_of(obj)
    if cls is None or not dataclasses.is_dataclass(cls):
        raise m.error("GP302", "must be called with a dataclass type or instance")
    return Tuple(tuple(map(Static, dataclasses.fields(cls))))


@lowers_other(dataclasses.is_dataclass)
def is_dataclass(m: Machine, obj: Value, /) -> Value:
    obj = settled(m, obj)
    cls = obj.value if is_known_as(obj, type) else user_classes.class_of(obj)
    return Static(cls is not None and dataclasses.is_dataclass(cls))


@lowers_other(dataclasses.asdict)
def asdict(m: Machine, obj: Value, /, **options: Value) -> Value:
    """`dataclasses.asdict(obj)`: dicts of copies, all the way down."""
    return _taken_apart(m, settled(m, obj), "asdict", lambda pairs: objects.new_dict(m, dict(pairs)), options)


@lowers_other(dataclasses.astuple)
def astuple(m: Machine, obj: Value, /, **options: Value) -> Value:
    """`dataclasses.astuple(obj)`: tuples of copies, all the way down."""
    return _taken_apart(m, settled(m, obj), "astuple", lambda pairs: Tuple(tuple(v for _, v in pairs)), options)


Build = Callable[[Sequence[tuple[str, Value]]], Value]


def _taken_apart(m: Machine, obj: Value, name: str, build: Build, options: dict[str, Value]) -> Value:
    cls = _class(m, obj, name)
    if options:
        raise m.error("GP321", f"{name}() with a factory of its own has no graph form", hint="build the dict yourself")
    return _fields(m, obj, cls, build)


def _fields(m: Machine, obj: Value, cls: type, build: Build) -> Value:
    names: list[Any] = [f.name for f in dataclasses.fields(cls)]
    return build([(n, _copied(m, attributes.get_attribute(m, obj, n), build)) for n in names])


def _copied(m: Machine, value: Value, build: Build) -> Value:
    """A part of a dataclass instance, copied as `copy.deepcopy` does it."""
    value = settled(m, value)
    cls = user_classes.class_of(value)
    if cls is not None and dataclasses.is_dataclass(cls) and not isinstance(value, Tuple):
        return _fields(m, value, cls, build)
    if is_known_as(value, list | dict):
        value = _lifted(m, value)
    return _copy_of(m, m.in_graph(value), build)


@generic
def _copy_of(m: Machine, value: Value, build: Build) -> Value:
    """The copy of one kind; most stay what they are."""
    return m.copied(value) if is_array_of_graph(value) else value


_copy_of.register(Tuple, lambda m, value, build: Tuple(tuple(_copied(m, v, build) for v in value.elts), value.cls))


@_copy_of.of(Ref)
def _object(m: Machine, value: Ref, build: Build) -> Value:
    raise m.error("GP321", f"a {value.cls.__name__} cannot be copied here", hint="give it a method that copies it")


@_copy_of.of(Ref, holding=(list, tuple))
def _sequence(m: Machine, value: Ref, build: Build) -> Value:
    return objects.new_sequence(m, value.cls, [_copied(m, v, build) for v in contents_of(m, value)])


@_copy_of.of(Ref, holding=dict)
def _dict(m: Machine, value: Ref, build: Build) -> Value:
    return objects.new_dict(m, {k: _copied(m, v, build) for k, v in contents_of(m, value).items()})


def _lifted(m: Machine, value: Static) -> Value:
    if isinstance(value.value, list):
        return objects.new_list(m, lift_items(m, value))
    return objects.new_dict(m, {k: lift_item(m, value, k) for k in value.value})
