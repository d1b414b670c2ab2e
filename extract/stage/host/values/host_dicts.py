"""Dicts and sets with keys that are computed or only the host knows, which are made there from the start; `d[key]`."""

from __future__ import annotations

import array
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import GraphProgramError, Loc
from graph_program.extract.ir import tree
from graph_program.extract.ir.interface import Guard
from graph_program.extract.ir.paths import Path, path_text
from graph_program.extract.ir.results import ArgResult, CapturedResult
from graph_program.extract.ir.specs import ArgSpec, DictSpec, StaticSpec, TensorSpec, TupleSpec
from graph_program.extract.stage.host.library import host_buffers, library_signatures, noted_calls
from graph_program.extract.stage.host.steps import container_effects, host_code
from graph_program.extract.stage.host.values import host_collections, host_given
from graph_program.extract.stage.kinds import computed_keys
from graph_program.extract.stage.lists import columns
from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.decisions import HOST_DICTS
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers, reachable, tables
from graph_program.extract.stage.machine.signals import Needed, StaticNeeded
from graph_program.extract.stage.objects.captured_state import lift_item
from graph_program.extract.stage.operations import items, known_and_truth, objects
from graph_program.extract.stage.operations.known_and_truth import may_become_known, not_static, settled, static
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.choices import is_number, is_object
from graph_program.extract.stage.values.column_data import SEQUENCES
from graph_program.extract.stage.values.inside import elements_of, has_fields
from graph_program.extract.stage.values.questions import is_array_of_graph, is_partly_set, is_ref_to
from graph_program.extract.stage.values.structure import choice_of_texts, is_host
from graph_program.extract.stage.values.values import NONE, Host, Ref, Static, Tensor, Text, Value


def on_host(m: Machine, contents: Mapping[Any, Value] | None = None) -> Host:
    """A new dict on the host."""
    given = [objects.new_dict(m, dict(contents))] if contents else []
    return _made(m, dict, given, "{...}")


def dict_of_pairs(m: Machine, pairs: Value, items: Mapping[str, Value]) -> Host:
    """`dict(pairs, **items)` on the host."""
    given = [host_given.given(m, kept(m, pairs))]
    named = {name: kept(m, value) for name, value in items.items()}
    notes = [container_effects.note_of(m, value) for value in given]
    note = container_effects.owned(m, dict, given, library_signatures.called(dict, given, named, notes))
    return host_code.call(m, Static(dict), given, named, "dict(...)", note)


@host_entries.kept.given
def kept(m: Machine, value: Value) -> Value:
    arrays, others = columns.held((value,), m.live.heap.__getitem__)
    shared = [v for name, v in reachable.visible(m) if is_object(v) and name != reachable.OPERAND]
    held: list[Tensor | Ref] = [*arrays, *others, *tables.inside(m, value)]
    also_here = [(v, m.loc) for v in held if any(sharing.may_share(s, v) for s in shared)]
    m.host.kept += [(v, m.loc) for v in held]
    m.host.shared += also_here
    return value if also_here else _of_its_own(m, value)


def _of_its_own(m: Machine, value: Value) -> Value:
    """An array, or an object with arrays, that only the host has now, and may write."""
    if is_array_of_graph(value):
        return host_code.call(m, Static(np.array), [value], {}, "dict[...] = ...", None)
    if not has_fields(value, m.live.heap):
        return value
    made = Ref(value.cls, m.loc)
    m.live.heap[made] = {name: _of_its_own(m, part) for name, part in m.live.heap[value].items()}
    return made


def made_dict(m: Machine, contents: Mapping[Any, Value]) -> Value:
    """A new dict, on whatever side it is."""
    return on_host(m, contents) if host_containers.is_made_on_host(m) else objects.new_dict(m, dict(contents))


def origins(value: Ref) -> Iterator[Ref]:
    """The objects that one may be, without those made by merging."""
    if not value.sources:
        yield value
    for source in value.sources:
        if isinstance(source, Ref):
            yield from origins(source)


@host_entries.needed.given
def needed(m: Machine, holder: Value, error: GraphProgramError) -> Needed | None:
    if not is_ref_to(holder, dict):
        return None
    made = list(origins(holder))
    if any(one.path for one in made) and (len(made) > 1 or any(map(is_array_of_graph, m.live.heap[holder].values()))):
        return None
    places = [place for one in made if (place := one.path or one.loc) not in m.decided[HOST_DICTS]]
    return Needed(HOST_DICTS, places[:1], error) if places else None


