"""Values carried by a loop that have one of several types: a merge variable for each type, and which one it is.

    y = x_int                           y.0 := x_int, case := 0
    for i in range(n):          ->      loop:
        for j in range(k):                  if equal(case, 0): ... y.0 ..., y.1 := ..., case := 1
            y = y * 0.5                     else: ... y.1 ...

Each path gives the variable of its type a value; the others keep what nobody reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.numbers.number_ranges import is_exact
from graph_program.extract.stage.paths.joins.identities import NUMBER, number_of
from graph_program.extract.stage.paths.joins.join_choices import merging_contents
from graph_program.extract.stage.paths.joins.join_leaves import covers
from graph_program.extract.stage.paths.joins.meeting import Deferred, Meeting, Pairs, given_to, takes
from graph_program.extract.stage.paths.joins.value_skeletons import Outline, one_of, outline, things
from graph_program.extract.stage.paths.several.each_case import caught_of
from graph_program.extract.stage.values.exception_values import Caught, is_exception
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.structure import describe_all, made_at
from graph_program.extract.stage.values.values import Mixed, Static, Tensor, Value, type_of
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.promotion import join_types
from graph_program.extract.types.tensors.tensor_type import PY_INT, Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join

MAX_TYPES = 4
"""So many types may a loop carry for one value."""
MAX_EXCEPTIONS = 32
"""So many exceptions, by the places that raise them, may a loop carry for one value."""
Test = Callable[[Value], bool]


@dataclass(frozen=True, eq=False)
class Typed(Mixed):
    """One of several values made of merge variables, each of another outline."""


@dataclass
class Group:
    """Values that merge: their outline, and the types of its leaves."""

    outline: Outline
    types: list[TensorType]
    members: list[Outline]

    def add(self, join: Join, new: Outline) -> bool:
        """Take in one more, if it merges with them."""
        if not self.outline.agrees(new):
            return False
        common = [join.joined_type([t, type_of(v)]) for t, v in zip(self.types, new.leaves, strict=True)]
        leaves = [leaf for member in (*self.members, new) for leaf in zip(common, member.leaves, strict=True)]
        if any(t is None or not is_exact(v, t) for t, v in leaves):
            return False
        self.types = [t for t in common if t is not None]
        self.members.append(new)
        return True


@dataclass(frozen=True, eq=False)
class Numbered(Deferred):
    """The number that what a path has for a value gets in another list of types."""

    value: Value
    number: Callable[[Value], int]

    def tensor(self, m: Machine) -> Tensor:
        """The number itself, computed at the end of the path."""
        found = _pick(m, self.value, lambda _: True, lambda v: Static(self.number(v)))
        return m.cast(found, np.dtype(np.int64), Kind.PYTHON)


@dataclass(frozen=True, eq=False)
class Picked(Deferred):
    """A leaf of what a path has for a value, where it has one outline; anything of the type otherwise."""

    value: Value
    type: TensorType
    test: Test
    leaf: int

    def tensor(self, m: Machine) -> Tensor:
        """The leaf itself, computed at the end of the path."""
        with merging_contents(m):
            found = _pick(m, self.value, self.test, lambda v: _leaf(m, v, self.leaf))
        return found if is_array_of_graph(found) else m.cast(found, self.type.dtype, self.type.kind)

    def arrays(self) -> tuple[Tensor, ...]:
        """The leaves that it may be."""
        leaves = (_outline(v).leaves[self.leaf] for v in things(self.value) if self.test(v))
        return tuple(v for v in leaves if is_array_of_graph(v))


@dataclass(frozen=True, eq=False)
class PickedNumber(Deferred):
    """The number of an array that is such a leaf: which one it is."""

    value: Value
    test: Test
    leaf: int

    def tensor(self, m: Machine) -> Tensor:
        """The number itself, computed at the end of the path."""
        found = _pick(m, self.value, self.test, lambda v: number_of(_outline(v).leaves[self.leaf]))
        return m.cast(found, NUMBER.dtype, NUMBER.kind)


def _leaf(m: Machine, value: Value, position: int) -> Value:
    leaf = _outline(value).leaves[position]
    return m.copied(leaf) if is_array_of_graph(leaf) else leaf


def _pick(m: Machine, value: Value, test: Test, answer: Callable[[Value], Value]) -> Value:
    """The answer for what it is, where that passes a test."""
    mixed = one_of(value)
    if not isinstance(mixed, Mixed):
        return answer(mixed)
    assert mixed.selector is not None
    selector, values = mixed.selector, mixed.values
    kept = [i for i, v in enumerate(values) if any(map(test, things(v)))]

    def from_(position: int) -> Value:
        number = kept[position]
        if position + 1 == len(kept):
            return _pick(m, values[number], test, answer)
        is_it = compare(m, "==", selector, Static(number))
        return entries.choose(m, is_it, lambda: _pick(m, values[number], test, answer), lambda: from_(position + 1))

    return from_(0)


def _outline(value: Value) -> Outline:
    found = outline(value)
    assert found is not None
    return found


# ---------------------------------------------------------------- merging


def merged(join: Join, values: Sequence[Value], hint: str) -> Value | None:
    """What stands at a loop's head for values of several types; None where these are not few, or are other things."""
    each = [outline(thing) for value in values for thing in things(value)]
    outlines = [o for o in each if o is not None]
    if len(outlines) < len(each) or not all(map(_selected, values)):
        return None
    groups: list[Group] = []
    for new in outlines:
        if not any(group.add(join, new) for group in groups):
            groups.append(Group(new, list(map(type_of, new.leaves)), [new]))
    caught = any(map(is_exception, values))
    if len(groups) > (MAX_EXCEPTIONS if caught else MAX_TYPES):
        return None
    if len(groups) == 1 and not caught and not _is_array_of_several(values):
        return None
    result = _head(join, groups, hint, describe_all(values))
    if not caught:
        return result
    outside = {v.outside for v in values if isinstance(v, Caught)} or {0}
    return replace(caught_of(result), outside=min(outside))


