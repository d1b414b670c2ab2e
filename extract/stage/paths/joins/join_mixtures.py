"""Values that have no common type or structure: all of them, and which one it is.

    y = 1.5 if c else [1, 2]        case := 0 or 1; y is one of 1.5 and [1, 2], and refused where that is not enough

Known things and numbers that are told apart have files of their own: `join_choices`, `join_numbers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.paths.joins import join_choices, join_numbers
from graph_program.extract.stage.paths.joins.meeting import Meeting, Pairs, given_to, pairs, takes
from graph_program.extract.stage.values import choices
from graph_program.extract.stage.values.structure import choice_of_texts, describe_all, is_text, made_at
from graph_program.extract.stage.values.values import Mixed, Tensor, Text, Value
from graph_program.extract.types.tensors.tensor_type import PY_INT

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


def mixed(join: Join, values: Sequence[Value]) -> Mixed | Text:
    """One of values without a common type."""
    join.structural = True
    things = [one for v in values for one in (list(choices.things_of(v)) or [v])]
    described = describe_all(things)
    locs = made_at(values)
    if join.loop is not None:
        return Mixed(tuple(values), locs, described, join.loop, place=join.place)
    own = {id(v): v for v in values}
    distinct = [join_choices.of_its_path(join, v) for v in own.values()]
    selector = _selector(join, [list(own).index(id(v)) for v in values])
    result = Mixed(tuple(distinct), locs, described, None, selector, origins=tuple(own.values()))
    if not all(is_text(v) for v in distinct):
        return result
    text = Text(((result, "", ""),))
    join.kept.append(text)
    return text


def _selector(join: Join, numbers: Sequence[int]) -> Tensor:
    """The number that each path has: one merge variable for all values that the same paths tell apart."""
    key = tuple(numbers)
    if key not in join.selectors:
        join.selectors[key] = join.leaf(PY_INT, "case", [])
        join.m.choices.mixed = join.selectors[key].born
    return join.selectors[key]


@takes.of(Mixed)
def _takes(at: Meeting, head: Mixed, value: Value) -> bool:
    if choices.choice(head) is not None:
        return join_choices.covers(head, told_of(value))
    if choices.one_of_numbers(head) is not None:
        return join_numbers.covers(at.join, head, told_of(value))
    return head.selector is None or head is value


@takes.of(Text)
def _takes_text(at: Meeting, head: Text, value: Value) -> bool:
    return choices.choice(head) is not None and join_choices.covers(head, told_of(value))


@given_to.of(Mixed)
def _given(at: Meeting, head: Mixed, value: Value) -> Pairs:
    if choices.one_of_numbers(head) is not None:
        return join_numbers.pairs(at.join, head, told_of(value))
    return iter(()) if head.selector is None else join_choices.pairs(at.join, head, told_of(value))


@given_to.of(Text)
def _given_to_text(at: Meeting, head: Text, value: Value) -> Pairs:
    choice = choice_of_texts(head)
    return iter(()) if choice is None else pairs(at, choice, value)
