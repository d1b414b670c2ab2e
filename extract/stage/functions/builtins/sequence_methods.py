"""Methods of lists, tuples, dicts and strings whose structure is known.

    rows.append(x)      the list's contents, a tuple of values in the state, become one longer
    names.index("b")    decided now

Methods of captured objects read them; those that would change them are refused, as the program does
not own them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.arrays.array_writes import MUTATING
from graph_program.extract.stage.functions.builtins.builtin_iterables import dict_entries, listed
from graph_program.extract.stage.functions.builtins.builtin_sequences import FALSE, raise_text
from graph_program.extract.stage.functions.builtins.builtin_sorting import sorted_contents
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_dicts, host_given, host_parts, host_types
from graph_program.extract.stage.kinds import computed_keys, dict_views, formatting
from graph_program.extract.stage.kinds.formatting import message_value
from graph_program.extract.stage.lists import columns, growing_lists
from graph_program.extract.stage.machine.checks import booleans, lengths
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import Lowering, Owner
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numbers.python_numbers import as_int
from graph_program.extract.stage.objects import captured_state
from graph_program.extract.stage.objects.structure_operators import same_item
from graph_program.extract.stage.operations import objects, operators, static_evaluation
from graph_program.extract.stage.operations.iteration import DICT_PARTS, structure_items
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled, static
from graph_program.extract.stage.operations.objects import PLAIN
from graph_program.extract.stage.operations.of_numbers.conversions import index_of
from graph_program.extract.stage.operations.of_numbers.number_protocol import type_error
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.generic import class_inside
from graph_program.extract.stage.values.questions import (
    has_contents,
    is_false,
    is_known,
    is_optional,
    is_partly_set,
    is_true,
    known_value,
)
from graph_program.extract.stage.values.structure import class_name, describe
from graph_program.extract.stage.values.values import (
    NONE,
    UNBOUND,
    DictView,
    Host,
    Maybe,
    Mixed,
    Ref,
    Static,
    Tuple,
    Value,
)

LAST = Static(-1)


METHODS: dict[tuple[type, str], Lowering] = {}
"""Methods by class and name; the first parameter after `m` is the object."""


def method(cls: type, name: str = "") -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a method of lists, tuples or dicts, under the function's name or another."""

    def register(run: Callable[..., Value]) -> Callable[..., Value]:
        label = name or run.__name__.partition("_")[2]
        METHODS[cls, label] = Lowering(f"{cls.__name__}.{label}", run, Owner.SEQUENCES)
        return run

    return register


def call_method(m: Machine, obj: Value, name: str, args: Sequence[Value], keywords: dict[str, Value]) -> Value | None:
    """`obj.name(*args, **keywords)`; None if the object has no such method."""
    obj = settled(m, obj)
    cls = methods_of(obj)
    known = METHODS.get((cls, name))
    if known is not None:
        if is_known(obj) and name in MUTATING.get(cls, ()):
            raise captured_state.refused_change(m, obj, name)
        return known(m, [obj, *args], keywords)
    return static_method(m, obj, name, args, keywords)


def methods_of(value: Value) -> type:
    """The builtin class whose methods a value has; `object` where it has none."""
    view = dict_views.class_of(value) if isinstance(value, DictView) else None
    cls = view or PLAIN.get(type(value)) or class_inside(value)
    return next((c for c in (list, tuple, dict) if issubclass(cls, c)), cls)


def static_method(m: Machine, obj: Value, name: str, args: Sequence[Value], keywords: dict[str, Value]) -> Value | None:
    """A method of a string, set, range, ...: evaluated now."""
    known = static_evaluation.python_object(m, obj)
    if known is static_evaluation.OPAQUE:
        return None
    function = getattr(known, name, None)
    if function is None:
        return None
    if is_known(obj) and name in MUTATING.get(type(known), ()):
        raise captured_state.refused_change(m, obj, name)
    if name == "join":
        args = [host_given.gone_through(m, v) for v in args]
    given = static_evaluation.known_arguments(m, args, keywords)
    if given is None:
        if isinstance(known, str) and name == "format" and not host_parts.holds_host(m, *args, *keywords.values()):
            return formatting.format_method(m, known, args, keywords)
        if isinstance(known, str | bytes | set | frozenset):
            method = host_code.attribute(m, host_code.keep(m, obj), name)
            assert isinstance(method, Host)
            return host_types.called_object(m, replace(method, text=f"{class_name(obj)}.{name}"), args, keywords)
        kinds = ", ".join(map(describe, args))
        raise m.error("GP321", f"{type(known).__name__}.{name}({kinds}) must be known at extraction")
    return static_evaluation.from_python(m, static_evaluation.call_now(m, function, *given))


