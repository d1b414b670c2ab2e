"""What functions and methods give that make, read and change dicts, sets, lists, deques and counters on the host.

counts = defaultdict(float)         defaultdict[Never, float]
counts.get(k, 0)                    the values' note and `int`, in one
sorted(counts)                      a list of what the keys are

The entries join those of `host_shipped`; what methods put into their object is in `INTO`.
"""

from __future__ import annotations

import collections
import collections.abc
import random
import types
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.stage.host.library import library_signatures, noted_calls
from graph_program.extract.stage.host.library.noted_calls import Given, Ruled, of, tuple_of
from graph_program.extract.stage.host.values import host_annotations
from graph_program.extract.stage.machine.host_contents import NOTHING, joined, stored
from graph_program.extract.stage.values import host_notes
from graph_program.extract.types.tensors.promotion import mean_dtype
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

Notes = tuple[Any, ...]
"""Of the elements of a container; of a dict's keys, and of its values."""
UNKNOWN: Notes = (Any, Any)


def some(note: Any) -> Any:
    """A note as a part of another one."""
    return Any if note is None else note


def known(note: Any) -> Any:
    """A part of a note as a note of its own."""
    return None if note is Any else note


def one_of(*notes: Any) -> Any:
    """The note of one of several things; None where they have no common one."""
    first, *rest = (stored(some(note)) for note in notes)
    for other in rest:
        first = joined(first, other)
    return known(first)


# ---------------------------------------------------------------- what is gone through


def elements(note: Any) -> Notes:
    """The elements of an iterable."""
    return (some(host_annotations.element(note)),)


def pairs(note: Any) -> Notes:
    """The keys and values of a dict, or of an iterable of pairs."""
    note = host_notes.present(note)
    if host_annotations.class_of(note) in host_annotations.MAPPINGS:
        args = typing.get_args(note)
        return (args[0], args[-1]) if len(args) == 2 else UNKNOWN
    element = host_annotations.element(note)
    if element is NOTHING:
        return (NOTHING, NOTHING)
    found = host_annotations.parts(element)
    return (some(found[0]), some(found[1])) if found is not None and len(found) == 2 else UNKNOWN


def counted(note: Any) -> Notes:
    """The keys and numbers that a counter has of a dict or of what it counts."""
    if host_annotations.class_of(note) in host_annotations.MAPPINGS:
        keys, values = pairs(note)
        return keys, joined(stored(values), int)
    return (*elements(note), int)


# ---------------------------------------------------------------- what functions make


def _made(cls: type, contents: Callable[[Any], Notes], *empty: Any) -> Ruled:
    """`cls(contents, name=...)`, of nothing where nothing is given."""

    def rule(given: Given) -> Any:
        notes = contents(given.note(0)) if given.args else empty or (NOTHING,)
        if cls in host_annotations.MAPPINGS and given.keywords:
            notes = (joined(stored(notes[0]), str), joined(stored(notes[1]), Any))
        return cls.__class_getitem__(notes)  # type: ignore[attr-defined]

    return Ruled(rule)


def _with_default(given: Given) -> Any:
    """`defaultdict(int, ...)`; what the factory makes comes to the values where the place is known."""
    keys, values = pairs(given.note(1)) if len(given.args) > 1 else (NOTHING, NOTHING)
    if given.keywords:
        return collections.defaultdict
    return collections.defaultdict.__class_getitem__((keys, values))


def _from_keys(given: Given) -> Any:
    value = given.note(1) if len(given.args) > 1 else types.NoneType
    return dict.__class_getitem__((*elements(given.note(0)), some(value)))


def _tuple(given: Given) -> Any:
    (element,) = elements(given.note(0))
    return None if element is Any else tuple.__class_getitem__((element, ...))


