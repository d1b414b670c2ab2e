"""Indexing with integer arrays and masks, which copies.

x[rows]              ->  take(x, rows, axis=0)
x[:, rows, columns]  ->  gather_nd(x, rows, columns, axis=1)
x[rows, :, columns]  ->  gather_nd(x, rows, iota(n), columns, axis=0)      (the slice is an index array, too)
x[mask] = v          ->  x := where(mask, v, x)
x[a:b, mask] = v     ->  part = slice(x, a, b);  x := set_slice(x, scatter_nd(part, v, nonzero(mask), axis=1), a, b)

A mask stands for the positions where it holds, one index array per axis of the mask.  The dims that
index arrays broadcast to stand where the arrays do, or first where something separates them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import partial, reduce

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir.residual import Const
from graph_program.extract.records import dataclass
from graph_program.extract.stage.arrays.indices import index_writes, indexing
from graph_program.extract.stage.arrays.indices.indexing import check_inside, index_scalar, spread
from graph_program.extract.stage.arrays.lowering_arguments import sizes_of
from graph_program.extract.stage.arrays.operation_checks import require_inside
from graph_program.extract.stage.arrays.size_checks import broadcast_sizes, unequal
from graph_program.extract.stage.kinds.range_values import range_trips
from graph_program.extract.stage.machine.checks.booleans import both
from graph_program.extract.stage.machine.checks.size_facts import settle
from graph_program.extract.stage.machine.emission import emit_operation
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.known_and_truth import tensor
from graph_program.extract.stage.paths.raising import check
from graph_program.extract.stage.values.questions import is_known_as
from graph_program.extract.stage.values.values import (
    Range,
    Ref,
    SliceValue,
    Static,
    Tensor,
    Tuple,
    Value,
    is_numeric,
    type_of,
)
from graph_program.extract.types.dims import Dim, provably_less_equal
from graph_program.extract.types.rules import requirements
from graph_program.extract.types.rules.facts import Requirement
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.shape_arithmetic import ONE, broadcast_shapes, shape_parts
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

NEW = -1
"""Of a selection's layout: an axis that the index adds."""
WRONG_TYPE = "arrays used as indices must be of integer (or boolean) type"


@dataclass
class Selection:
    """An index with index arrays, taken apart.

    Attributes
    ----------
    layout : list of int
        The axes of the array that are in the result, and `NEW` ones, in order.
    place : int
        Where in the layout the dims of the index arrays are.
    arrays : dict of int to Tensor
        Index arrays by the axis that they are for, ascending.
    flags : list of Tensor
        Index arrays for no axis, all of whose elements are 0: what a mask of rank 0 stands for.
    given : list of Tensor
        Index arrays and flags in the order of the subscript.
    entries : dict of int to Value
        Slices by axis.
    mask : Tensor or None
        The mask, where it is all there is besides whole axes; `first` is its first axis.
    """

    layout: list[int] = field(default_factory=list)
    place: int = -1
    arrays: dict[int, Tensor] = field(default_factory=dict)
    flags: list[Tensor] = field(default_factory=list)
    given: list[Tensor] = field(default_factory=list)
    entries: dict[int, SliceValue] = field(default_factory=dict)
    mask: Tensor | None = None
    first: int = 0

    @property
    def run(self) -> range:
        """The axes from the first to the last one with an index array."""
        return range(min(self.arrays), max(self.arrays) + 1) if self.arrays else range(0)

    @property
    def rank(self) -> int:
        """The rank of the index arrays, broadcast."""
        return max(a.rank for a in self.given)

    @property
    def kept(self) -> list[int]:
        """The axes of the array that are in the result."""
        return [a for a in self.layout if a != NEW]


# ---------------------------------------------------------------- taking an index apart


def parsed(m: Machine, array: Tensor, entries: Sequence[Value]) -> Selection:
    """Take an index apart; its parts are checked in NumPy's order."""
    parts = [_part(m, e) for e in entries]
    consumed = sum(_consumes(p) for p in parts)
    if not indexing.has_ellipsis(m, array, parts, consumed):
        parts.append(Static(Ellipsis))
    selection, axis, separated = Selection(), 0, False
    for part in parts:
        if isinstance(part, SliceValue) or indexing.is_ellipsis(part) or indexing.is_new_axis(part):
            separated = separated or selection.place >= 0
            axis = _add_axes(array, selection, part, axis, consumed)
            continue
        if selection.place >= 0 and separated:
            selection.place = 0
        elif selection.place < 0:
            selection.place = len(selection.layout)
        axis = _add_arrays(m, array, selection, part, axis)
    _check_integers(m, array, selection)
    masks = [p for p in parts if indexing.is_mask(p)]
    if len(masks) == 1 and len(selection.arrays) == masks[0].rank > 0 and not selection.entries:
        selection.mask, selection.first = masks[0], min(selection.arrays)
        selection.mask = None if NEW in selection.layout else selection.mask
    return selection


