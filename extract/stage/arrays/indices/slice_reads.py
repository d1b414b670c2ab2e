"""Slices of arrays, with bounds that may be computed: `x[a:b]`, `x[a:b, ::2]`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.stage.kinds.range_values import range_trips
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numbers.python_numbers import is_python_number
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.values.questions import is_just, is_known
from graph_program.extract.stage.values.values import (
    Maybe,
    Mixed,
    Range,
    SliceValue,
    Static,
    Tensor,
    Value,
    is_numeric,
    size_of,
    type_of,
)
from graph_program.extract.types.tensors.tensor_type import INT64, Kind
from graph_program.tensor_api.ops.indexing import INT64_MAX as INT64_MAX
from graph_program.tensor_api.ops.indexing import INT64_MIN


def read_slices(m: Machine, array: Tensor, slices: Sequence[tuple[int, SliceValue]]) -> Tensor:
    """One `slice` operation for all sliced axes; axes with a computed step are gathered."""
    known: list[tuple[int, SliceValue]] = []
    computed: list[tuple[int, SliceValue]] = []
    for axis, entry in slices:
        (known if has_static_step(entry) else computed).append((axis, entry))
    result = array
    if known:
        axes, steps, bounds = slice_arguments(m, known)
        result = m.op("slice", array, *bounds, axes=axes, steps=steps)
    for axis, entry in computed:
        result = m.op("take", result, computed_positions(m, array, axis, entry), axis=axis)
    return result


def has_static_step(entry: SliceValue) -> bool:
    size = size_of(entry.step)
    return is_known(entry.step) or (size is not None and size.constant is not None)


def slice_arguments(
    m: Machine, slices: Sequence[tuple[int, SliceValue]]
) -> tuple[tuple[int, ...], tuple[int, ...], list[Tensor]]:
    """Axes, steps and bounds of a `slice` or `set_slice` operation."""
    axes = tuple(a for a, _ in slices)
    steps = []
    for _, entry in slices:
        step = 1 if is_just(entry.step, None) else static(m, entry.step, "the step of a slice")
        if step == 0:
            m.raise_(ValueError, ("slice step cannot be zero",))
        steps.append(int(step))
    starts = [_bound(m, e.start, 0 if s > 0 else INT64_MAX) for (_, e), s in zip(slices, steps, strict=True)]
    stops = [_bound(m, e.stop, INT64_MAX if s > 0 else INT64_MIN) for (_, e), s in zip(slices, steps, strict=True)]
    return axes, tuple(steps), [*starts, *stops]


def _bound(m: Machine, value: Value, missing: int) -> Tensor:
    if is_just(value, None):
        return m.constant(np.asarray(missing, np.int64), Kind.PYTHON)
    kinds = "iub" if is_python_number(value) else "iu"  # np.bool_ is no index
    if not is_numeric(value) or type_of(value).dtype.kind not in kinds or type_of(value).rank:
        if isinstance(value, Maybe | Mixed):
            raise m.error("GP302", "a bound of a slice is None on some paths only", hint=HINT_OF_NONE)
        raise m.error("GP302", "slice indices must be integers or None or have an __index__ method")
    if is_known(value):
        return m.constant(np.asarray(min(max(int(value.value), INT64_MIN), INT64_MAX), np.int64), Kind.PYTHON)
    return m.cast(value, INT64)


def computed_positions(m: Machine, array: Tensor, axis: int, entry: SliceValue) -> Tensor:
    """The positions that `start:stop:step` selects, where the step is computed."""
    n = m.dimension(array, axis)
    step = m.cast(entry.step, INT64, Kind.PYTHON)
    zero, one = Static(0), Static(1)
    m.check(arithmetic.compare(m, "==", step, zero), ValueError, "slice step cannot be zero")
    up = arithmetic.compare(m, ">", step, zero)
    low = arithmetic.select_int(m, up, zero, Static(-1))
    high = arithmetic.select_int(m, up, n, arithmetic.arithmetic(m, "-", n, one))

    def bound(value: Value, missing: Value) -> Value:
        return missing if is_just(value, None) else arithmetic.slice_bound(m, value, n, low, high)

    start = bound(entry.start, arithmetic.select_int(m, up, low, high))
    stop = bound(entry.stop, arithmetic.select_int(m, up, high, low))
    count = range_trips(m, Range(start, stop, step))
    numbers = m.op("iota", m.op("maximum", m.cast(count, INT64), m.cast(zero, INT64), kind=Kind.PYTHON))
    return m.op("add", m.cast(start, INT64), m.op("multiply", numbers, m.cast(step, INT64)))


HINT_OF_NONE = "write the number that None stands for: `x[: max(len(x) - n, 0)]` for `x[: -n or None]`"
