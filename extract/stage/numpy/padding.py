"""`np.pad`, along one axis after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from graph_program.extract.stage import operators
from graph_program.extract.stage.booleans import both
from graph_program.extract.stage.conversions import as_element
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.numpy.common import (
    INT64,
    ZERO,
    array,
    as_size,
    is_sequence,
    number,
    numpy_function,
    sequence,
    size_op,
    sizes_of,
    value_error,
)
from graph_program.extract.stage.numpy.size_checks import check, check_not_negative
from graph_program.extract.stage.use import numeric, static, tensor
from graph_program.extract.stage.values import Static, Tensor, Value, type_of
from graph_program.extract.types.tensor_type import Kind


@numpy_function(np.pad)
def pad(
    m: Machine,
    array: Value,
    pad_width: Value,
    mode: Value = Static("constant"),  # noqa: B008
    *,
    constant_values: Value = ZERO,
    reflect_type: Value = Static("even"),  # noqa: B008
) -> Value:
    """`np.pad`: constant, edge, reflect, symmetric, wrap or empty."""
    x = as_array(m, array)
    how = static(m, mode, "the mode of pad")
    if how not in ("constant", "empty") and how not in SOURCES:
        raise m.error(
            "GP321", f"np.pad has no graph form for `mode={how!r}`", hint=f"use one of constant, {', '.join(SOURCES)}"
        )
    if static(m, reflect_type, "the reflect type") != "even":
        raise m.error("GP321", "np.pad has no graph form for `reflect_type='odd'`")
    widths = pairs(m, pad_width, x.rank)
    kind = Kind.NUMPY if x.rank < 3 and not _per_axis(m, constant_values) else Kind.PYTHON
    values = pairs(m, constant_values, x.rank)
    for axis, ((before, after), ends) in enumerate(zip(widths, values, strict=True)):
        sizes = [as_size(m, before), as_size(m, after)]
        for size in sizes:
            check_not_negative(m, size, "index can't contain negative values")
        x = padded_from(m, x, axis, sizes, how) if how in SOURCES else padded_with(m, x, axis, sizes, ends, kind)
    return m.copied(x)


as_array = array


def pairs(m: Machine, value: Value, rank: int) -> list[tuple[Value, Value]]:
    """A (before, after) pair per axis, from NumPy's short forms."""
    if not is_sequence(m, value) and type_of(numeric(m, value)).rank == 0:
        return [(value, value)] * rank
    rows = [sequence(m, v, "a pair") if is_sequence(m, v) else v for v in sequence(m, value, "the widths")]
    if not any(isinstance(r, list) for r in rows):
        flat_ = [r for r in rows if not isinstance(r, list)]
        if len(flat_) > 2:
            text = f"operands could not be broadcast together with remapped shapes {(len(flat_),)} and {(rank, 2)}"
            raise value_error(m, text)
        return [(flat_[0], flat_[-1])] * rank
    each = [(r[0], r[-1]) if isinstance(r, list) else (r, r) for r in rows]
    if len(each) == 1:
        return each * rank
    if len(each) != rank:
        text = "operands could not be broadcast together with remapped shapes "
        raise value_error(m, f"{text}[original->remapped]: ({len(each)},2) and requested shape ({rank},2)")
    return each


def _per_axis(m: Machine, value: Value) -> bool:
    """Whether each axis has values of its own, which NumPy makes Python's numbers."""
    return is_sequence(m, value) and any(is_sequence(m, v) for v in sequence(m, value, "the values"))


def padded_with(
    m: Machine, x: Tensor, axis: int, widths: Sequence[Value], ends: tuple[Value, Value], kind: Kind = Kind.NUMPY
) -> Tensor:
    """An axis with constants before and after, which are numbers of the class `kind` to NumPy."""
    parts: list[Tensor] = [x]
    for width, end, place in ((widths[0], ends[0], 0), (widths[1], ends[1], len(parts))):
        if isinstance(width, Static) and width.value == 0:
            continue
        sizes = sizes_of(m, x)
        sizes[axis] = width
        value = as_element(m, m.reclassed(tensor(m, end), kind), x.type.dtype)
        part = m.op("full", value, *sizes)
        parts = [part, *parts] if place == 0 else [*parts, part]
    return parts[0] if len(parts) == 1 else m.op("concatenate", *parts, axis=axis)


def padded_from(m: Machine, x: Tensor, axis: int, widths: Sequence[Value], how: str) -> Tensor:
    """An axis with its own elements before and after."""
    before, after = widths
    if all(isinstance(w, Static) and w.value == 0 for w in widths):
        return x
    size = m.dimension(x, axis)
    empty = operators.compare(m, "==", size, ZERO)
    total = size_op(m, "+", size_op(m, "+", before, size), after)
    text = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
    check(m, both(m, empty, operators.compare(m, "!=", total, ZERO)), ValueError, text)
    positions = m.op("iota", total)
    start = m.cast(before, INT64)
    n = m.cast(size, INT64)
    source = SOURCES[how](m, m.op("subtract", positions, start), n)
    return m.op("take", x, source, axis=axis)


def _edge(m: Machine, i: Tensor, n: Tensor) -> Tensor:
    last = m.op("subtract", n, number(m, 1, INT64))
    return m.op("minimum", m.op("maximum", i, number(m, 0, INT64)), last)


def _wrap(m: Machine, i: Tensor, n: Tensor) -> Tensor:
    return m.op("remainder", i, n)


def _mirrored(m: Machine, i: Tensor, n: Tensor, shared: int) -> Tensor:
    """There and back: the ends are met once (`shared` 1) or twice (0) in a period."""
    twice = m.op("multiply", n, number(m, 2, INT64))
    period = m.op("maximum", m.op("subtract", twice, number(m, 2 * shared, INT64)), number(m, 1, INT64))
    step = m.op("remainder", i, period)
    back = m.op("subtract", m.op("subtract", period, number(m, 1 - shared, INT64)), step)
    return m.op("where", m.op("less", step, n), step, back)


SOURCES: dict[str, Callable[[Machine, Tensor, Tensor], Tensor]] = {
    "edge": _edge,
    "reflect": lambda m, i, n: _mirrored(m, i, n, 1),
    "symmetric": lambda m, i, n: _mirrored(m, i, n, 0),
    "wrap": _wrap,
}
"""Where each element of a padded axis comes from."""
