"""Setting and deleting attributes, and deleting items."""

from __future__ import annotations

import inspect
import operator
import types

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.arrays import alias, array_attributes
from graph_program.extract.stage.arrays.array_writes import INSTEAD
from graph_program.extract.stage.lists import growing_lists
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.objects import captured_state, object_tables
from graph_program.extract.stage.objects.object_attributes import MISSING
from graph_program.extract.stage.operations import attributes, items
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled, static, tensor
from graph_program.extract.stage.operations.objects import call_with, class_has, no_attribute, python_class, user_method
from graph_program.extract.stage.operations.of_numbers.conversions import list_position
from graph_program.extract.stage.operations.of_numbers.number_protocol import type_error
from graph_program.extract.stage.paths.several import optional
from graph_program.extract.stage.paths.several.forms import done_to_each
from graph_program.extract.stage.values.choices import FUNCTIONS
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.inside import has_fields, held
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import are_known, is_array_of_graph, is_known, is_partly_set
from graph_program.extract.stage.values.structure import class_name, describe
from graph_program.extract.stage.values.user_classes import GENERATED, class_of
from graph_program.extract.stage.values.values import (
    Bound,
    Host,
    Maybe,
    Range,
    Ref,
    Row,
    SliceValue,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
)


@done_to_each
def set_attribute(m: Machine, holder: Value, name: str, value: Value) -> None:
    """`holder.name = value`."""
    holder = settled(m, optional.present(m, settled(m, holder), lambda none: setattr(none, name, 0)))
    if isinstance(holder, Host):
        host_entries.do(m, "set_attribute", holder, value, detail=name)
        return
    if isinstance(holder, Open) and not hasattr(np.ndarray, name):
        attributes.attribute(m, holder, name)  # it is an object, of which more is known when the program is called
        return
    is_array = isinstance(holder, Tensor) or m.is_captured_array(holder)
    if is_array and name in ("real", "imag"):
        set_part(m, tensor(m, holder), name, value)
        return
    if name == "shape" and isinstance(holder, Tensor):
        array_attributes.set_shape(m, holder, value, not_owned(m, holder, name))
        return
    cls = class_of(holder) or object
    hook = inspect.getattr_static(cls, "__setattr__", None)
    if isinstance(hook, types.FunctionType) and hook.__code__.co_filename != GENERATED:
        if is_known(holder):
            raise m.error(
                "GP450",
                f"setting '{name}' runs {cls.__name__}.__setattr__, which has no graph form",
                hint="use a property with a setter for the attributes that need one",
            )
        call_with(m, Bound(holder, Static(hook)), Static(name), value)
        return
    params = getattr(cls, "__dataclass_params__", None)
    if params is not None and params.frozen:
        raise m.error(
            "GP324", f"cannot assign to field '{name}'", hint="the dataclass is frozen: use dataclasses.replace"
        )
    set_plainly(m, holder, name, value)


def set_part(m: Machine, array: Tensor, name: str, value: Value) -> None:
    """`x.real = value`: a write to the array."""
    if not array.is_array:
        raise not_owned(m, array, name)
    if name == "imag" and not array.type.is_complex:
        raise m.error("GP302", "array does not have imaginary part to set", raised=True)
    items.set_item(m, registry.ATTRIBUTES[name](m, [array], {}), Static(...), value)


def set_plainly(m: Machine, holder: Value, name: str, value: Value) -> None:
    """`object.__setattr__(holder, name, value)`."""
    cls = class_of(holder) or object
    attribute = inspect.getattr_static(cls, name, None)
    if isinstance(attribute, property):
        if attribute.fset is None:
            raise m.error("GP324", f"property '{name}' has no setter")
        call_with(m, Bound(holder, Static(attribute.fset)), value)
        return
    put = inspect.getattr_static(type(attribute), "__set__", None)
    if isinstance(put, types.FunctionType):
        call_with(m, Bound(Static(attribute), Static(put)), holder, value)
        return
    entries.store_attribute(m, holder, name, value)


def is_plainly_set(holder: Value, name: str) -> bool:
    """Whether setting an attribute to what it is already does nothing at all."""
    cls = class_of(holder) or object
    descriptor = type(inspect.getattr_static(cls, name, None))
    return inspect.getattr_static(cls, "__setattr__") is object.__setattr__ and not hasattr(descriptor, "__set__")


@entries.store_attribute.of(Row)
def _store_in_row(m: Machine, holder: Row, name: str, value: Value) -> None:
    require_place(m, holder.cls, name)
    object_tables.store(m, holder, name, value)


@entries.store_attribute.of(Ref)
def _store_in_object(m: Machine, holder: Ref, name: str, value: Value) -> None:
    if holder.cls in (list, dict):
        raise not_owned(m, holder, name)
    alias.before_write(m, holder)
    live = captured_state.live_object(m, holder)
    require_place(m, holder.cls, name)
    if live is not None and not captured_state.is_attribute(m, live, name):
        raise captured_state.refused_set(m, live, name, not_owned(m, live, name))
    captured_state.note_set(m, holder, name)
    alias.store(m, holder, {**m.live.heap[holder], name: value})


@entries.store_attribute.of(Static)
def _store_in_captured(m: Machine, holder: Static, name: str, value: Value) -> None:
    raise captured_state.refused_set(m, holder, name, not_owned(m, holder, name))


