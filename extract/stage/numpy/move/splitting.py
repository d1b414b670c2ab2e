"""Arrays taken apart: `split` and its relatives, `unstack`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.indices import indexing
from graph_program.extract.stage.arrays.lowering_arguments import (
    ZERO,
    array,
    as_index,
    as_size,
    axis_of,
    is_sequence,
    known,
    number,
    sequence,
    size_op,
    value_error,
)
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.operations.known_and_truth import numeric, static
from graph_program.extract.stage.values.values import NONE as NO_BOUND
from graph_program.extract.stage.values.values import SliceValue, Static, Tensor, Tuple, Value, type_of
from graph_program.extract.types.tensors.tensor_type import INT64, Kind


def pieces(m: Machine, x: Tensor, axis: int, cuts: Sequence[Value | None]) -> Value:
    """Views of the parts between cuts, as a list."""
    views = []
    for start, stop in itertools.pairwise(cuts):
        bounds = SliceValue(start or NO_BOUND, stop or NO_BOUND, NO_BOUND)
        key = Tuple(tuple(bounds if i == axis else indexing.FULL for i in range(x.rank)))
        views.append(indexing.get_tensor(m, x, key))
    return objects.new_list(m, views)


def split_at(m: Machine, x: Tensor, axis: int, where: Value, even: bool) -> Value:
    """`np.split` or `np.array_split`."""
    if is_sequence(m, where) or type_of(numeric(m, where)).rank:
        cuts = [as_size(m, v) for v in sequence(m, where, "the places to split at")]
        return pieces(m, x, axis, [None, *cuts, None])
    sections = as_index(m, static(m, where, "the number of sections"))
    if even and not sections:
        m.check(Static(True), ZeroDivisionError, "integer modulo by zero")
        return pieces(m, x, axis, [None, None])
    if sections <= 0:
        raise value_error(m, "number sections must be larger than 0.")
    size = m.dimension(x, axis)
    count = known(size)
    uneven = "array split does not result in an equal division"
    if count is not None:
        if even and count % sections:
            raise value_error(m, uneven)
        sizes = [count // sections + (i < count % sections) for i in range(sections)]
        return pieces(m, x, axis, [Static(int(c)) for c in np.cumsum([0, *sizes])])
    part = size_op(m, "//", size, Static(sections))
    rest = arithmetic.arithmetic(m, "-", size, arithmetic.arithmetic(m, "*", part, Static(sections)))
    if even:
        m.check(arithmetic.compare(m, "!=", rest, ZERO), ValueError, uneven)
        starts = [arithmetic.arithmetic(m, "*", part, Static(i)) for i in range(sections)]
        return pieces(m, x, axis, [*starts, size])
    starts = [longer_first(m, part, rest, i) for i in range(sections)]
    return pieces(m, x, axis, [*starts, size])


def longer_first(m: Machine, part: Value, rest: Value, i: int) -> Value:
    """Where section i starts, the first `rest` sections being longer by one."""
    extra = m.op("minimum", m.cast(rest, INT64), number(m, i, INT64), kind=Kind.PYTHON)
    return arithmetic.arithmetic(m, "+", arithmetic.arithmetic(m, "*", part, Static(i)), extra)


@lowers(np.split)
def split(m: Machine, ary: Value, indices_or_sections: Value, axis: Value = ZERO) -> Value:
    """`np.split`: a list of views of equal parts."""
    x = array(m, ary)
    return split_at(m, x, axis_of(m, axis, x.rank), indices_or_sections, even=True)


@lowers(np.array_split)
def array_split(m: Machine, ary: Value, indices_or_sections: Value, axis: Value = ZERO) -> Value:
    """`np.array_split`: a list of views of nearly equal parts."""
    x = array(m, ary)
    return split_at(m, x, axis_of(m, axis, x.rank), indices_or_sections, even=False)


def split_along(function: Any, axis: Callable[[int], int], least: int) -> None:
    @lowers(function)
    def run(m: Machine, ary: Value, indices_or_sections: Value) -> Value:
        x = array(m, ary)
        if x.rank < least:
            raise value_error(m, f"{function.__name__} only works on arrays of {least} or more dimensions")
        return split_at(m, x, axis(x.rank), indices_or_sections, even=True)


split_along(np.vsplit, lambda rank: 0, 2)
split_along(np.hsplit, lambda rank: 0 if rank == 1 else 1, 1)
split_along(np.dsplit, lambda rank: 2, 3)


def unstack(m: Machine, x: Value, /, *, axis: Value = ZERO) -> Value:
    """`np.unstack`: the parts along an axis of known length."""
    value = array(m, x)
    if not value.rank:
        raise value_error(m, "Input array must be at least 1-d.")
    i = axis_of(m, axis, value.rank)
    count = static(m, m.dimension(value, i), "the number of parts")
    entries = [indexing.FULL] * i
    return Tuple(
        tuple(indexing.get_tensor(m, value, Tuple((*entries, Static(k), Static(Ellipsis)))) for k in range(count))
    )


if hasattr(np, "unstack"):  # NumPy 2.1
    lowers(np.unstack)(unstack)
