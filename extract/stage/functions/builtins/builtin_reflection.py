"""Builtins about classes, attributes, patterns and text; builtins that belong to the host; those refused."""

from __future__ import annotations

import abc
import builtins
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract.ir.texts import CONVERSIONS
from graph_program.extract.library import attributes, in_python
from graph_program.extract.source.load import load_function
from graph_program.extract.source.patterns import matches_itself, takes_positional, without_keys
from graph_program.extract.stage.arrays import archives
from graph_program.extract.stage.functions.builtins.builtin_iterables import dict_entries
from graph_program.extract.stage.host.steps.host_code import call_host, known_or_on_host
from graph_program.extract.stage.kinds import caught, explicit_iterators, formatting
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_builtin
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.objects import attribute_writes, captured_state, live_reads, object_tables
from graph_program.extract.stage.operations import iteration, objects
from graph_program.extract.stage.operations.attributes import get_attribute
from graph_program.extract.stage.operations.known_and_truth import settled, static
from graph_program.extract.stage.operations.objects import python_class
from graph_program.extract.stage.operations.of_numbers.conversions import index_of
from graph_program.extract.stage.operations.of_numbers.number_protocol import type_error
from graph_program.extract.stage.operations.static_evaluation import static_only, try_now
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.paths.several.forms import OPTIONAL, THINGS, asked_of_each
from graph_program.extract.stage.values import choices
from graph_program.extract.stage.values.exception_values import Caught
from graph_program.extract.stage.values.generic import class_inside
from graph_program.extract.stage.values.inside import has_fields
from graph_program.extract.stage.values.questions import is_array_of_graph, is_known, is_known_as, is_optional
from graph_program.extract.stage.values.structure import is_text, joined_text
from graph_program.extract.stage.values.values import (
    NONE,
    Iteration,
    Mixed,
    Partial,
    Row,
    Static,
    Text,
    Value,
    is_numeric,
)

EMPTY = Static("")

# ---------------------------------------------------------------- classes

PLAIN_TESTS: tuple[Any, ...] = (type.__instancecheck__, abc.ABCMeta.__instancecheck__)
"""How classes without a test of their own decide `isinstance`: by inheritance and registration."""


@lowers_builtin(type)
@asked_of_each(THINGS, OPTIONAL)
def type_(m: Machine, obj: Value, /, *rest: Value, **keywords: Value) -> Value:
    if rest or keywords:
        raise m.error("GP331", "type(name, bases, dict) makes a class, which a program cannot")
    if isinstance(obj, Caught):
        return caught.class_of(m, obj)
    return Static(python_class(m, obj))


@lowers_builtin(isinstance)
def isinstance_(m: Machine, obj: Value, class_or_tuple: Value, /) -> Value:
    """`isinstance(obj, class_or_tuple)`, decided at extraction (by a flag for a value that may be None)."""
    classes = static(m, class_or_tuple, "the class given to isinstance()")
    one_of = one_of_several.choice(obj)
    if one_of is not None:
        return _is_instance_of_choice(m, one_of, classes)
    obj = settled(m, obj)
    if isinstance(obj, Caught):
        return caught.is_instance(m, obj, classes)
    if is_optional(obj):
        absent, present = Static(_is_instance(m, NONE, classes)), isinstance_(m, obj.value, class_or_tuple)
        if is_known(present):
            decided = present if present.value is absent.value else obj.missing
            return booleans.negate(m, decided) if decided is obj.missing and present.value else decided
        return flow.choose(m, obj.missing, lambda: absent, lambda: present)
    return Static(_is_instance(m, obj, classes))


def _is_instance_of_choice(m: Machine, obj: Mixed, classes: Any) -> Value:
    """`isinstance` of one of some things, which says which of them it may be."""
    answers = [_is_instance(m, v, classes) if one_of_several.choice(v) is None else None for v in obj.values]
    result = one_of_several.of_each(m, obj, lambda one: Static(_is_instance(m, one, classes)))
    if not is_known(result) and None not in answers:
        having, others = (_without(obj, [a is holds for a in answers]) for holds in (True, False))
        obj.tests.append((result, having, others))
    return result


