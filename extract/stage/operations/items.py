"""Subscripts that are read: `value[key]`, of whatever a value is."""

from __future__ import annotations

import operator
from enum import EnumMeta

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.operations.known_and_truth import settled, static
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.paths.several import mixed_numbers, one_of_several, optional
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import Host, Mixed, SliceValue, Static, Text, Tuple, Value
from graph_program.extract.types.notation.shaped import ArrayForm

LIBRARIES = ("numpy", "jaxtyping")
"""Objects of these have subscripts of their own, which are no code of the user's."""


def get_item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]`."""
    things = one_of_several.choice(value) if isinstance(value, Mixed) else None
    if things is not None:
        return one_of_several.of_each(m, things, lambda one: get_item(m, one, key))
    value = settled(m, optional.present(m, settled(m, value), lambda none: none[0]))
    one_of = one_of_several.choice(key)
    if one_of is not None:
        return one_of_several.of_each(m, one_of, lambda k: get_item(m, value, k))
    method = objects.user_method(value, "__getitem__")
    key = taken_apart(one_of_several.read(m, key if method is not None else mixed_numbers.as_integer(m, key)))
    if isinstance(key, Tuple):
        value = _as_array(m, value)
    if not isinstance(value, Host):
        key = entries.as_key(m, value, key)
    if isinstance(value, Text):
        value = entries.text_on_host(m, value)
    if isinstance(value, Host) or isinstance(key, Host):
        return entries.host_item(m, value, key)
    if method is not None and not _is_of_library(value):
        return entries.call(m, method, [key], {})
    return item(m, _as_array(m, value), key)


@generic
def item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]` of a value that is there, neither it nor the key on the host."""
    raise not_subscriptable(m, value)


def not_subscriptable(m: Machine, value: Value) -> diagnostics.GraphProgramError:
    """Python's TypeError."""
    return m.error("GP302", f"'{describe(value)}' object is not subscriptable", cls=diagnostics.DTypeError)


@item.of(Static, holding=EnumMeta)
def _of_enum(m: Machine, value: Static, key: Value) -> Value:
    return Static(call_now(m, operator.getitem, [value.value, static(m, key, "the name of an enum member")]))


@item.of(Static, holding=ArrayForm)
def of_annotation(m: Machine, value: Static, key: Value) -> Value:
    """A form of annotations, such as `Float32[Tensor, "n"]`."""
    return Static(value.value[static(m, key, "the shape of an annotation")])


def _as_array(m: Machine, value: Value) -> Value:
    """A captured array as one of the graph."""
    return m.captured_array(value) if isinstance(value, Static) and m.is_captured_array(value) else value


def _is_of_library(value: Value) -> bool:
    if not isinstance(value, Static):
        return False
    return isinstance(value.value, ArrayForm) or type(value.value).__module__.partition(".")[0] in LIBRARIES


def taken_apart(key: Value) -> Value:
    """A captured slice as one with parts."""
    if isinstance(key, Static) and isinstance(key.value, slice):
        return SliceValue(Static(key.value.start), Static(key.value.stop), Static(key.value.step))
    return key


__all__ = ["get_item", "item", "not_subscriptable", "of_annotation", "taken_apart"]
