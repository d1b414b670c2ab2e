"""`np.pad`, along one axis after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.library.arrays import paddings
from graph_program.extract.stage.arrays.lowering_arguments import (
    ZERO,
    array,
    as_size,
    dtype_error,
    is_given,
    is_sequence,
    number,
    numpy_function,
    result_dtype,
    sequence,
    size_op,
    sizes_of,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_not_negative
from graph_program.extract.stage.machine.checks.booleans import both
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import contents_of, numeric, static, tensor
from graph_program.extract.stage.operations.of_numbers.conversions import as_element
from graph_program.extract.stage.paths.size_messages import check
from graph_program.extract.stage.values.choices import is_function
from graph_program.extract.stage.values.questions import is_known, is_known_as, is_ref_to, known_value
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value, type_of
from graph_program.extract.types.tensors.tensor_type import BOOL, COMPLEX128, FLOAT64, INT64, Kind

CONSTANT, EVEN = Static("constant"), Static("even")
PYTHONS = {"b": BOOL, "i": INT64, "u": INT64, "f": FLOAT64, "c": COMPLEX128}
"""The element types of Python's numbers, by the kind of others."""
Pair = tuple[Value, Value]


@numpy_function(np.pad)
def pad(m: Machine, array: Value, pad_width: Value, mode: Value = CONSTANT, **kwargs: Value) -> Value:
    """`np.pad`, in all modes and with functions of the user."""
    x = as_array(m, array)
    widths = widths_of(m, pad_width, x.rank)
    if is_function(mode):
        return padded_by(m, x, widths, mode, kwargs)
    how = static(m, mode, "the mode of pad")
    if how not in MODES:
        raise value_error(m, f"mode '{how}' is not supported")
    extend, options = MODES[how]
    unknown = {name for name in kwargs if name not in options}
    if unknown:
        raise value_error(m, f"unsupported keyword arguments for mode '{how}': {unknown}")
    return m.copied(extend(m, x, widths, how, **kwargs))


as_array = array


# ---------------------------------------------------------------- arguments


def widths_of(m: Machine, value: Value, rank: int) -> list[Pair]:
    """How much is put before and after each axis."""
    if is_known_as(value, dict):
        return by_axis(m, {k: lifted(v) for k, v in value.value.items()}, rank)
    if is_ref_to(value, dict):
        return by_axis(m, contents_of(m, value), rank)
    shape, given = listed(m, value)
    if not given or result_dtype(m, *given, weak=False).kind != "i":
        raise dtype_error(m, "`pad_width` must be of integral type.")
    found, _ = pairs(m, shape, [as_size(m, v) for v in given], rank)
    return not_negative(m, found)


def lifted(width: Any) -> Value:
    """A known width or pair as a value."""
    return Tuple(tuple(map(Static, width))) if isinstance(width, tuple) else Static(width)


def by_axis(m: Machine, widths: dict[Any, Value], rank: int) -> list[Pair]:
    """The widths of the axes that a dict names."""
    found: list[Pair] = [(ZERO, ZERO)] * rank
    for axis, width in widths.items():
        if not isinstance(axis, int) or not -rank <= axis < rank:
            raise m.error("GP303", "list assignment index out of range", cls=diagnostics.ProgramIndexError)
        pair = [width, width] if not isinstance(width, Tuple) else list(width.elts)
        if len(pair) != 2 or not all(arithmetic.is_python_int(v) for v in pair):
            raise dtype_error(m, "a width of np.pad in a dict is an int or a tuple of two")
        found[axis] = (as_size(m, pair[0]), as_size(m, pair[1]))
    return not_negative(m, found)


def not_negative(m: Machine, widths: list[Pair]) -> list[Pair]:
    """Widths, or lengths, after the check that none is negative."""
    for size in dict.fromkeys(size for pair in widths for size in pair):
        check_not_negative(m, size, "index can't contain negative values")
    return widths


