"""What Python does with lists, for lists of computed length.

    rows[i]           check i < -n or i >= n: IndexError          t = take(rows, i, axis=0)
    rows.insert(i, x)                                             rows := rows[:i] + [x] + rows[i:]

All of it is made of a few operations on columns: joining, cutting, reading a row (`stage/lists/columns`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from graph_program.extract.stage.arrays.indices import indexing
from graph_program.extract.stage.arrays.operation_checks import require_position
from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.lists import element_writes, list_columns, list_loops
from graph_program.extract.stage.lists.columns import cut, grown, replaced, row, with_another, with_row
from graph_program.extract.stage.lists.common_layouts import covers
from graph_program.extract.stage.lists.list_columns import length
from graph_program.extract.stage.machine.checks import booleans, lengths
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import elements
from graph_program.extract.stage.numbers import arithmetic, exact_comparisons
from graph_program.extract.stage.operations import iteration, objects, operators
from graph_program.extract.stage.operations.known_and_truth import contents_of, truth_value
from graph_program.extract.stage.operations.of_numbers.conversions import index_of
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import member_numbers, one_of_several
from graph_program.extract.stage.values.column_data import Column, Growing, Order
from graph_program.extract.stage.values.layouts import Contents, Leaf
from graph_program.extract.stage.values.questions import is_just, is_known, known_value
from graph_program.extract.stage.values.structure import class_name
from graph_program.extract.stage.values.values import NONE, Ref, SliceValue, Static, Tensor, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import INT64, Kind
from graph_program.tensor_api.ops.indexing import INT64_MAX

ZERO, ONE, END = Static(0), Static(1), Static(INT64_MAX)


def contents(m: Machine, ref: Ref) -> Contents:
    """What a list holds: values where the length is known, else columns."""
    found = m.live.heap[ref]
    return found if isinstance(found, Growing) else contents_of(m, ref)


def column_name(m: Machine, value: Value) -> str:
    """The name of a list's first column, after that of the list; "result" for anything else."""
    contents = m.live.heap[value] if lengths.is_growing(m, value) else None
    operand = contents.columns[0].data.operand if isinstance(contents, Growing) else None
    return operand if isinstance(operand, str) and not operand.startswith("item") else "result"


def as_growing(m: Machine, found: Contents) -> Growing:
    """Contents as columns, for what needs positions that are computed."""
    result = grown(m, found, m.live.heap.__getitem__)
    if result is None:
        raise growing.no_common_layout(m, [found])
    return result


# ---------------------------------------------------------------- positions


def checked_position(m: Machine, found: Contents, index: Value, text: str) -> Value:
    """A position in a list, checked to be inside; negative ones count from the end."""
    position = index_of(m, index)
    require_position(m, length(m, found), position, text)
    return position


def from_start(m: Machine, position: Value, size: Value) -> Value:
    """A position that is inside, counted from the start."""
    if is_known(position):
        return position if position.value >= 0 else arithmetic.arithmetic(m, "+", size, position)
    negative = arithmetic.compare(m, "<", position, ZERO)
    return arithmetic.select_int(m, negative, arithmetic.arithmetic(m, "+", position, size), position)


def clamped(m: Machine, bound: Value, size: Value, missing: Value) -> Value:
    """A bound of a slice with step 1, counted from the start and inside."""
    if is_just(bound, None):
        return missing
    return arithmetic.slice_bound(m, index_of(m, bound), size, ZERO, size)


# ---------------------------------------------------------------- reading


def item(m: Machine, found: Contents, key: Value, kind: str = "list", holder: Ref | None = None) -> Value | Contents:
    """`items[key]`: an element, or the contents of a new list."""
    whole = as_growing(m, found)
    if isinstance(key, SliceValue):
        return part(m, whole, key)
    key = member_numbers.number(m, key)
    if not is_numeric(key):
        raise m.error("GP302", f"{kind} indices must be integers or slices, not {class_name(key)}")
    position = checked_position(m, whole, key, f"{kind} index out of range")
    value = one_of_several.read(m, row(m, whole, position))
    if holder is None or not elements.is_noted(whole):
        return value
    return elements.noted(m, holder, from_start(m, position, length(m, whole)), value)


def part(m: Machine, whole: Growing, key: SliceValue) -> Growing:
    """`items[start:stop:step]`."""
    bounds = SliceValue(*(b if is_just(b, None) else index_of(m, b) for b in (key.start, key.stop, key.step)))
    if growing.uniform_columns(whole):
        columns = tuple(Column(indexing.read_slices(m, c.data, [(0, bounds)])) for c in whole.columns)
        return replace(whole, columns=columns, order=Order())
    if known_value(bounds.step, 0) not in (None, 1):
        return growing.reordered(
            m, whole, indexing.read_slices(m, m.op("iota", length(m, whole)), [(0, bounds)]), once=True
        )
    start = ZERO if is_just(bounds.start, None) else bounds.start
    stop = END if is_just(bounds.stop, None) else bounds.stop
    return cut(m, whole, start, stop)