# ---------------------------------------------------------------- searching


def items_of(m: Machine, obj: Value) -> list[Value]:
    """The elements of a list or tuple."""
    found = structure_items(m, obj)
    assert found is not None
    return found


@method(list)
@method(tuple)
def sequence_count(m: Machine, obj: Value, value: Value, /) -> Value:
    if lengths.is_growing(m, obj):
        return growing_lists.count_of(m, m.live.heap[obj], value)
    total: Value = Static(0)
    for item in items_of(m, obj):
        equal = same_item(m, item, value)
        one = as_int(m, equal)
        total = operators.binary(m, "+", total, one)
    return total


@method(list)
@method(tuple)
def sequence_index(
    m: Machine, obj: Value, value: Value, start: Value | None = None, stop: Value | None = None, /
) -> Value:
    if lengths.is_growing(m, obj) and start is None:
        return growing_lists.position_of(m, m.live.heap[obj], value, _not_found(m, obj, value))
    items = items_of(m, obj)
    bounds = [None if b is None else static(m, index_of(m, b), "a bound of index()") for b in (start, stop)]
    candidates: list[tuple[int, Value]] = []
    for position in range(len(items))[slice(*bounds)]:
        equal = same_item(m, items[position], value)
        if is_true(equal):
            return arithmetic.first_holding(m, candidates, Static(position))
        candidates += [] if is_false(equal) else [(position, equal)]
    missing = booleans.negate(m, booleans.any_of(m, (test for _, test in candidates)))
    text = _not_found(m, obj, value)
    depends = any(isinstance(part, tuple) and isinstance(part[0], Maybe | Host | Mixed) for part in text)
    fail = flow.raise_where if depends else Machine.check
    fail(m, missing, ValueError, *text)
    return arithmetic.first_holding(m, candidates, Static(len(items)))


def _not_found(m: Machine, obj: Value, value: Value) -> tuple[Any, ...]:
    if methods_of(obj) is tuple:
        return (python_text(lambda: ().index(0))[1],)
    before, found, after = python_text(lambda: [1].index(12345))[1].partition("12345")
    if not found:
        return (before,)
    if is_optional(value):  # `raise_where` says which it is
        return (before, (value, "r", ""), after)
    if has_contents(value) and getattr(value.cls, "__repr__", None) is object.__repr__:  # no run has the same address
        return (f"{before}<{value.cls.__module__}.{value.cls.__qualname__} object>{after}",)
    return (before, *message_value(m, value, "r", ""), after)


# ---------------------------------------------------------------- lists


def store(m: Machine, ref: Ref, new: Any) -> Value:
    """Give an object of the program new contents."""
    alias.before_write(m, ref)
    alias.store(m, ref, new)
    return NONE


@method(list)
def list_append(m: Machine, ref: Ref, value: Value, /) -> Value:
    found = growing_lists.contents(m, ref)
    return store(m, ref, columns.joined(m, [found, (host_parts.beside(m, found, value),)]))


@method(list)
def list_extend(m: Machine, ref: Ref, iterable: Value, /) -> Value:
    more = listed(m, iterable, "list.extend")
    return store(m, ref, columns.joined(m, [growing_lists.contents(m, ref), more]))


@method(list)
def list_insert(m: Machine, ref: Ref, index: Value, value: Value, /) -> Value:
    found, position = growing_lists.contents(m, ref), index_of(m, index)
    place = known_value(position)
    if isinstance(found, Growing) or place is None:
        return store(m, ref, growing_lists.inserted(m, found, position, value))
    items = list(found)
    items.insert(place, value)
    return store(m, ref, tuple(items))


@method(list)
def list_pop(m: Machine, ref: Ref, index: Value = LAST, /) -> Value:
    found, position = growing_lists.contents(m, ref), index_of(m, index)
    if found == ():
        raise_text(m, python_text(lambda: [].pop()))
    place = known_value(position)
    if isinstance(found, Growing) or place is None:
        value, rest = growing_lists.popped(m, found, position, ref)
        store(m, ref, rest)
        return one_of_several.read(m, value)
    items = list(found)
    if not -len(items) <= place < len(items):
        raise_text(m, python_text(lambda: [0].pop(5)))
    value = items.pop(place)
    store(m, ref, tuple(items))
    return one_of_several.read(m, value)


