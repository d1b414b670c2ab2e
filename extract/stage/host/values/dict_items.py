"""Items of dicts: `d[key]`."""

from __future__ import annotations

from typing import Any

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_dicts
from graph_program.extract.stage.kinds import computed_keys
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.signals import StaticNeeded
from graph_program.extract.stage.objects.captured_state import lift_item
from graph_program.extract.stage.operations import items, objects
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.questions import is_partly_set
from graph_program.extract.stage.values.values import (
    Host,
    Ref,
    Static,
    Value,
)


def dict_item(m: Machine, contents: dict[Any, Value], key: Value, holder: Value) -> Value:
    """`d[key]`; a missing key raises KeyError at run time."""
    key = settled(m, key)
    missing = objects.user_method(holder, "__missing__")
    absent = None if missing is None else lambda: objects.call_with(m, missing, key)
    if computed_keys.is_asked(m, contents, key):
        return computed_keys.item(m, holder, contents, key, absent)
    k = host_dicts.known_key(m, holder, key)
    if k not in contents:
        return absent() if absent is not None else m.raise_(KeyError, (Static(k),))
    value = contents[k]
    if is_partly_set(value):
        m.check(value.missing, KeyError, Static(k))
        value = value.value
    return one_of_several.read(m, value)


@items.item.of(Ref, holding=dict)
def _item(m: Machine, value: Ref, key: Value) -> Value:
    if value.cls is not dict:
        raise items.not_subscriptable(m, value)
    host_dicts.require_host_dict(m, value, key)
    return dict_item(m, m.live.heap[value], key, value)


items.item.register(Static, lambda m, value, key: captured_item(m, value, settled(m, key)), holding=dict)


def captured_item(m: Machine, value: Static, key: Value) -> Value:
    """An item of a captured dict; the host looks for a key that only it, or the graph, knows."""
    if isinstance(key, Host):
        return host_code.item(m, value, key)
    contents = {k: lift_item(m, value, k) for k in dict.__iter__(value.value)}
    try:
        return dict_item(m, contents, key, value)
    except (GraphProgramError, StaticNeeded) as failure:
        if not host_dicts.is_computed_key(m, key, failure):
            raise
    return host_code.item(m, value, key)
