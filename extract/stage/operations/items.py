"""Subscripts that are read: `value[key]`, of whatever a value is."""

from __future__ import annotations

import operator
from enum import EnumMeta

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.operations.known_and_truth import mixed_error, settled, static
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.paths import splitting
from graph_program.extract.stage.paths.several import each_case, member_numbers, mixed_numbers, one_of_several, optional
from graph_program.extract.stage.paths.several.forms import APART, THINGS, asked_of_each, done_to_each
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.questions import is_known_as, is_ref_to, known_value
from graph_program.extract.stage.values.structure import class_name, describe
from graph_program.extract.stage.values.values import Host, SliceValue, Static, Tuple, Value
from graph_program.extract.types.notation.shaped import ArrayForm

LIBRARIES = ("numpy", "jaxtyping")
"""Objects of these have subscripts of their own, which are no code of the user's."""


@asked_of_each(APART)
def get_item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]`."""
    return _item(m, settled(m, optional.present(m, value, lambda none: none[0])), key)


@asked_of_each(THINGS, operand=1, settle=False)
def _item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]` of a value that is there."""
    method = objects.user_method(value, "__getitem__")
    key = taken_apart(one_of_several.read(m, key if method is not None else mixed_numbers.as_integer(m, key)))
    if isinstance(key, Tuple):
        value = m.in_graph(value)
    if not isinstance(value, Host):
        key = host_entries.as_key(m, key, value)
    value = host_entries.with_text_there(m, value)
    if isinstance(value, Host) or isinstance(key, Host):
        return host_entries.item(m, value, key)
    if method is not None and not _is_of_library(value):
        return entries.call(m, method, [key], {})
    return item(m, m.in_graph(value), key)


@generic
def item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]` of a value that is there, neither it nor the key on the host."""
    raise not_subscriptable(m, value)


def not_subscriptable(m: Machine, value: Value) -> diagnostics.GraphProgramError:
    """Python's TypeError."""
    return m.error("GP302", f"'{describe(value)}' object is not subscriptable")


@item.of(Static, holding=EnumMeta)
def _of_enum(m: Machine, value: Static, key: Value) -> Value:
    return Static(call_now(m, operator.getitem, [value.value, static(m, key, "the name of an enum member")]))


@item.of(Static, holding=ArrayForm)
def of_annotation(m: Machine, value: Static, key: Value) -> Value:
    """A form of annotations, such as `Float32[Tensor, "n"]`."""
    return Static(value.value[static(m, key, "the shape of an annotation")])


def _is_of_library(value: Value) -> bool:
    known = known_value(value)
    return isinstance(known, ArrayForm) or type(known).__module__.partition(".")[0] in LIBRARIES


def taken_apart(key: Value) -> Value:
    """A captured slice as one with parts."""
    if is_known_as(key, slice):
        return SliceValue(Static(key.value.start), Static(key.value.stop), Static(key.value.step))
    return key


@done_to_each
def set_item(m: Machine, holder: Value, key: Value, value: Value) -> None:
    """`holder[key] = value`."""
    holder = settled(m, optional.present(m, settled(m, holder), lambda none: operator.setitem(none, 0, 0)))
    if isinstance(holder, Host):
        host_entries.require_equality(m, "[...] =", holder, key)
        host_entries.do(m, "set_item", holder, taken_apart(settled(m, key)), host_entries.kept(m, value))
        return
    if not is_ref_to(holder, dict):
        key = mixed_numbers.as_integer(m, member_numbers.number(m, key))
    one_of = one_of_several.choice(key)
    if one_of is not None:
        if splitting.may_miss(m, holder, one_of, value):
            raise mixed_error(m, one_of)
        each_case.for_each_value(m, one_of, lambda one: set_item(m, holder, one, value))
        return
    holder = m.in_graph(holder)
    key = taken_apart(host_entries.as_key(m, settled(m, key), holder))
    method = objects.user_method(holder, "__setitem__")
    if method is not None:
        entries.call(m, method, [key, value], {})
    else:
        write_item(m, holder, key, value)


@generic
def write_item(m: Machine, holder: Value, key: Value, value: Value) -> None:
    """`holder[key] = value` of a holder that is there, neither it nor the key on the host."""
    raise m.error("GP302", f"'{class_name(holder)}' object does not support item assignment")


@write_item.of(Static, holding=(list, dict))
def _refuse_write(m: Machine, holder: Static, key: Value, value: Value) -> None:
    error = m.error(
        "GP335",
        "this program writes to a captured container, which it does not own",
        hint="pass it as a parameter, or build a new one",
    )
    raise entries.refused_write(m, holder.value, error)
