"""Builtins that make iterables and containers: `range`, `zip`, `list`, `dict`, ..."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from graph_program.extract import library
from graph_program.extract.stage.host.steps.host_code import call_host
from graph_program.extract.stage.host.values import host_dicts
from graph_program.extract.stage.kinds import explicit_iterators
from graph_program.extract.stage.lists import columns, growing_lists, list_loops
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.machine.registry import lowers_builtin
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import iteration, objects, strict_zip
from graph_program.extract.stage.operations.iteration import (
    MAX_LISTED,
    Source,
    begun,
    iterate,
    static_items,
    structure_items,
)
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled, static, truth_value
from graph_program.extract.stage.operations.of_numbers.conversions import index_of, own_index
from graph_program.extract.stage.operations.of_numbers.number_protocol import type_error
from graph_program.extract.stage.operations.static_evaluation import known_objects
from graph_program.extract.stage.paths import flow, iterator_exhaustion
from graph_program.extract.stage.paths.several import optional
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.layouts import Contents
from graph_program.extract.stage.values.open_values import Open, OpenShape
from graph_program.extract.stage.values.questions import is_just, is_known_as, is_plain_tuple, is_ref_to, known_value
from graph_program.extract.stage.values.structure import class_name
from graph_program.extract.stage.values.values import (
    NONE,
    DictView,
    Iteration,
    MadeSet,
    Range,
    SliceValue,
    Static,
    Tensor,
    Tuple,
    Value,
)
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

FALSE, ZERO = Static(False), Static(0)


# ---------------------------------------------------------------- iterables


@lowers_builtin(range)
def range_(m: Machine, /, *bounds: Value) -> Value:
    """`range(stop)`, `range(start, stop)`, `range(start, stop, step)`."""
    if not bounds:
        raise type_error(m, "range expected at least 1 argument, got 0")
    if len(bounds) > 3:
        raise type_error(m, f"range expected at most 3 arguments, got {len(bounds)}")
    numbers = [index_of(m, b) for b in bounds]
    start, stop = (Static(0), numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    step = numbers[2] if len(numbers) == 3 else Static(1)
    if known_value(step) == 0:
        m.raise_(ValueError, ("range() arg 3 must not be zero",))
    return Range(start, stop, step)


@lowers_builtin(enumerate)
def enumerate_(m: Machine, iterable: Value, start: Value = ZERO) -> Value:
    return Iteration("enumerate", (checked(m, iterable),), start=index_of(m, start))


@lowers_builtin(zip)
def zip_(m: Machine, /, *iterables: Value, strict: Value = FALSE) -> Value:
    parts = tuple(checked(m, v) for v in iterables)
    strictly = bool(static(m, strict, "`strict`")) and not strict_zip.same_lengths(m, parts)
    return Iteration("zip", parts, strict=strictly)


def checked(m: Machine, value: Value) -> Value:
    """What goes through an iterable; anything else is refused as `iter()` would."""
    return looked_at(m, begun(m, settled(m, value)))


def looked_at(m: Machine, value: Value) -> Value:
    """Something that can be gone through."""
    value = settled(m, value)
    if not any(True for _ in explicit_iterators.iterators_in(value)):
        with iterator_exhaustion.looking_ahead(m):
            source_of(m, value)
    return value


def source_of(m: Machine, value: Value) -> Source:
    if is_ref_to(value, dict):
        contents_of(m, value)
    return iterate(m, value)


@lowers_builtin(reversed)
def reversed_(m: Machine, sequence: Value, /) -> Value:
    """`reversed(sequence)`, which asks the user's class for its `__reversed__`."""
    sequence = settled(m, optional.present(m, settled(m, sequence), reversed))
    own = objects.user_defined(m, sequence, "__reversed__")
    if own is not None:
        return own
    _require_reversible(m, sequence)
    if iteration.has_own_iterator(sequence):
        sequence = Tuple(tuple(structure_items(m, sequence) or ()))
    return Iteration("reversed", (looked_at(m, sequence),))


def _require_reversible(m: Machine, value: Value) -> None:
    """Python's TypeError for what has no order, or cannot be read from behind."""
    if isinstance(value, Iteration):
        raise type_error(m, f"'{value.kind}' object is not reversible", "reverse what it goes over instead")
    cls = user_classes.class_of(value)
    if cls is None or isinstance(value, DictView):
        return
    known = library.in_python(cls)
    if not hasattr(known, "__getitem__" if not hasattr(known, "__reversed__") else "__reversed__"):
        raise type_error(m, f"'{class_name(value)}' object is not reversible", "reverse what it goes over instead")
    if getattr(known, "__reversed__", known) is None:
        raise type_error(m, f"'{class_name(value)}' object is not reversible")
    if not hasattr(known, "__reversed__") and user_classes.user_function(known, "__getitem__") is not None:
        text = f"reversed() by the __getitem__ of {class_name(value)} has no graph form"
        raise m.error("GP315", text, hint="give the class a __reversed__")