def _head(join: Join, groups: Sequence[Group], hint: str, described: str) -> Typed:
    made = []
    for group in groups:
        members = zip(*(o.leaves for o in group.members), strict=True)
        leaves = [join.leaf(t, hint, column) for t, column in zip(group.types, members, strict=True)]
        made.append(group.outline.rebuild(leaves))
    selector = join.leaf(PY_INT, "case", [])
    join.m.choices.mixed = selector.born
    locs = made_at(v for group in groups for o in group.members for v in o.leaves)
    result = Typed(tuple(made), locs, described, None, selector)
    join.kept += [result, *made]
    return result


def _is_array_of_several(values: Sequence[Value]) -> bool:
    """Whether a value is an array on some path, and one of several on some path."""
    found = [thing for value in values for thing in things(value)]
    return any(isinstance(v, Mixed) for v in values) and any(type_of(t).kind is Kind.ARRAY for t in found)


def typed(value: Value) -> Typed | None:
    """The one of several that a value at a loop's head is."""
    value = one_of(value)
    return value if isinstance(value, Typed) else None


def _selected(value: Value) -> bool:
    """Whether it is known at run time which of its values a value is."""
    value = one_of(value)
    return not isinstance(value, Mixed) or (
        value.selector is not None and not value.grows and all(map(_selected, value.values))
    )


# ---------------------------------------------------------------- assigning


@given_to.of(Typed, Caught)
def _given(at: Meeting, head: Value, value: Value) -> Pairs:
    found = typed(head)
    return iter(()) if found is None else _pairs(at.join, found, value)


def _pairs(join: Join, head: Typed, value: Value) -> Pairs:
    assert head.selector is not None
    value, ours = one_of(value), list(map(_outline, head.values))

    def number(thing: Value) -> int:
        found = _outline(thing)
        return next(i for i, o in enumerate(ours) if _merges(o, found))

    if not isinstance(value, Mixed):
        if outline(value) is not None:
            yield head.selector, Static(number(value))
            for leaf, part in zip(ours[number(value)].leaves, _outline(value).leaves, strict=True):
                yield leaf, part
                if leaf.identity is not None:
                    yield leaf.identity, number_of(part)
        return
    key = (id(head), id(value))
    if key not in join.deferred:
        join.kept.append(value)
        join.deferred[key] = [(head.selector, Numbered(value, number)), *_deferred(ours, value, number)]
    yield from join.deferred[key]


def _deferred(ours: Sequence[Outline], value: Mixed, number: Callable[[Value], int]) -> Pairs:
    for position, outline_ in enumerate(ours):

        def test(thing: Value, position: int = position) -> bool:
            return number(thing) == position

        if any(map(test, things(value))):
            for i, leaf in enumerate(outline_.leaves):
                yield leaf, Picked(value, type_of(leaf), test, i)
                if leaf.identity is not None:
                    yield leaf.identity, PickedNumber(value, test, i)


def _merges(ours: Outline, theirs: Outline) -> bool:
    leaves = zip(ours.leaves, theirs.leaves, strict=False)
    return ours.agrees(theirs) and all(_has_exactly(a, b) for a, b in leaves)


def _has_exactly(ours: Value, theirs: Value) -> bool:
    """Whether a merge variable takes a value, and has it exactly."""
    return join_types(type_of(ours), type_of(theirs), lambda: dim(0)) is not None and is_exact(theirs, type_of(ours))


@takes.of(Typed, Caught)
def _takes(at: Meeting, merged_value: Value, value: Value) -> bool:
    head = typed(merged_value)
    if head is None:
        return False
    found = [outline(thing) for thing in things(value)]
    return _selected(value) and all(o is not None and _covered(at.join, head, o) for o in found)


def _covered(join: Join, head: Typed, new: Outline) -> bool:
    ours = (_outline(v) for v in head.values)
    return any(
        o.agrees(new)
        and all(
            covers(join, type_of(h), type_of(v)) and is_exact(v, type_of(h))
            for h, v in zip(o.leaves, new.leaves, strict=True)
        )
        for o in ours
    )