@entries.store_attribute.of(Value)
def _store_in_other(m: Machine, holder: Value, name: str, value: Value) -> None:
    if not is_array_of_graph(holder) or name != "flat":
        raise not_owned(m, holder, name)
    items.write_item(m, attributes.attribute(m, holder, name), Static(Ellipsis), value)


def require_place(m: Machine, cls: type, name: str) -> None:
    """Refuse an attribute for which a class with `__slots__` has no place."""
    attribute = inspect.getattr_static(cls, name, MISSING)
    if cls.__dictoffset__ or isinstance(attribute, types.MemberDescriptorType):
        return
    if attribute is MISSING:
        raise no_attribute(m, cls, name)
    raise m.error("GP307", f"'{cls.__name__}' object attribute '{name}' is read-only")


def not_owned(m: Machine, holder: Value, name: str) -> diagnostics.GraphProgramError:
    """The refusal of a write to an object that cannot have state."""
    if is_array_of_graph(holder):
        hint = INSTEAD.get(name, "make a new array")
        return m.error("GP323", f"setting the {name} of an array has no graph form", hint=hint)
    if isinstance(holder, FUNCTIONS):
        return m.error(
            "GP335",
            f"this program sets the attribute '{name}' of a function that it makes, which has no place for it",
            hint="keep it in a variable, with `nonlocal` inside of functions, or in an object with a `__call__`",
        )
    if isinstance(holder, Tensor | Text | Tuple | Range):
        return no_attribute(m, python_class(m, holder), name)
    return m.error(
        "GP335",
        f"this program writes to the attribute '{name}' of {describe(holder)}, which it does not own",
        hint="pass the object as a parameter, or return the new value",
    )


def unset_attribute(m: Machine, holder: Value, name: str) -> Maybe | None:
    """An attribute that was set on some paths only, if this is one."""
    if not has_fields(holder, m.live.heap) or class_has(holder.cls, name):
        return None
    found = m.live.heap[holder].get(name)
    return found if is_partly_set(found) else None


@done_to_each
def delete_attribute(m: Machine, holder: Value, name: str) -> None:
    """`del holder.name`, of an object that the program has made."""
    holder = settled(m, holder)
    if isinstance(holder, Host):
        host_entries.do(m, "delete_attribute", holder, detail=name)
        return
    attribute = inspect.getattr_static(class_of(holder) or object, name, None)
    if isinstance(attribute, property) and attribute.fdel is not None:
        call_with(m, Bound(holder, Static(attribute.fdel)))
        return
    if isinstance(holder, FUNCTIONS):
        raise no_attribute(m, types.FunctionType, name)
    if not has_fields(holder, m.live.heap) or holder.path:
        raise m.error(
            "GP454",
            f"the attribute '{name}' is deleted from {describe(holder)}, which this program has not made",
            hint="set it to None instead",
        )
    contents = m.live.heap[holder]
    if name not in contents:
        raise no_attribute(m, holder.cls, name)
    unset = unset_attribute(m, holder, name)
    if unset is not None:
        m.check(unset.missing, AttributeError, f"'{holder.cls.__name__}' object has no attribute '{name}'")
    alias.before_write(m, holder)
    alias.store(m, holder, {k: v for k, v in contents.items() if k != name})


@done_to_each
def delete_item(m: Machine, holder: Value, key: Value) -> None:
    """`del holder[key]`."""
    holder = settled(m, optional.present(m, settled(m, holder), lambda none: operator.delitem(none, 0)))
    method = user_method(holder, "__delitem__")
    if method is None:
        without_item(m, holder, key)
    else:
        call_with(m, method, key)


@generic
def without_item(m: Machine, holder: Value, key: Value) -> None:
    """`del holder[key]` of what is of no class of the user's that says how."""
    raise type_error(m, f"'{class_name(holder)}' object doesn't support item deletion")


@without_item.of(Host)
def _without_on_host(m: Machine, holder: Host, key: Value) -> None:
    host_entries.do(m, "delete_item", holder, key)


@without_item.of(Static, holding=(list, dict))
def _without_in_captured(m: Machine, holder: Static, key: Value) -> None:
    raise captured_state.refused_change(m, holder, "__delitem__")


@without_item.of(Ref, holding=dict)
def _without_key(m: Machine, holder: Ref, key: Value) -> None:
    k = host_entries.known_key(m, holder, key)
    contents = contents_of(m, holder, ordered=False)
    if k not in contents:
        m.raise_(KeyError, (Static(k),))
    alias.before_write(m, holder)
    alias.store(m, holder, {n: v for n, v in contents.items() if n != k})


@without_item.of(Ref, holding=list)
def _without_position(m: Machine, holder: Ref, key: Value) -> None:
    key = list_position(m, settled(m, key))
    found = growing_lists.contents(m, holder)
    alias.before_write(m, holder)
    parts = held(key) or (key,)
    if isinstance(found, Growing) or not are_known(parts):
        if isinstance(key, SliceValue):
            alias.store(m, holder, growing_lists.with_slice(m, found, key, ()))
        else:
            rest = growing_lists.without(m, found, key, "list assignment index out of range")[1]
            alias.store(m, holder, rest)
        return
    items = list(found)
    try:
        del items[static(m, key, "a list index") if len(parts) == 1 else slice(*(static(m, p, "") for p in parts))]
    except IndexError as error:
        m.raise_(IndexError, (str(error),))
    alias.store(m, holder, tuple(items))
