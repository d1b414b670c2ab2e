"""Iteration: what a `for` loop, an unpacking or a comprehension sees of a value."""

from __future__ import annotations

import functools
from collections.abc import Callable, ItemsView, Iterable, KeysView, Sequence, ValuesView
from dataclasses import replace
from enum import EnumMeta, Flag
from typing import Any

from graph_program.extract import diagnostics, library
from graph_program.extract.ir import tree
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.checks.lengths import smaller
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numbers.python_numbers import known_with
from graph_program.extract.stage.operations import objects, strict_zip
from graph_program.extract.stage.operations.code_ownership import is_installed
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled, size_needed, static
from graph_program.extract.stage.operations.static_evaluation import try_now
from graph_program.extract.stage.paths import iterator_exhaustion
from graph_program.extract.stage.paths.several import optional
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.column_data import SEQUENCES
from graph_program.extract.stage.values.generic import forward, generic
from graph_program.extract.stage.values.inside import iterated
from graph_program.extract.stage.values.layouts import Contents
from graph_program.extract.stage.values.questions import is_array_of_graph, is_list_or_tuple, is_ref_to, known_value
from graph_program.extract.stage.values.structure import class_name
from graph_program.extract.stage.values.values import (
    DictView,
    Host,
    Iteration,
    Ref,
    Static,
    Text,
    Tuple,
    Value,
    is_numeric,
)

STATIC_ITERABLES = (str, bytes, dict, range, set, frozenset, KeysView, ValuesView, ItemsView, EnumMeta, Flag)

MAX_LISTED = 4096
"""What has up to this many elements is taken apart where a list is made of it."""


@dataclass(frozen=True)
class Source:
    """An iterable.

    `items` lists the elements where their number is known (`count`); `unroll` says that they are to be
    taken one by one.  Otherwise `trips` is the number of elements and `item(k)` the k-th.
    """

    trips: Callable[[], Value]
    item: Callable[[Value], Value]
    items: Callable[[], Sequence[Value]] | None = None
    unroll: bool = False
    count: int | None = None
    arrays: tuple[Value, ...] = ()
    """The arrays whose elements it reads as it goes."""
    most: int | None = None
    """The elements are to be taken one by one, up to this many, as long as there are `trips`."""
    from_end: Callable[[Value], Value] | None = None
    """The element with so many others behind it, where that is not `item` of what is left of `trips`."""
    host: Host | Iteration | None = None
    """An iterable on the host, which says after each element whether there is one more."""


def items_of_count(item: Callable[[Value], Value], count: int | None) -> Callable[[], Sequence[Value]] | None:
    """All elements, by their positions; None where their number is not known."""
    return None if count is None else lambda: [item(Static(i)) for i in range(count)]


def indexed_source(
    trips: Callable[[], Value], item: Callable[[Value], Value], count: int | None, arrays: tuple[Value, ...] = ()
) -> Source:
    """`item` of 0, 1, ... up to `trips()`, which is `count` where that is known."""
    return Source(trips, item, items_of_count(item, count), False, count, arrays)


SOURCES: dict[str, Callable[[Machine, Iteration], Source]] = {}
"""Iterators that know by themselves what they go through, by kind."""


def iterate(m: Machine, value: Value) -> Source:
    """How to go through a value.

    Raises
    ------
    DTypeError
        For a value that is not iterable.
    """
    value = settled(m, optional.present(m, settled(m, value), iter))
    value = m.in_graph(value)
    return source(m, value)


@strict_zip.trips_of.given
def trips_of(m: Machine, value: Value) -> Value:
    return iterate(m, value).trips()


@generic
def length(m: Machine, value: Value) -> Value:
    """`len(value)` of a value that is there, whose class is not the user's."""
    now = try_now(m, len, value)
    if now is not None:
        return now
    known = known_value(value)
    if hasattr(type(known), "__len__") and not callable(known):
        return Static(len(known))
    raise m.error("GP302", f"object of type '{class_name(value)}' has no len()", raised=True)


length.register(Tuple, lambda m, value: Static(len(value.elts)))
length.register(Ref, lambda m, value: Static(len(contents_of(m, value, ordered=False))), holding=dict)


@generic
def source(m: Machine, value: Value) -> Source:
    """How to go through a value that is there; here structures of known length, and what has an `__iter__`."""
    if is_ref_to(value, *library.PYTHON):
        return unchanged(m, value, iterate(m, items_of(m, value)))
    items = None if has_own_iterator(value) else structure_items(m, value)
    iterator = own_iterator(m, value) if items is None else None
    if iterator is not None:
        return iterate(m, iterator)
    if items is None:
        raise m.error(
            "GP315",
            f"'{class_name(value)}' object is not iterable",
            hint="loop over a range, an array, or a list, tuple or dict of known structure",
            raised=is_numeric(value),
        )
    return listed(m, items, value)


