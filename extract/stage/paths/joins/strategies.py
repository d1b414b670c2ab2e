"""Merging what rooms above know of: lists of computed length, and objects on the host."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.state import Heap, State
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.layouts import Contents
from graph_program.extract.stage.values.questions import is_plain_tuple
from graph_program.extract.stage.values.values import Mixed, Ref, Value, size_of
from graph_program.extract.types.dims import Dim, dim, maximum
from graph_program.extract.types.rules.facts import condition

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


@dataclass
class Packings:
    """What has been made of the contents of lists, for one walk over a path."""

    found: dict[tuple[int, int], list[tuple[Value, Value]]] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    """Keeps contents alive, so that ids stay unique."""


def is_contents(contents: Sequence[Any]) -> bool:
    """Whether these are contents of lists."""
    return all(isinstance(c, tuple | Growing) for c in contents)


def given(head: Ref, value: Value, heap: Heap) -> Any | None:
    """What a path has for the contents of a merged object; None where it has another kind of thing."""
    if isinstance(value, Ref):
        return heap.get(value) if head.cls is value.cls else None
    return value.elts if head.cls is tuple and is_plain_tuple(value) else None


def length_dim(contents: Contents) -> Dim:
    """The number of elements as a dim."""
    return contents.rows.type.shape[0] if isinstance(contents, Growing) else dim(len(contents))


def learn_lengths(m: Machine, trips: Value, entry: State, head: State, back: State) -> None:
    """After a counted loop, a list to which every round adds as many elements has a length that is known."""
    rounds = size_of(trips)
    if rounds is None:
        return
    for ref, contents in head.heap.items():
        if not isinstance(contents, Growing) or ref not in entry.heap or ref not in back.heap:
            continue
        before, during, after = (length_dim(s.heap[ref]) for s in (entry, head, back))
        each = (back.facts.resolve(after) - during).constant
        if each is not None and during != before:
            m.live.facts = m.live.facts.learn((condition("==", during, before + maximum(rounds, dim(0)) * each),))


# ---------------------------------------------------------------- lists of computed length


@forward
def merged_columns(join: Join, contents: Sequence[Contents], states: Sequence[State], hint: str) -> Growing | None:
    """Contents of computed length that cover those of all paths; None where elements have no common layout."""


@forward
def merged_tuples(join: Join, values: Sequence[Value], states: Sequence[State], hint: str) -> Ref | None:
    """The tuple of computed length that tuples of different lengths merge to."""


@forward
def unmerged(join: Join, contents: Sequence[Contents]) -> Mixed:
    """What stands for the items of a list whose elements have no common layout."""


@forward
def pairs_of_columns(join: Join, head: Growing, value: Any, heap: Heap) -> Iterator[tuple[Value, Value]]:
    """The merge variables of a merged list, each with what a path has for it."""


@forward
def columns_fit(join: Join, head: Growing, value: Any, heap: Heap) -> bool:
    """Whether the columns at a loop's head can take a list's contents as they are."""


# ---------------------------------------------------------------- the host


@forward
def merged_on_host(join: Join, values: Sequence[Value], states: Sequence[State], hint: str) -> Value:
    """One of several values of which some are on the host."""