def _chosen(given: Given) -> Any:
    """`min(a, b)`, `max(items, key=...)`, perhaps with a default."""
    if len(given.args) > 1:
        return one_of(*(given.note(i) for i in range(len(given.args))))
    if set(given.keywords) - {"key", "default"}:
        return None
    default = noted_calls.note_of(given.keywords["default"]) if "default" in given.keywords else NOTHING
    return one_of(elements(given.note(0))[0], default)


def _summed(given: Given) -> Any:
    """`sum(items)`: an int where there are none."""
    (element,) = elements(given.note(0))
    if given.keywords or element is Any:
        return None
    start = stored(some(given.note(1))) if len(given.args) > 1 else int
    if {element, start} <= {int, bool, NOTHING}:
        return int
    return one_of(start, element)


def _statistic(given: Given) -> Any:
    """`np.mean(numbers)` of a list."""
    dtype = _dtype_of_list(given)
    return None if dtype is None else TensorType(mean_dtype(dtype), (), Kind.NUMPY)


def _extreme(given: Given) -> Any:
    """`np.max(numbers)` of a list."""
    dtype = _dtype_of_list(given)
    return None if dtype is None else TensorType(dtype, (), Kind.NUMPY)


def _total(given: Given) -> Any:
    """`np.sum(numbers)` of a list, which is a float for no integers."""
    found = _extreme(given)
    return found if found is not None and found.dtype.kind == "f" else None


def _dtype_of_list(given: Given) -> np.dtype[Any] | None:
    """The element type of the array that NumPy makes of a list of numbers; float64 also where there are none."""
    note = host_notes.present(given.note(0))
    if (
        len(given.args) > 1
        or set(given.keywords) - {"ddof"}
        or host_annotations.class_of(note) not in (list, collections.deque)
    ):
        return None
    element = host_annotations.tensor_type(host_annotations.element(note))
    return element.dtype if element is not None and not element.rank and element.dtype.kind in "fi" else None


# ---------------------------------------------------------------- what methods give


def _args(given: Given) -> Notes:
    args = typing.get_args(given.owner)
    if len(args) == 1 and host_annotations.class_of(given.owner) is collections.Counter:
        return (*args, int)
    return args if len(args) in (1, 2) else UNKNOWN


def _with(default: Any) -> Ruled:
    """A value, or the default that is given, or else this one."""

    def rule(given: Given) -> Any:
        found = _args(given)[-1]
        if len(given.args) > 1:
            return one_of(found, given.note(1))
        return known(found) if default is NOTHING else one_of(found, default)

    return Ruled(rule)


_FIRST = Ruled(lambda given: known(_args(given)[0]))
"""What is taken out of a container is an element of it."""


def _again(given: Given) -> Any:
    """Another container with the same in it."""
    cls = host_annotations.class_of(given.owner)
    return of(cls, *_args(given)[: len(typing.get_args(given.owner))]) if typing.get_args(given.owner) else cls


def _together(given: Given) -> Any:
    """A set of what is in several."""
    found = [given.owner, *(given.note(i) for i in range(len(given.args)))]
    return of(set, one_of(*(elements(note)[0] for note in found)))


