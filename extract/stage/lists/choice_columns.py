"""Elements of a list of computed length that are one of several things: ints and floats, strings, enum members.

    [1, 0.5, 2]             Choice(Leaf(int), Leaf(float))        which one:  0, 1, 0
                                                                  ints:       1, 0, 2
                                                                  floats:     0, 0.5, 0
    ["on", "off", "on"]     Choice(Same("on"), Same("off"))       which one:  0, 1, 0

An element that is read is one of the alternatives, as a value merged from several paths is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from graph_program.extract.ir.host import NUMBER
from graph_program.extract.stage.lists import element_values, list_columns
from graph_program.extract.stage.lists.common_layouts import Lookup, layout_of, layout_of_thing
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import exact_comparisons
from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.operations.objects import new_list
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.choices import things_of
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.layouts import (
    Choice,
    Classed,
    Layout,
    Leaf,
    OnHost,
    Same,
    alternatives,
    choice_of,
    known_things,
    leaves,
    number_in,
)
from graph_program.extract.stage.values.structure import choice_of_texts, describe_all, is_text
from graph_program.extract.stage.values.user_classes import says_order
from graph_program.extract.stage.values.values import Mixed, Static, Tensor, Text, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import FLOAT64, INT64, PY_FLOAT, PY_INT, Kind, TensorType

# ---------------------------------------------------------------- values


def mixture(value: Value) -> Mixed | None:
    """The values of which one is one, depending on the path taken."""
    found = value if isinstance(value, Mixed) else choice_of_texts(value)
    return None if found is None or found.selector is None or found.grows else found


@layout_of_thing.of(Mixed)
def layout_of_mixture(m: Machine, value: Value, lookup: Lookup) -> Layout | None:
    """The layout of a value that is one of several things."""
    mixed = mixture(value)
    if mixed is None:
        return None
    found = [
        layout_of_mixture(m, one, lookup) if mixture(one) else layout_of(m, one, lookup) for one in things_of(mixed)
    ]
    return None if any(x is None for x in found) else choice_of([x for x in found if x is not None])


@layout_of_thing.of(Text)
def _layout_of_text(m: Machine, value: Text, lookup: Lookup) -> Layout:
    return layout_of_mixture(m, value, lookup) or OnHost(Leaf(NUMBER), str)


@element_values.cells.of(Choice)
def _cells(m: Machine, layout: Choice, value: Value, lookup: Lookup) -> Iterator[Value | None]:
    """What an element has in each column: which thing it is, and the number of each class."""
    value = told_of(value)
    mixed = mixture(value)
    if mixed is None:
        number = _number(m, layout, value)
        yield Static(number)
        yield from (value if i == number else None for i, part in enumerate(layout.parts) for _ in leaves(part))
        return
    yield m.cast(one_of_several.of_each(m, mixed, lambda v: Static(_number(m, layout, v)), mixture), INT64)
    for part in layout.parts:
        if isinstance(part, Leaf):
            yield one_of_several.of_each(m, mixed, partial(_of_class, part.type), mixture)


def _number(m: Machine, layout: Choice, value: Value) -> int:
    own = layout_of(m, value, m.live.heap.__getitem__)
    number = None if own is None else number_in(layout.parts, own)
    assert number is not None
    return number


def _of_class(type_: TensorType, value: Value) -> Value:
    """The number where it has this class; any of the class otherwise."""
    if is_numeric(value) and type_of(value) == type_:
        return value
    cls: Any = type_.python_class if type_.kind is Kind.PYTHON else type_.dtype.type
    return Static(cls(0))


@element_values.built.of(Choice)
def _built(m: Machine, layout: Choice, parts: Iterator[Tensor], holder: Growing | None) -> Value:
    """An element from what its columns have for it."""
    selector = m.reclassed(next(parts), Kind.PYTHON)
    m.choices.mixed = selector.born
    values = tuple(next(parts) if isinstance(p, Leaf) else p.value for p in layout.parts if isinstance(p, Leaf | Same))
    described = describe_all(values)
    mixed = Mixed(values, (), described, None, selector)
    return Text(((mixed, "", ""),)) if all(map(is_text, values)) else mixed


# ---------------------------------------------------------------- columns


@list_columns.columns_in_choice.given
def columns_in(m: Machine, whole: Growing, ours: Layout, wanted: Choice, columns: Iterator[Column]) -> list[Column]:
    """The columns of elements, in a layout in which they may be more things than before."""
    theirs = alternatives(ours)
    assert theirs is not None
    numbers = [number_in(wanted.parts, part) for part in theirs]
    selector = _selector(m, whole, ours, numbers, columns)
    if isinstance(ours, Classed):
        data = next(columns)
        own = dict.fromkeys(numbers, data)
    else:
        own = {i: next(columns) for i, part in zip(numbers, theirs, strict=True) if isinstance(part, Leaf)}
    found = (
        own.get(i) or list_columns.filled(m, whole, part, 0)
        for i, part in enumerate(wanted.parts)
        if isinstance(part, Leaf)
    )
    return [selector, *found]


def _selector(
    m: Machine, whole: Growing, ours: Layout, numbers: Sequence[int | None], columns: Iterator[Column]
) -> Column:
    """Which thing each element is, by its number among more."""
    if not isinstance(ours, Choice | Classed):
        return list_columns.filled(m, whole, Leaf(TensorType(INT64)), numbers[0] or 0)
    before = next(columns)
    if isinstance(ours, Choice) and numbers == list(range(len(numbers))):
        return before
    own = before.data
    if isinstance(ours, Classed):  # it says whether a number is Python's
        own = m.cast(m.op("invert", own), INT64)
    table = m.constant(np.asarray(numbers, np.int64))
    return Column(m.op("take", table, own, axis=0))


def number_columns(layout: Choice, columns: Iterator[Column]) -> tuple[Tensor, list[Tensor]] | None:
    """Which class each number has, and the numbers of each class; None where some elements are no numbers."""
    if not all(isinstance(part, Leaf) for part in layout.parts):
        return None
    return next(columns).data, [next(columns).data for _ in layout.parts]


def selected(m: Machine, which: Tensor, choices: Sequence[Tensor]) -> Tensor:
    """Of several columns, in each row that which its number says."""
    found, *rest = choices
    for number, data in enumerate(rest, start=1):
        found = m.op("where", m.op("equal", which, m.constant(np.asarray(number, np.int64))), data, found)
    return found


def as_floats(m: Machine, layout: Choice, columns: Iterator[Column], dtype: np.dtype[Any]) -> Tensor | None:
    """Numbers of several classes as floats; None where some elements are no numbers."""
    given = number_columns(layout, columns)
    return None if given is None else selected(m, given[0], [m.cast(data, dtype) for data in given[1]])


def key_columns(m: Machine, layout: Choice, columns: Iterator[Column]) -> list[Tensor] | None:
    """What ints and floats are compared by: as floats, and ints that are the same float by what is left.

    Known things with an order, such as strings, are compared by their places in it.
    """
    if all(isinstance(part, Same) for part in layout.parts):
        return _known_ranks(m, layout, next(columns).data)
    given = number_columns(layout, columns)
    if given is None:
        return None
    which, numbers = given
    floats = [m.cast(data, FLOAT64) for data in numbers]
    left = [_left(m, data, rounded) for data, rounded in zip(numbers, floats, strict=True)]
    return [selected(m, which, floats), selected(m, which, left)]


def _known_ranks(m: Machine, layout: Choice, which: Tensor) -> list[Tensor] | None:
    """The places of known things among each other; None where they have no order."""
    things = [known.value for known in known_things(layout) or ()]
    if not things or any(not isinstance(thing, str | int | float) or says_order(type(thing)) for thing in things):
        return None
    try:
        ranks = [sum(other < thing for other in things) for thing in things]
    except TypeError:
        return None
    return [m.op("take", m.constant(np.asarray(ranks)), which, axis=0)]


def _left(m: Machine, data: Tensor, rounded: Tensor) -> Tensor:
    """What an int has more than the float that is next to it."""
    if data.type.dtype.kind == "f":
        return m.op("full", m.constant(np.asarray(0, np.int64)), m.dimension(data, 0))
    low, high = exact_comparisons.halves(m, m.cast(data, INT64))
    return m.op("subtract", low, m.cast(m.op("subtract", rounded, m.cast(high, FLOAT64)), INT64))


def total(m: Machine, whole: Growing, add: Callable[[Value], Value]) -> Value | None:
    """The sum of ints and floats of Python, as `add` makes it: a float where there is one; None for other things."""
    assert isinstance(whole.layout, Choice)
    parts = [part for part in whole.layout.parts if isinstance(part, Leaf)]
    if [p.type for p in parts] not in ([PY_INT, PY_FLOAT], [PY_FLOAT, PY_INT]) or len(parts) < len(whole.layout.parts):
        return None
    which, *columns = whole.columns
    floats = selected(m, which.data, [m.cast(c.data, FLOAT64) for c in columns])
    ints = columns[[p.type for p in parts].index(PY_INT)]
    one = m.constant(np.asarray([p.type == PY_FLOAT for p in parts]))
    some = m.op("any", m.op("take", one, which.data, axis=0), axes=(0,), keepdims=False, kind=Kind.PYTHON)

    def summed(type_: TensorType, column: Column) -> Value:
        return add(new_list(m, Growing(Leaf(type_), (column,))))

    return flow.choose(m, some, lambda: summed(PY_FLOAT, Column(floats)), lambda: summed(PY_INT, ints))
