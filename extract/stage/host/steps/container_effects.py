"""What steps on the host do with the containers of the program: put something into them, read them, let go of them.

seen.add(k)             puts the type of k into what made `seen`
groups[k] = [v]         puts a list into `groups`, and the type of v into the list
sorted(seen)            only reads
fill(seen)              may put anything into it
"""

from __future__ import annotations

import collections
import random
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.ir import tree
from graph_program.extract.source.names_read import walk
from graph_program.extract.stage.host.library import host_factories, noted_calls
from graph_program.extract.stage.host.values import host_annotations, host_collections
from graph_program.extract.stage.host.values.host_collections import some
from graph_program.extract.stage.host.values.local_function import LocalFunction
from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.decisions import HOST_DICTS
from graph_program.extract.stage.machine.host_contents import NOTHING, Made, is_full, places_in
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers, tables
from graph_program.extract.stage.machine.memory.host_containers import give_up, put_into
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.operations.known_and_truth import not_static
from graph_program.extract.stage.values import host_notes
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.inside import inner_values, items_of
from graph_program.extract.stage.values.layouts import Group, Layout, Leaf, OnHost, Same
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import Host, Iteration, MadeSet, Ref, SliceValue, Static, Tuple, Value

# ---------------------------------------------------------------- the notes of values


@generic
def note_of(m: Machine, value: Value, part: str = "") -> Any:
    """The note of a value that is handed over; of a list or dict in the graph, of the one that the host makes of it."""
    return noted_calls.note_of(value)


@note_of.of(MadeSet)
def _of_set(m: Machine, value: MadeSet, part: str = "") -> Any:
    return type(value.value).__class_getitem__(_one_of(m, [some(note_of(m, Static(elt))) for elt in value.value]))


@note_of.of(Ref, holding=(list, dict))
def _of_list_or_dict(m: Machine, value: Ref, part: str = "") -> Any:
    return host_containers.fresh(m, value.cls, _contents(m, value, part), f"given{part}")


@note_of.of(Tuple)
def _of_tuple(m: Machine, value: Tuple, part: str = "") -> Any:
    if value.cls is not None:
        return noted_calls.note_of(value)
    return noted_calls.tuple_of(*(some(note_of(m, elt, f"{part}.{i}")) for i, elt in enumerate(value.elts)))


@note_of.of(Static, holding=tuple)
def _of_known_tuple(m: Machine, value: Static, part: str = "") -> Any:
    if type(value.value) is not tuple:
        return noted_calls.note_of(value)
    return noted_calls.tuple_of(*(some(note_of(m, Static(elt))) for elt in value.value))


@note_of.of(Static, holding=(list, dict, set))
def _of_captured(m: Machine, value: Static, part: str = "") -> Any:
    return None


def _contents(m: Machine, value: Ref, part: str) -> Sequence[Any]:
    """The notes of what a list or dict of the graph has in it."""
    found = m.live.heap[value]
    if isinstance(found, Growing):
        return [_of_layout(found.layout)]
    notes = [some(note_of(m, elt, f"{part}.{i}")) for i, elt in enumerate(items_of(found))]
    values = _one_of(m, notes)
    return [_one_of(m, [some(note_of(m, Static(key))) for key in found]), values] if value.cls is dict else [values]


def require_own(m: Machine, value: Value) -> None:
    """Have the sets in what the host keeps made there: each time anew, as in Python.

    Raises
    ------
    Needed
    """
    for one in inner_values(m.live.heap, value):
        if isinstance(one, MadeSet) and isinstance(one.value, set):
            raise Needed(HOST_DICTS, [one.loc], not_static(m, one, "a set that the host keeps"))


def _one_of(m: Machine, notes: Sequence[Any]) -> Any:
    found = NOTHING
    for note in notes:
        found = host_contents.joined(found, host_contents.stored(note))
    give_up(m, {p for note in notes for p in places_in(note)} - {*places_in(found)})
    return found


def _of_layout(layout: Layout) -> Any:
    """The note of the elements of a list of computed length."""
    match layout:
        case Leaf(type_):
            return type_
        case Same(value):
            return some(noted_calls.note_of(value))
        case OnHost(note=note):
            return some(note)
        case Group(cls=None, parts=parts):
            return noted_calls.tuple_of(*map(_of_layout, parts))
    return Any


@note_of.of(Iteration)
def _iterated(m: Machine, value: Iteration, part: str = "") -> Any:
    """The note of what `zip`, `enumerate`, ... give."""
    notes = [host_annotations.element(note_of(m, v, f"{part}.{i}")) for i, v in enumerate(value.parts)]
    if value.kind == "zip":
        found = noted_calls.tuple_of(*map(some, notes))
    elif value.kind == "enumerate":
        found = noted_calls.tuple_of(int, some(notes[0]))
    else:
        found = some(notes[0]) if value.kind in ("reversed", "iter", "generator") else Any
    return noted_calls.of(Iterator, found)