def lengths_of(m: Machine, value: Value, rank: int) -> list[Pair]:
    """How many elements at each end of the axes a statistic is taken of; None for all."""
    if not is_given(value):
        return [(NONE, NONE)] * rank
    shape, given = listed(m, value)
    found, _ = pairs(m, shape, [as_size(m, rounded(m, v)) for v in given], rank)
    return not_negative(m, found)


def rounded(m: Machine, value: Value) -> Value:
    """A number as the nearest int."""
    if type_of(value).dtype.kind != "f":
        return value
    return Static(int(np.round(value.value))) if is_known(value) else m.cast(m.op("rint", value), INT64)


def numbers(m: Machine, value: Value, rank: int) -> list[Pair]:
    """A number before and after each axis: NumPy's own, but Python's where the axes have different ones."""
    shape, given = listed(m, value)
    if not given:
        return pairs(m, shape, [], rank)[0]
    dtype = result_dtype(m, *given, weak=False)
    found, single = pairs(m, shape, [m.cast(v, dtype, Kind.NUMPY) for v in given], rank)
    if single:
        return found
    wide = PYTHONS[dtype.kind]
    return [(m.cast(a, wide, Kind.PYTHON), m.cast(b, wide, Kind.PYTHON)) for a, b in found]


def listed(m: Machine, value: Value) -> tuple[tuple[int, ...], list[Value]]:
    """The shape of a number, of a list of them or of a list of lists, and the numbers."""
    if not has_items(m, value):
        return (), [numeric(m, value)]
    rows = sequence(m, value, "the widths")
    if not any(has_items(m, row) for row in rows):
        return (len(rows),), [numeric(m, v) for v in rows]
    items = [sequence(m, row, "a pair") if has_items(m, row) else [] for row in rows]
    if not all(has_items(m, row) and len(found) == len(items[0]) for row, found in zip(rows, items, strict=True)):
        text = "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1"
        raise value_error(m, f"{text} dimensions. The detected shape was {(len(rows),)} + inhomogeneous part.")
    return (len(rows), len(items[0])), [numeric(m, v) for row in items for v in row]


def has_items(m: Machine, value: Value) -> bool:
    """Whether a value is a list, a tuple or an array that has an axis."""
    return is_sequence(m, value) or type_of(numeric(m, value)).rank > 0


def pairs(m: Machine, shape: tuple[int, ...], given: Sequence[Value], rank: int) -> tuple[list[Pair], bool]:
    """A (before, after) pair per axis from NumPy's short forms, and whether it is the same for all axes."""
    if len(given) == 1 or (len(given) == 2 and shape != (2, 1)):
        return [(given[0], given[-1])] * rank, True
    try:
        places = np.broadcast_to(np.arange(len(given)).reshape(shape), (rank, 2))
    except ValueError as error:
        raise value_error(m, str(error)) from None
    return [(given[i], given[j]) for i, j in places], False


# ---------------------------------------------------------------- axes


def with_constants(m: Machine, x: Tensor, widths: list[Pair], how: str, constant_values: Value = ZERO) -> Tensor:
    """All axes with constants before and after."""
    for axis, (sizes, ends) in enumerate(zip(widths, numbers(m, constant_values, x.rank), strict=True)):
        x = padded_with(m, x, axis, sizes, ends)
    return x


def with_ramps(m: Machine, x: Tensor, widths: list[Pair], how: str, end_values: Value = ZERO) -> Tensor:
    """All axes with numbers that lead to end values."""
    for axis, (sizes, ends) in enumerate(zip(widths, numbers(m, end_values, x.rank), strict=True)):
        x = tensor(m, entries.run(m, paddings.ramped, x, Static(axis), *sizes, *ends))
    return x