def _without(obj: Mixed, kept: Sequence[bool]) -> Value:
    """What one of some things is where it is one of those that are kept."""
    first = next(v for v, keep in zip(obj.values, kept, strict=True) if keep)
    if sum(kept) == 1:
        return first
    return replace(obj, values=tuple(v if keep else first for v, keep in zip(obj.values, kept, strict=True)), tests=[])


def _is_instance(m: Machine, obj: Value, classes: Any) -> bool:
    try:
        if is_known(obj):
            return isinstance(archives.original(obj.value), classes)
        for cls in _flattened(classes):
            if getattr(type(cls), "__instancecheck__", None) not in PLAIN_TESTS:
                raise m.error(
                    "GP321",
                    f"isinstance(..., {cls.__qualname__}) is not decided at extraction: the class tests by itself",
                    hint="test the class, x.ndim or x.dtype",
                )
        found = in_python(classes) if isinstance(classes, type) else classes
        return issubclass(python_class(m, obj), found)
    except TypeError as error:
        raise type_error(m, str(error)) from None


def _flattened(classes: Any) -> list[Any]:
    if isinstance(classes, tuple):
        return [c for part in classes for c in _flattened(part)]
    if isinstance(classes, types.UnionType):
        return _flattened(classes.__args__)
    return [classes] if isinstance(classes, type) else []


@lowers_builtin(issubclass)
def issubclass_(m: Machine, cls: Value, class_or_tuple: Value, /) -> Value:
    classes = [static(m, v, "the class given to issubclass()") for v in (cls, class_or_tuple)]
    try:
        return Static(issubclass(*classes))
    except TypeError as error:
        raise type_error(m, str(error)) from None


@lowers_builtin(callable)
def callable_(m: Machine, obj: Value, /) -> Value:
    obj = settled(m, obj)
    return Static(choices.is_function(obj) or any("__call__" in vars(cls) for cls in class_inside(obj).__mro__))


# ---------------------------------------------------------------- attributes


def has_attribute(m: Machine, obj: Value, name: str) -> bool:
    obj = object_tables.opened(m, obj) if isinstance(obj, Row) else obj
    if is_known(obj):
        return live_reads.captured_has(m, obj, name)
    if isinstance(obj, Partial):
        return name in ("func", "args", "keywords")
    if has_fields(obj, m.live.heap):
        live = captured_state.live_object(m, obj)
        if name in m.live.heap[obj] or objects.class_has(obj.cls, name):
            return True
        return (
            live is not None
            and not captured_state.is_attribute(m, live, name)
            and live_reads.captured_has(m, live, name)
        )
    return hasattr(python_class(m, obj), name)


@lowers_builtin(hasattr)
@asked_of_each(OPTIONAL)
def hasattr_(m: Machine, obj: Value, name: Value, /) -> Value:
    key = attribute_name(m, name)
    unset = attribute_writes.unset_attribute(m, obj, key)
    if unset is not None:
        return booleans.negate(m, unset.missing)
    found = has_attribute(m, obj, key)
    return Static(found) if found or not _has_hook(obj) else _inlined(m, attributes.is_given, obj, Static(key))


def _has_hook(obj: Value) -> bool:
    """Whether a class has a `__getattr__` of its own for attributes that are not there."""
    return objects.user_method(obj, "__getattr__") is not None


def _inlined(m: Machine, function: Any, *args: Value) -> Value:
    return entries.inline(m, load_function(function), function, None, {}, list(args), {})


