"""Subscripts: `x[...]` read and written, on arrays and on structures of known length.

    x[i, 1:n]      ->  t = take(x, i, axis=0);  u = slice(t, 1, n, axes=(0,), steps=(1,))
    x[i, 1:n] = v  ->  t = take(x, i, axis=0);  u = set_slice(t, v, 1, n, ...);  x := set_index(x, u, i)

Basic indices (integers, slices, `...`, `None`) give views; integer arrays and masks give copies.
Bounds of slices may be computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.records import dataclass
from graph_program.extract.stage.arrays.operation_checks import require_inside
from graph_program.extract.stage.kinds.range_values import range_trips
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.checks.size_facts import require, require_before_the_run
from graph_program.extract.stage.machine.declared.entries import known_items
from graph_program.extract.stage.machine.inference import holds_open, tensor_term
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numbers.python_numbers import is_python_number
from graph_program.extract.stage.operations import items, iteration
from graph_program.extract.stage.operations.known_and_truth import settled, static
from graph_program.extract.stage.operations.of_numbers.conversions import own_index
from graph_program.extract.stage.paths.several import member_numbers, mixed_numbers
from graph_program.extract.stage.values.column_data import SEQUENCES, Growing
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.questions import (
    is_array_of_graph,
    is_just,
    is_known,
    is_known_as,
    is_ref_to,
    known_value,
)
from graph_program.extract.stage.values.sharing import LeadingView
from graph_program.extract.stage.values.structure import class_name
from graph_program.extract.stage.values.values import (
    NONE,
    Maybe,
    Mixed,
    Range,
    Ref,
    SliceValue,
    Static,
    Tensor,
    Tuple,
    Value,
    View,
    is_numeric,
    size_of,
    type_of,
)
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.rules.facts import Clause, condition
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64, Kind
from graph_program.tensor_api.ops.indexing import INT64_MAX as INT64_MAX
from graph_program.tensor_api.ops.indexing import INT64_MIN

FULL = SliceValue(NONE, NONE, NONE)
NOT_AN_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) "
    "and integer or boolean arrays are valid indices"
)


@dataclass(frozen=True)
class Index:
    """A basic index, one entry per axis of the array, and where new axes go in the result."""

    entries: tuple[Value, ...]
    """Per axis: an integer scalar or a SliceValue."""
    new_axes: tuple[int, ...]
    ellipsis: bool

    @property
    def integers(self) -> list[tuple[int, Value]]:
        return [(a, e) for a, e in enumerate(self.entries) if not isinstance(e, SliceValue)]

    @property
    def ranges(self) -> list[tuple[int, SliceValue]]:
        """The slices, with those that select all."""
        return [(a, e) for a, e in enumerate(self.entries) if isinstance(e, SliceValue)]

    @property
    def leading(self) -> int:
        """How many integers there are before the first slice."""
        return self.ranges[0][0] if self.ranges else len(self.entries)

    @property
    def is_leading(self) -> bool:
        """Whether it selects neighbours on the leading axes: integers, then a slice without steps, then all."""
        rest = [e for e in self.entries[self.leading :] if e is not FULL]
        first = self.ranges[0][1] if self.ranges else FULL
        return not self.new_axes and known_value(first.step, 0) in (None, 1) and all(e is first for e in rest)

    @property
    def slices(self) -> list[tuple[int, SliceValue]]:
        return [(a, e) for a, e in self.ranges if e is not FULL]


# ---------------------------------------------------------------- reading


@items.item.of(Tensor)
def _item(m: Machine, value: Tensor, key: Value) -> Value:
    if m.inference is not None and holds_open(m, key):
        return items.item(m, m.inference.open(m, tensor_term(value.type)), key)
    return get_tensor(m, value, key)


def get_tensor(m: Machine, array: Tensor, key: Value) -> Value:
    """`array[key]`."""
    if array.is_python:
        raise m.error("GP302", f"'{array.type}' object is not subscriptable")
    entries = key_entries(m, key)
    if not array.is_array and not all(is_ellipsis(e) or is_new_axis(e) or _is_flag(e) for e in entries):
        raise m.error("GP303", "invalid index to scalar variable.", cls=diagnostics.ProgramIndexError)
    if any(is_advanced(e) for e in entries):
        return read_chosen(m, array, entries)
    index = basic_index(m, array, entries)
    result = read_basic(m, array, index)
    if result.rank == 0 and not index.ellipsis and not index.new_axes:
        return m.reclassed(result, Kind.NUMPY)
    if not array.is_array or any(map(is_array_of_graph, entries)):  # an array as an integer makes NumPy copy
        return m.copied(result) if result.rank or index.ellipsis or index.new_axes else m.reclassed(result, Kind.NUMPY)
    if result is array:
        return m.alias_of(array)
    result.view = (LeadingView if index.is_leading else View)(
        array,
        lambda base: read_basic(m, base, index),
        lambda base, contents: write_basic(m, base, index, contents),
        m.contents(array),
        partial=bool(index.integers),
    )
    return result


@forward
def read_chosen(m: Machine, array: Tensor, entries: Sequence[Value]) -> Tensor:
    """`array[entries]` where one of them is an array or a list."""


@forward
def write_basic(m: Machine, array: Tensor, index: Index, value: Tensor) -> Tensor:
    """The array's contents after a write at integers and slices."""


