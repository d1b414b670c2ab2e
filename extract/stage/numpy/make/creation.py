"""New arrays from numbers, lists and other arrays, and conversions of element type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract import library
from graph_program.extract.ir import memory
from graph_program.extract.stage.arrays import array_contents
from graph_program.extract.stage.arrays.layout import (
    IN_C_ORDER,
    KNOWN_ORDER,
    layout_of,
    made_in_order,
    order_of,
    possible_view,
)
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    TRUE,
    ZERO,
    array,
    call,
    checked_dtype,
    dtype_of,
    flag,
    is_given,
    is_sequence,
    own_array,
    refuse_given,
    result_dtype,
    sequence,
    sizes_of,
    takes,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_same_shapes
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.make import number_lists
from graph_program.extract.stage.numpy.move.stacking import stacked as stacked_rows
from graph_program.extract.stage.operations import known_and_truth
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor
from graph_program.extract.stage.operations.of_numbers import conversions
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.paths.several import mixed_numbers
from graph_program.extract.stage.values import choices
from graph_program.extract.stage.values.column_data import SEQUENCES, Growing
from graph_program.extract.stage.values.questions import is_known_as
from graph_program.extract.stage.values.values import NONE, Ref, Static, Tensor, Tuple, Value, is_numeric_static
from graph_program.extract.types.tensors.tensor_type import FLOAT64, Kind

# ---------------------------------------------------------------- nested lists


@known_and_truth.as_operand.of(Tuple)
@known_and_truth.as_operand.of(Static, holding=(list, tuple))
def _as_operand(m: Machine, value: Value, what: str) -> Value:
    return array_of(m, value)


@known_and_truth.as_operand.of(Ref)
def _as_operand_of_object(m: Machine, value: Ref, what: str) -> Value:
    if value.cls in library.PYTHON:
        return numeric(m, m.live.heap[value]["_items"], what)
    if isinstance(m.live.heap.get(value), Growing):
        return number_lists.of_one_type(m, m.live.heap[value])
    if value.cls not in SEQUENCES:
        raise known_and_truth.not_an_operand(m, value, what)
    return array_of(m, value)


@entries.array_of.given
def array_of(m: Machine, value: Value, dtype: np.dtype[Any] | None = None) -> Tensor:
    numbers = number_lists.numbers_of(m, value)
    if numbers is not None:
        return number_lists.stacked(m, numbers.list, only_element_type(m, numbers) if dtype is None else dtype)
    if lengths.is_growing(m, value):
        return rows_of(m, m.live.heap[value], dtype)
    within = number_lists.numbers_within(m, value) if dtype is None else None
    dtype = dtype if within is None else only_element_type(m, within)
    shape, leaves = nested(m, value, dtype)
    if dtype is None:
        dtype = result_dtype(m, *leaves, weak=False) if leaves else FLOAT64
        checked_dtype(m, dtype)
    known = [leaf for leaf in leaves if is_numeric_static(leaf)]
    if len(known) == len(leaves):
        return m.constant(np.array([known_element(m, leaf, dtype) for leaf in known], dtype).reshape(shape))
    if not leaves[0].rank:
        flat = joined_scalars(m, leaves, dtype)
        return flat if len(shape) == 1 else m.op("reshape", flat, *map(Static, shape))
    if len(shape) == 1 and leaves[0].rank == 1:
        check_same_shapes(m, [tensor(m, leaf) for leaf in leaves], RAGGED.format(1, shape))
    rows = [m.op("expand_dims", element(m, leaf, dtype), axes=(0,)) for leaf in leaves]
    stacked = rows[0] if len(rows) == 1 else m.op("concatenate", *rows, axis=0)
    if len(shape) == 1:
        return stacked
    inner = sizes_of(m, stacked)[1:]
    return m.op("reshape", stacked, *map(Static, shape), *inner)


def rows_of(m: Machine, whole: Growing, dtype: np.dtype[Any] | None) -> Tensor:
    """`np.array` of a list of computed length."""
    result = stacked_rows(m, whole, dtype)
    if dtype is None:
        return result
    array_contents.check(m, whole, dtype)
    return m.reclassed(m.cast(result, dtype), Kind.ARRAY)


def only_element_type(m: Machine, numbers: number_lists.Numbers) -> np.dtype[Any]:
    """The element type of a list of numbers of several classes, where the classes do not matter."""
    possible = number_lists.element_types(numbers)
    if len(possible) > 1:
        names = " or ".join(sorted(d.name for d in possible))
        raise lengths.structure_error(
            m,
            [numbers.list],
            "GP444",
            f"an array of these numbers is {names}, depending on the path taken",
            "give the element type: np.array(..., dtype=...)",
        )
    return possible.pop()


def nested(m: Machine, value: Value, dtype: np.dtype[Any] | None = None) -> tuple[tuple[int, ...], list[Value]]:
    """The shape of a nested list, and its numbers or arrays in order; ragged ones are refused."""
    items = [_item(m, v, dtype) for v in sequence(m, value, "an array")]
    items = [rows_of(m, m.live.heap[v], dtype) if lengths.is_growing(m, v) else v for v in items]
    if not any(is_sequence(m, v) for v in items):
        leaves: list[Value] = [numeric(m, v, "element of an array") for v in items]
        if len({v.rank for v in leaves}) > 1:
            raise ragged(m, (len(leaves),))
        return (len(leaves),), leaves
    if not all(is_sequence(m, v) for v in items):
        # Rows given as lists among rows given as arrays.
        rows: list[Value] = [array_of(m, v, dtype) if is_sequence(m, v) else numeric(m, v) for v in items]
        if len({v.rank for v in rows}) > 1:
            raise ragged(m, (len(rows),))
        return (len(rows),), rows
    parts = [nested(m, v, dtype) for v in items]
    if len({(shape, leaves[0].rank if leaves else -1) for shape, leaves in parts}) > 1:
        raise ragged(m, (len(items),))
    return (len(items), *parts[0][0]), [leaf for _, leaves in parts for leaf in leaves]


def _item(m: Machine, value: Value, dtype: np.dtype[Any] | None) -> Value:
    """An item of a list; where the element type is known, a number's class matters only for what NumPy refuses."""
    if dtype is not None and choices.is_member(value):
        return Static(call_now(m, np.array, ([value.value],), {"dtype": dtype})[0])
    mixed = mixed_numbers.one_of_numbers(value)
    if mixed is None or dtype is None:
        return settled(m, value)
    return mixed_numbers.of_each(m, mixed, lambda v: m.reclassed(element(m, v, dtype), Kind.NUMPY))