@lowers_builtin(getattr)
def getattr_(m: Machine, obj: Value, name: Value, default: Value | None = None, /) -> Value:
    obj = settled(m, obj)
    key = attribute_name(m, name)
    if default is not None and not is_optional(obj) and not has_attribute(m, obj, key):
        return _inlined(m, attributes.given_or, obj, Static(key), default) if _has_hook(obj) else default
    unset = None if default is None else attribute_writes.unset_attribute(m, obj, key)
    if unset is not None and default is not None:
        return flow.choose(m, unset.missing, lambda: default, lambda: settled(m, unset.value))
    return get_attribute(m, obj, key)


@lowers_builtin(setattr)
def setattr_(m: Machine, obj: Value, name: Value, value: Value, /) -> Value:
    attribute_writes.set_attribute(m, obj, attribute_name(m, name), value)
    return NONE


@lowers_builtin(delattr)
def delattr_(m: Machine, obj: Value, name: Value, /) -> Value:
    attribute_writes.delete_attribute(m, obj, attribute_name(m, name))
    return NONE


def attribute_name(m: Machine, name: Value) -> str:
    found = static(m, name, "an attribute name")
    if not isinstance(found, str):
        raise type_error(m, f"attribute name must be string, not '{type(found).__name__}'")
    return found


# ---------------------------------------------------------------- text


def as_text(m: Machine, value: Value, conversion: str, spec: str) -> Value:
    """A value formatted: now if it is known, else when the text is shown or raised."""
    value = one_of_several.read(m, value)
    if is_array_of_graph(value):
        value = m.copied(value)
    parts = formatting.message_value(m, value, conversion, spec)
    return joined_text(parts)