def _is_flag(entry: Value) -> bool:
    """Whether a part of a subscript is a mask of rank 0."""
    return is_numeric(entry) and type_of(entry).dtype == BOOL and not type_of(entry).rank


def key_entries(m: Machine, key: Value) -> list[Value]:
    """The parts of a subscript."""
    if isinstance(key, Tuple):
        parts = [member_numbers.number(m, own_index(m, e)) for e in key.elts]
        return [items.taken_apart(settled(m, mixed_numbers.as_integer(m, part))) for part in parts]
    if is_known_as(key, tuple):
        return [items.taken_apart(Static(e)) for e in key.value]
    if is_ref_to(key, tuple):
        return key_entries(m, Tuple(_parts_of(m, key)))
    return [member_numbers.number(m, own_index(m, key))]


def _parts_of(m: Machine, key: Ref) -> tuple[Value, ...]:
    """The parts of a subscript that is a tuple of computed length: how many they are must be known."""
    found = m.live.heap[key]
    if not isinstance(found, Growing):
        return tuple(found)
    return known_items(m, found, "annotate the length of what it is made of, or write v[q[0], q[1]]")


def is_advanced(entry: Value) -> bool:
    """Whether a part of a subscript is an integer array, a mask or a list."""
    if is_mask(entry) or isinstance(entry, Tuple | Range) or is_ref_to(entry, *SEQUENCES):
        return True
    known = is_known_as(entry, list | tuple | np.ndarray | bool | np.bool_)
    return known or entry.rank > 0


def is_mask(entry: Value) -> TypeGuard[Tensor]:
    """Whether a part of a subscript is an array of booleans, or one of them."""
    return isinstance(entry, Tensor) and entry.type.dtype == BOOL


def is_ellipsis(entry: Value) -> bool:
    """Whether a part of a subscript is `...`."""
    return is_just(entry, Ellipsis)


def is_new_axis(entry: Value) -> bool:
    """Whether a part of a subscript is `None`."""
    return is_just(entry, None)


def has_ellipsis(m: Machine, array: Tensor, entries: Sequence[Value], consuming: int) -> bool:
    """Whether `...` is in a subscript, of which so many parts stand for axes, after the check that it can be one."""
    count = sum(map(is_ellipsis, entries))
    if consuming > array.rank:
        text = f"too many indices for array: array is {array.rank}-dimensional, but {consuming} were indexed"
    elif count > 1:
        text = "an index can only have a single ellipsis ('...')"
    else:
        return count == 1
    raise m.error("GP303", text, cls=diagnostics.ProgramIndexError)


def basic_index(m: Machine, array: Tensor, entries: Sequence[Value]) -> Index:
    """Expand `...`, fill up with `:`, and check the number of indices."""
    expanded: list[Value] = []
    new_axes: list[int] = []
    consuming = sum(1 for e in entries if not is_new_axis(e) and not is_ellipsis(e))
    ellipsis = has_ellipsis(m, array, entries, consuming)
    kept = 0
    for entry in entries:
        if is_ellipsis(entry):
            count = array.rank - consuming
            expanded.extend([FULL] * count)
            kept += count
        elif is_new_axis(entry):
            new_axes.append(kept)
            kept += 1
        else:
            expanded.append(checked_entry(m, entry))
            kept += isinstance(entry, SliceValue)
    expanded.extend([FULL] * (array.rank - len(expanded)))
    return Index(tuple(expanded), tuple(new_axes), ellipsis)


