"""Whether the values at the end of a round fit into the merge variables at the head of their loop."""

from __future__ import annotations

from typing import Any

from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.numbers.number_ranges import is_exact
from graph_program.extract.stage.paths.joins import join_choices, join_numbers, key_order, strategies, typed_joins
from graph_program.extract.stage.paths.joins import open_joins as opened_joins
from graph_program.extract.stage.paths.joins.join import Join, same_outline
from graph_program.extract.stage.values import choices
from graph_program.extract.stage.values.absence import is_none, is_unbound, missing_flag, present_part
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.exception_values import Caught
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.structure import parts, same_value
from graph_program.extract.stage.values.values import (
    UNBOUND,
    Host,
    Maybe,
    Mixed,
    Ref,
    Tensor,
    Unknown,
    Value,
    is_numeric,
    type_of,
)
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.promotion import join_types
from graph_program.extract.types.tensors.tensor_type import TensorType


def fits(join: Join, head: Value, value: Value, head_heap: dict[Ref, Any], heap: dict[Ref, Any]) -> bool:
    """Whether `assign(head, value)` would lose nothing: the head's types cover the value's."""
    if same_value(head, value) and id(head) not in join.leaves:
        return True
    if choices.choice(head) is not None and not isinstance(head, typed_joins.Typed):
        return join_choices.covers(head, told_of(value))
    numbers = choices.one_of_numbers(head)
    if numbers is not None and typed_joins.typed(head) is None:
        return join_numbers.covers(join, numbers, told_of(value))
    match head:
        case Host(told=told):
            known = told is None or fits(join, told, told_of(value), head_heap, heap)
            known = known and strategies.known_in_common(join.m, [head, value]) == head.note
            return id(head.number) in join.leaves and known
        case typed_joins.Typed() | Caught():
            return typed_joins.covers(join, head, value, covers)
        case Mixed():
            return head.selector is None or head is value
        case Unknown():
            return True
        case Open():
            return opened_joins.covers(join.m, head, value)
        case Tensor():
            numbers_of = choices.things_of(told_of(value))
            return id(head) in join.leaves and all(_holds(join, head.type, v) for v in numbers_of)
        case Maybe(missing, inner, absent):
            test = is_unbound if absent == "unbound" else is_none
            present = present_part(value, test)
            flag = fits(join, missing, missing_flag(value, test), head_heap, heap)
            return flag and (present is None or fits(join, inner, present, head_heap, heap))
        case Ref():
            given = strategies.given(head, value, heap)
            known = given is not None and head in join.heap
            return known and fits_contents(join, head_heap[head], given, head_heap, heap)
    ours, theirs = parts(head), parts(value)
    return (
        ours is not None
        and theirs is not None
        and ours[0] == theirs[0]
        and all(fits(join, h, v, head_heap, heap) for h, v in zip(ours[1], theirs[1], strict=True))
    )


def fits_contents(join: Join, head: Any, value: Any, head_heap: dict[Ref, Any], heap: dict[Ref, Any]) -> bool:
    """`fits` for the contents of an object."""
    if isinstance(head, Growing):
        return strategies.columns_fit(join, head, value, heap)
    if not same_outline([head, value]):
        return False
    if isinstance(head, tuple):
        return all(fits(join, h, v, head_heap, heap) for h, v in zip(head, value, strict=True))
    if any(k not in head for k in value) or not key_order.fits(head, value):
        return False
    return all(fits(join, h, value.get(k, UNBOUND), head_heap, heap) for k, h in head.items())


def _holds(join: Join, head: TensorType, value: Value) -> bool:
    return is_numeric(value) and covers(join, head, type_of(value)) and is_exact(value, head)


def covers(join: Join, head: TensorType, type_: TensorType) -> bool:
    """Whether a merge variable of a type takes values of another."""
    joined = join_types(head, type_, join.fresh_dim)
    return (
        joined is not None
        and (joined.dtype, joined.kind) == (head.dtype, head.kind)
        and all(_covers_dim(join, h, d) for h, d in zip(head.shape, type_.shape, strict=True))
    )


def _covers_dim(join: Join, head: Dim, d: Dim) -> bool:
    return head == d or str(head) in join.free_dims or join.facts.resolve(head) == join.facts.resolve(d)
