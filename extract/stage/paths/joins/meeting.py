"""What a path has for the merge variables of a join: one by one, and whether they take it.

Each way of merging stands in a file of its own, with three things together: what values merge to, whether a value
fits into that at a loop's head (`takes`), and which merge variable gets which part of it (`given_to`).  The two are
generic functions of the merged value; here is what both have in common, and what holds of structures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Heap
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.inside import held
from graph_program.extract.stage.values.structure import paired_parts, same_value
from graph_program.extract.stage.values.values import Tensor, Value

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join

Pairs = Iterator[tuple[Value, Value]]


@dataclass(frozen=True)
class Meeting:
    """A join and one of its paths.

    Attributes
    ----------
    join : Join
    heads : dict
        The contents of objects in the merged state.
    heap : dict
        Those at the end of the path.
    """

    join: Join
    heads: Heap
    heap: Heap


class Deferred(Value):
    """A number or array that a path gives to a merge variable, computed only at the path's end."""

    def tensor(self, m: Machine) -> Tensor:
        """Emit what computes it."""
        raise NotImplementedError

    def arrays(self) -> tuple[Tensor, ...]:
        """The arrays that it may be."""
        return ()


def fits(at: Meeting, head: Value, value: Value) -> bool:
    """Whether giving a value to the merge variables in `head` would lose nothing: their types cover its."""
    if same_value(head, value) and id(head) not in at.join.leaves:
        return True
    return takes(at, head, value)


@generic
def takes(at: Meeting, head: Value, value: Value) -> bool:
    """`fits` of a value that is not the merged one itself, as the way has it in which this was merged."""
    inside = paired_parts(head, value)
    return inside is not None and all(fits(at, h, v) for h, v in inside)


def pairs(at: Meeting, head: Value, value: Value) -> Pairs:
    """The merge variables (and merged objects) inside `head`, each with its part of `value`."""
    if head is value and id(head) not in at.join.leaves and head not in at.join.heap:
        return as_it_was(at.join, head)
    return given_to(at, head, value)


@generic
def given_to(at: Meeting, head: Value, value: Value) -> Pairs:
    """`pairs` of a value that is not the merged one itself, as the way has it in which this was merged."""
    return each(at, paired_parts(head, value) or ())


def each(at: Meeting, inside: Iterable[tuple[Value, Value]]) -> Pairs:
    """The pairs of merged values with what the path has for them."""
    for head, value in inside:
        yield from pairs(at, head, value)


def as_it_was(join: Join, head: Value) -> Pairs:
    """The merge variables inside something that a round of a loop leaves as it is: they may have been written."""
    if join.loop is None:
        return  # merge variables of branches are new behind them
    if isinstance(head, Tensor):
        if id(head) in join.leaves:
            yield head, head
        return
    for part in held(head):
        yield from as_it_was(join, part)
