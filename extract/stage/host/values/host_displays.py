"""Dict displays with something of the host in them: the dict is made there, item by item.

{**settings, name: loss}    ->      h1 = host[0]()              # {}
                                    host[1](h1, settings)       # update
                                    host[2](h1, name, loss)     # [name] = loss

A dict that gets such a key later is made there from the start.
"""

from __future__ import annotations

from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_dicts
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.values.values import Host, Value


def dict_display(m: Machine, node: tree.DictExpr) -> Value:
    """The value of a dict display; on the host from the first spread or key that is there."""
    m.node_loc = node.loc
    found: dict[Any, Value] = {}
    host = host_dicts.on_host(m) if host_containers.is_made_on_host(m) else None
    for key, item in node.items:
        name = None if key is None else settled(m, entries.evaluate(m, key))
        value = entries.evaluate(m, item)
        if host is None and isinstance(settled(m, value) if key is None else name, Host):
            host = host_dicts.on_host(m, found)
        if host is not None:
            _add(m, host, name, value)
        elif name is None:
            found.update(objects.dict_contents(m, value))
        else:
            m.node_loc = node.loc
            found[host_dicts.known_key(m, objects.new_dict(m, {}), name)] = value
    m.node_loc = node.loc
    return objects.new_dict(m, found) if host is None else host


def _add(m: Machine, host: Host, name: Value | None, value: Value) -> None:
    if name is None:
        update = host_code.attribute(m, host, "update")
        host_code.step(m, "call", [update, value], count=0, text="{**...}", harmless=True)
    else:
        host_code.do(m, "set_item", host, name, host_dicts.kept(m, value))
