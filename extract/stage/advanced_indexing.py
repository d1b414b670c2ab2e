"""Indexing with integer arrays and masks, which copies.

x[rows]            ->  take(x, rows, axis=0)
x[rows, columns]   ->  gather_nd(x, rows, columns)
x[mask] = v        ->  x := where(mask, v, x)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage import indexing
from graph_program.extract.stage.booleans import both
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.operation_checks import require_inside
from graph_program.extract.stage.use import tensor
from graph_program.extract.stage.values import SliceValue, Static, Tensor, Value
from graph_program.extract.types.errors import TypeRuleError
from graph_program.extract.types.shapes import broadcast_shapes
from graph_program.extract.types.tensor_type import BOOL, INT64


def get(m: Machine, array: Tensor, entries: Sequence[Value]) -> Tensor:
    """`array[entries]` where one of them is an array or a list."""
    entries = expanded(m, array, entries)
    arrays = positions(m, entries)
    if any(a.type.dtype == BOOL for a in arrays.values()):
        return m.op("gather_nd", array, *mask_positions(m, array, entries, list(arrays.values())))
    if len(arrays) == 1:
        ((axis, index),) = arrays.items()
        return _one_axis(m, array, entries, axis, index)
    if list(arrays) != list(range(len(arrays))) or not all(_is_full(e) for e in entries[len(arrays) :]):
        raise m.error(
            "GP355",
            "integer arrays on several axes are available for the leading axes only",
            hint="transpose the array first, or index one axis at a time",
        )
    index = broadcast(m, list(arrays.values()))
    for axis, one in enumerate(arrays.values()):
        require_inside(m, array, axis, m.cast(one, INT64))
    return m.op("gather_nd", array, *index)


def mask_positions(m: Machine, array: Tensor, entries: Sequence[Value], masks: Sequence[Tensor]) -> list[Tensor]:
    """The positions that a mask of the array's leading axes selects, one index array per axis."""
    return mask_columns(m, only_mask(m, array, entries, masks))


def mask_columns(m: Machine, mask: Tensor) -> list[Tensor]:
    """The positions where a mask holds, one index array per axis."""
    found = m.op("nonzero", mask)
    return [m.op("take", found, m.constant(np.asarray(axis, np.int64)), axis=0) for axis in range(mask.rank)]


def only_mask(m: Machine, array: Tensor, entries: Sequence[Value], masks: Sequence[Tensor]) -> Tensor:
    """The mask of an index that is one mask for the leading axes; others are refused."""
    rest = [e for e in entries if not indexing.is_advanced(m, e)]
    first = bool(entries) and indexing.is_advanced(m, entries[0])
    if len(masks) > 1 or len(entries) - len(rest) > 1 or not first or not all(_is_full(e) for e in rest):
        raise m.error("GP355", "a mask together with other indices, or on a later axis", hint="index in two steps")
    mask = masks[0]
    if mask.rank == 0:
        raise m.error("GP355", "a mask of rank 0", hint="use np.where, or an `if`")
    for axis, (d, s) in enumerate(zip(mask.type.shape, array.type.shape, strict=False)):
        if d.constant is not None and s.constant is not None and d != s and d.constant != 0:
            text = (
                f"boolean index did not match indexed array along axis {axis}; "
                f"size of axis is {s} but size of corresponding boolean axis is {d}"
            )
            raise m.error("GP303", text, cls=diagnostics.ProgramIndexError)
        if d != s:
            _check_mask(m, array, mask, axis)
    return mask


def _check_count(m: Machine, positions: Tensor, value: Tensor) -> None:
    """As many values as a mask of all axes selects, or one."""
    from graph_program.extract.stage.numpy.size_checks import check, unequal

    selected, given = m.dimension(positions, 0), m.dimension(value, 0)
    text = ("NumPy boolean array indexing assignment cannot assign ", given, " input values to the ", selected)
    bad = both(m, unequal(m, given, selected), unequal(m, given, Static(1)))
    check(m, bad, ValueError, *text, " output values where the mask is true")


def _check_mask(m: Machine, array: Tensor, mask: Tensor, axis: int) -> None:
    """A mask has the sizes of the axes that it selects from; an empty one selects nothing from any."""
    from graph_program.extract.stage.numpy.size_checks import check, unequal

    size, selected = m.dimension(array, axis), m.dimension(mask, axis)
    text = f"boolean index did not match indexed array along axis {axis}; size of axis is "
    parts = (text, size, " but size of corresponding boolean axis is ", selected)
    bad = both(m, unequal(m, size, selected), unequal(m, selected, Static(0)))
    check(m, bad, IndexError, *parts)