@lowers_builtin(map)
def map_(m: Machine, function: Value, iterable: Value, /, *iterables: Value) -> Value:
    return Iteration("map", tuple(checked(m, v) for v in (iterable, *iterables)), function=function)


@lowers_builtin(filter)
def filter_(m: Machine, function: Value, iterable: Value, /) -> Value:
    """`filter(function, iterable)`: its elements, tested when it is made."""

    def test_of(item: Value) -> Value:
        is_none = is_just(function, None)
        return truth_value(m, item if is_none else entries.call(m, function, [item], {}))

    value = settled(m, iterable)
    return explicit_iterators.made_at_once(
        m, filter, [function, value], {}, [value], lambda: _filtered(m, value, test_of)
    )


def _filtered(m: Machine, value: Value, test_of: Callable[[Value], Value]) -> Iteration:
    """The elements for which a test holds."""
    source = source_of(m, value)
    checkpoint = Checkpoint(m)
    kept = _kept(m, source, test_of)
    if kept is not None:
        return Iteration("iter", (Tuple(kept),))
    checkpoint.restore()

    def produce(give: Callable[[Value], None]) -> None:
        def tested(item: Value) -> None:
            flow.branch(m, test_of(item), lambda: give(item), lambda: None)

        if source.unroll and source.items is not None:
            for item in source.items():
                tested(item)
        else:
            list_loops.each(m, source, tested)

    return Iteration("iter", (objects.new_list(m, list_loops.gathered(m, produce)),))


def _kept(m: Machine, source: Source, test_of: Callable[[Value], Value]) -> tuple[Value, ...] | None:
    """The elements for which a test holds; None where that is not known at extraction."""
    if source.items is None or (source.count or 0) > MAX_LISTED:
        return None
    kept = []
    for item in source.items():
        holds = known_value(test_of(item))
        if holds is None:
            return None
        kept += [item] if holds else []
    return tuple(kept)


# ---------------------------------------------------------------- containers


def elements(m: Machine, iterable: Value, what: str) -> list[Value]:
    """The elements that a container is made of."""
    value = settled(m, iterable)
    source_of(m, value)
    return static_items(m, value, what)


@iteration.elements.given
def listed(m: Machine, iterable: Value, what: str) -> Contents:
    value = settled(m, iterable)
    source = source_of(m, value)
    if source.items is not None and (source.count or 0) <= MAX_LISTED:
        return tuple(static_items(m, value, what))
    if lengths.is_growing(m, value):
        return growing_lists.contents(m, value)  # type: ignore[arg-type]
    value = m.in_graph(value)
    if isinstance(value, Tensor):
        return columns.of_rows(m, value, Kind.NUMPY)
    if isinstance(value, Range):
        return numbers_of(m, value, source)
    if isinstance(value, Open | OpenShape):
        return tuple(static_items(m, value, what))
    return list_loops.collected(m, source)


def numbers_of(m: Machine, value: Range, source: Source) -> Contents:
    """The numbers of a range with computed bounds."""
    count = m.op("iota", m.cast(source.trips(), INT64))
    scaled = m.op("multiply", count, m.cast(value.step, INT64))
    return columns.of_rows(m, m.op("add", scaled, m.cast(value.start, INT64)), Kind.PYTHON)


@lowers_builtin(list)
def list_(m: Machine, iterable: Value | None = None, /) -> Value:
    """`list(iterable)`: a new list."""
    return objects.new_list(m, () if iterable is None else listed(m, iterable, "list()"))


@lowers_builtin(tuple)
def tuple_(m: Machine, iterable: Value | None = None, /) -> Value:
    """`tuple(iterable)`; a tuple is returned as it is."""
    if iterable is None:
        return Tuple(())
    value = settled(m, iterable)
    if is_plain_tuple(value):
        return value
    if is_ref_to(value, tuple):
        return value
    return objects.new_sequence(m, tuple, listed(m, value, "tuple()"))