def _part(m: Machine, entry: Value) -> Value:
    """A part of a subscript: a slice, `...`, None, an integer, or an index array."""
    if not indexing.is_advanced(entry):
        special = indexing.is_ellipsis(entry) or indexing.is_new_axis(entry)
        return entry if special else indexing.checked_entry(m, entry)
    if isinstance(entry, Range):
        start, _, step = entry.start, entry.stop, entry.step
        numbers = m.op("iota", m.cast(range_trips(m, entry), INT64))
        return m.op("add", m.cast(start, INT64), m.op("multiply", numbers, m.cast(step, INT64)))
    is_list = isinstance(entry, Tuple | Ref) or is_known_as(entry, list | tuple)
    index = tensor(m, entry, "index")
    if is_list and any(d.constant == 0 for d in index.type.shape):
        index = m.cast(index, INT64)
    if index.type.dtype.kind not in "biu":
        text = indexing.NOT_AN_INDEX if is_list else WRONG_TYPE
        raise m.error("GP303", text, cls=diagnostics.ProgramIndexError)
    return index


def _consumes(part: Value) -> int:
    if indexing.is_ellipsis(part) or indexing.is_new_axis(part):
        return 0
    return part.rank if indexing.is_mask(part) else 1


def _add_axes(array: Tensor, selection: Selection, part: Value, axis: int, consumed: int) -> int:
    """Add the axes of a slice, `...` or None to the layout; the next axis."""
    if indexing.is_new_axis(part):
        selection.layout.append(NEW)
        return axis
    if isinstance(part, SliceValue):
        if part is not indexing.FULL:
            selection.entries[axis] = part
        selection.layout.append(axis)
        return axis + 1
    count = array.rank - consumed
    selection.layout.extend(range(axis, axis + count))
    return axis + count


def _add_arrays(m: Machine, array: Tensor, selection: Selection, part: Value, axis: int) -> int:
    """Add the index arrays that an array, mask or integer stands for; the next axis."""
    if not indexing.is_mask(part):
        is_array = is_numeric(part) and type_of(part).rank
        index = m.cast(part, INT64) if is_array else index_scalar(m, array, axis, part)
        selection.arrays[axis] = index
        selection.given.append(index)
        return axis + 1
    if not part.rank:
        selection.flags += mask_columns(m, m.op("expand_dims", part, axes=(0,)))
        selection.given.append(selection.flags[-1])
        return axis
    _check_mask(m, array, part, axis)
    columns = mask_columns(m, part)
    selection.arrays.update(enumerate(columns, axis))
    selection.given += columns
    return axis + len(columns)


def _check_integers(m: Machine, array: Tensor, selection: Selection) -> None:
    """NumPy looks at integers first, also where index arrays select nothing."""
    if all(provably_less_equal(1, d) for index in selection.given for d in index.type.shape):
        return
    for axis, index in selection.arrays.items():
        if not index.rank:
            check_inside(m, array, axis, index)


def mask_columns(m: Machine, mask: Tensor) -> list[Tensor]:
    """The positions where a mask holds, one index array per axis."""
    found = m.op("nonzero", m.reclassed(mask, Kind.ARRAY))
    return [m.op("take", found, m.constant(np.asarray(axis, np.int64)), axis=0) for axis in range(mask.rank)]


def _check_mask(m: Machine, array: Tensor, mask: Tensor, first: int) -> None:
    """A mask has the sizes of the axes that it selects from; an empty one selects nothing from any."""
    for axis, d in enumerate(mask.type.shape, first):
        s = array.type.shape[axis]
        if d == s:
            continue
        if d.constant is not None and s.constant is not None and d.constant != 0:
            text = (
                f"boolean index did not match indexed array along axis {axis}; "
                f"size of axis is {s} but size of corresponding boolean axis is {d}"
            )
            raise m.error("GP303", text, cls=diagnostics.ProgramIndexError)
        size, selected = m.dimension(array, axis), m.dimension(mask, axis - first)
        text = f"boolean index did not match indexed array along axis {axis}; size of axis is "
        parts = (text, size, " but size of corresponding boolean axis is ", selected)
        bad = both(m, unequal(m, size, selected), unequal(m, selected, Static(0)))
        check(m, bad, IndexError, *parts)


# ---------------------------------------------------------------- reading


@indexing.read_chosen.given
def get(m: Machine, array: Tensor, entries: Sequence[Value]) -> Tensor:
    selection = parsed(m, array, entries)
    result = _gathered(m, _region(m, array, selection), selection)
    order = _order(selection)
    if order != list(range(result.rank)):
        result = m.op("transpose", result, perm=tuple(order))
    return _with_new_axes(m, result, selection)


