"""Dicts of the program that get keys which only the host knows: they are made there from the start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graph_program.extract.stage import host_code, objects
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.signals import HostDictNeeded
from graph_program.extract.stage.use import not_static, settled
from graph_program.extract.stage.values import Host, Ref, Static, Value


def is_made_on_host(m: Machine) -> bool:
    """Whether the dict that is made here is the host's."""
    return m.loc in m.options.host_dicts


def on_host(m: Machine, contents: Mapping[Any, Value] | None = None) -> Host:
    """A new dict on the host."""
    given = [objects.new_dict(m, dict(contents))] if contents else []
    return host_code.call(m, Static(dict), given, {}, "{...}")


def made_dict(m: Machine, contents: Mapping[Any, Value]) -> Value:
    """A new dict, on whatever side it is."""
    return on_host(m, contents) if is_made_on_host(m) else objects.new_dict(m, dict(contents))


def require_host_dict(m: Machine, holder: Value, key: Value) -> None:
    """Have a dict of the program made on the host where a key of it is there.

    Raises
    ------
    HostDictNeeded
    """
    key = settled(m, key)
    if isinstance(key, Host) and isinstance(holder, Ref) and holder.cls is dict:
        raise HostDictNeeded(holder.loc, not_static(m, key, "a dict key"))