def places_of(m: Machine, value: Value) -> Iterator[host_contents.Place]:
    """The places of the containers in a value, also of those whose method it is."""
    for one in inner_values(m.live.heap, value, *tables.inside(m, value)):
        contents = m.live.heap.get(one)
        if isinstance(contents, Growing):
            yield from _places_in_layout(contents.layout)
        elif isinstance(one, Host):
            yield from places_in(one.note)
            yield from () if one.method is None else places_in(one.method.owner)
            for part in one.parts:
                yield from places_of(m, part)


def _places_in_layout(layout: Layout) -> Iterator[host_contents.Place]:
    if isinstance(layout, OnHost):
        yield from places_in(layout.note)
    for part in layout.inside:
        yield from _places_in_layout(part)


# ---------------------------------------------------------------- steps


def observe(
    m: Machine, kind: str, args: Sequence[Value], keywords: Mapping[str, Value], detail: str, results: Sequence[Any]
) -> None:
    """See what a step does with containers of the program; `results` are the notes of what it makes."""
    if m.options.contents is None:
        return
    given = [*args, *keywords.values()]
    places = {p for value in given for p in places_of(m, value)}
    match kind:
        case "call":
            _observe_call(m, args, keywords, places)
        case "set_item":
            require_own(m, args[2])
            put_into(m, args[0].note, _items(m, *args))
        case "in_place":
            _observe_in_place(m, detail, *args)
        case "item" if host_annotations.class_of(args[0].note) is collections.defaultdict:
            put_into(m, args[0].note, (some(note_of(m, args[1])), NOTHING))
        case "attribute" if _method_of(args[0], detail) is not None:
            return
        case _ if kind not in READING:
            give_up(m, places)
    if not all(map(is_full, map(some, results))):
        _let_go(m, given)


READING = frozenset(
    {"item", "slice", "binary", "compare", "unary", "iterate", "next", "truth", "test", "tell", "unpack", "keep"}
    | {"delete_item"}
)
"""Steps that change nothing in what they are given."""


def _method_of(value: Value, name: str) -> Any:
    cls = host_annotations.class_of(value.note)
    return None if cls is None else host_collections.into(cls, name)


def _let_go(m: Machine, given: Sequence[Value]) -> None:
    """What is inside may have been given out as something of which nothing is known."""
    notes = [*(host_notes.present(v.note) for v in given), *(v.method.owner for v in given if v.method is not None)]
    give_up(m, {p for note in notes for p in host_contents.inside(note)})
    give_up(m, {p for v in given if not isinstance(v, Host) for p in places_of(m, v)})


def _items(m: Machine, holder: Value, key: Value, value: Value) -> Sequence[Any]:
    """What `holder[key] = value` puts into it."""
    note = some(note_of(m, value))
    if isinstance(key, SliceValue):
        return host_collections.elements(note)
    is_dict = host_annotations.class_of(holder.note) in host_annotations.MAPPINGS
    return (some(note_of(m, key, ".key")), note) if is_dict else (note,)


def _observe_in_place(m: Machine, op: str, holder: Value, other: Value) -> None:
    """`holder op= other`."""
    cls, note = host_annotations.class_of(holder.note), note_of(m, other)
    if not isinstance(holder.note, Made):
        give_up(m, places_in(note))
        return
    if cls is collections.Counter:
        put_into(m, holder.note, host_collections.counted(note))
    elif cls in host_annotations.MAPPINGS:
        put_into(m, holder.note, host_collections.pairs(note))
    elif op not in ("*", "-"):
        put_into(m, holder.note, host_collections.elements(note))


# ---------------------------------------------------------------- calls

LIBRARIES = frozenset(
    {"builtins", "collections", "numpy", "math", "statistics", "random", "itertools", "copy", "json", "string"}
    | {"re", "textwrap", "pprint", "logging", "time", "fractions", "decimal"}
)
"""Modules whose functions do not change what they are given."""
CALLING = frozenset({"map", "filter", "setattr", "exec", "eval", "vars", "reduce", "ChainMap"})
"""Builtins that may."""


def _observe_call(m: Machine, args: Sequence[Value], keywords: Mapping[str, Value], places: set[Any]) -> None:
    function, *rest = args
    method = function.method
    if method is not None and _puts(m, method, rest, keywords):
        _let_go_to_callbacks(m, rest, keywords, method)
    elif _gives_nothing_in(known_value(function), rest):
        _let_go_to_callbacks(m, rest, keywords, None)
    else:
        give_up(m, places)


def _puts(m: Machine, method: Any, args: Sequence[Value], keywords: Mapping[str, Value]) -> bool:
    """What a method puts into its container; False where that is not known."""
    cls = host_annotations.class_of(method.owner)
    into = None if cls is None else host_collections.into(cls, method.name)
    if into is None or len(args) < ARGUMENTS.get(method.name, 0):
        return False
    if method.name in ARGUMENTS:
        for value in args:
            require_own(m, value)
    for notes in into([note_of(m, value, f".{i}") for i, value in enumerate(args)]):
        put_into(m, method.owner, notes)
    for value in keywords.values() if method.name == "update" else ():
        put_into(m, method.owner, (str, some(note_of(m, value))))
    return True


