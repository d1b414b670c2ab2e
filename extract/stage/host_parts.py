"""Whether something of the host is in a value: in a tuple, a list, a dict or an object."""

from __future__ import annotations

from collections.abc import Iterable

from graph_program.extract.stage.elements import Growing
from graph_program.extract.stage.layouts import Node, OnHost
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import Host, Maybe, Ref, Tuple, Value


def holds_host(m: Machine, *values: Value) -> bool:
    """Whether one of some values is on the host, or has something in it that is."""
    seen: set[int] = set()
    work = list(values)
    while work:
        value = work.pop()
        if isinstance(value, Host):
            return True
        if isinstance(value, Maybe):
            work.append(value.value)
        elif isinstance(value, Tuple):
            work += value.elts
        elif isinstance(value, Ref) and id(value) not in seen:
            seen.add(id(value))
            contents = m.live.heap.get(value)
            if isinstance(contents, Growing):
                if _on_host(contents.layout):
                    return True
            elif contents is not None:
                work += contents.values() if isinstance(contents, dict) else contents
    return False


def _on_host(layout: Node) -> bool:
    inner: Iterable[object] = getattr(layout, "parts", None) or (getattr(layout, "inner", None),)
    return isinstance(layout, OnHost) or any(_on_host(part) for part in inner if isinstance(part, Node))