def _region(m: Machine, array: Tensor, selection: Selection) -> Tensor:
    """What the slices of an index leave."""
    return indexing.read_slices(m, array, list(selection.entries.items())) if selection.entries else array


def _run(m: Machine, array: Tensor, selection: Selection) -> list[Tensor]:
    """Index arrays for all axes of the run; an axis without one is gone through from end to end."""
    arrays = selection.arrays
    if selection.flags:
        _require_broadcast(m, selection.given)
        first = selection.run.start
        shifted = [arrays[first], *selection.flags] if arrays else selection.flags
        arrays = {**arrays, first: reduce(partial(m.op, "add"), shifted)}
    gap = [a for a in selection.run if a not in arrays]
    if not gap:
        return list(arrays.values())
    _require_broadcast(m, selection.given)
    found = {a: spread(m, index, len(gap)) for a, index in arrays.items()}
    for place, axis in enumerate(gap):
        found[axis] = spread(m, m.op("iota", m.dimension(array, axis)), len(gap) - place - 1)
    return [found[axis] for axis in selection.run]


def _require_broadcast(m: Machine, arrays: Sequence[Tensor]) -> None:
    """Index arrays broadcast together."""
    shapes = [a.type.shape for a in arrays]
    text = "shape mismatch: indexing arrays could not be broadcast together with shapes "
    message = (text, *requirements.shapes_text([s for s in shapes if s]))
    try:
        broadcast_shapes(shapes, m.fresh_dim)
    except TypeRuleError:
        raise m.type_error(TypeRuleError("index", *message), arrays) from None
    settle(m, Requirement(tuple(requirements.broadcast(shapes)), "index", message), arrays)


def _gathered(m: Machine, region: Tensor, selection: Selection) -> Tensor:
    """What index arrays select: axes before the run, the arrays' dims, axes in and behind the run."""
    if not selection.arrays:
        position = _only_flags(m, selection)
        return m.op("take", m.op("expand_dims", region, axes=(0,)), position, axis=0)
    indices = _run(m, region, selection)
    _require_inside(m, region, selection)
    if len(indices) == 1:
        return m.op("take", region, indices[0], axis=selection.run.start)
    return m.op("gather_nd", region, *indices, axis=selection.run.start)


def _require_inside(m: Machine, region: Tensor, selection: Selection) -> None:
    """Index arrays that broadcast together are inside their axes; a mask's always are."""
    _require_broadcast(m, selection.given)
    for axis, index in selection.arrays.items():
        if selection.mask is None:
            require_inside(m, region, axis, index)


def _only_flags(m: Machine, selection: Selection) -> Tensor:
    if len(selection.flags) > 1:
        _require_broadcast(m, selection.flags)
    return reduce(partial(m.op, "add"), selection.flags)


def _order(selection: Selection) -> list[int]:
    """Where each dim of the result (without new axes) is in what is gathered."""
    kept, rank = selection.kept, selection.rank
    before = sum(1 for a in kept if a < selection.run.start)
    source = [*range(before), *range(before + rank, len(kept) + rank)]
    place = sum(1 for a in selection.layout[: selection.place] if a != NEW)
    return [*source[:place], *range(before, before + rank), *source[place:]]


def _new_axes(selection: Selection) -> tuple[int, ...]:
    """The new axes, counted in the result."""
    rank = selection.rank
    return tuple(i + (rank if i >= selection.place else 0) for i, a in enumerate(selection.layout) if a == NEW)


def _with_new_axes(m: Machine, result: Tensor, selection: Selection) -> Tensor:
    axes = _new_axes(selection)
    return m.op("expand_dims", result, axes=axes) if axes else result


# ---------------------------------------------------------------- writing


@index_writes.write_chosen.given
def set_(m: Machine, array: Tensor, entries: Sequence[Value], value: Tensor) -> Tensor:
    """The contents of `array` after `array[entries] = value`."""
    selection = parsed(m, array, entries)
    mask = selection.mask
    if mask is not None:
        if mask.rank == array.rank and len(entries) == 1:
            _check_count(m, selection, value)
        if _chooses(m, array, selection, mask, value):
            return m.op("where", _widened(m, array, selection, mask), value, array)
    region = _region(m, array, selection)
    new = _scattered(m, region, selection, _fitted(m, region, selection, value))
    if not selection.entries:
        return new

    whole = tuple(selection.entries.get(a, indexing.FULL) for a in range(array.rank))
    return index_writes.write_slices(m, array, indexing.Index(whole, (), False), new)


