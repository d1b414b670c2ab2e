"""Subscripts of lists and dicts written: `items[i] = v`, `items[a:b] = values`, `d[key] = v`."""

from __future__ import annotations

from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.lists import growing_lists
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import items, iteration
from graph_program.extract.stage.operations.known_and_truth import is_computed, static
from graph_program.extract.stage.operations.of_numbers.conversions import list_position
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import held
from graph_program.extract.stage.values.values import (
    Ref,
    SliceValue,
    Value,
    is_numeric,
)


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