@method(list)
def list_remove(m: Machine, ref: Ref, value: Value, /) -> Value:
    found = growing_lists.contents(m, ref)
    if not isinstance(found, Growing):
        tests = [same_item(m, item, value) for item in found]
        known = next((i for i, t in enumerate(tests) if not is_false(t)), None)
        if known is None:
            raise_text(m, python_text(lambda: [1].remove(0)))
        elif is_true(tests[known]):
            return store(m, ref, (*found[:known], *found[known + 1 :]))
    position = growing_lists.position_of(m, found, value, (python_text(lambda: [1].remove(0))[1],))
    return store(m, ref, growing_lists.without(m, found, position, "")[1])


@method(list)
def list_reverse(m: Machine, ref: Ref, /) -> Value:
    found = growing_lists.contents(m, ref)
    return store(m, ref, growing_lists.turned(m, found) if isinstance(found, Growing) else found[::-1])


method(list, "clear")(lambda m, ref, /: store(m, ref, ()))


@method(list)
def list_sort(m: Machine, ref: Ref, /, *, key: Value = NONE, reverse: Value = FALSE) -> Value:
    return store(m, ref, sorted_contents(m, growing_lists.contents(m, ref), key, reverse))


@method(list)
def list_copy(m: Machine, obj: Value, /) -> Value:
    if lengths.is_growing(m, obj):
        return objects.new_list(m, m.live.heap[obj])
    return objects.new_list(m, items_of(m, obj))


# ---------------------------------------------------------------- dicts


def present(m: Machine, obj: Value, key: Any, found: Callable[[Value], Value], absent: Callable[[], Value]) -> Value:
    """`found(value)` where a dict has the key, else `absent()`; a key may be there on some paths only."""
    if is_known(obj):
        return found(captured_state.lift_item(m, obj, key)) if key in obj.value else absent()
    value = m.live.heap[obj].get(key, UNBOUND)
    if value is UNBOUND:
        return absent()
    if is_partly_set(value):
        return flow.choose(m, value.missing, absent, lambda: found(value.value))
    return found(value)


def key_of(m: Machine, holder: Value, key: Value) -> Any:
    found = host_dicts.known_key(m, holder, key)
    try:
        hash(found)
    except TypeError as error:
        raise type_error(m, str(error)) from None
    return found


@method(dict)
def dict_get(m: Machine, obj: Value, key: Value, default: Value = NONE, /) -> Value:
    key = settled(m, key)
    contents = dict_entries(m, obj, ordered=False) if not is_known(key) else {}
    if computed_keys.is_asked(m, contents, key):
        return computed_keys.item(m, obj, contents, key, lambda: default)
    if is_known(obj):
        return host_dicts.captured_get(m, obj, key, default)
    return present(m, obj, key_of(m, obj, key), lambda v: v, lambda: default)


def dict_view(m: Machine, obj: Value, kind: str) -> Value:
    """What a dict holds, read again whenever it is looked at where the dict may change."""
    found = tuple(DICT_PARTS[kind](dict_entries(m, obj)))
    return DictView(found, None, obj, kind)


method(dict, "keys")(lambda m, obj, /: dict_view(m, obj, "keys"))
method(dict, "values")(lambda m, obj, /: dict_view(m, obj, "values"))
method(dict, "items")(lambda m, obj, /: dict_view(m, obj, "items"))
method(dict, "copy")(lambda m, obj, /: host_dicts.made_dict(m, dict_entries(m, obj)))


@method(dict)
def dict_pop(m: Machine, ref: Ref, key: Value, default: Value | None = None, /) -> Value:
    k = key_of(m, ref, key)
    found = contents_of(m, ref, ordered=False)
    if k in found:
        store(m, ref, {n: v for n, v in found.items() if n != k})
        return one_of_several.read(m, found[k])
    if default is None:
        m.raise_(KeyError, (Static(k),))
    return default


@method(dict)
def dict_popitem(m: Machine, ref: Ref, /) -> Value:
    found = dict(contents_of(m, ref))
    if not found:
        m.raise_(KeyError, ("popitem(): dictionary is empty",))
    key, value = found.popitem()
    store(m, ref, found)
    return Tuple((Static(key), value))


@method(dict)
def dict_update(m: Machine, ref: Ref, mapping: Value | None = None, /, **items: Value) -> Value:
    if mapping is not None:
        host_dicts.require_host_dict(m, ref, mapping)
    more = {} if mapping is None else dict_entries(m, mapping)
    return store(m, ref, {**contents_of(m, ref, ordered=False), **more, **items})


@method(dict)
def dict_setdefault(m: Machine, ref: Ref, key: Value, default: Value = NONE, /) -> Value:
    k = key_of(m, ref, key)
    found = contents_of(m, ref, ordered=False)
    if k not in found:
        store(m, ref, {**found, k: default})
    return m.live.heap[ref][k]  # type: ignore[no-any-return]


method(dict, "clear")(lambda m, ref, /: store(m, ref, {}))