_MAPPING = {
    "get": _with(types.NoneType),
    "pop": _with(NOTHING),
    "setdefault": _with(types.NoneType),
    "popitem": Ruled(lambda given: tuple_of(*_args(given))),
    "copy": Ruled(_again),
    "update": types.NoneType,
    "clear": types.NoneType,
}
_SEQUENCE = {
    **dict.fromkeys(["append", "extend", "insert", "clear", "remove", "reverse", "sort"], types.NoneType),
    **dict.fromkeys(["index", "count"], int),
    "pop": _FIRST,
    "copy": Ruled(_again),
}
_SET = {
    **dict.fromkeys(["add", "discard", "remove", "clear", "update", "difference_update"], types.NoneType),
    **dict.fromkeys(["intersection_update", "symmetric_difference_update"], types.NoneType),
    **dict.fromkeys(["issubset", "issuperset", "isdisjoint"], bool),
    **dict.fromkeys(["union", "intersection", "symmetric_difference"], Ruled(_together)),
    **dict.fromkeys(["difference", "copy"], Ruled(_again)),
    "pop": _FIRST,
}
MEMBERS: dict[type, dict[str, Any]] = {
    dict: _MAPPING,
    list: _SEQUENCE,
    set: _SET,
    collections.deque: {
        **_SEQUENCE,
        **dict.fromkeys(["appendleft", "extendleft", "rotate"], types.NoneType),
        "popleft": _FIRST,
    },
    collections.OrderedDict: {**_MAPPING, "move_to_end": types.NoneType},
    collections.defaultdict: {"copy": Ruled(_again)},
    collections.Counter: {
        **dict.fromkeys(["update", "subtract"], types.NoneType),
        "most_common": Ruled(lambda given: list[tuple_of(*_args(given))]),  # type: ignore[misc]
        "elements": Ruled(lambda given: of(collections.abc.Iterator, known(_args(given)[0]))),
        "copy": Ruled(_again),
        "total": Ruled(lambda given: int if _args(given)[-1] is int else None),
    },
}
FUNCTIONS: dict[Any, Any] = {
    set: _made(set, elements),
    frozenset: _made(frozenset, elements),
    list: _made(list, elements),
    collections.deque: _made(collections.deque, elements),
    dict: _made(dict, pairs, NOTHING, NOTHING),
    collections.OrderedDict: _made(collections.OrderedDict, pairs, NOTHING, NOTHING),
    collections.Counter: _made(collections.Counter, counted, NOTHING, int),
    collections.defaultdict: Ruled(_with_default),
    dict.fromkeys: Ruled(_from_keys),
    tuple: Ruled(_tuple),
    sum: Ruled(_summed),
    **dict.fromkeys([min, max], Ruled(_chosen)),
    **dict.fromkeys([np.mean, np.median, np.std, np.var], Ruled(_statistic)),
    **dict.fromkeys([np.max, np.min, np.amax, np.amin], Ruled(_extreme)),
    np.sum: Ruled(_total),
    random.shuffle: types.NoneType,
}

# ---------------------------------------------------------------- what methods put into their object


INTO: dict[type, dict[str, Callable[[list[Any]], list[Notes]]]] = {
    list: {
        "append": lambda notes: [(some(notes[0]),)],
        "insert": lambda notes: [(some(notes[1]),)],
        "extend": lambda notes: [elements(notes[0])],
    },
    set: {
        "add": lambda notes: [(some(notes[0]),)],
        **dict.fromkeys(
            ["update", "symmetric_difference_update", "intersection_update"],
            lambda notes: [elements(note) for note in notes],
        ),
    },
    dict: {
        "update": lambda notes: [pairs(note) for note in notes],
        "setdefault": lambda notes: [(some(notes[0]), some(notes[1]) if len(notes) > 1 else types.NoneType)],
    },
    collections.Counter: dict.fromkeys(["update", "subtract"], lambda notes: [counted(note) for note in notes]),
}
INTO[collections.deque] = {
    **INTO[list],
    "appendleft": INTO[list]["append"],
    "extendleft": INTO[list]["extend"],
}
READING = frozenset(
    {"get", "pop", "popitem", "popleft", "copy", "clear", "keys", "values", "items", "index", "count", "remove"}
    | {"discard", "sort", "reverse", "rotate", "move_to_end", "most_common", "elements", "total", "__getitem__"}
    | {"union", "intersection", "difference", "symmetric_difference", "difference_update", "__contains__", "__len__"}
    | {"issubset", "issuperset", "isdisjoint"}
)
"""Methods of containers that put nothing into them."""


def into(cls: type, name: str) -> Callable[[list[Any]], list[Notes]] | None:
    """What a method puts into its object, of the notes of its arguments; None where that is not known."""
    for base in cls.__mro__:
        if name in INTO.get(base, {}):
            return INTO[base][name]
    return (lambda notes: []) if name in READING else None


library_signatures.add(FUNCTIONS, MEMBERS)