RAGGED = (
    "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
    "{} dimensions. The detected shape was {} + inhomogeneous part."
)


def ragged(m: Machine, shape: tuple[int, ...]) -> Exception:
    """NumPy's refusal of a list whose elements have different shapes."""
    return value_error(m, RAGGED.format(len(shape), shape))


def known_element(m: Machine, value: Static, dtype: np.dtype[Any]) -> Any:
    """A known number as an element; one out of range raises OverflowError, as in NumPy."""
    number = m.in_range(value.value)
    return call_now(m, np.array, ([number],), {"dtype": dtype}).item() if dtype.kind in "iu" else number


def element(m: Machine, value: Value, dtype: np.dtype[Any]) -> Tensor:
    """A number or array as part of an array with another element type."""
    if is_numeric_static(value):
        return m.constant(np.asarray(known_element(m, value, dtype), dtype))
    return conversions.as_element(m, value, dtype)


def joined_scalars(m: Machine, leaves: Sequence[Value], dtype: np.dtype[Any]) -> Tensor:
    """Scalars side by side; neighbours that are known make one constant."""
    parts: list[Tensor] = []
    run: list[Any] = []

    def flush() -> None:
        if run:
            parts.append(m.constant(np.array(run, dtype)))
            run.clear()

    for leaf in leaves:
        if is_numeric_static(leaf):
            run.append(known_element(m, leaf, dtype))
            continue
        flush()
        parts.append(m.op("expand_dims", element(m, leaf, dtype), axes=(0,)))
    flush()
    return parts[0] if len(parts) == 1 else m.op("concatenate", *parts, axis=0)


# ---------------------------------------------------------------- array, asarray, copy


