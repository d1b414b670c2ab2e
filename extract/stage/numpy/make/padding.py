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
    numpy_function,
    result_dtype,
    sequence,
    sizes_of,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_not_negative
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.program_arguments import answers
from graph_program.extract.stage.operations.known_and_truth import contents_of, numeric, static
from graph_program.extract.stage.operations.of_numbers.conversions import as_element
from graph_program.extract.stage.values.choices import is_function
from graph_program.extract.stage.values.questions import is_known, is_known_as, is_ref_to, known_value
from graph_program.extract.stage.values.values import NONE, Static, Tuple, Value, type_of
from graph_program.extract.types.tensors.tensor_type import BOOL, COMPLEX128, FLOAT64, INT64, Kind

CONSTANT = Static("constant")
PYTHONS = {"b": BOOL, "i": INT64, "u": INT64, "f": FLOAT64, "c": COMPLEX128}
"""The element types of Python's numbers, by the kind of others."""
Pair = tuple[Value, Value]


@numpy_function(np.pad)
def pad(m: Machine, array: Value, pad_width: Value, mode: Value = CONSTANT, **kwargs: Value) -> Value:
    """`np.pad`, in all modes and with functions of the user."""
    x = as_array(m, array)
    widths = widths_of(m, pad_width, x.rank)
    sizes = as_tuples(widths)
    if is_function(mode):
        return entries.run(m, paddings.padded_by, x, sizes, mode, **kwargs)
    how = static(m, mode, "the mode of pad")
    if how not in MODES:
        raise value_error(m, f"mode '{how}' is not supported")
    program, options = MODES[how]
    unknown = {name for name in kwargs if name not in options}
    if unknown:
        raise value_error(m, f"unsupported keyword arguments for mode '{how}': {unknown}")
    given = (read(m, kwargs.get(name, default), x.rank) for name, (default, read) in options.items())
    return entries.run(m, program, x, sizes, Static(how), *(as_tuples(v) if isinstance(v, list) else v for v in given))


def as_tuples(pairs: Sequence[Pair]) -> Tuple:
    """A pair for each axis."""
    return Tuple(tuple(map(Tuple, pairs)))


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


# ---------------------------------------------------------------- modes


def odd_or_even(m: Machine, value: Value, rank: int) -> Value:
    """Whether what is reflected is turned about the edges."""
    return Static(is_given(value) and static(m, value, "the reflect type") == "odd")


@answers(paddings.constants)
def constants(m: Machine, x: Value, axis: Value, width: Value, value: Value) -> Value:
    beside = array(m, x)
    sizes = [width if i == known_value(axis) else size for i, size in enumerate(sizes_of(m, beside))]
    return m.op("full", as_element(m, value, beside.type.dtype), *sizes)


Options = Callable[[Machine, Value, int], Any]
MODES: dict[str, tuple[Callable[..., Any], dict[str, tuple[Value, Options]]]] = {
    "constant": (paddings.with_constants, {"constant_values": (ZERO, numbers)}),
    "empty": (paddings.with_zeros, {}),
    "linear_ramp": (paddings.with_ramps, {"end_values": (ZERO, numbers)}),
    **dict.fromkeys(
        ("maximum", "mean", "median", "minimum"), (paddings.with_statistics, {"stat_length": (NONE, lengths_of)})
    ),
    **dict.fromkeys(("reflect", "symmetric"), (paddings.with_reflections, {"reflect_type": (NONE, odd_or_even)})),
    **dict.fromkeys(("edge", "wrap"), (paddings.with_own, {})),
}
"""What each mode does, and its options: what they are where they are not given, and how they are read."""
