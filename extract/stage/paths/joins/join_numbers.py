"""Merging numbers of several classes: an int or a float, a Python number or a NumPy one that cannot hold it.

    found = -1                             case, found := 0, (any uint8)
    for v in x:   # uint8          ->      loop:
        if v > 9: found = v                    if greater(v, 9): case, found := 1, v

The merged value is one number of each class, and a merge variable that tells which one it is.  A Python
number that a NumPy element type has exactly is merged to that type instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graph_program.extract.stage.numbers.number_ranges import is_exact, known_numbers
from graph_program.extract.stage.paths.joins.join_choices import Recoded
from graph_program.extract.stage.values.choices import is_number, one_of_numbers
from graph_program.extract.stage.values.questions import is_known
from graph_program.extract.stage.values.structure import made_at, same_static, same_value
from graph_program.extract.stage.values.values import Mixed, Static, Tensor, Value, type_of
from graph_program.extract.types.tensors.tensor_type import PY_INT, Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.paths.joins.join import Join


def alternatives(value: Value) -> tuple[Value, ...] | None:
    """The numbers of which a value is one, each of another class; None for what is not always a number."""
    mixed = one_of_numbers(value)
    if mixed is not None:
        return mixed.values
    return (value,) if is_number(value) else None


def merged(join: Join, values: Sequence[Value], hint: str) -> Value | None:
    """What the numbers of several paths merge to; None where they are not all numbers."""
    numbers: list[Value] = []
    for value in values:
        found = alternatives(value)
        if found is None:
            return None
        numbers += found
    types = list(dict.fromkeys(map(type_of, numbers)))
    whole = join.joined_type(types)
    if whole is not None and all(is_exact(n, whole) for n in numbers):
        return join.leaf(whole, hint, values)
    each = tuple(_of_type(join, t, [n for n in numbers if type_of(n) == t], hint) for t in types)
    mixed = Mixed(each, made_at(each), " and ".join(map(str, types)), join.loop, join.leaf(PY_INT, "case", []))
    join.kept += [mixed, *each]
    return mixed


def _of_type(join: Join, type_: TensorType, numbers: Sequence[Value], hint: str) -> Value:
    """The number where it is of one class: a merge variable, unless it is always the same one."""
    if type_.kind is Kind.PYTHON:
        known = [known_numbers(n) for n in numbers]
        only = known[0]
        if only is not None and len(only) == 1 and all(_is(k, only[0]) for k in known):
            return Static(only[0])
    leaf, first = join.leaf(type_, hint, numbers), numbers[0]
    if join.loop is None and isinstance(first, Tensor) and all(n is first for n in numbers):
        leaf.size, leaf.inside = first.size, first.inside
    return leaf


def _is(known: list[object] | None, number: object) -> bool:
    return known is not None and all(same_static(k, number) for k in known)


def pairs(join: Join, head: Mixed, value: Value) -> Iterator[tuple[Value, Value]]:
    """The merge variables of a merged number, each with what a path has for it."""
    numbers, types = alternatives(value), [type_of(n) for n in head.values]
    if numbers is None or any(type_of(n) not in types for n in numbers):
        return
    assert head.selector is not None
    if id(head.selector) in join.leaves:
        yield head.selector, _case(value, types)
    given = {type_of(n): n for n in numbers}
    for one in head.values:
        if id(one) in join.leaves:
            type_ = type_of(one)
            yield one, given.get(type_, _any_of(type_))


def _case(value: Value, types: Sequence[TensorType]) -> Value:
    """Which of some classes a number has."""
    own = one_of_numbers(value)
    if own is None or own.selector is None:
        return Static(types.index(type_of(value)))
    cases = tuple(types.index(type_of(n)) for n in own.values)
    return own.selector if cases == tuple(range(len(types))) else Recoded(own.selector, cases)


def _any_of(type_: TensorType) -> Value:
    """A number of a class, where the number has another one."""
    cls = type_.python_class if type_.kind is Kind.PYTHON else type_.dtype.type
    return Static(cls(0))


def covers(join: Join, head: Mixed, value: Value) -> bool:
    """Whether a number at the end of a round is one that the merged number at the loop's head may be."""
    numbers, places = alternatives(value), {type_of(n): i for i, n in enumerate(head.values)}
    if numbers is None or id(head.selector) not in join.leaves:
        return False
    for number in numbers:
        place = places.get(type_of(number))
        if place is None:
            return False
        one = head.values[place]
        known = id(one) in join.leaves or (is_known(one) and _is(known_numbers(number), one.value))
        if not known and not same_value(one, number):
            return False
    return True