def made_array(m: Machine, value: Value, dtype: np.dtype[Any] | None) -> tuple[Tensor, bool]:
    """`value` as an array of an element type, and whether that is a new array."""
    value = own_array(m, array_contents.listed(m, value))
    if is_sequence(m, value):
        return array_of(m, value, dtype), True
    x = tensor(m, value)
    if dtype is None or x.type.dtype == dtype:
        return array(m, x), not x.is_array
    convert = conversions.as_element if x.is_python else arithmetic.convert
    return m.reclassed(convert(m, numeric(m, value), dtype), Kind.ARRAY), True


@lowers(np.array)
@takes("object, dtype=None, *, copy=True, order=None, subok=False, ndmin=0, like=None")
def array_(
    m: Machine, object: Value, dtype: Value, copy: Value, order: Value, subok: Value, ndmin: Value, like: Value
) -> Value:
    """`np.array`: a new array, unless `copy` is False or None."""
    refuse_given(m, "np.array", like=like)
    numbers = number_lists.numbers_of(m, object)
    numbers = number_lists.numbers_within(m, object) if numbers is None else numbers
    if numbers is not None and dtype_of(m, dtype) is None and len(number_lists.element_types(numbers)) > 1:
        return number_lists.with_element_type(
            m, numbers, lambda d: array_(m, object, Static(d), copy=copy, order=order, subok=subok, ndmin=ndmin)
        )
    x, is_new = made_array(m, object, dtype_of(m, dtype))
    copies = copy_flag(m, copy)
    if copies is False and is_new:
        raise value_error(m, COPY_NEEDED)
    if copies and not is_new:
        x = m.copied(x)
    x = made_in_order(m, x, order_of(m, order)) if copies or is_new else x
    missing = static(m, ndmin, "the number of dimensions") - x.rank
    return m.op("expand_dims", x, axes=tuple(range(missing))) if missing > 0 else x


def copy_flag(m: Machine, copy: Value) -> bool | None:
    """Whether a copy is made; None for "if needed", which NumPy has an enumeration for, too."""
    given = static(m, copy, "the copy flag")
    given = getattr(given, "value", given)
    return None if given is None or given == 2 else bool(given)


COPY_NEEDED = (
    "Unable to avoid copy while creating an array as requested.\n"
    "If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)` to allow a copy when needed "
    "(no behavior change in NumPy 1.x).\n"
    "For more details, see https://numpy.org/devdocs/numpy_2_0_migration_guide.html"
    "#adapting-to-changes-in-the-copy-keyword."
)


@lowers(np.asarray, np.asanyarray)
@takes("a, dtype=None, order=None, *, device=None, copy=None, like=None")
def asarray(m: Machine, a: Value, dtype: Value, order: Value, copy: Value, like: Value) -> Value:
    """`np.asarray`: the array itself where nothing has to change."""
    refuse_given(m, "np.asarray", like=like)
    if copy_flag(m, copy) is None and order_of(m, order) in ("C", "F"):
        return (ascontiguousarray if order_of(m, order) == "C" else asfortranarray)(m, a, dtype)
    return array_(m, a, dtype, copy=copy, order=order)


@lowers(np.ascontiguousarray)
def ascontiguousarray(m: Machine, a: Value, dtype: Value = NONE, *, like: Value = NONE) -> Value:
    """`np.ascontiguousarray`: at least one dim; may or may not be the same array."""
    refuse_given(m, "np.ascontiguousarray", like=like)
    x, is_new = made_array(m, a, dtype_of(m, dtype))
    if not x.rank:
        return m.op("expand_dims", x, axes=(0,))
    if is_new:
        return x
    layout = layout_of(m, x)
    if layout in IN_C_ORDER:
        return x
    result = m.copied(x)
    result.layout = KNOWN_ORDER
    return result if layout else possible_view(m, result, x)


@lowers(np.asfortranarray)
def asfortranarray(m: Machine, a: Value, dtype: Value = NONE, *, like: Value = NONE) -> Value:
    """`np.asfortranarray`: may or may not be the same array; the order of memory is nowhere to be seen."""
    refuse_given(m, "np.asfortranarray", like=like)
    x, is_new = made_array(m, a, dtype_of(m, dtype))
    if not x.rank:
        return m.op("expand_dims", x, axes=(0,))
    layout = layout_of(m, x)
    if not is_new and layout in (memory.F, memory.BOTH):
        return x
    result = made_in_order(m, m.copied(x), "F")
    return result if is_new or layout in (memory.C, memory.STRIDED) else possible_view(m, result, x)