@known_and_truth.needed_for_order.given
def needed_for_order(m: Machine, holder: Ref, error: GraphProgramError) -> Needed | None:
    """`needed` where the order of the keys depends on the path; not for arrays and objects, which the graph has."""
    values = columns.held(tuple(m.live.heap[holder].values()), m.live.heap.__getitem__)
    plain = not values[0] and all(v.cls in SEQUENCES for v in values[1] if isinstance(v, Ref))
    return needed(m, holder, error) if plain else None


def given(m: Machine, spec: DictSpec, path: Path) -> Host:
    """A dict of the caller that stays on the host, where its keys are looked for."""
    keys = _joined(noted_calls.note_of(Static(key)) for key, _ in spec.items)
    values = _joined(_note_of_part(part) for _, part in spec.items)
    return host_code.given(m, ArgResult(path), m.loc, host_containers.fresh(m, dict, [keys, values], path_text(path)))


@host_entries.captured_container.given
def captured_container(m: Machine, value: Any, path: Path) -> Host:
    if isinstance(value, bytearray | array.array):
        return host_code.given(m, CapturedResult(value), m.loc, host_buffers.note_of(value))
    is_dict = isinstance(value, dict)

    def parts() -> list[Any]:
        return [list(value), list(value.values())] if is_dict else [list(value)]

    def classes() -> tuple[frozenset[type], ...]:
        return tuple(frozenset(map(type, found)) for found in parts())

    text = f"<types> of {path_text(path)}@{id(value)}"
    m.outside.guards.setdefault(text, Guard(text, classes, classes()))
    notes = [_joined(noted_calls.note_of(Static(element)) for element in found) for found in parts()]
    return host_code.given(
        m, CapturedResult(value), m.loc, host_containers.fresh(m, type(value), notes, path_text(path))
    )


def _joined(notes: Iterable[Any]) -> Any:
    """The note of all that a container has."""
    kept = (host_contents.stored(host_collections.some(note)) for note in notes)
    return functools.reduce(host_contents.joined, kept, host_contents.NOTHING)


def _note_of_part(spec: ArgSpec) -> Any:
    match spec:
        case TensorSpec(type_):
            return type_
        case StaticSpec():
            return noted_calls.note_of(Static(spec.value))
        case TupleSpec(elts, None):
            return noted_calls.tuple_of(*(host_collections.some(_note_of_part(elt)) for elt in elts))
    return Any


def may_be_key(value: Value) -> bool:
    """Whether a value is a number, a text or a tuple of them, some of them computed."""
    return all(isinstance(v, Static | Text) or is_number(v) for v in elements_of(value))


def is_computed_key(m: Machine, key: Value, failure: GraphProgramError | StaticNeeded) -> bool:
    """Whether a key could not be known as it is computed, and no loop can be unrolled for it."""
    unknown = isinstance(failure, StaticNeeded) or failure.code == "GP309"
    hopeful = isinstance(failure, StaticNeeded) and may_become_known(m, failure.value)
    return unknown and not hopeful and may_be_key(settled(m, key))


@host_entries.known_key.given
def known_key(m: Machine, holder: Value, key: Value) -> Any:
    require_host_dict(m, holder, key)
    with on_host_otherwise(m, holder, may_be_key(settled(m, key))):
        return static(m, key, "a dict key")


def key_of_new(m: Machine, key: Value, holder: Value = NONE) -> Any:
    """A key of a dict that is being made; one of several strings is computed, too."""
    if choice_of_texts(key) is not None:
        raise not_static(m, key, "a dict key")
    return known_key(m, holder, key)


@contextmanager
def on_host_otherwise(m: Machine, holder: Value, can_be: bool = True) -> Iterator[None]:
    """Have a dict made on the host where what is done needs something that is not known at extraction."""
    try:
        yield
    except StaticNeeded as failure:
        if can_be and failure.instead is None:
            failure.instead = needed(m, holder, failure.error)
        raise
    except GraphProgramError as error:
        instead = needed(m, holder, error) if can_be and error.code in UNKNOWN else None
        raise instead or error from None


@contextmanager
def made_on_host_otherwise(m: Machine, place: Loc) -> Iterator[None]:
    """Have what is made here made on the host where something of it is not known at extraction."""
    try:
        yield
    except StaticNeeded as failure:
        failure.instead = failure.instead or Needed(HOST_DICTS, [place], failure.error)
        raise
    except GraphProgramError as error:
        if error.code not in UNKNOWN:
            raise
        raise Needed(HOST_DICTS, [place], error) from None


