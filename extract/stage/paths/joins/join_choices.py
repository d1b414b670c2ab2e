"""Merging things that are known on each path: strings, enum members, functions.

    state = "idle"                         case := 0
    for v in x:                            loop:
        if v > 1: state = "run"     ->         if greater(v, 1): case := 1

The merged value is one of a list of things, and a merge variable tells which.  At a loop's head the list
gets longer until it has all that a round may leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.decisions import CHOICES
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.arithmetic import select_int
from graph_program.extract.stage.paths.joins.meeting import Deferred
from graph_program.extract.stage.paths.several import mixed_numbers
from graph_program.extract.stage.values.choices import Kept, choice, is_object, one_of_numbers
from graph_program.extract.stage.values.inside import with_each
from graph_program.extract.stage.values.questions import are_known, is_known, is_known_as
from graph_program.extract.stage.values.structure import describe, is_text, may_fail, paired_parts, parts, same_value
from graph_program.extract.stage.values.values import (
    Closure,
    Host,
    Mixed,
    Static,
    Tensor,
    Text,
    Value,
    is_numeric_static,
)
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join

GROWING = (str, bytes, frozenset)
"""Known things of which a loop may make ever more."""
MAX_CHOICES = 32
"""What a loop puts together of known things is one of so many, or else computed."""
MAX_LENGTHS = 4
"""A string at a loop's head that may be longer than it seemed so often is taken for one that grows."""
MAX_WIDENED = 8
"""One that is none of its list after so many rounds is, too."""


@dataclass(frozen=True, eq=False)
class Recoded(Deferred):
    """The number of a thing in another list: `numbers[i]` for the i-th of its own."""

    selector: Tensor
    numbers: tuple[int, ...]

    def tensor(self, m: Machine) -> Tensor:
        """The number itself, computed at the end of the path."""
        result: Value = Static(self.numbers[-1])
        for i, number in enumerate(self.numbers[:-1]):
            test = m.op("equal", self.selector, Static(i))
            result = select_int(m, test, Static(number), result)
        return entries.tensor(m, result)


@dataclass(frozen=True, eq=False)
class Converted(Deferred):
    """A number that has one of several classes, as one of the class that a loop carries."""

    mixed: Mixed
    type: TensorType

    def tensor(self, m: Machine) -> Tensor:
        """The number itself, computed at the end of the path."""
        dtype = self.type.dtype
        return m.cast(mixed_numbers.of_each(m, self.mixed, lambda v: m.cast(v, dtype, self.type.kind)), dtype)


def converted(value: Value, type_: TensorType) -> Value:
    """A number of a path as a loop carries it."""
    mixed = one_of_numbers(value)
    return value if mixed is None else Converted(mixed, type_)


def _things(value: Value) -> tuple[Value, ...] | None:
    """What a value is or may be, if that is the same in every round."""
    one_of = choice(value)
    things = (value,) if one_of is None else one_of.values
    return things if all(map(_is_lasting, things)) else None


def _is_lasting(value: Value) -> bool:
    if isinstance(value, Closure):
        return are_known(value.defaults.values())
    return is_object(value) or (is_known(value) and not is_numeric_static(value))


def _are_kept_apart(join: Join, things: Sequence[Value], values: Sequence[Value]) -> bool:
    """Whether arrays and objects that meet stay what they are: where asked, if all were there before the loop."""
    objects = [v for v in things if is_object(v)]
    if not objects:
        return True
    asked = join.m.loc in join.m.decided[CHOICES] or any(isinstance(v, Kept) for v in values)
    return asked and all(v.born < join.since for v in objects)


@contextmanager
def merging_contents(m: Machine) -> Iterator[None]:
    """Merge arrays and objects for what is in them now, also where writes ask which one it is."""
    outer = m.options
    m.options = replace(outer, decided=outer.decided.without(CHOICES))
    try:
        yield
    finally:
        m.options = outer


def merged(join: Join, values: Sequence[Value], hint: str) -> Value | None:
    """The one of all things that the values may be; None where they are not all known, or always more."""
    things: list[Value] = []
    for value in values:
        found = _things(value)
        if found is None or not _are_kept_apart(join, found, values):
            return None
        things += [new for new in found if not any(same_value(new, old) for old in things)]
    if is_growing(join, things, hint):
        return None
    join.structural = True
    locs = tuple(loc for v in values if isinstance(v, Mixed) for loc in v.locs)
    described = " and ".join(map(describe, things))
    kind = Kept if any(map(is_object, things)) else Mixed
    selector = join.leaf(PY_INT, "case", [])
    join.m.choices.mixed = max(join.m.choices.mixed, selector.born)
    mixed = kind(tuple(things), locs, described, None, selector)
    result = Text(((mixed, "", ""),)) if all(map(is_text, things)) else mixed
    join.kept += [mixed, result]
    return result


