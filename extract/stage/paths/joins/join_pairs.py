"""The merge variables of a join with what a path has for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.machine.checks.sizes import size_value
from graph_program.extract.stage.machine.state import State
from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.paths.joins import join_choices, join_numbers, strategies, typed_joins
from graph_program.extract.stage.paths.joins.deferred import Deferred
from graph_program.extract.stage.paths.joins.identities import number_of
from graph_program.extract.stage.paths.joins.join import Join, same_outline
from graph_program.extract.stage.values import choices
from graph_program.extract.stage.values.absence import is_none, is_unbound, missing_flag, present_part
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.structure import choice_of_texts, parts
from graph_program.extract.stage.values.values import UNBOUND, Host, Maybe, Mixed, Ref, Tensor, Text, Value, type_of
from graph_program.extract.types.tensors.tensor_type import Kind


def pairs(
    join: Join, head: Value, value: Value, heads: dict[Ref, Any], heap: dict[Ref, Any]
) -> Iterator[tuple[Value, Value]]:
    """The merge variables (and merged objects) inside `head`, each with its part of `value`."""
    if head is value and id(head) not in join.leaves and head not in join.heap:
        yield from _as_it_was(join, head)
        return
    if isinstance(head, Tensor):
        if id(head) in join.leaves:  # itself, too: it may have been written
            yield head, join_choices.converted(told_of(value), head.type)
            if head.number is not None:
                yield head.number, number_of(value)
    elif isinstance(head, Host):
        yield from pairs(join, head.number, join_choices.number_of(value), heads, heap)
        if head.told is not None:
            yield from pairs(join, head.told, told_of(value), heads, heap)
    elif (typed := typed_joins.typed(head)) is not None:
        yield from typed_joins.pairs(join, typed, value)
    elif isinstance(head, Mixed):
        if choices.one_of_numbers(head) is not None:
            yield from join_numbers.pairs(join, head, told_of(value))
        elif head.selector is not None:
            yield from join_choices.pairs(join, head, told_of(value))
    elif isinstance(head, Text):
        choice = choice_of_texts(head)
        if choice is not None:
            yield from pairs(join, choice, value, heads, heap)
    elif isinstance(head, Maybe):
        test = is_unbound if head.absent == "unbound" else is_none
        yield from pairs(join, head.missing, missing_flag(value, test), heads, heap)
        present = present_part(value, test)
        if present is not None:
            yield from pairs(join, head.value, present, heads, heap)
    elif isinstance(head, Ref):
        if head is value:
            yield head, value
        elif (contents := strategies.given(head, value, heap)) is not None:
            yield head, value
            yield from content_pairs(join, heads[head], contents, heads, heap)
    else:
        ours, theirs = parts(head), parts(value)
        if ours is not None and theirs is not None and ours[0] == theirs[0]:
            for h, v in zip(ours[1], theirs[1], strict=True):
                yield from pairs(join, h, v, heads, heap)


def _as_it_was(join: Join, head: Value) -> Iterator[tuple[Value, Value]]:
    """The merge variables inside something that a round of a loop leaves as it is: they may have been written."""
    if join.loop is None:
        return  # merge variables of branches are new behind them
    if isinstance(head, Tensor):
        if id(head) in join.leaves:
            yield head, head
        return
    inside = head.values if isinstance(head, Mixed) else (head.value,) if isinstance(head, Maybe) else None
    if inside is None:
        structure = parts(head)
        inside = () if structure is None else structure[1]
    for part in inside:
        yield from _as_it_was(join, part)


def content_pairs(
    join: Join, head: Any, value: Any, heads: dict[Ref, Any], heap: dict[Ref, Any]
) -> Iterator[tuple[Value, Value]]:
    """`pairs` for the contents of an object."""
    if head is value:
        for part in head.values() if isinstance(head, dict) else head if isinstance(head, tuple) else ():
            yield from _as_it_was(join, part)
        return
    if isinstance(head, Growing):
        yield from strategies.pairs_of_columns(join, head, value, heap)
        return
    if not same_outline([head, value]):
        return
    if isinstance(head, tuple):
        for h, v in zip(head, value, strict=True):
            yield from pairs(join, h, v, heads, heap)
    else:
        for key, h in head.items():
            yield from pairs(join, h, value.get(key, UNBOUND), heads, heap)


def state_pairs(join: Join, merged: State, state: State) -> Iterator[tuple[Value, Value]]:
    """All merge variables of a merged state with what one path has for them."""
    rebound: set[int] = set()

    def noted(found: Iterator[tuple[Value, Value]]) -> Iterator[tuple[Value, Value]]:
        for head, value in found:
            if isinstance(head, Ref) and head is not value:
                rebound.add(id(head))
            yield head, value

    for frame, names in merged.frames.items():
        table = state.frames.get(frame, {})
        for name, head in names.items():
            yield from noted(pairs(join, head, table.get(name, UNBOUND), merged.heap, state.heap))
    ours = [ref for ref in merged.heap if ref in state.heap]
    for ref in sorted(ours, key=lambda r: r in join.heap):  # merged objects last: a path may rebind them
        if id(ref) not in rebound:
            yield from noted(content_pairs(join, merged.heap[ref], state.heap[ref], merged.heap, state.heap))


def source(join: Join, head: Tensor, value: Value) -> Operand:
    """The operand of `value` in the element type of the merge variable `head`."""
    if isinstance(value, Deferred):
        return join.m.operand(value.tensor(join.m))
    if type_of(value).dtype == head.type.dtype and type_of(value).rank == head.rank:
        return join.m.operand(value)
    cast = join.m.cast(value, head.type.dtype, Kind.ARRAY)
    if cast.rank == head.rank:
        return join.m.operand(cast)

    return join.m.operand(join.m.op("full", cast, *(size_value(join.m, d) for d in head.type.shape)))
