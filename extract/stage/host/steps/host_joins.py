"""Merging objects on the host: the merge variable is their number."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graph_program.extract.ir.host import NUMBER
from graph_program.extract.stage.host.library import noted_calls
from graph_program.extract.stage.host.steps import container_effects
from graph_program.extract.stage.host.values import host_aliasing, host_dicts
from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.machine.state import Heap, State
from graph_program.extract.stage.numbers.host_numbers import is_only_of_graph, object_of, told_of, type_of_number
from graph_program.extract.stage.operations.known_and_truth import not_static
from graph_program.extract.stage.paths.joins import strategies
from graph_program.extract.stage.paths.joins.join_choices import GROWING, number_of
from graph_program.extract.stage.paths.joins.meeting import Meeting, Pairs, fits, given_to, pairs, takes
from graph_program.extract.stage.values.choices import one_of_numbers, things_of
from graph_program.extract.stage.values.questions import is_known_as, is_untold
from graph_program.extract.stage.values.structure import is_text
from graph_program.extract.stage.values.values import Host, Ref, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


def told_types(values: Sequence[Value]) -> list[TensorType]:
    """The types of Python numbers on whatever side, where all are known."""
    types = [type_of_number(v) for v in values]
    return [t for t in types if t is not None] if None not in types else []


def of_graph(m: Machine, values: Sequence[Value]) -> list[Value] | None:
    """The values as the graph has them, where only it has one of them and the host tells the others."""
    ours = any(v.host is None and is_only_of_graph(m, v) for v in values)
    ours = ours or any(one_of_numbers(v) is not None for v in values)
    if not ours or any(map(is_untold, values)):
        return None
    return [told_of(v) for v in values]


@strategies.merged_on_host.given
def merged(join: Join, values: Sequence[Value], states: Sequence[State], hint: str) -> Value:
    same = _same(join.m, values)
    if same is not None:
        return same
    _require_host_dicts(join.m, values)
    graph = of_graph(join.m, values)
    if graph is not None:
        return join.generalize(graph, states, hint)
    told = told_types(values)
    type_ = join.joined_type(told) if told else None
    if told and type_ is None:
        return join.generalize([told_of(v) for v in values], states, hint)  # a number of one of several classes
    note = host_containers.merged(join.m, _notes(join.m, values, [state.heap for state in states]))
    methods = [v.method.owner for v in values if v.method is not None]
    host_containers.give_up(join.m, {p for owner in methods for p in host_contents.places_in(owner)})
    result = Host(join.leaf(NUMBER, f"{hint}.object", []), join.m.loc, text(values), note)
    if type_ is not None and type_.kind is Kind.PYTHON:
        result = replace(result, told=join.leaf(type_, hint, values))
    result = replace(result, shares=host_aliasing.merged(join.m, values, states))
    join.kept.append(result)
    return result


def _same(m: Machine, values: Sequence[Value]) -> Host | None:
    """The object that they all are, where tests say different things of it."""
    objects = [found for v in values if (found := object_of(m, v)) is not None]
    if len(objects) < len(values) or any(v.number is not objects[0].number for v in objects):
        return None
    return replace(objects[0], is_there=all(v.is_there for v in objects))


def _require_host_dicts(m: Machine, values: Sequence[Value]) -> None:
    """Have dicts of the program made on the host that merge with some that are.

    Raises
    ------
    Needed
    """
    if any(isinstance(v.note, host_contents.Made) for v in values):
        for value in (v for v in values if isinstance(v, Ref)):
            needed = host_dicts.needed(m, value, not_static(m, value, "which dict this is"))
            if needed is not None:
                raise needed


@takes.of(Host)
def _takes(at: Meeting, head: Host, value: Value) -> bool:
    told = head.told is None or fits(at, head.told, told_of(value))
    known = told and host_contents.common(_notes(at.join.m, [head, value], [at.heads, at.heap])) == head.note
    return id(head.number) in at.join.leaves and known


@given_to.of(Host)
def _given(at: Meeting, head: Host, value: Value) -> Pairs:
    yield from pairs(at, head.number, number_of(value))
    if head.told is not None:
        yield from pairs(at, head.told, told_of(value))


def _notes(m: Machine, values: Sequence[Value], heaps: Sequence[Heap]) -> list[Any]:
    """What is known of each, by what objects have in them on its path; of numbers and None, where one is of these."""
    notes = [_note(m, v, heap) for v, heap in zip(values, heaps, strict=True)]
    optional = any(isinstance(note, types.UnionType) for note in notes)
    plain = [optional and note is None and not isinstance(v, Host) for v, note in zip(values, notes, strict=True)]
    return [
        host_contents.stored(noted_calls.note_of(v)) if one else note
        for v, note, one in zip(values, notes, plain, strict=True)
    ]


def _note(m: Machine, value: Value, heap: Heap) -> Any:
    if value.note is not None:
        return value.note
    if isinstance(value, Tuple):
        outer, m.state = m.state, State(reach=None, heap=heap)
        try:
            return host_contents.stored(container_effects.note_of(m, value))
        finally:
            m.state = outer
    classes = {type(v.value) if is_known_as(v, GROWING) else None for v in things_of(value)}
    return str if is_text(value) else classes.pop() if len(classes) == 1 else None


def text(values: Sequence[Value]) -> str:
    """What the merged object is the result of, where it is the same everywhere."""
    texts = {v.text for v in values if isinstance(v, Host)}
    return texts.pop() if len(texts) == 1 else "one of several host values"