def has_own_iterator(value: Value) -> bool:
    """Whether the class of a named tuple or a captured object says what it gives when it is gone through."""
    return isinstance(value, Tuple | Static) and objects.user_method(value, "__iter__") is not None


def own_iterator(m: Machine, value: Value) -> Value | None:
    """What the `__iter__` of a class of the user's gives; None where there is none."""
    method = objects.user_method(value, "__iter__")
    if method is None:
        return None
    iterator = entries.call(m, method, [], {})
    if iterator is value:
        raise m.error(
            "GP332",
            f"a {class_name(value)} that is its own iterator is stepped by hand, which has no graph form",
            hint="go through it with a `for` loop, or let __iter__ return iter(...) of a list or array",
        )
    return iterator


def begun(m: Machine, value: Value) -> Value:
    """An iterable, or what an object's own `__iter__` gives: the elements of a generator are the host's."""
    cls = user_classes.class_of(value)
    structures = (list, tuple, dict, *library.PYTHON)
    if cls is None or is_iterator(value) or (issubclass(cls, structures) and not has_own_iterator(value)):
        return value
    iterator = own_iterator(m, value)
    return value if iterator is None else begun(m, iterator)


@source.of(Host)
def host_source(m: Machine, value: Host | Iteration) -> Source:
    """An iterable on the host; only loops that ask for one element after the other can go through it."""

    def refused(*_: Value) -> Value:
        raise unknown_length(m, value)

    return Source(refused, refused, host=value)


source.register(Text, lambda m, value: host_source(m, host_entries.text(m, value)))


def unknown_length(m: Machine, value: Host | Iteration) -> diagnostics.GraphProgramError:
    """The refusal of something on the host where its elements are to be taken apart."""
    return m.error(
        "GP528",
        f"how many elements {getattr(value, 'text', '') or 'this host value'} has is not known here",
        hint="go through it with a `for` loop, or make a list of it on the host in a function of yours that is "
        "marked @host_function",
    )


def items_of(m: Machine, value: Ref) -> Ref:
    """The list in an object of the standard library that is made in the program."""
    found: Ref = m.live.heap[value]["_items"]
    return found


def unchanged(m: Machine, value: Ref, source: Source) -> Source:
    """A source of an object of the standard library that must not change while it is gone through."""

    def held() -> tuple[Any, Any]:
        items = items_of(m, value)
        return items, m.live.heap[items]

    return _watched(m, source, held, held(), f"this {value.cls.__name__}")


def _watched(m: Machine, source: Source, held: Callable[[], Any], before: Any, what: str) -> Source:
    """A source that is refused when what it is made of holds something else than before."""

    def item(k: Value) -> Value:
        if any(a is not b for a, b in zip(held(), before, strict=True)):
            raise m.error("GP319", f"{what} changes while it is iterated", hint="iterate over a copy of it: list(...)")
        return source.item(k)

    return replace(source, item=item, items=items_of_count(item, source.count))


def held(m: Machine, values: Iterable[Value]) -> list[Any]:
    """What arrays of numbers and lists hold now, also those that iterators go through; rows are views as it is."""
    found: list[Any] = []
    for part in (part for value in values for part in iterated(value)):
        if is_array_of_graph(part) and part.rank == 1:
            found.append(m.contents(part))
        elif part in m.live.heap:
            found.append(m.live.heap[part])
    return found


def listed(m: Machine, items: Sequence[Value], structure: Value | None = None) -> Source:
    """A structure that is gone through one by one; an item is what it holds when it is that one's turn."""

    def item(k: Value) -> Value:
        present = items if structure is None else structure_items(m, structure)
        position = int(static(m, k, "the position in a sequence"))
        return (items if present is None or len(present) != len(items) else present)[position]

    return Source(lambda: Static(len(items)), item, lambda: items, True, len(items))


DICT_PARTS: dict[str, Callable[[dict[Any, Value]], list[Value]]] = {
    "keys": lambda found: [Static(key) for key in found],
    "values": lambda found: list(found.values()),
    "items": lambda found: [Tuple((Static(key), value)) for key, value in found.items()],
}


@generic
def structure_items(m: Machine, value: Value) -> list[Value] | None:
    """The elements of a structure of known length."""
    return None


structure_items.register(Tuple, lambda m, value: list(value.elts))


@structure_items.of(DictView)
def _items_of_view(m: Machine, value: DictView) -> list[Value] | None:
    ref = value.dictionary
    return DICT_PARTS[value.kind](contents_of(m, ref)) if is_ref_to(ref, dict) else list(value.elts)


@structure_items.of(Ref)
def _items_of_object(m: Machine, value: Ref) -> list[Value] | None:
    if value.cls not in (*SEQUENCES, dict):
        return None
    found = contents_of(m, value)
    return [Static(k) for k in found] if value.cls is dict else list(found)


@structure_items.of(Static)
def _items_of_known(m: Machine, value: Static) -> list[Value] | None:
    if isinstance(value.value, list | tuple):
        return entries.lift_items(m, value)
    return [Static(x) for x in value.value] if isinstance(value.value, STATIC_ITERABLES) else None


