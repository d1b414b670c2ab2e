"""Elements and slices of lists, tuples and strings, read; those of lists and dicts, written."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.lists import columns, growing_lists, list_columns
from graph_program.extract.stage.lists.positions import computed_position_writes
from graph_program.extract.stage.machine.decisions import COLUMNS
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import elements
from graph_program.extract.stage.machine.signals import Needed
from graph_program.extract.stage.operations import items, iteration, objects
from graph_program.extract.stage.operations.items import get_item
from graph_program.extract.stage.operations.known_and_truth import is_computed, static
from graph_program.extract.stage.operations.of_numbers.conversions import list_position, own_index
from graph_program.extract.stage.operations.static_evaluation import call_now
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.column_data import SEQUENCES, Growing
from graph_program.extract.stage.values.inside import held
from graph_program.extract.stage.values.layouts import Contents
from graph_program.extract.stage.values.questions import is_known, is_known_as, is_ref_to
from graph_program.extract.stage.values.values import Ref, SliceValue, Static, Tensor, Tuple, Value, is_numeric

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def list_item(m: Machine, value: Ref, key: Value) -> Value:
    """An element or slice of a list: of computed length, read from columns."""
    key = list_position(m, key) if value.cls is list else own_index(m, key)
    found = growing_lists.contents(m, value)
    if not isinstance(found, Growing):
        return sequence_item(m, value, found, key)
    return _made(m, value.cls, growing_lists.item(m, found, key, value.cls.__name__, holder=value))


def _made(m: Machine, cls: type, result: Value | Contents) -> Value:
    """What a subscript gives: an element, or what a slice selects as a new sequence."""
    return result if isinstance(result, Value) else objects.new_sequence(m, cls, result)


def computed_item(m: Machine, value: Value, items: Sequence[Value], key: Value) -> Value | None:
    """An element or slice of a sequence of known length at computed positions; None where they are to be known."""
    parts, cls = held(key) or (key,), user_classes.class_of(value)
    if not any(is_computed(m, p) for p in parts):
        return None
    if isinstance(key, SliceValue) and (cls not in SEQUENCES or not items):
        return objects.new_sequence(m, cls, ()) if cls is not None and cls in SEQUENCES else None
    if not items and is_numeric(key):
        m.raise_(IndexError, (f"{_called(value)} index out of range",))
    whole = columns.grown(m, tuple(items), m.live.heap.__getitem__)
    if whole is None:
        return None
    if becomes_columns(m, value, whole):
        return get_item(m, value, key)
    return _made(m, cls or tuple, growing_lists.item(m, whole, key, _called(value)))


def _called(sequence: Value) -> str:
    """What Python calls a sequence where a position is out of its range."""
    cls = user_classes.class_of(sequence) or tuple
    return "string" if cls is str else cls.__name__


def sequence_item(m: Machine, value: Value, items: Sequence[Value], key: Value) -> Value:
    """An element or slice of a list, tuple or string."""
    key = own_index(m, key)
    computed = computed_item(m, value, items, key)
    if computed is not None:
        return computed
    if isinstance(key, SliceValue):
        bounds = slice(*(static(m, b, "the bound of a sequence's slice") for b in (key.start, key.stop, key.step)))
        if is_known(value) and not isinstance(value.value, list | tuple):
            return Static(value.value[bounds])
        is_list = issubclass(user_classes.class_of(value) or tuple, list)
        return objects.new_list(m, items[bounds]) if is_list else Tuple(tuple(items[bounds]))
    if isinstance(key, Tensor) and is_computed(m, key):
        if all(isinstance(need, tuple) for need in key.needs) and len(items) <= computed_position_writes.MAX_CHOICES:
            return computed_position_writes.item(m, value, items, key)
        list_columns.require_one_type(m, items)
    of_numbers = bool(items) and all(map(is_numeric, items))
    position = static(m, key, f"the index of a list or tuple{' of numbers' if of_numbers else ''}")
    if not isinstance(position, int | np.integer):
        kind = user_classes.class_of(value) or tuple
        raise m.error("GP302", f"{kind.__name__} indices must be integers or slices, not {type(position).__name__}")
    if not -len(items) <= position < len(items):
        m.raise_(IndexError, (f"{_called(value)} index out of range",))
    return one_of_several.read(m, items[int(position)])


@items.item.of(Tuple, Static)
def _item(m: Machine, value: Tuple | Static, key: Value) -> Value:
    found = iteration.structure_items(m, value)
    if found is not None and not is_known_as(value, set | frozenset):
        return sequence_item(m, value, found, key)
    assert is_known(value)
    has_items = hasattr(value.value, "__getitem__") or hasattr(value.value, "__class_getitem__")
    position = static(m, key, "this index") if has_items else 0  # what has no items says so whatever is asked for
    return Static(call_now(m, operator.getitem, [value.value, position]))


@items.item.of(Ref)
def _item_of_list(m: Machine, value: Ref, key: Value) -> Value:
    if value.cls not in SEQUENCES:
        raise items.not_subscriptable(m, value)
    return list_item(m, value, key)


Refusal = GraphProgramError | Needed


def becomes_columns(m: Machine, holder: Value, whole: Growing) -> bool:
    """Whether a list that is read at a computed position is one of columns from here on.

        row = rows[i]                rows := columns
        row[j] += 1         ->       row := row i of the columns
                                     row := set_index(row, ..., j)
                                     rows := set_index(rows, row, i)

    Reading makes a copy, and leaves the list as it is.  Where a copy turns out to be written, the evaluation starts
    again, and the list is made one of columns where it is read, which knows its elements (`lists/element_writes`).
    """
    if not is_ref_to(holder, list) or not elements.is_noted(whole):
        return False
    if m.loc in m.decided[COLUMNS]:
        m.live.heap[holder] = whole
        return True
    m.loops.computed_reads += [(v, m.loc) for v in (whole.arrays, whole.objects) if v is not None]
    return False


@entries.columns_instead.given
def otherwise(m: Machine, target: Tensor | Ref, refusal: Refusal) -> Exception:
    while target.view is not None:
        target = target.view.base
    error = refusal if isinstance(refusal, GraphProgramError) else refusal.error
    for source in target.sources:
        places = frozenset(place for value, place in m.loops.computed_reads if value is source)
        if places - m.decided[COLUMNS].keys():
            return Needed(COLUMNS, places, error)
    return refusal


@items.write_item.of(Ref)
def _write_item(m: Machine, holder: Ref, key: Value, value: Value) -> None:
    if holder.cls is dict:
        known = host_entries.known_key(m, holder, key)
        alias.before_write(m, holder)
        alias.store(m, holder, {**m.live.heap[holder], known: value})
    elif holder.cls is list:
        set_list_item(m, holder, list_position(m, key), value)
    else:
        items.write_item.declared(m, holder, key, value)


def set_list_item(m: Machine, holder: Ref, key: Value, value: Value) -> None:
    """`items[i] = value` or `items[a:b] = values`."""
    found = growing_lists.contents(m, holder)
    alias.before_write(m, holder)
    parts = held(key) or (key,)
    computed = isinstance(found, Growing) or any(is_computed(m, p) for p in parts)
    if isinstance(key, SliceValue):
        new = iteration.elements(m, value, "a slice assignment")
        if computed or isinstance(new, Growing):
            alias.store(m, holder, growing_lists.with_slice(m, found, key, new))
            return
    elif computed and not found and is_numeric(key):
        m.raise_(IndexError, ("list assignment index out of range",))
    elif computed and found:
        alias.store(m, holder, growing_lists.with_item(m, found, key, value))
        return
    new_items = list(found)  # type: ignore[arg-type]
    if isinstance(key, SliceValue):
        bounds = slice(*(static(m, b, "the bound of a list's slice") for b in parts))
        new_items[bounds] = new  # type: ignore[assignment]
    else:
        position = static(m, key, "the index of a list")
        if not -len(new_items) <= position < len(new_items):
            m.raise_(IndexError, ("list assignment index out of range",))
        new_items[position] = value
    alias.store(m, holder, tuple(new_items))