def checked_entry(m: Machine, entry: Value) -> Value:
    """An integer or slice, refused if it is anything else."""
    if is_known_as(entry, int):
        return Static(int(entry.value))
    if isinstance(entry, SliceValue):
        parts = (entry.start, entry.stop, entry.step)
        numbers = (settled(m, mixed_numbers.as_integer(m, member_numbers.number(m, p))) for p in parts)
        return FULL if all(is_just(p, None) for p in parts) else SliceValue(*numbers)
    if is_numeric(entry) and type_of(entry).dtype.kind in "iu":
        return entry
    raise m.error("GP303", NOT_AN_INDEX, cls=diagnostics.ProgramIndexError)


def read_basic(m: Machine, array: Tensor, index: Index) -> Tensor:
    """The elements that a basic index selects."""
    scalars = [(axis, index_scalar(m, array, axis, entry)) for axis, entry in index.integers]
    leading = sum(axis == count for count, (axis, _) in enumerate(scalars))
    result = array
    for axis, scalar in reversed(scalars[leading:]):
        result = m.op("take", result, scalar, axis=axis)
    if leading:
        positions = [scalar for _, scalar in scalars[:leading]]
        result = m.op("take" if leading == 1 else "gather_nd", result, *positions, axis=0)
    removed = {a for a, _ in index.integers}
    slices = [(a - sum(1 for r in removed if r < a), s) for a, s in index.slices]
    if slices:
        result = read_slices(m, result, slices)
    for axis in index.new_axes:
        result = m.op("expand_dims", result, axes=(axis,))
    return result


@iteration.length.of(Tensor)
def _length(m: Machine, value: Tensor) -> Value:
    if not value.is_array:
        return iteration.length.declared(m, value)
    if not value.rank:
        raise m.error("GP302", "len() of unsized object", raised=True)
    return rows_of_array(m, value).trips()


@iteration.source.of(Tensor)
def rows_of_array(m: Machine, value: Tensor) -> iteration.Source:
    """The rows (or elements) of an array."""
    if value.rank == 0:
        text = "iteration over a 0-d array" if value.is_array else f"'{class_name(value)}' object is not iterable"
        raise m.error("GP315", text, raised=True)
    count = value.type.shape[0].constant
    return iteration.indexed_source(lambda: m.dimension(value, 0), lambda k: get_tensor(m, value, k), count, (value,))


def index_scalar(m: Machine, array: Tensor, axis: int, entry: Value) -> Tensor:
    """An integer index as int64; one that is provably outside raises IndexError."""
    size, position = m.facts.resolve(array.type.shape[axis]), size_of(entry)
    if position is not None:
        clauses: list[Clause] = []
        if not provably_less_equal(position + 1, 0):
            clauses.append((condition("<", position, size),))
        if not provably_less_equal(0, position):
            clauses.append((condition("<=", -size, position),))
        text = ("index ", position, f" is out of bounds for axis {axis} with size ", size)
        require_before_the_run(m, clauses, text, [array, entry])
    index = m.cast(entry, INT64)
    require_inside(m, array, axis, index)
    return index


def check_inside(m: Machine, array: Tensor, axis: int, entry: Value) -> None:
    """IndexError where an integer index is outside, also where nothing is read at it."""
    if is_known(entry):
        k, length = int(entry.value), array.type.shape[axis]
        clause = (condition("<", k, length) if k >= 0 else condition("<=", -k, length),)
        text = f"index {k} is out of bounds for axis {axis} with size "
        require(m, [clause], IndexError, (text, length), operands=(array,))
        return
    size = m.dimension(array, axis)
    high = arithmetic.compare(m, ">=", entry, size)
    low = arithmetic.compare(m, "<", entry, arithmetic.arithmetic(m, "-", Static(0), size))
    message = ("index ", entry, f" is out of bounds for axis {axis} with size ", size)
    m.check(booleans.either(m, low, high), IndexError, *message)


def spread(m: Machine, index: Tensor, behind: int) -> Tensor:
    """An index array with dims of 1 behind its own."""
    axes = tuple(range(index.rank, index.rank + behind))
    return m.op("expand_dims", index, axes=axes) if axes else index


def turned(m: Machine, array: Tensor) -> Tensor:
    """`array[::-1]`."""
    return read_slices(m, array, [(0, SliceValue(NONE, NONE, Static(-1)))])


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