def unpacked(m: Machine, whole: Growing, before: int, after: int) -> list[Value]:
    """The elements for `a, *b, c = items`: those in front, a list of those between, those behind."""
    size = length(m, whole)
    few = arithmetic.compare(m, "<", size, Static(before + after))
    text = f"not enough values to unpack (expected at least {before + after}, got "
    flow.raise_where(m, few, ValueError, text, size, ")")
    first = [row(m, whole, Static(i)) for i in range(before)]
    last = [row(m, whole, Static(i - after)) for i in range(after)]
    middle = cut(m, whole, Static(before), Static(-after) if after else END)
    return [*first, objects.new_list(m, middle), *last]


# ---------------------------------------------------------------- changing


def with_item(m: Machine, found: Contents, key: Value, value: Value) -> Contents:
    """The contents after `items[key] = value`."""
    whole = as_growing(m, found)
    text = "list assignment index out of range"
    lookup = m.live.heap.__getitem__
    layout = growing.layout_of_contents(m, (value,), lookup)
    fits = layout is not None and covers(whole.layout, layout)
    if not fits or not growing.uniform_columns(whole):
        position, size = index_of(m, key), length(m, whole)
        low = arithmetic.compare(m, "<", position, arithmetic.arithmetic(m, "-", ZERO, size))
        m.check(booleans.either(m, low, arithmetic.compare(m, ">=", position, size)), IndexError, text)
        start = from_start(m, position, size)
        return with_another(m, whole, start, value)
    new = list_columns.packed(m, (value,), whole.layout, lookup)
    where = m.cast(checked_position(m, whole, key, text), INT64)
    held = [growing.held(c, lookup) for c in (whole, (value,))]
    apart = whole.apart and elements.are_apart(m, [value], elements.born(whole))
    made = growing.stand_ins(m, whole.layout, held)
    return replace(whole, columns=with_row(m, whole, new, where), **made, apart=apart, order=Order())


def with_slice(m: Machine, found: Contents, key: SliceValue, new: Contents) -> Contents:
    """The contents after `items[start:stop] = new`."""
    if known_value(key.step, 0) not in (None, 1):
        raise m.error(
            "GP353",
            "assignment to a slice with a step, of a list of computed length",
            hint="write the elements one by one",
        )
    size = length(m, found)
    start, stop = clamped(m, key.start, size, ZERO), clamped(m, key.stop, size, size)
    if found == ():
        return new
    stop = m.op("maximum", m.cast(start, INT64), m.cast(stop, INT64), kind=Kind.PYTHON)
    return replaced(m, as_growing(m, found), start, stop, new)


def without(m: Machine, found: Contents, index: Value, text: str, holder: Ref | None = None) -> tuple[Value, Contents]:
    """An element, and the contents without it; of a list that alone has it, it is then one of its own."""
    if found == ():
        m.raise_(IndexError, (text,))
    whole = as_growing(m, found)
    position = checked_position(m, whole, index, text)
    alone = holder is not None and isinstance(found, Growing) and element_writes.is_alone(m, holder, found)
    if alone:
        whole = replace(whole, **growing.stand_ins(m, whole.layout, []))
    value = row(m, whole, position, taken=alone)
    if known_value(position) == -1:
        return value, cut(m, whole, ZERO, position)
    start = from_start(m, position, length(m, whole))
    return value, replaced(m, whole, start, arithmetic.arithmetic(m, "+", start, ONE), ())


def popped(m: Machine, found: Contents, index: Value, holder: Ref) -> tuple[Value, Contents]:
    """`pop(index)`: the element, and the contents without it."""
    if known_value(index) in (0, -1):
        return without(m, found, index, "pop from empty list", holder)
    m.check(arithmetic.compare(m, "==", length(m, found), ZERO), IndexError, "pop from empty list")
    return without(m, found, index, "pop index out of range", holder)


def inserted(m: Machine, found: Contents, index: Value, value: Value) -> Contents:
    """The contents after `insert(index, value)`."""
    if found == ():
        return (value,)
    place = clamped(m, index, length(m, found), ZERO)
    return replaced(m, as_growing(m, found), place, place, (value,))


def turned(m: Machine, whole: Growing) -> Growing:
    """The elements in reverse."""
    return part(m, whole, SliceValue(NONE, NONE, Static(-1)))


def repeated(m: Machine, found: Contents, times: Value) -> Contents:
    """`items * times`."""
    if isinstance(found, tuple) and not found:
        return ()
    whole, count = as_growing(m, found), index_of(m, times)
    size = length(m, whole)
    known = m.op("maximum", m.cast(count, INT64), m.cast(ZERO, INT64), kind=Kind.PYTHON)
    total = arithmetic.arithmetic(m, "*", known, size)
    if known_value(size) == 1:
        return growing.reordered(m, whole, m.op("full", m.constant(np.zeros((), np.int64)), known))
    divisor = m.op("maximum", m.cast(size, INT64), m.cast(ONE, INT64))
    return growing.reordered(m, whole, m.op("remainder", m.op("iota", total), divisor))