@lowers_builtin(dict)
def dict_(m: Machine, mapping: Value | None = None, /, **items: Value) -> Value:
    """`dict(mapping or pairs, **items)`; of pairs with keys that are computed, on the host."""
    pairs = None if mapping is None else settled(m, mapping)
    if host_containers.is_made_on_host(m) and not (pairs is None or is_dict(pairs)):
        return host_dicts.dict_of_pairs(m, pairs, items)
    with host_dicts.made_on_host_otherwise(m, m.loc):
        found = {} if pairs is None else dict_entries(m, pairs)
    return host_dicts.made_dict(m, {**found, **items})


@lowers_builtin(dict.fromkeys, name="dict.fromkeys")
def fromkeys_(m: Machine, iterable: Value, value: Value = NONE, /) -> Value:
    """`dict.fromkeys(iterable, value)`; of keys that are computed, on the host."""
    keys = _known_keys(m, settled(m, iterable))
    if keys is None:
        return call_host(m, dict.fromkeys, [iterable, value], {})
    return host_dicts.made_dict(m, dict.fromkeys(keys, value))


def _known_keys(m: Machine, iterable: Value) -> list[Any] | None:
    """The elements of a structure, if all are known and can be keys."""
    if isinstance(m.live.heap.get(iterable), Growing):
        return None
    found = known_objects(m, structure_items(m, iterable) or ())
    return None if not found or any(isinstance(key, list | dict | set) for key in found) else found


def is_dict(value: Value) -> bool:
    """Whether a value is a dict with known keys."""
    known = is_known_as(value, dict)
    return known or is_ref_to(value, dict)


def dict_entries(m: Machine, value: Value, ordered: bool = True) -> dict[Any, Value]:
    """The entries of a dict, or of an iterable of pairs; in a known order, where it matters (`ordered`)."""
    value = settled(m, value)
    if is_ref_to(value, dict):
        return dict(contents_of(m, value, ordered))
    if is_known_as(value, dict):
        return objects.dict_contents(m, value)
    found: dict[Any, Value] = {}
    for position, pair in enumerate(elements(m, value, "dict()")):
        parts = static_items(m, pair, "a pair of dict()")
        if len(parts) != 2:
            text = f"dictionary update sequence element #{position} has length {len(parts)}; 2 is required"
            m.raise_(ValueError, (text,))
        found[host_dicts.key_of_new(m, parts[0])] = parts[1]
    return found


def _set(m: Machine, cls: type, iterable: Value | None) -> Value:
    """`set(iterable)` or `frozenset(iterable)`, of elements known at extraction or on the host."""
    if host_containers.is_made_on_host(m):
        return host_dicts.set_on_host(m, cls, [] if iterable is None else [settled(m, iterable)])
    with host_dicts.made_on_host_otherwise(m, m.loc):
        items = [] if iterable is None else elements(m, iterable, f"{cls.__name__}()")
        return MadeSet(cls(static(m, v, "an element of a set") for v in items), loc=m.loc)


lowers_builtin(set)(lambda m, iterable=None, /: _set(m, set, iterable))
lowers_builtin(frozenset)(lambda m, iterable=None, /: _set(m, frozenset, iterable))


@lowers_builtin(slice)
def slice_(m: Machine, /, *bounds: Value) -> Value:
    """`slice(stop)`, `slice(start, stop)`, `slice(start, stop, step)`."""
    if not 1 <= len(bounds) <= 3:
        text = "at least 1 argument, got 0" if not bounds else f"at most 3 arguments, got {len(bounds)}"
        raise type_error(m, f"slice expected {text}")
    bounds = tuple(own_index(m, bound) for bound in bounds)
    start, stop = (NONE, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    return SliceValue(start, stop, bounds[2] if len(bounds) == 3 else NONE)


@lowers_builtin(functools.reduce)
def reduce(m: Machine, function: Value, iterable: Value, *initial: Value) -> Value:
    """`functools.reduce` of an iterable."""
    source = source_of(m, settled(m, iterable))
    if source.items is None:
        return _reduced(m, function, source, initial)
    items = [*initial, *static_items(m, iterable, "reduce")]
    if not items:
        m.raise_(TypeError, (NOTHING_TO_REDUCE,))
    return functools.reduce(lambda total, item: entries.call(m, function, [total, item], {}), items)


NOTHING_TO_REDUCE = "reduce() of empty iterable with no initial value"


def _reduced(m: Machine, function: Value, source: Source, initial: tuple[Value, ...]) -> Value:
    def step(total: Value, item: Value) -> Value:
        return entries.call(m, function, [total, item], {})

    if initial:
        return list_loops.folded(m, source, initial[0], step)
    empty = arithmetic.compare(m, "<=", source.trips(), ZERO)
    flow.raise_where(m, empty, TypeError, NOTHING_TO_REDUCE)
    return list_loops.best(m, source, step)