def sequence_items(m: Machine, value: Value) -> list[Value] | None:
    """The elements of a list or tuple of known length."""
    return structure_items(m, value) if is_list_or_tuple(value) else None


@source.of(Iteration)
def combined_source(m: Machine, value: Iteration) -> Source:
    """`zip`, `enumerate`, `reversed`, `map` and others."""
    source = _combined(m, value)
    if value.held is None:
        return source
    values, before = value.held
    return _watched(m, source, lambda: held(m, values), before, "what this goes through")


def _combined(m: Machine, value: Iteration) -> Source:

    iterator_exhaustion.consume(m, value)
    if value.strict and not m.iterators.ahead:
        strict_zip.check(m, strict_zip.lengths(m, value))
    if value.kind in ("iter", "generator"):
        return iterate(m, value.parts[0])
    if value.kind in SOURCES:
        return SOURCES[value.kind](m, value)
    iterator_exhaustion.refuse_repeated(m, value)
    taken = taken_by_turns(m, value)
    if taken is not None:
        return taken
    sources = [combined_source(m, p) if isinstance(p, Iteration) else iterate(m, p) for p in value.parts]
    if not sources:
        return listed(m, [])
    if any(s.host is not None for s in sources):
        return host_source(m, value)
    counts = [s.count for s in sources if s.count is not None]
    count = min(counts) if len(counts) == len(sources) or 0 in counts else None

    def trips() -> Value:
        return functools.reduce(functools.partial(smaller, m), (s.trips() for s in sources))

    def item(k: Value) -> Value:
        return COMBINED[value.kind](m, value, sources, k)

    unrolled = any(s.unroll or s.most is not None for s in sources)
    arrays = tuple(a for s in sources for a in s.arrays)
    if unrolled and count is None:
        bounds = [s.most if s.count is None else s.count for s in sources]
        return Source(trips, item, None, False, None, arrays, min(b for b in bounds if b is not None))
    return Source(trips, item, items_of_count(item, count), unrolled, count, arrays)


def _reversed(m: Machine, value: Iteration, sources: list[Source], k: Value) -> Value:
    if sources[0].from_end is not None:
        return sources[0].from_end(k)
    last = arithmetic.arithmetic(m, "-", sources[0].trips(), Static(1))
    return sources[0].item(arithmetic.arithmetic(m, "-", last, k))


def _enumerated(m: Machine, value: Iteration, sources: list[Source], k: Value) -> Value:
    element = sources[0].item(k)
    number = arithmetic.arithmetic(m, "+", value.start or Static(0), k)
    return Tuple((known_with(number, k), element))


def _mapped(m: Machine, value: Iteration, sources: list[Source], k: Value) -> Value:
    assert value.function is not None
    return entries.call_there(m, value.function, [s.item(k) for s in sources], {})


def _starmapped(m: Machine, value: Iteration, sources: list[Source], k: Value) -> Value:
    assert value.function is not None
    return entries.call_there(m, value.function, static_items(m, sources[0].item(k), "itertools.starmap"), {})


COMBINED: dict[str, Callable[[Machine, Iteration, list[Source], Value], Value]] = {
    "zip": lambda m, value, sources, k: Tuple(tuple(s.item(k) for s in sources)),
    "reversed": _reversed,
    "enumerate": _enumerated,
    "map": _mapped,
    "starmap": _starmapped,
}
"""The element at a position."""


STAR = "this `*`"


def static_items(m: Machine, value: Value, what: str) -> list[Value]:
    """The elements of an iterable of known length, for comprehensions and star arguments."""
    source = iterate(m, value)
    if source.items is None or (source.count or 0) > MAX_LISTED:
        error = m.error(
            "GP318",
            f"{what} goes over {'a list' if isinstance(settled(m, value), Ref) else 'an array'} of unknown length",
            hint="unpack it first if it always has as many elements, as in `a, b = items`; else hand it over whole"
            if what == STAR
            else "use a NumPy operation on the whole array, or a loop over it",
        )
        raise error if source.items is not None else size_needed(source.trips(), error)
    return list(source.items())


@forward
def elements(m: Machine, iterable: Value, what: str) -> Contents:
    """The elements of an iterable, as the contents of a list."""


def is_iterator(value: Value) -> bool:
    """Whether a value has a `__next__` that is part of the program."""
    method = objects.user_method(value, "__next__")
    if method is None or not isinstance(value, Static):
        return method is not None
    return not is_installed(known_value(method.function))


@forward
def taken_by_turns(m: Machine, value: Iteration) -> Source | None:
    """The elements of `zip(it, it)`, which are the iterator's in turn; None where no iterator is there twice."""


@forward
def checked_rounds(
    m: Machine, node: tree.Node, source: Source, run: Callable[[Value], None], going_through: Sequence[Ref]
) -> None:
    """Run for the items one by one, as long as there are any: a structure beside an array, which may be shorter."""
