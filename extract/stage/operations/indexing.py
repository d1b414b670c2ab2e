"""Subscripts: `x[...]` read and written, on arrays and on structures of known length.

    x[i, 1:n]      ->  t = take(x, i, axis=0);  u = slice(t, 1, n, axes=(0,), steps=(1,))
    x[i, 1:n] = v  ->  t = take(x, i, axis=0);  u = set_slice(t, v, 1, n, ...);  x := set_index(x, u, i)

Basic indices (integers, slices, `...`, `None`) give views; integer arrays and masks give copies.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import EnumMeta
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.arrays import slice_reads
from graph_program.extract.stage.arrays.index_positions import index_scalar
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_dicts, host_texts
from graph_program.extract.stage.lists import computed_reads, list_columns
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import mixed_numbers, number_members
from graph_program.extract.stage.opened import subscripts
from graph_program.extract.stage.opened.inference import holds_open, tensor_term
from graph_program.extract.stage.operations import iteration, objects
from graph_program.extract.stage.operations.known_and_truth import known_items, settled, static
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.paths import one_of_several, optional
from graph_program.extract.stage.values.column_data import SEQUENCES, Growing
from graph_program.extract.stage.values.described import Described
from graph_program.extract.stage.values.open_values import Open, OpenShape
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import (
    NONE,
    DictView,
    Host,
    Iteration,
    Maybe,
    Mixed,
    Range,
    Ref,
    SliceValue,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
    View,
    is_numeric,
    type_of,
)
from graph_program.extract.stage.values.views import LeadingView
from graph_program.extract.types.notation.shaped import ArrayForm
from graph_program.extract.types.tensors.tensor_type import BOOL, Kind
from graph_program.tensor_api.ops.indexing import INT64_MAX as INT64_MAX

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
    def is_leading(self) -> bool:
        """Whether it selects neighbours on the leading axes: integers, then a slice without steps, then all."""
        integers = next((k for k, e in enumerate(self.entries) if isinstance(e, SliceValue)), len(self.entries))
        rest = [e for e in self.entries[integers:] if e is not FULL]
        first: Value = self.entries[integers] if integers < len(self.entries) else FULL
        step = first.step if isinstance(first, SliceValue) else NONE
        one = isinstance(step, Static) and step.value in (None, 1)
        return not self.new_axes and one and all(e is first for e in rest)

    @property
    def slices(self) -> list[tuple[int, SliceValue]]:
        found = [(a, e) for a, e in enumerate(self.entries) if isinstance(e, SliceValue)]
        return [(a, e) for a, e in found if e is not FULL]


# ---------------------------------------------------------------- reading


def _as_array(m: Machine, value: Value) -> Value:
    """A captured array as one of the graph."""
    return m.captured_array(value) if isinstance(value, Static) and m.is_captured_array(value) else value


def get_item(m: Machine, value: Value, key: Value) -> Value:
    """`value[key]`."""
    things = one_of_several.choice(value) if isinstance(value, Mixed) else None
    if things is not None:
        return one_of_several.of_each(m, things, lambda one: get_item(m, one, key))
    value = settled(m, optional.present(m, settled(m, value), lambda none: none[0]))
    one_of = one_of_several.choice(key)
    if one_of is not None:
        return one_of_several.of_each(m, one_of, lambda k: get_item(m, value, k))
    method = objects.user_method(value, "__getitem__")
    key = taken_apart(one_of_several.read(m, key if method is not None else mixed_numbers.as_integer(m, key)))
    if isinstance(key, Tuple):
        value = _as_array(m, value)
    if not isinstance(value, Host):
        key = host_code.as_key(m, value, key)
    if isinstance(value, Text):
        value = host_texts.on_host(m, value)
    if isinstance(value, DictView):
        text = f"'dict_{value.kind}' object is not subscriptable"
        raise m.error("GP302", text, cls=diagnostics.DTypeError, hint=f"list(d.{value.kind}())[...]", raised=True)
    if isinstance(value, Host) or isinstance(key, Host):
        return host_code.item(m, value, key)
    value = _as_array(m, value)
    if isinstance(value, Open | OpenShape):
        return subscripts.get_item(m, value, key)
    if isinstance(value, Tensor):
        if m.inference is not None and holds_open(m, key):
            return subscripts.get_item(m, m.inference.open(m, tensor_term(value.type)), key)
        return get_tensor(m, value, key)
    if isinstance(value, Iteration) and value.kind == "flat":
        from graph_program.extract.stage.numpy.select.iterators import flat_item

        return flat_item(m, value, key)
    if isinstance(value, Described):
        return value.item(m, static(m, key, "the name of an item"))
    trick = index_trick(value)
    if trick is not None:
        return trick(m, key)
    if isinstance(value, Static) and _is_annotation_form(value.value):
        return Static(value.value[static(m, key, "the shape of an annotation")])
    if method is not None:
        from graph_program.extract.stage.language.calls import calls

        return calls.call(m, method, [key], {})
    if isinstance(value, Ref) and value.cls is dict:
        host_dicts.require_host_dict(m, value, key)
        return dict_item(m, m.live.heap[value], key, value)
    if isinstance(value, Static) and isinstance(value.value, dict):
        return host_dicts.captured_item(m, value, settled(m, key))
    if isinstance(value, Static) and isinstance(value.value, EnumMeta):
        return Static(call_now(m, operator.getitem, [value.value, static(m, key, "the name of an enum member")]))
    if isinstance(value, Range):
        from graph_program.extract.stage.kinds import range_values

        return range_values.item(m, value, key)
    if isinstance(value, Ref) and value.cls in SEQUENCES:
        return list_item(m, value, key)
    items = iteration.structure_items(m, value)
    if items is not None and not (isinstance(value, Static) and isinstance(value.value, set | frozenset)):
        return sequence_item(m, value, items, key)
    if isinstance(value, Static):
        return Static(call_now(m, operator.getitem, [value.value, static(m, key, "this index")]))
    raise m.error("GP302", f"'{describe(value)}' object is not subscriptable", cls=diagnostics.DTypeError)


def index_trick(value: Value) -> Callable[[Machine, Value], Value] | None:
    """What a subscript of `np.mgrid`, `np.r_` and the like does."""
    from graph_program.extract.stage.numpy.make.index_tricks import item

    return item(value)


def _is_annotation_form(value: object) -> bool:
    return isinstance(value, ArrayForm) or type(value).__module__.partition(".")[0] == "jaxtyping"


def dict_item(m: Machine, contents: dict[Any, Value], key: Value, holder: Value) -> Value:
    """`d[key]`; a missing key raises KeyError at run time."""
    from graph_program.extract.stage.kinds import computed_keys

    key = settled(m, key)
    missing = objects.user_method(holder, "__missing__")
    absent = None if missing is None else lambda: objects.call_with(m, missing, key)
    if computed_keys.is_asked(m, contents, key):
        return computed_keys.item(m, holder, contents, key, absent)
    k = host_dicts.known_key(m, holder, key)
    if k not in contents:
        return absent() if absent is not None else m.raise_(KeyError, (Static(k),))
    value = contents[k]
    if isinstance(value, Maybe) and value.absent == "unbound":
        m.check(value.missing, KeyError, Static(k))
        value = value.value
    return one_of_several.read(m, value)


def list_item(m: Machine, value: Ref, key: Value) -> Value:
    """An element or slice of a list: of computed length, read from columns."""
    from graph_program.extract.stage.lists import growing_lists
    from graph_program.extract.stage.numbers.conversions import own_index

    key = own_index(m, key)
    found = growing_lists.contents(m, value)
    if not isinstance(found, Growing):
        return sequence_item(m, value, found, key)
    result = growing_lists.item(m, found, key, value.cls.__name__, holder=value)
    return result if isinstance(result, Value) else objects.new_sequence(m, value.cls, result)


def computed_item(m: Machine, value: Value, items: Sequence[Value], key: Value) -> Value | None:
    """An element or slice of a sequence of known length at computed positions; None where they are to be known."""
    from graph_program.extract.stage.lists import columns, growing_lists

    parts = (key.start, key.stop, key.step) if isinstance(key, SliceValue) else (key,)
    if not any(is_computed(m, p) for p in parts):
        return None
    if not items and isinstance(key, SliceValue) and objects.class_of(value) in SEQUENCES:
        return objects.new_sequence(m, objects.class_of(value) or list, ())
    if not items and is_numeric(key):
        m.raise_(IndexError, (f"{_called(value)} index out of range",))
    if isinstance(key, SliceValue) and objects.class_of(value) not in SEQUENCES:
        return None
    whole = columns.grown(m, tuple(items), m.live.heap.__getitem__)
    if whole is None:
        return None
    if computed_reads.becomes_columns(m, value, whole):
        return get_item(m, value, key)
    result = growing_lists.item(m, whole, key, _called(value))
    return result if isinstance(result, Value) else objects.new_sequence(m, objects.class_of(value) or tuple, result)


def _called(sequence: Value) -> str:
    """What Python calls a sequence where a position is out of its range."""
    cls = objects.class_of(sequence) or tuple
    return "string" if cls is str else cls.__name__


def is_computed(m: Machine, position: Value) -> bool:
    """Whether a position is computed, and neither unrolling a loop nor specialising a parameter makes it known."""
    if not isinstance(position, Tensor) or (position.size is not None and position.size.constant is not None):
        return False
    return not any(isinstance(n, tuple) or n in m.unrolling for n in position.needs)


def sequence_item(m: Machine, value: Value, items: Sequence[Value], key: Value) -> Value:
    """An element or slice of a list, tuple or string."""
    from graph_program.extract.stage.lists import computed_position_writes
    from graph_program.extract.stage.numbers.conversions import own_index

    key = own_index(m, key)
    computed = computed_item(m, value, items, key)
    if computed is not None:
        return computed
    if isinstance(key, SliceValue):
        bounds = slice(*(static(m, b, "the bound of a sequence's slice") for b in (key.start, key.stop, key.step)))
        if isinstance(value, Static) and not isinstance(value.value, list | tuple):
            return Static(value.value[bounds])
        is_list = issubclass(objects.class_of(value) or tuple, list)
        return objects.new_list(m, items[bounds]) if is_list else Tuple(tuple(items[bounds]))
    if isinstance(key, Tensor) and is_computed(m, key):
        if not key.needs and len(items) <= computed_position_writes.MAX_CHOICES:
            return computed_position_writes.item(m, value, items, key)
        list_columns.require_one_type(m, items)
    position = static(m, key, "the index of a list or tuple")
    if not isinstance(position, int | np.integer):
        kind = objects.class_of(value) or tuple
        text = f"{kind.__name__} indices must be integers or slices, not {type(position).__name__}"
        raise m.error("GP302", text, cls=diagnostics.DTypeError)
    if not -len(items) <= position < len(items):
        m.raise_(IndexError, (f"{_called(value)} index out of range",))
    return one_of_several.read(m, items[int(position)])


def element(m: Machine, array: Tensor, k: Value) -> Value:
    """`array[k]` for a position that is known to be inside."""
    return get_tensor(m, array, k)


def get_tensor(m: Machine, array: Tensor, key: Value) -> Value:
    """`array[key]`."""
    if array.is_python:
        raise m.error("GP302", f"'{array.type}' object is not subscriptable", cls=diagnostics.DTypeError)
    entries = key_entries(m, key)
    if not array.is_array and not all(is_ellipsis(e) or is_new_axis(e) or _is_flag(e) for e in entries):
        raise m.error("GP303", "invalid index to scalar variable.", cls=diagnostics.ProgramIndexError)
    if any(is_advanced(m, e) for e in entries):
        from graph_program.extract.stage.arrays import advanced_indexing

        return advanced_indexing.get(m, array, entries)
    index = basic_index(m, array, entries)
    result = read_basic(m, array, index)
    if result.rank == 0 and not index.ellipsis and not index.new_axes:
        return m.reclassed(result, Kind.NUMPY)
    if not array.is_array or any(_is_array_of_rank_0(e) for e in entries):  # a new array
        return m.copied(result) if result.rank or index.ellipsis or index.new_axes else m.reclassed(result, Kind.NUMPY)
    if not isinstance(result, Tensor) or result is array:
        return m.alias_of(array)
    from graph_program.extract.stage.arrays.index_writes import write_basic

    result.view = (LeadingView if index.is_leading else View)(
        array,
        lambda base: read_basic(m, base, index),
        lambda base, contents: write_basic(m, base, index, contents),
        m.contents(array),
        partial=bool(index.integers),
    )
    return result


def _is_flag(entry: Value) -> bool:
    """Whether a part of a subscript is a mask of rank 0."""
    return is_numeric(entry) and type_of(entry).dtype == BOOL and not type_of(entry).rank


def _is_array_of_rank_0(entry: Value) -> bool:
    """Whether an integer of a subscript is an array, which makes NumPy copy what is selected."""
    return isinstance(entry, Tensor) and entry.is_array


def key_entries(m: Machine, key: Value) -> list[Value]:
    """The parts of a subscript."""
    from graph_program.extract.stage.numbers.conversions import own_index

    if isinstance(key, Tuple):
        parts = [number_members.number(m, own_index(m, e)) for e in key.elts]
        return [taken_apart(settled(m, mixed_numbers.as_integer(m, part))) for part in parts]
    if isinstance(key, Static) and isinstance(key.value, tuple):
        return [taken_apart(Static(e)) for e in key.value]
    if isinstance(key, Ref) and key.cls is tuple:
        return key_entries(m, Tuple(_parts_of(m, key)))
    return [number_members.number(m, own_index(m, key))]


def _parts_of(m: Machine, key: Ref) -> tuple[Value, ...]:
    """The parts of a subscript that is a tuple of computed length: how many they are must be known."""
    found = m.live.heap[key]
    if not isinstance(found, Growing):
        return tuple(found)
    return known_items(m, found, "annotate the length of what it is made of, or write v[q[0], q[1]]")


def taken_apart(key: Value) -> Value:
    """A captured slice as one with parts."""
    if isinstance(key, Static) and isinstance(key.value, slice):
        return SliceValue(Static(key.value.start), Static(key.value.stop), Static(key.value.step))
    return key


def is_advanced(m: Machine, entry: Value) -> bool:
    """Whether a part of a subscript is an integer array, a mask or a list."""
    if isinstance(entry, Tensor):
        return entry.rank > 0 or entry.type.dtype == BOOL
    if isinstance(entry, Static):
        return isinstance(entry.value, list | tuple | np.ndarray | bool | np.bool_)
    return isinstance(entry, Tuple | Range) or (isinstance(entry, Ref) and entry.cls in SEQUENCES)


def is_ellipsis(entry: Value) -> bool:
    """Whether a part of a subscript is `...`."""
    return _is(entry, Ellipsis)


def is_new_axis(entry: Value) -> bool:
    """Whether a part of a subscript is `None`."""
    return _is(entry, None)


def basic_index(m: Machine, array: Tensor, entries: Sequence[Value]) -> Index:
    """Expand `...`, fill up with `:`, and check the number of indices."""
    expanded: list[Value] = []
    new_axes: list[int] = []
    consuming = sum(1 for e in entries if not _is(e, None) and not _is(e, Ellipsis))
    if consuming > array.rank:
        text = f"too many indices for array: array is {array.rank}-dimensional, but {consuming} were indexed"
        raise m.error("GP303", text, cls=diagnostics.ProgramIndexError)
    ellipsis = [i for i, e in enumerate(entries) if _is(e, Ellipsis)]
    if len(ellipsis) > 1:
        text = "an index can only have a single ellipsis ('...')"
        raise m.error("GP303", text, cls=diagnostics.ProgramIndexError)
    kept = 0
    for entry in entries:
        if _is(entry, Ellipsis):
            count = array.rank - consuming
            expanded.extend([FULL] * count)
            kept += count
        elif _is(entry, None):
            new_axes.append(kept)
            kept += 1
        else:
            expanded.append(checked_entry(m, entry))
            kept += isinstance(entry, SliceValue)
    expanded.extend([FULL] * (array.rank - len(expanded)))
    return Index(tuple(expanded), tuple(new_axes), bool(ellipsis))


def _is(entry: Value, what: Any) -> bool:
    return isinstance(entry, Static) and entry.value is what


def checked_entry(m: Machine, entry: Value) -> Value:
    """An integer or slice, refused if it is anything else."""
    if isinstance(entry, Static) and isinstance(entry.value, int):
        return Static(int(entry.value))
    if isinstance(entry, SliceValue):
        parts = (entry.start, entry.stop, entry.step)
        numbers = (settled(m, mixed_numbers.as_integer(m, number_members.number(m, p))) for p in parts)
        return FULL if all(_is(p, None) for p in parts) else SliceValue(*numbers)
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
        result = slice_reads.read_slices(m, result, slices)
    for axis in index.new_axes:
        result = m.op("expand_dims", result, axes=(axis,))
    return result


# ---------------------------------------------------------------- writing