@host_entries.made_set.given
def set_on_host(m: Machine, cls: type, given: Sequence[Value]) -> Host:
    return _made(m, cls, given, f"{cls.__name__}(...)")


def _made(m: Machine, cls: type, given: Sequence[Value], text: str) -> Host:
    notes = [container_effects.note_of(m, value) for value in given]
    note = container_effects.owned(m, cls, given, library_signatures.called(cls, given, {}, notes))
    return host_code.call(m, Static(cls), given, {}, text, note)


UNKNOWN = ("GP309", "GP318", "GP442")
"""The refusals of what is not known at extraction."""


def require_host_dict(m: Machine, holder: Value, key: Value) -> None:
    """Have a dict of the program made on the host where a key of it is there.

    Raises
    ------
    Needed
    """
    key = settled(m, key)
    if is_host(key) and is_ref_to(holder, dict):
        error = not_static(m, key, "a dict key")
        raise needed(m, holder, error) or error


def captured_get(m: Machine, value: Static, key: Value, default: Value) -> Value:
    """`value.get(key, default)` of a captured dict; the host looks for a key that only it, or the graph, knows."""
    try:
        found = static(m, key, "a dict key")
    except (GraphProgramError, StaticNeeded) as failure:
        if not isinstance(key, Host) and not is_computed_key(m, key, failure):
            raise
        holder = host_code.given(m, CapturedResult(value.value), m.loc, noted_calls.note_of(value))
        return host_code.call(m, host_code.attribute(m, holder, "get"), [key, default], {}, "get(...)", None)
    return lift_item(m, value, found) if found in value.value else default


def dict_item(m: Machine, contents: dict[Any, Value], key: Value, holder: Value) -> Value:
    """`d[key]`; a missing key raises KeyError at run time."""
    key = settled(m, key)
    missing = objects.user_method(holder, "__missing__")
    absent = None if missing is None else lambda: objects.call_with(m, missing, key)
    if computed_keys.is_asked(m, contents, key):
        return computed_keys.item(m, holder, contents, key, absent)
    k = known_key(m, holder, key)
    if k not in contents:
        return absent() if absent is not None else m.raise_(KeyError, (Static(k),))
    value = contents[k]
    if is_partly_set(value):
        m.check(value.missing, KeyError, Static(k))
        value = value.value
    return one_of_several.read(m, value)


@items.item.of(Ref, holding=dict)
def _item(m: Machine, value: Ref, key: Value) -> Value:
    if value.cls is not dict:
        raise items.not_subscriptable(m, value)
    require_host_dict(m, value, key)
    return dict_item(m, m.live.heap[value], key, value)


items.item.register(Static, lambda m, value, key: captured_item(m, value, settled(m, key)), holding=dict)


def captured_item(m: Machine, value: Static, key: Value) -> Value:
    """An item of a captured dict; the host looks for a key that only it, or the graph, knows."""
    if isinstance(key, Host):
        return host_code.item(m, value, key)
    contents = {k: lift_item(m, value, k) for k in dict.__iter__(value.value)}
    try:
        return dict_item(m, contents, key, value)
    except (GraphProgramError, StaticNeeded) as failure:
        if not is_computed_key(m, key, failure):
            raise
    return host_code.item(m, value, key)


def dict_display(m: Machine, node: tree.DictExpr) -> Value:
    """A dict display with something of the host in it: the dict is made there, item by item.

    {**settings, name: loss}    ->      h1 = host[0]()              # {}
                                        host[1](h1, settings)       # update
                                        host[2](h1, name, loss)     # [name] = loss

    A dict that gets such a key later is made there from the start.
    """
    m.node_loc = node.loc
    found: dict[Any, Value] = {}
    host = on_host(m) if host_containers.is_made_on_host(m) else None
    for key, item in node.items:
        name = None if key is None else settled(m, entries.evaluate(m, key))
        value = entries.evaluate(m, item)
        if host is None and isinstance(settled(m, value) if key is None else name, Host):
            host = on_host(m, found)
        if host is not None:
            _add(m, host, name, value)
        elif name is None:
            found.update(objects.dict_contents(m, value))
        else:
            m.node_loc = node.loc
            found[known_key(m, objects.new_dict(m, {}), name)] = value
    m.node_loc = node.loc
    return objects.new_dict(m, found) if host is None else host


def _add(m: Machine, host: Host, name: Value | None, value: Value) -> None:
    if name is None:
        update = host_code.attribute(m, host, "update")
        host_code.step(m, "call", [update, value], count=0, text="{**...}", harmless=True)
    else:
        host_code.do(m, "set_item", host, name, kept(m, value))
