"""Numbers and arrays of one type: one merge variable, which takes what its type covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.machine.checks.size_facts import size_value
from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.numbers.number_ranges import is_exact
from graph_program.extract.stage.paths.joins.identities import number_of
from graph_program.extract.stage.paths.joins.join_choices import converted
from graph_program.extract.stage.paths.joins.meeting import Deferred, Meeting, Pairs, given_to, takes
from graph_program.extract.stage.values import choices
from graph_program.extract.stage.values.values import Tensor, Unknown, Value, is_numeric, type_of
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.promotion import join_types
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


@takes.of(Tensor)
def _takes(at: Meeting, head: Tensor, value: Value) -> bool:
    numbers = choices.things_of(told_of(value))
    return id(head) in at.join.leaves and all(_holds(at.join, head.type, v) for v in numbers)


takes.register(Unknown, lambda *_: True)


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


@given_to.of(Tensor)
def _given(at: Meeting, head: Tensor, value: Value) -> Pairs:
    if id(head) in at.join.leaves:  # itself, too: it may have been written
        yield head, converted(told_of(value), head.type)
        if head.identity is not None:
            yield head.identity, number_of(value)


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