def _one_axis(m: Machine, array: Tensor, entries: Sequence[Value], axis: int, index: Tensor) -> Tensor:
    """One integer array among basic indices."""
    result = array
    rest: list[Value] = [indexing.FULL if a == axis else e for a, e in enumerate(entries)]
    integers = [a for a, e in enumerate(rest) if not isinstance(e, SliceValue)]
    if integers and any(abs(a - axis) > len(integers) for a in integers):
        raise m.error("GP355", "an integer and an integer array that are not side by side", hint="index in two steps")
    basic = indexing.basic_index(m, array, rest)
    if any(e is not indexing.FULL for e in basic.entries):
        result = indexing.read_basic(m, array, basic)
    before = sum(1 for a in integers if a < axis)
    index = m.cast(index, INT64)
    require_inside(m, array, axis, index)
    return m.op("take", result, index, axis=axis - before)


def expanded(m: Machine, array: Tensor, entries: Sequence[Value]) -> list[Value]:
    """The entries with `...` written out; `None` is not available here."""
    if any(indexing._is(e, None) for e in entries):
        raise m.error("GP355", "np.newaxis together with an integer array or mask", hint="index in two steps")
    consumed = sum(_consumes(m, e) for e in entries if not indexing._is(e, Ellipsis))
    if consumed > array.rank:
        text = f"too many indices for array: array is {array.rank}-dimensional, but {consumed} were indexed"
        raise m.error("GP303", text, cls=diagnostics.ProgramIndexError)
    result: list[Value] = []
    for entry in entries:
        if indexing._is(entry, Ellipsis):
            result.extend([indexing.FULL] * (array.rank - consumed))
        else:
            result.append(entry if indexing.is_advanced(m, entry) else indexing.checked_entry(m, entry))
    if not any(indexing._is(e, Ellipsis) for e in entries):
        result.extend([indexing.FULL] * (array.rank - consumed))
    return result


def _consumes(m: Machine, entry: Value) -> int:
    if indexing.is_advanced(m, entry):
        index = tensor(m, entry)
        return index.rank if index.type.dtype == BOOL else 1
    return 1


def positions(m: Machine, entries: Sequence[Value]) -> dict[int, Tensor]:
    """The arrays among the entries by axis; integers count as arrays beside several arrays."""
    found: dict[int, Tensor] = {}
    advanced = [e for e in entries if indexing.is_advanced(m, e)]
    for axis, entry in enumerate(entries):
        if indexing.is_advanced(m, entry) or (len(advanced) > 1 and not isinstance(entry, SliceValue)):
            index = tensor(m, entry, "index")
            if index.type.dtype.kind not in "biu" and not _is_empty(index):
                text = "arrays used as indices must be of integer (or boolean) type"
                raise m.error("GP303", text, cls=diagnostics.ProgramIndexError)
            found[axis] = index
    return found


def _is_empty(index: Tensor) -> bool:
    return any(d.constant == 0 for d in index.type.shape)


def _is_full(entry: Value) -> bool:
    return entry is indexing.FULL


def broadcast(m: Machine, indices: Sequence[Tensor]) -> list[Tensor]:
    """Index arrays as int64, broadcast to one shape."""
    try:
        shape = broadcast_shapes([i.type.shape for i in indices], m.fresh_dim)
    except TypeRuleError as error:
        raise m.error("GP301", f"shape mismatch: {error}", cls=diagnostics.ShapeError) from None
    zero = m.constant(np.zeros((), np.int64))
    cast = [m.cast(i, INT64) for i in indices]
    if all(i.type.shape == shape for i in cast):
        return cast
    total = zero
    for index in cast:
        total = m.op("add", total, m.op("multiply", index, zero))
    return [m.op("add", index, total) for index in cast]


def set_(m: Machine, array: Tensor, entries: Sequence[Value], value: Tensor) -> Tensor:
    """The contents of `array` after `array[entries] = value`."""
    entries = expanded(m, array, entries)
    arrays = positions(m, entries)
    masks = [a for a in arrays.values() if a.type.dtype == BOOL]
    if masks:
        return _set_masked(m, array, entries, masks, value)
    if list(arrays) != list(range(len(arrays))) or not all(_is_full(e) for e in entries[len(arrays) :]):
        raise m.error(
            "GP355",
            "assignment through integer arrays is available for the leading axes only",
            hint="transpose the array first, or assign in a loop",
        )
    written = m.op("scatter_nd", array, value, *broadcast(m, list(arrays.values())))
    scatter = m.out.pop()  # NumPy looks at the shape of the value first
    for axis, one in enumerate(arrays.values()):
        require_inside(m, array, axis, m.cast(one, INT64))
    m.emit_operation(scatter)
    return written


def _set_masked(m: Machine, array: Tensor, entries: Sequence[Value], masks: Sequence[Tensor], value: Tensor) -> Tensor:
    mask = only_mask(m, array, entries, masks)
    behind = array.rank - mask.rank
    fits = all(m.live.facts.decide("==", d, s) for d, s in zip(mask.type.shape, array.type.shape, strict=False))
    if value.rank > behind or not fits:  # an empty mask fits any axis, and has no elements to choose from
        positions = mask_positions(m, array, entries, masks)
        if value.rank == 1 and not behind:
            _check_count(m, positions[0], value)
        return m.op("scatter_nd", array, value, *positions)
    for _ in range(behind):
        mask = m.op("expand_dims", mask, axes=(mask.rank,))
    return m.op("where", mask, value, array)