# ---------------------------------------------------------------- searching


def matches(m: Machine, whole: Growing, value: Value) -> Tensor | None:
    """For a list of numbers: which of them are equal to a number; None where that is to be asked of each."""
    leaf = whole.layout
    if not isinstance(leaf, Leaf) or leaf.type.rank or leaf.type.kind is Kind.ARRAY or not is_numeric(value):
        return None
    if type_of(value).kind is Kind.ARRAY or (leaf.type.kind, type_of(value).kind) == (Kind.PYTHON, Kind.NUMPY):
        return None
    data = whole.columns[0].data
    if leaf.type.kind is Kind.PYTHON and exact_comparisons.may_round(data, value):
        return None
    found = operators.comparison(m, "==", data, value)
    return found if isinstance(found, Tensor) else None


def searched(m: Machine, found: Contents, value: Value) -> Tensor:
    """Which elements of a list are equal to a value, as a vector of bools."""
    whole = as_growing(m, found)
    direct = matches(m, whole, value)
    if direct is not None:
        return direct
    tests = list_loops.mapped(m, whole, lambda v: truth_value(m, operators.comparison(m, "==", v, value)))
    return as_growing(m, tests).columns[0].data


def contains(m: Machine, found: Contents, value: Value) -> Value:
    """`value in items`."""
    direct = matches(m, as_growing(m, found), value)
    if direct is not None:
        return m.op("any", direct, axes=(0,), keepdims=False, kind=Kind.PYTHON)
    source = source_of(m, lambda: as_growing(m, found))
    return list_loops.quantified(m, source, "any", lambda v: truth_value(m, operators.comparison(m, "==", v, value)))


def count_of(m: Machine, found: Contents, value: Value) -> Value:
    """`items.count(value)`."""
    equal = m.cast(searched(m, found, value), INT64)
    result = m.op("sum", equal, axes=(0,), keepdims=False, kind=Kind.PYTHON)
    result.bits = 48
    return result


def position_of(m: Machine, found: Contents, value: Value, missing: tuple[object, ...]) -> Value:
    """`items.index(value)`; `missing` is the text of the ValueError."""
    equal = searched(m, found, value)
    absent = booleans.negate(m, m.op("any", equal, axes=(0,), keepdims=False, kind=Kind.PYTHON))
    flow.raise_where(m, absent, ValueError, *missing)
    result = m.op("argmax", m.cast(equal, np.dtype(np.uint8)), axis=0, keepdims=False, kind=Kind.PYTHON)
    result.bits = 48
    return result


# ---------------------------------------------------------------- comparing


def equal(m: Machine, a: Contents, b: Contents) -> Value:
    """`a == b` of two lists, one of which has a computed length."""
    sizes = length(m, a), length(m, b)
    same = arithmetic.compare(m, "==", *sizes)

    def elements() -> Value:
        x, y = as_growing(m, a) if a != () else None, as_growing(m, b) if b != () else None
        if x is None or y is None:
            return Static(True)

        def pair_equal(k: Value) -> Value:
            return truth_value(m, operators.comparison(m, "==", row(m, x, k), row(m, y, k)))

        source = iteration.Source(lambda: sizes[0], lambda k: k)
        return list_loops.quantified(m, source, "all", pair_equal)

    return flow.choose(m, same, elements, lambda: Static(False))


# ---------------------------------------------------------------- iteration


def source_of(m: Machine, present: Callable[[], Contents], ref: Ref | None = None) -> iteration.Source:
    """The elements of a list, read from what it holds when a round begins."""
    first = as_growing(m, present())
    size = length(m, first)
    count = lengths.length_dim_of(m, first).constant

    def item_at(k: Value) -> Value:
        now = as_growing(m, present())
        if lengths.length_dim_of(m, now) != lengths.length_dim_of(m, first):
            raise m.error(
                "GP319",
                "this list changes its length while it is iterated",
                hint="iterate over a copy of it: list(...)",
            )
        value = one_of_several.read(m, row(m, now, k))
        return value if ref is None or not elements.is_noted(now) else elements.noted(m, ref, k, value)

    arrays: tuple[Value, ...] = () if first.arrays is None else (first.arrays,)
    if ref is not None and elements.is_noted(first):
        arrays = (ref,)
    return iteration.indexed_source(lambda: size, item_at, count, arrays)


@iteration.length.of(Ref, holding=(list, tuple))
def _length(m: Machine, ref: Ref) -> Value:
    return list_columns.length(m, contents(m, ref))


@iteration.source.of(Ref)
def _source(m: Machine, ref: Ref) -> iteration.Source:
    """How to go through a list of computed length."""
    if not lengths.is_growing(m, ref):
        return iteration.source.declared(m, ref)
    return source_of(m, lambda: contents(m, ref), ref)
