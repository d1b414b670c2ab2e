"""Values that say themselves what their attributes and items are."""

from __future__ import annotations

from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.values import Value


class Described(Value):
    """A value with attributes, and perhaps items, of its own."""

    def attribute(self, m: Machine, name: str) -> Value:
        """`value.name`."""
        raise NotImplementedError

    def item(self, m: Machine, key: Any) -> Value:
        """`value[key]` for a known key."""
        raise m.error("GP302", "this object is not subscriptable", cls=diagnostics.DTypeError)
