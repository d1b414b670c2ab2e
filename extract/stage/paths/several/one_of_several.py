"""One of several things, such as enum members, strings, functions or objects, depending on the path taken.

    mode = Mode.RUN if x > 0 else Mode.IDLE         case := 0 or 1
    if mode is Mode.RUN:                    ->      if equal(case, 0):
    best = p if p.cost < q.cost else q              case := 0 or 1
    best.count += 1                         ->      if equal(case, 0): p.count := ...  else: q.count := ...

A question is asked of each of them, and the answers are merged; a write is done to the one that it is.
What only reads an array or object may as well read a merged copy of it.
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import ensure_reachable
from graph_program.extract.stage.paths.joins.join_choices import merging_contents
from graph_program.extract.stage.paths.several.each_case import for_each_value, of_each_class
from graph_program.extract.stage.paths.several.mixed_numbers import one_of_numbers
from graph_program.extract.stage.values.choices import choice, one_of_objects, things_of
from graph_program.extract.stage.values.values import Mixed, Ref, Tensor, Text, Value


def read(m: Machine, value: Value) -> Value:
    """A value that is read from where it was kept."""
    known = choice(value) is not None or one_of_numbers(value) is not None
    return value if known else entries.settled(m, value)


def of_each(
    m: Machine, value: Mixed, answer: Callable[[Value], Value], within: Callable[[Value], Mixed | None] = choice
) -> Value:
    """The answer for the thing that it is; `within` says whether one of them is one of several itself."""

    def of(one: Value) -> Value:
        inner = within(one)
        return answer(one) if inner is None else of_each(m, inner, answer, within)

    return of_each_class(m, value, of)


def for_each(m: Machine, value: Value, act: Callable[[Value], None]) -> None:
    """Do something to a value, or to the array or object that it is."""
    one_of = one_of_objects(value)
    if one_of is None:
        act(value)
    else:
        for_each_value(m, one_of, lambda one: for_each(m, one, act))
        ensure_reachable(m)


def merged(m: Machine, value: Mixed) -> Value | None:
    """A merged copy of the array or object that it is, for reading; None where they are of different kinds."""
    one_of = one_of_objects(value)
    if one_of is None or len({_kind(v) for v in things_of(one_of)}) > 1:
        return None
    result = read_now(m, one_of)
    return None if isinstance(result, Mixed) else result


def read_now(m: Machine, value: Mixed) -> Value:
    """The array or object that it is now, as merge variables; one for each kind that it may be."""
    with merging_contents(m):
        return of_each_class(m, value, lambda one: one)


def _kind(value: Value) -> object:
    if isinstance(value, Tensor):
        return value.type.dtype, value.rank
    return value.cls if isinstance(value, Ref) else None


def is_computed_text(value: Value) -> bool:
    """Whether a value is a text that is not one of several known ones."""
    return isinstance(value, Text) and choice(value) is None


__all__ = ["choice", "for_each", "is_computed_text", "merged", "of_each", "one_of_objects", "read", "read_now"]