def with_statistics(m: Machine, x: Tensor, widths: list[Pair], how: str, stat_length: Value = NONE) -> Tensor:
    """All axes with statistics of their elements."""
    for axis, (sizes, lengths) in enumerate(zip(widths, lengths_of(m, stat_length, x.rank), strict=True)):
        x = tensor(m, entries.run(m, paddings.with_statistics, x, Static(axis), *sizes, *lengths, Static(how)))
    return x


def with_reflections(m: Machine, x: Tensor, widths: list[Pair], how: str, reflect_type: Value = EVEN) -> Tensor:
    """All axes mirrored, or turned about their edges."""
    if static(m, reflect_type, "the reflect type") != "odd":
        return with_own(m, x, widths, how)
    for axis, sizes in enumerate(widths):
        edge = Static(int(how == "symmetric"))
        x = tensor(m, entries.run(m, paddings.reflected_oddly, x, Static(axis), *sizes, edge))
    return x


def with_own(m: Machine, x: Tensor, widths: list[Pair], how: str) -> Tensor:
    """All axes with their own elements before and after."""
    for axis, sizes in enumerate(widths):
        x = padded_from(m, x, axis, sizes, how)
    return x


def padded_by(m: Machine, x: Tensor, widths: list[Pair], function: Value, kwargs: dict[str, Value]) -> Value:
    """An array with zeros around it that a function of the user changes."""
    x = m.copied(with_constants(m, x, widths, "constant"))
    return entries.run(m, paddings.padded_by, x, Tuple(tuple(map(Tuple, widths))), function, **kwargs)


def padded_with(m: Machine, x: Tensor, axis: int, widths: Pair, ends: Pair) -> Tensor:
    """An axis with constants before and after."""
    parts: list[Tensor] = [x]
    for width, end, place in ((widths[0], ends[0], 0), (widths[1], ends[1], len(parts))):
        if known_value(width) == 0:
            continue
        sizes = sizes_of(m, x)
        sizes[axis] = width
        value = as_element(m, end, x.type.dtype)
        part = m.op("full", value, *sizes)
        parts = [part, *parts] if place == 0 else [*parts, part]
    return parts[0] if len(parts) == 1 else m.op("concatenate", *parts, axis=axis)


def padded_from(m: Machine, x: Tensor, axis: int, widths: Pair, how: str) -> Tensor:
    """An axis with its own elements before and after."""
    before, after = widths
    if all(known_value(w) == 0 for w in widths):
        return x
    size = m.dimension(x, axis)
    empty = arithmetic.compare(m, "==", size, ZERO)
    total = size_op(m, "+", size_op(m, "+", before, size), after)
    text = f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
    check(m, both(m, empty, arithmetic.compare(m, "!=", total, ZERO)), ValueError, text)
    positions = m.op("iota", total)
    start = m.cast(before, INT64)
    n = m.cast(size, INT64)
    source = SOURCES[how](m, m.op("subtract", positions, start), n)
    return m.op("take", x, source, axis=axis)


def _edge(m: Machine, i: Tensor, n: Tensor) -> Tensor:
    last = m.op("subtract", n, number(m, 1, INT64))
    return m.op("minimum", m.op("maximum", i, number(m, 0, INT64)), last)


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
    "wrap": lambda m, i, n: m.op("remainder", i, n),
}
"""Where each element of a padded axis comes from."""

MODES: dict[str, tuple[Callable[..., Tensor], tuple[str, ...]]] = {
    "constant": (with_constants, ("constant_values",)),
    "empty": (with_constants, ()),
    "linear_ramp": (with_ramps, ("end_values",)),
    "maximum": (with_statistics, ("stat_length",)),
    "mean": (with_statistics, ("stat_length",)),
    "median": (with_statistics, ("stat_length",)),
    "minimum": (with_statistics, ("stat_length",)),
    "reflect": (with_reflections, ("reflect_type",)),
    "symmetric": (with_reflections, ("reflect_type",)),
    "edge": (with_own, ()),
    "wrap": (with_own, ()),
}
"""What each mode does, and its options."""