def text(function: Callable[..., str], conversion: str) -> None:
    """Register `str`, `repr` or `ascii`."""

    def run(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        now = try_now(m, function, *args, **keywords)
        if now is not None:
            return now
        if len(args) != 1 or keywords:
            return static_only(m, function, list(args), keywords)
        if isinstance(args[0], Text) and conversion == "s":
            return args[0]
        return as_text(m, args[0], conversion, "")

    lowers_builtin(function)(run)


for _conversion, _text in CONVERSIONS.items():
    text(_text, _conversion)


@lowers_builtin(format)
def format_(m: Machine, value: Value, format_spec: Value = EMPTY, /) -> Value:
    now = try_now(m, format, value, format_spec)
    if now is not None:
        return now
    if one_of_several.is_computed_text(format_spec):
        return formatting.formatted_on_host(m, one_of_several.read(m, value), "", format_spec)
    return as_text(m, value, "", str(static(m, format_spec, "a format specification")))


def only_static(function: Callable[..., Any]) -> None:
    """Register a pure function that has no graph form; of one of several strings it gives what it does of each."""

    def run(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        one_of = choices.choice_of_known_texts(args[0]) if len(args) == 1 else None
        if one_of is not None:
            return one_of_several.of_each(m, one_of, lambda v: run(m, v, **keywords))
        return static_only(m, function, list(args), keywords)

    lowers_builtin(function)(run)


only_static(ord)


lowers_builtin(bytes)(lambda m, /, *args, **keywords: known_or_on_host(m, bytes, args, keywords))


@lowers_builtin(hash)
def hash_(m: Machine, obj: Value, /) -> Value:
    """`hash(obj)` of what is known, and of computed numbers and texts."""
    obj = settled(m, obj)
    is_plain = (is_numeric(obj) and not obj.is_array) or is_text(obj)
    return known_or_on_host(m, hash, [obj]) if is_plain else static_only(m, hash, [obj], {})


# An object on the host, a new one each time.
lowers_builtin(bytearray)(lambda m, /, *args, **keywords: call_host(m, bytearray, list(args), keywords))


NO_CHARACTERS = ((">=", 2**31), ("<", -(2**31)), (">=", 0x110000), ("<", 0))
"""Ints for which `chr` raises an error of its own, in the order in which it looks."""


@lowers_builtin(chr)
def chr_(m: Machine, i: Value, /) -> Value:
    """`chr(i)`: an int formatted as a character."""
    found = index_of(m, i)
    now = try_now(m, chr, found)
    if now is not None:
        return now
    for op, bound in NO_CHARACTERS:
        try:
            chr(bound - (op == "<"))
        except (OverflowError, ValueError) as error:
            m.check(compare(m, op, found, Static(bound)), type(error), str(error))
    return as_text(m, found, "", "c")


def digits(function: Callable[..., Any], spec: str) -> None:
    """Register a builtin that writes an int in some base."""

    def run(m: Machine, number: Value, /) -> Value:
        found = index_of(m, number)
        return try_now(m, function, found) or as_text(m, found, "", spec)

    lowers_builtin(function)(run)


for _function, _spec in ((bin, "#b"), (oct, "#o"), (hex, "#x")):
    digits(_function, _spec)

# ---------------------------------------------------------------- host, and refused

REFUSED = {
    "eval": "runs text that the extractor cannot see",
    "exec": "runs text that the extractor cannot see",
    "compile": "runs text that the extractor cannot see",
    "__import__": "imports by a name that the extractor cannot see",
    "locals": "looks at names, which do not exist in a graph",
    "globals": "looks at names, which do not exist in a graph",
    "vars": "looks at names, which do not exist in a graph",
    "dir": "looks at names, which do not exist in a graph",
    "id": "asks for an address, which a graph value does not have",
    "memoryview": "looks at memory, which a graph value does not have",
}
STEPPING = ("aiter", "anext")
"""Explicit iterators."""
STEPS = "steps an iterator by hand, which has no graph form"
LOOP = "use a for loop, or index the sequence"


def refuse(name: str, code: str, message: str, hint: str) -> None:
    """Register a builtin that a program may not call."""

    def run(m: Machine, /, *args: Value, **keywords: Value) -> Value:
        raise m.error(code, message, hint=hint)

    lowers_builtin(getattr(builtins, name), name=name)(run)


for _name, _why in REFUSED.items():
    refuse(_name, "GP331", f"{_name}(...) {_why}", "write what it does as plain code, or do it outside the program")
for _name in STEPPING:
    refuse(_name, "GP332", f"{_name}(...) {STEPS}", LOOP)


@lowers_builtin(next)
def next_(m: Machine, iterator: Value, /, *default: Value) -> Value:
    """`next(iterator)`, perhaps with a default."""
    if is_known_as(iterator, Iterator) and not iteration.is_iterator(iterator):
        return call_host(m, next, [iterator, *default], {})
    return explicit_iterators.following(m, settled(m, iterator), *default)


@lowers_builtin(iter)
def iter_(m: Machine, obj: Value, /, *sentinel: Value) -> Value:
    obj = settled(m, obj)
    if not sentinel and m.frame is not None and m.frame.function.name == "__iter__":
        return Iteration("iter", (obj,))
    found = None if sentinel else explicit_iterators.begun(m, obj)
    if found is None:
        raise m.error("GP332", f"iter(...) {STEPS}", hint=LOOP)
    return found


@lowers_builtin(matches_itself)
def matches_itself_(m: Machine, cls: Value, /) -> Value:
    """Whether the one positional pattern of a class is for the value itself."""
    return Static(matches_itself(static(m, cls, "the class of a pattern")))


@lowers_builtin(takes_positional)
def takes_positional_(m: Machine, cls: Value, count: Value, /) -> Value:
    """Python's TypeError for a class pattern with too many positional patterns."""
    try:
        return Static(takes_positional(static(m, cls, "the class of a pattern"), static(m, count, "a count")))
    except TypeError as error:
        m.raise_(TypeError, (str(error),))


@lowers_builtin(without_keys)
def without_keys_(m: Machine, mapping: Value, /, *keys: Value) -> Value:
    """The `**rest` of a mapping pattern."""
    left_out = [static(m, key, "a key of a pattern") for key in keys]
    return objects.new_dict(m, {k: v for k, v in dict_entries(m, mapping).items() if k not in left_out})
