"""Values as contents of arrays: each number of a list goes in as NumPy converts it.

    x[:] = [n, 1]                            # uint8 x, a Python int n: OverflowError if it does not fit
    np.array([float(v) for v in y], np.uint8)

Python's numbers are converted one by one and raise where they do not fit; arrays are converted as C does it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.extract import library
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import iteration, known_and_truth, objects
from graph_program.extract.stage.operations.of_numbers.conversions import as_element, may_raise
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.several import member_numbers
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.layouts import Choice, Classed, Group, Layout, Leaf, Listed, leaves
from graph_program.extract.stage.values.questions import is_known_as, is_ref_to
from graph_program.extract.stage.values.values import Mixed, Range, Static, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

DType = np.dtype[Any]


@known_and_truth.as_operand.of(Range)
@known_and_truth.as_operand.of(Static, holding=range)
def _as_operand(m: Machine, value: Value, what: str) -> Value:
    return known_and_truth.numeric(m, listed(m, value), what)


def listed(m: Machine, value: Value) -> Value:
    """A value, settled; of a range a list, of a sequence of the standard library the list in it."""
    value = known_and_truth.settled(m, member_numbers.array_number(m, value) if isinstance(value, Mixed) else value)
    if isinstance(value, Range) or is_known_as(value, range):
        return objects.new_list(m, iteration.elements(m, value, "list()"))
    if is_ref_to(value, *library.PYTHON):
        return known_and_truth.settled(m, m.live.heap[value]["_items"])
    return value


# ---------------------------------------------------------------- lists of computed length


@dataclass(frozen=True)
class Numbers:
    """A column of numbers of one class; where `own` is given, only those in the rows where it holds."""

    data: Tensor
    type: TensorType
    own: Tensor | None = None


def check(m: Machine, whole: Growing, dtype: DType) -> None:
    """Raise what NumPy raises for the first number in a list that an array of integers refuses."""
    if dtype.kind in "iu" and not whole.is_open:
        _check(m, list(_numbers(m, whole.layout, iter(whole.columns), dtype)), dtype)


def _numbers(m: Machine, layout: Layout, columns: Iterator[Column], dtype: DType) -> Iterator[Numbers]:
    """The numbers of each row, in the order of an array's elements."""
    match layout:
        case Leaf(type_):
            data = next(columns).data
            if not type_.rank:
                yield Numbers(data, type_)
        case Classed(leaf):
            of_python, data = next(columns).data, next(columns).data
            yield Numbers(data, replace(leaf.type, kind=Kind.PYTHON), of_python)
            yield Numbers(data, replace(leaf.type, kind=Kind.NUMPY), m.op("invert", of_python))
        case Choice(parts) if all(isinstance(p, Leaf) for p in parts):
            which = next(columns).data
            for case, part in enumerate(parts):
                own = m.op("equal", which, m.constant(np.asarray(case)))
                yield from (replace(n, own=own) for n in _numbers(m, part, columns, dtype))
        case Group(_, _, parts):
            for part in parts:
                yield from _numbers(m, part, columns, dtype)
        case Listed(Leaf(type_)) if may_raise(type_, dtype):
            column = next(columns)
            data = column.data if column.shapes is not None else m.op("reshape", column.data, Static(-1))
            _check(m, [Numbers(data, type_)], dtype)
        case _:
            for _ in leaves(layout):
                next(columns)


def _check(m: Machine, numbers: Sequence[Numbers], dtype: DType) -> None:
    """Convert the numbers of the first row that has one that does not fit, which raises."""
    numbers = [n for n in numbers if may_raise(n.type, dtype)]
    bad: Tensor | None = None
    for each in numbers:
        own = outside(m, each.data, dtype)
        own = own if each.own is None else m.op("bitwise_and", each.own, own)
        bad = own if bad is None else m.op("bitwise_or", bad, own)
    if bad is None:
        return
    rows = bad

    def convert() -> None:
        row = m.op("argmax", m.cast(rows, np.dtype(np.uint8)), axis=0, keepdims=False)
        for each in numbers:
            _convert(m, each, row, dtype)

    flow.branch(m, m.op("any", rows, axes=(0,), keepdims=False, kind=Kind.PYTHON), convert, lambda: None)


def _convert(m: Machine, numbers: Numbers, row: Tensor, dtype: DType) -> None:
    """Convert the number of one row."""
    value = m.op("take", numbers.data, row, axis=0, kind=numbers.type.kind)
    if numbers.own is None:
        as_element(m, value, dtype)
        return
    own = m.op("take", numbers.own, row, axis=0, kind=Kind.PYTHON)

    def convert() -> None:
        as_element(m, value, dtype)

    flow.branch(m, own, convert, lambda: None)


def outside(m: Machine, data: Tensor, dtype: DType) -> Tensor:
    """Where numbers that may not all be elements of type `dtype` are out of its range."""
    info = np.iinfo(dtype)
    if data.type.dtype.kind == "f":
        data = m.cast(data, np.dtype(np.float64))
        low, high = float(info.min), float(info.max) + 1
        least = "greater" if low - 1 < low else "greater_equal"
        above = m.op(least, data, m.constant(np.asarray(low - 1)))
        return m.op("invert", m.op("bitwise_and", above, m.op("less", data, m.constant(np.asarray(high)))))
    given = np.iinfo(data.type.dtype)
    tests = [
        m.op(test, data, m.constant(np.asarray(limit, data.type.dtype)))
        for test, limit in (("less", int(info.min)), ("greater", int(info.max)))
        if given.min < limit < given.max
    ]
    return tests[0] if len(tests) == 1 else m.op("bitwise_or", *tests)