def is_growing(join: Join, things: Sequence[Value], hint: str) -> bool:
    """Whether there is no end to what a loop makes of strings and the like, as far as can be seen."""
    known = [v.value for v in things if is_known_as(v, GROWING)]
    if join.loop is None or len(known) < len(things):
        return False
    counts, lengths = join.choices.setdefault(hint, (set(), set()))
    late = join.widened > MAX_WIDENED and len(known) not in counts
    counts.add(len(known))
    lengths.add(max(map(len, known)))
    many = len(known) > MAX_CHOICES and len(counts) > 2
    if many or late or len(lengths) > MAX_LENGTHS:
        join.growing.add(hint)
    return hint in join.growing


def number_in(mixed: Mixed, value: Value) -> Value | None:
    """The number that a value of a path has in a list of things."""
    own = next((i for i, v in enumerate(mixed.values) if v is value), None)
    if own is not None:
        return Static(own)
    found = _things(value)
    if found is None:
        return None
    numbers = [next((i for i, v in enumerate(mixed.values) if same_value(v, new)), None) for new in found]
    if None in numbers:
        return None
    one_of = choice(value)
    if one_of is None:
        return Static(numbers[0])
    assert one_of.selector is not None
    if numbers == list(range(len(mixed.values))):
        return one_of.selector
    return Recoded(one_of.selector, tuple(n for n in numbers if n is not None))


def of_its_path(join: Join, value: Value) -> Value:
    """A value that is one of several; for the views in it that other paths could not read, merge variables."""
    if not may_fail(value):
        return value
    if id(value) not in join.own_of:
        join.kept.append(value)
        join.own_of[id(value)] = _carried(join, value)
    return join.own_of[id(value)]


def contents_of_its_path(join: Join, contents: Any) -> Any:
    """`of_its_path` for what is in an object that only some paths have."""
    return with_each(contents, partial(of_its_path, join))


def _carried(join: Join, value: Value) -> Value:
    if isinstance(value, Tensor):
        return join.leaf(value.type, "case", [value]) if may_fail(value) else value
    structure = parts(value)
    return value if structure is None else structure[2](*(_carried(join, v) for v in structure[1]))


def _carried_pairs(own: Value, value: Value) -> Iterator[tuple[Value, Value]]:
    """The merge variables in what stands for a value of one path, each with its part of the value."""
    if isinstance(own, Tensor):
        if own is not value:
            yield own, value
        return
    for one, part in paired_parts(own, value) or ():
        yield from _carried_pairs(one, part)


def pairs(join: Join, head: Mixed, value: Value) -> Iterator[tuple[Value, Value]]:
    """The number that a path has for one of several things, and what stands for the thing itself."""
    own = join.own_of.get(id(value))
    number = number_in(head, value if own is None else own)
    if number is not None:
        assert head.selector is not None
        yield head.selector, number
        if own is not None:
            yield from _carried_pairs(own, value)


def covers(head: Value, value: Value) -> bool:
    """Whether a merged value's list has all that another may be."""
    one_of, found = choice(head), _things(value)
    if one_of is None or found is None:
        return False
    return all(any(same_value(old, new) for old in one_of.values) for new in found)


@dataclass(frozen=True, eq=False)
class KeptOnHost(Deferred):
    """The number of an object that the host is given at the end of the path."""

    value: Value

    def tensor(self, m: Machine) -> Tensor:
        """The number itself."""
        return entries.tensor(m, host_entries.keep(m, self.value).number)


def carries(join: Join, values: Sequence[Value], hint: str) -> bool:
    """Whether the host has what is merged though it makes none of it: strings that are computed or always longer."""
    if not all(map(is_text, values)):
        return hint in join.growing
    return join.loop is not None or sum(map(_width, values)) > MAX_CHOICES


def _width(text: Value) -> int:
    """The number of texts in a text, with those of which its parts are one."""
    computed = text.computed if isinstance(text, Text) else ()
    return 1 + sum(_width(v) for one in computed if isinstance(one, Mixed) for v in one.values)


def number_of(value: Value) -> Value:
    """The number that a path has for an object on the host."""
    return value.number if isinstance(value, Host) else KeptOnHost(value)
