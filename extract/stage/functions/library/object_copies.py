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
from collections.abc import Callable, Iterable
from dataclasses import field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.records import dataclass
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.lists import columns
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_other
from graph_program.extract.stage.objects import object_tables
from graph_program.extract.stage.objects.captured_state import instance_attributes, lift_item, lift_items
from graph_program.extract.stage.operations import attributes, items, objects
from graph_program.extract.stage.operations.code_ownership import own_class
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled
from graph_program.extract.stage.operations.static_evaluation import is_plain
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.column_data import Growing, Order
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.layouts import Group, InTable, Layout, Same
from graph_program.extract.stage.values.questions import is_known_as, is_optional
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import (
    NONE,
    Bound,
    DictView,
    Host,
    Iteration,
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


# What is in a structure is in its copy, too.
lowers_other(copy.copy, name="copy.copy")(lambda m, x, /: _Copying(m, copy.copy, "__copy__").of(x))


@lowers_other(copy.deepcopy, name="copy.deepcopy")
def deepcopy(m: Machine, x: Value, memo: Value = NONE) -> Value:
    """`copy.deepcopy(x)`: what is in a structure is copied as well."""
    beside = memo.copied if isinstance(memo, _Memo) else set[Value]()
    return _Copying(m, copy.deepcopy, "__deepcopy__", copied=beside).of(x)


@dataclass(eq=False)
class _Memo(Ref):
    """The dict that a `__deepcopy__` is given: what one call of `copy.deepcopy` has copied, the methods' calls too."""

    copied: set[Value] = field(default_factory=set)


@dataclass
class _Copying:
    """One call of a function that copies; `known` has the copies of what has been met."""

    m: Machine
    function: Callable[[Any], Any]
    method: str
    known: dict[Value, Value] = field(default_factory=dict)
    copied: set[Value] = field(default_factory=set)
    """What has been copied with the same memo, by classes' own methods besides."""

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
        if is_optional(value):
            return replace(value, value=self.of(value.value))
        if isinstance(value, Host):
            return host_code.call(
                m, Static(self.function), [value], {}, f"copy.{self.function.__name__}(...)", value.note
            )
        if value not in self.known:
            atom = is_known_as(value, Fraction | Decimal)
            own = None if atom else objects.user_method(value, self.method)
            self.known[value] = found = made(self, value) if own is None else self._by_method(own)
            if found is not value and own is None and not isinstance(found, Tuple):
                self._note(value)
        return self.known[value]

    def _by_method(self, method: Value) -> Value:
        if not self.is_deep:
            return objects.call_with(self.m, method)
        memo = _Memo(dict, self.m.loc, copied=self.copied)
        self.m.live.heap[memo] = {}
        return objects.call_with(self.m, method, memo)

    def _note(self, value: Value) -> None:
        """Refuse a second copy: a method of a class may make its copies on some paths only, so none is kept here."""
        if value in self.copied:
            hint = "copy what both have before, and give it to both"
            raise self.refused(value, hint, " twice, for objects that copy it by a method of their class each")
        self.copied.add(value)

    def inner(self, value: Value) -> Value:
        return self.of(value) if self.is_deep else value

    def instance(self, value: Value, cls: type, contents: Iterable[tuple[str, Value]]) -> Value:
        """An object made without its `__init__`; it may be a part of itself."""
        if not own_class(self.m, cls) or _is_pickled(cls):
            raise self.refused(value)
        known = list(contents)
        self.known[value] = copied = Ref(cls, self.m.loc)
        self.m.live.heap[copied] = {name: self.inner(v) for name, v in known}
        return object_tables.adopted(self.m, copied)

    def refused(
        self,
        value: Value,
        hint: str = "give its class a method that makes a copy, or copy it in a host function",
        how: str = "",
    ) -> GraphProgramError:
        return self.m.error("GP321", f"{describe(value)} cannot be copied in a graph{how}", hint=hint)


# ---------------------------------------------------------------- by kind


@generic
def made(copying: _Copying, value: Value) -> Value:
    """The copy of a value that is there and has no method for it; of most kinds the value itself."""
    return value


made.register(Tensor, lambda copying, value: copying.m.copied(value) if value.is_array else value)


@made.of(Tuple)
def _tuple(copying: _Copying, value: Tuple) -> Value:
    return Tuple(tuple(map(copying.inner, value.elts)), value.cls) if copying.is_deep else value


made.register(Bound, lambda copying, value: Bound(copying.inner(value.self), value.function))


@made.of(Partial)
def _partial(copying: _Copying, value: Partial) -> Value:
    keywords = {name: copying.inner(v) for name, v in value.keywords.items()}
    return Partial(copying.inner(value.function), tuple(map(copying.inner, value.args)), keywords)


@made.of(DictView, Iteration)
def _no_copy(copying: _Copying, value: Value) -> Value:
    raise copying.refused(value)


made.register(Ref, lambda copying, value: copying.instance(value, value.cls, contents_of(copying.m, value).items()))


@made.of(Ref, holding=(list, tuple))
def _sequence(copying: _Copying, value: Ref) -> Value:
    m, found = copying.m, copying.m.live.heap[value]
    if not copying.is_deep:
        return items.get_item(m, value, SliceValue(NONE, NONE, NONE))
    if isinstance(found, Growing):
        if not _are_copied_by_columns(found.layout):
            raise copying.refused(value, "copy its elements one by one: `[copy.deepcopy(item) for item in items]`")
        apart = columns.stand_ins(m, found.layout, [])
        return objects.new_sequence(m, value.cls, replace(found, **apart, order=Order()))
    return objects.new_sequence(m, value.cls, [copying.of(v) for v in contents_of(m, value)])


@made.of(Ref, holding=dict)
def _dict(copying: _Copying, value: Ref) -> Value:
    return objects.new_dict(copying.m, {k: copying.inner(v) for k, v in contents_of(copying.m, value).items()})


@made.of(Row)
def _row(copying: _Copying, value: Row) -> Value:
    """An object in a table; one is not told from another, so that a deep copy has only one of them."""
    m = copying.m
    if copying.is_deep and (len(copying.known) > 0 or object_tables.refers(m, value.cls)):
        raise copying.refused(value)
    contents = ((n, object_tables.attribute(m, value, n)) for n in object_tables.names(m, value))
    return copying.instance(value, value.cls, contents)


@made.of(Static)
def _captured(copying: _Copying, value: Static) -> Value:
    m, obj = copying.m, value.value
    if isinstance(obj, UNCHANGING):
        return value
    contents = ((n, attributes.get_attribute(m, value, n)) for n in instance_attributes(obj))
    return copying.instance(value, type(obj), contents)


@made.of(Static, holding=(list, tuple, dict, set))
def _captured_container(copying: _Copying, value: Static) -> Value:
    """A captured list, tuple, dict or set; one of a class derived from these is copied on the host."""
    m, obj, cls = copying.m, value.value, type(value.value)
    if cls is tuple or (isinstance(obj, tuple) and hasattr(obj, "_fields")):
        return Tuple(tuple(map(copying.inner, lift_items(m, value))), None if cls is tuple else cls)
    if cls is list:
        return objects.new_list(m, tuple(map(copying.inner, lift_items(m, value))))
    if cls is dict:
        return objects.new_dict(m, {k: copying.inner(lift_item(m, value, k)) for k in obj})
    if cls is set and is_plain(obj):
        return entries.call(m, Static(set), [value], {})
    return host_code.call_host(m, copying.function, [value], {})


def _are_copied_by_columns(layout: Layout) -> bool:
    """Whether elements that are made of copied columns are deep copies of those that were there."""
    match layout:
        case Same(Static(value=thing)):
            return isinstance(thing, UNCHANGING)
        case InTable():
            return False
        case Group(cls, _, parts):
            is_plain_class = cls is None or issubclass(cls, tuple) or not _is_pickled(cls)
            own = getattr(cls, "__deepcopy__", None)
            return is_plain_class and own is None and all(map(_are_copied_by_columns, parts))
    return all(map(_are_copied_by_columns, layout.inside))


def _is_pickled(cls: type) -> bool:
    """Whether a class says in terms of pickling how its objects are copied."""
    found = ((inspect.getattr_static(cls, name, None), getattr(object, name, None)) for name in PICKLING)
    # A frozen dataclass with slots has methods of the module's, which do what is done without them.
    return any(own is not plain and getattr(own, "__module__", "") != "dataclasses" for own, plain in found)