@lowers(np.copy)
def copy(m: Machine, a: Value, order: Value = NONE, subok: Value = FALSE) -> Value:
    """`np.copy`: always an array."""
    x, is_new = made_array(m, a, None)
    return made_in_order(m, x if is_new else m.copied(x), order_of(m, order))


@lowers(method="copy")
def copy_method(m: Machine, a: Value, order: Value = NONE) -> Value:
    """`x.copy()`; a NumPy scalar gives itself."""
    x = tensor(m, a)
    if not x.is_array:
        return a
    result = made_in_order(m, m.copied(x), order_of(m, order))
    result.layout = KNOWN_ORDER if order_of(m, order) in (None, "C") else ""
    return result


@lowers(method="astype")
@takes("a, dtype, order=None, casting=None, subok=True, copy=True")
def astype(m: Machine, a: Value, dtype: Value, order: Value, casting: Value, copy: Value) -> Value:
    """`x.astype(dtype)`: as C converts numbers; a NumPy scalar gives one."""
    x, target = tensor(m, a), dtype_of(m, dtype)
    target = FLOAT64 if target is None else target
    rule: Any = static(m, casting, "the casting rule") or "unsafe"
    if rule == "same_value":
        raise m.error(
            "GP323", "astype(casting='same_value') has no graph form", hint="compare the result with the array"
        )
    if not np.can_cast(x.type.dtype, target, rule):
        text = f"Cannot cast array data from {x.type.dtype!r} to {target!r} according to the rule '{rule}'"
        raise m.error("GP302", text)
    if is_numeric_static(a):
        return Static(call_now(m, a.value.astype, (target,)))
    if x.type.dtype == target:
        if not (x.is_array and flag(m, copy, "the copy flag")):
            return a
        return made_in_order(m, m.copied(x), order_of(m, order))
    return made_in_order(m, m.cast(x, target), order_of(m, order))


lowers(np.astype)(lambda m, x, dtype, /, *, copy=TRUE, device=NONE: astype(m, array(m, x), dtype, copy=copy))


# ---------------------------------------------------------------- np.float32(x) and the like


def conversion(scalar: type[np.generic]) -> None:
    """Register a NumPy scalar class as a conversion."""

    @lowers(scalar, name=f"{'np' if scalar.__module__ == 'numpy' else scalar.__module__}.{scalar.__name__}")
    def convert(m: Machine, x: Value = ZERO, /) -> Value:
        return converted(m, scalar, x)


def complex_conversion(scalar: type[np.generic]) -> None:
    """Register a class of complex numbers, made of one number or of two."""

    @lowers(scalar, name=f"np.{scalar.__name__}")
    def convert(m: Machine, real: Value = ZERO, imag: Value = NONE, /) -> Value:
        return converted(m, scalar, call(m, complex, real, imag) if is_given(imag) else real)


def converted(m: Machine, scalar: type[np.generic], x: Value) -> Value:
    """`scalar(x)`: a number; an array of arrays and lists."""
    x, dtype = settled(m, x), np.dtype(scalar)
    if is_numeric_static(x) or is_known_as(x, str):
        return Static(call_now(m, scalar, (x.value,)))
    if is_sequence(m, x):
        return array_of(m, x, dtype)
    value = tensor(m, x)
    if value.is_python:
        return m.reclassed(conversions.as_element(m, value, dtype), Kind.NUMPY)
    result = m.cast(value, dtype)
    if result.rank:
        return result  # the array itself where it has this element type already
    return m.reclassed(result, Kind.NUMPY)


SCALARS: tuple[type[np.generic], ...] = (
    np.bool_,
    *(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
    *(np.float16, np.float32, np.float64),
    *(np.longlong, np.ulonglong),  # the other C integer of the platform's 64 (or 32) bits
)
for _scalar in SCALARS:
    conversion(_scalar)
for _scalar in (np.complex64, np.complex128):
    complex_conversion(_scalar)