ARGUMENTS = {**dict.fromkeys(["add", "append", "appendleft", "extend", "extendleft", "setdefault"], 1), "insert": 2}
"""What methods that put something in need of arguments."""


def _gives_nothing_in(function: Any, args: Sequence[Value]) -> bool:
    """Whether a call changes nothing that it is given, and gives none of it back itself."""
    if isinstance(function, LocalFunction):
        return function.only_reads
    return _only_reads(function) and not (function in (min, max) and len(args) > 1)


def _only_reads(function: Any) -> bool:
    """Whether a function of a library changes nothing that it is given."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(function, types.MethodDescriptorType | types.WrapperDescriptorType):
        return name in host_collections.READING - CHANGING
    if owner is not None and not isinstance(owner, types.ModuleType | type | TEXTS_AND_RANDOM):
        return False
    module = getattr(function, "__module__", None) or type(owner).__module__
    return callable(function) and module.partition(".")[0] in LIBRARIES and name not in CALLING


TEXTS_AND_RANDOM = str | bytes | random.Random | np.random.Generator | np.random.RandomState


def _let_go_to_callbacks(m: Machine, args: Sequence[Value], keywords: Mapping[str, Value], method: Any) -> None:
    """Functions that are given, too, may change what they are called with."""
    given = [*args, *keywords.values()]
    callbacks = [v for v in given if _is_callback(v)]
    if all(map(_is_harmless, callbacks)):
        return
    give_up(m, {p for v in callbacks for p in places_of(m, v)})
    owner = () if method is None else host_contents.inside(method.owner)
    give_up(m, {*owner, *(p for v in given for p in host_contents.inside(v.note))})


def _is_callback(value: Value) -> bool:
    if isinstance(value, Host):
        return value.method is not None or (value.note is None and value.told is None)
    return callable(known_value(value))


def _is_harmless(value: Value) -> bool:
    if value.method is None:
        return _only_reads(known_value(value))
    return value.method.name in host_collections.READING - CHANGING


CHANGING = frozenset({"pop", "popitem", "popleft", "clear", "remove", "discard", "sort", "reverse", "rotate"})


def only_reads(function: tree.Function, is_own: Callable[[str], bool]) -> bool:
    """Whether a lambda of the program calls only what changes nothing; `is_own` says which names are not Python's."""
    calls = (node for node in walk(function) if isinstance(node, tree.Call))
    return function.is_lambda and all(_reads(node, is_own) for node in calls)


def _reads(node: tree.Call, is_own: Callable[[str], bool]) -> bool:
    match node.func:
        case tree.Name(id=name):
            return name in FUNCTIONS and not is_own(name)
        case tree.Attribute(attr=name):
            return name in host_collections.READING - CHANGING
    return False


FUNCTIONS = frozenset({"len", "sum", "min", "max", "abs", "int", "float", "str", "round", "sorted", "bool", "tuple"})


# ---------------------------------------------------------------- what calls make


def owned(m: Machine, function: Any, args: Sequence[Value], note: Any) -> Any:
    """The note of what a call of the standard library gives; of a new container with the place where it was made."""
    cls = typing.get_origin(note)
    if m.options.contents is None or isinstance(note, Made) or cls not in host_contents.CONTAINERS:
        return note
    notes = [some(part) for part in typing.get_args(note)]
    if len(notes) != (2 if cls in host_annotations.MAPPINGS else 1):
        return note
    if function is collections.defaultdict and args:
        notes[1] = host_contents.joined(host_contents.stored(notes[1]), host_factories.result(m, args[0]))
    return host_containers.fresh(m, cls, notes, "made")


def result_of_operator(m: Machine, op: str, a: Value, b: Value) -> Any:
    """The note of `a op b` of containers; None where it is no new one."""
    notes = [host_notes.present(note_of(m, v)) for v in (a, b)]
    cls, other = map(host_annotations.class_of, notes)
    if cls is None or m.options.contents is None or NOTHING in notes:
        return None
    if cls in (set, frozenset) and op in "|&^-":
        found = [host_collections.elements(note)[0] for note in notes[: 1 if op == "-" else 2]]
        return owned(m, None, (), cls.__class_getitem__(_one_of(m, found)))
    if cls is other is list and op == "+":
        return owned(m, None, (), list[_one_of(m, [host_collections.elements(note)[0] for note in notes])])  # type: ignore[misc]
    if cls is list and op == "*":
        return owned(m, None, (), list[host_collections.elements(notes[0])])  # type: ignore[misc]
    if cls is other and cls in host_annotations.MAPPINGS and op in "|+-&":
        keys, values = zip(*map(host_collections.pairs, notes), strict=True)
        return owned(m, None, (), noted_calls.of(cls, _one_of(m, keys), _one_of(m, values)))
    return None
