"""`copy.copy` and `copy.deepcopy`: new objects with the same contents, or with copies of them.

    state = copy.deepcopy(start)        state.x, state.weights := start.x, copy of start.weights
    state.x += 1                        start is as it was

What is in a structure twice is in its deep copy twice.  A class says how it is copied in its `__copy__` and
`__deepcopy__`; one that says so in terms of pickling is refused.
"""

from __future__ import annotations

import copy
import enum
import inspect
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.host.steps import host_calls, host_code
from graph_program.extract.stage.lists import columns
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.machine.registry import lowers_other
from graph_program.extract.stage.objects import object_tables
from graph_program.extract.stage.objects.captured_state import instance_attributes, lift_item, lift_items
from graph_program.extract.stage.operations import attributes, items, objects
from graph_program.extract.stage.operations.code_ownership import own_class
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled
from graph_program.extract.stage.operations.static_evaluation import is_plain
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.column_data import SEQUENCES, Growing, Order
from graph_program.extract.stage.values.questions import is_known_as
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import (
    NONE,
    Bound,
    DictView,
    Host,
    Iteration,
    Maybe,
    Partial,
    Ref,
    Row,
    SliceValue,
    Static,
    Tensor,
    Tuple,
    Value,
)

UNCHANGING: tuple[type, ...] = (
    *(int, float, complex, str, bytes, range, slice, type, frozenset, enum.Enum, Fraction, Decimal),
    *(types.FunctionType, types.BuiltinFunctionType, types.EllipsisType, types.NotImplementedType, types.NoneType),
    *(np.generic, np.dtype, np.ufunc, operator.itemgetter, operator.attrgetter, operator.methodcaller),
)
"""Classes whose objects are their own copies."""
PICKLING = ("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
"""Methods that say how an object is copied without `__copy__` and `__deepcopy__`."""


@lowers_other(copy.copy, name="copy.copy")
def copy_(m: Machine, x: Value, /) -> Value:
    """`copy.copy(x)`: what is in a structure is in its copy, too."""
    return _Copying(m, copy.copy, "__copy__").of(x)


@lowers_other(copy.deepcopy, name="copy.deepcopy")
def deepcopy(m: Machine, x: Value, memo: Value = NONE) -> Value:
    """`copy.deepcopy(x)`: what is in a structure is copied as well."""
    return _Copying(m, copy.deepcopy, "__deepcopy__").of(x)


@dataclass
class _Copying:
    """One call of a function that copies; `known` has the copies of what has been met."""

    m: Machine
    function: Callable[[Any], Any]
    method: str
    known: dict[Value, Value] = field(default_factory=dict)

    @property
    def is_deep(self) -> bool:
        return self.function is copy.deepcopy

    def of(self, value: Value) -> Value:
        """The copy of a value."""
        m = self.m
        value = settled(m, value)
        one_of = one_of_several.one_of_objects(value) or one_of_several.choice(value)
        if one_of is not None:
            return one_of_several.of_each(m, one_of, self.of)
        value = m.in_graph(value)
        if isinstance(value, Maybe):
            return replace(value, value=self.of(value.value))
        if isinstance(value, Host):
            return host_code.call(
                m, Static(self.function), [value], {}, f"copy.{self.function.__name__}(...)", value.note
            )
        if value not in self.known:
            atom = is_known_as(value, Fraction | Decimal)
            own = None if atom else objects.user_method(value, self.method)
            self.known[value] = self._made(value) if own is None else self._by_method(own)
        return self.known[value]

    def _by_method(self, method: Value) -> Value:
        given = [objects.new_dict(self.m, {})] if self.is_deep else []
        return objects.call_with(self.m, method, *given)

    def _made(self, value: Value) -> Value:
        m = self.m
        match value:
            case Tensor():
                return m.copied(value) if value.is_array else value
            case DictView():
                raise self._refused(value)
            case Tuple(elts, cls):
                return Tuple(tuple(map(self._inner, elts)), cls) if self.is_deep else value
            case Ref(cls) if cls in SEQUENCES:
                return self._sequence(value)
            case Ref() if value.cls is dict:
                return objects.new_dict(m, {k: self._inner(v) for k, v in contents_of(m, value).items()})
            case Row(cls) if own_class(m, cls) and not _is_pickled(cls):
                return self._row(value)
            case Ref() if own_class(m, value.cls) and not _is_pickled(value.cls):
                return self._instance(value, value.cls, contents_of(m, value))
            case Static(tuple() as items) if type(items) is tuple or hasattr(items, "_fields"):
                inner = tuple(map(self._inner, lift_items(m, value)))
                return Tuple(inner, None if type(items) is tuple else type(items))
            case Static(list() as items) if type(items) is list:
                return objects.new_list(m, tuple(map(self._inner, lift_items(m, value))))
            case Static(dict() as items) if type(items) is dict:
                return objects.new_dict(m, {k: self._inner(lift_item(m, value, k)) for k in items})
            case Static(set() as items) if type(items) is set and is_plain(items):
                return entries.call(m, Static(set), [value], {})
            case Static(list() | tuple() | dict() | set()):
                return host_calls.call_host(m, self.function, [value], {})
            case Static(obj) if isinstance(obj, UNCHANGING):
                return value
            case Bound(holder, function):
                return Bound(self._inner(holder), function)
            case Partial(function, args, keywords):
                given = {name: self._inner(v) for name, v in keywords.items()}
                return Partial(self._inner(function), tuple(map(self._inner, args)), given)
            case Static(obj) if own_class(m, type(obj)) and not _is_pickled(type(obj)):
                names = instance_attributes(obj)
                return self._instance(value, type(obj), {n: attributes.get_attribute(m, value, n) for n in names})
            case Static() | Ref() | Row() | Iteration():
                raise self._refused(value)
        return value

    def _inner(self, value: Value) -> Value:
        return self.of(value) if self.is_deep else value

    def _row(self, value: Row) -> Value:
        """An object in a table; one is not told from another, so that a deep copy has only one of them."""
        if self.is_deep and (len(self.known) > 0 or object_tables.refers(self.m, value.cls)):
            raise self._refused(value)
        contents = {n: object_tables.attribute(self.m, value, n) for n in object_tables.names(self.m, value)}
        return self._instance(value, value.cls, contents)

    def _instance(self, value: Value, cls: type, contents: dict[str, Value]) -> Value:
        """An object made without its `__init__`; it may be a part of itself."""
        self.known[value] = made = Ref(cls, self.m.loc)
        self.m.live.heap[made] = {name: self._inner(v) for name, v in contents.items()}
        return object_tables.adopted(self.m, made)

    def _sequence(self, value: Ref) -> Value:
        found = self.m.live.heap[value]
        if not self.is_deep:
            return items.get_item(self.m, value, SliceValue(NONE, NONE, NONE))
        if isinstance(found, Growing):
            if any(True for _ in tables.classes_in(found.layout)):
                raise self._refused(value)
            apart = columns.stand_ins(self.m, found.layout, [])
            return objects.new_sequence(self.m, value.cls, replace(found, **apart, order=Order()))
        return objects.new_sequence(self.m, value.cls, [self.of(v) for v in contents_of(self.m, value)])

    def _refused(self, value: Value) -> GraphProgramError:
        hint = "give its class a method that makes a copy, or copy it in a host function"
        return self.m.error("GP321", f"{describe(value)} cannot be copied in a graph", hint=hint)


def _is_pickled(cls: type) -> bool:
    """Whether a class says in terms of pickling how its objects are copied."""
    return any(inspect.getattr_static(cls, name, None) is not getattr(object, name, None) for name in PICKLING)


__all__ = ["copy_", "deepcopy"]