def _check_count(m: Machine, selection: Selection, value: Tensor) -> None:
    """As many values as a mask of all axes selects, or one."""
    if value.rank > 1:
        refusal = "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has "
        raise m.error("GP302", f"{refusal}{value.rank} dimensions", raised=True)
    if value.rank == 0:
        return
    positions = selection.arrays[selection.first]
    selected, given = m.dimension(positions, 0), m.dimension(value, 0)
    text = ("NumPy boolean array indexing assignment cannot assign ", given, " input values to the ", selected)
    bad = both(m, unequal(m, given, selected), unequal(m, given, Static(1)))
    check(m, bad, ValueError, *text, " output values where the mask is true")


def _chooses(m: Machine, array: Tensor, selection: Selection, mask: Tensor, value: Tensor) -> bool:
    """Whether a write through a mask is a choice between the value and what is there, element by element."""
    facts, behind = m.live.facts, array.type.shape[selection.first + mask.rank :]
    own = array.type.shape[selection.first : selection.first + mask.rank]
    # An empty mask fits any axis, and has no elements to choose from.
    if value.rank > len(behind) or not all(facts.decide("==", d, s) for d, s in zip(mask.type.shape, own, strict=True)):
        return False
    pairs = zip(reversed(value.type.shape), reversed(behind), strict=False)
    return all(v.constant == 1 or facts.decide("==", v, d) for v, d in pairs)


def _widened(m: Machine, array: Tensor, selection: Selection, mask: Tensor) -> Tensor:
    """A mask with dims of 1 behind its own."""
    behind = array.rank - selection.first - mask.rank
    return m.op("expand_dims", mask, axes=tuple(range(mask.rank, mask.rank + behind))) if behind else mask


def _fitted(m: Machine, region: Tensor, selection: Selection, value: Tensor) -> Tensor:
    """A value as it is scattered: laid out as what is gathered, without new axes."""
    order, added = _order(selection), _new_axes(selection)
    if not value.rank or (order == list(range(len(order))) and not added and selection.arrays):
        return value
    sizes, shape = _selected_sizes(m, region, selection)
    text = ("shape mismatch: value array of shape ", *shape_parts(value.type.shape))
    message = (*text, " could not be broadcast to indexing result of shape ", *shape_parts(shape))
    clauses = tuple(requirements.stretched(value.type.shape, shape))
    settle(m, Requirement(clauses, "shape", message), [value, region, *selection.given])
    if value.rank > len(sizes):
        value = m.op("squeeze", value, axes=tuple(range(value.rank - len(sizes))))
    value = m.op("broadcast_to", value, *sizes)
    value = m.op("squeeze", value, axes=added) if added else value
    return m.op("transpose", value, perm=tuple(int(i) for i in np.argsort(order)))


def _selected_sizes(m: Machine, region: Tensor, selection: Selection) -> tuple[list[Value], tuple[Dim, ...]]:
    """The shape of what an index selects, as numbers and as dims."""
    _require_broadcast(m, selection.given)
    own = broadcast_sizes(m, [sizes_of(m, index) for index in selection.given])
    shape = broadcast_shapes([a.type.shape for a in selection.given], m.fresh_dim)
    axes: list[tuple[Value, Dim]] = [
        (Static(1), ONE) if a == NEW else (m.dimension(region, a), region.type.shape[a]) for a in selection.layout
    ]
    axes[selection.place : selection.place] = list(zip(own, shape, strict=True))
    return [size for size, _ in axes], tuple(d for _, d in axes)


def _scattered(m: Machine, region: Tensor, selection: Selection, value: Tensor) -> Tensor:
    """The region with the value at the places that index arrays select."""
    if selection.arrays:
        indices, first = _run(m, region, selection), selection.run.start
        written = m.op("scatter_nd", region, value, *indices, axis=first, unique=_no_place_twice(selection))
        scatter = m.out.pop()  # NumPy looks at the shape of the value first
        _require_inside(m, region, selection)
        emit_operation(m, scatter)
        return written
    position = _only_flags(m, selection)
    widened = m.op("expand_dims", region, axes=(0,))
    return m.op("squeeze", m.op("scatter_nd", widened, value, position, axis=0, unique=True), axes=(0,))


def _no_place_twice(selection: Selection) -> bool:
    """Whether index arrays certainly select no element twice: those of one mask do, and known ones."""
    if selection.mask is not None:
        return True
    known = [a.operand.value for a in selection.given if isinstance(a.operand, Const)]
    if len(known) < len(selection.given) or any((k < 0).any() for k in known) or selection.flags:
        return False
    try:
        together = np.broadcast_arrays(*known)
    except ValueError:
        return False  # the operation is refused
    places = np.stack([k.reshape(-1) for k in together], axis=1)
    return len(np.unique(places, axis=0)) == len(places)
