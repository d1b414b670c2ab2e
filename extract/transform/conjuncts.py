"""What must all hold for a condition to hold."""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Conjunct:
    """A bool, and what it must be."""

    value: Value
    holds: bool


def conjuncts(value: Value, holds: bool, maker: Callable[[Value], Node | None]) -> list[Conjunct]:
    """The parts of a condition that must all be what they must be, for it to be what it must be."""
    node = maker(value)
    if node is not None and node.op == "invert":
        return conjuncts(node.inputs[0], not holds, maker)
    if node is not None and node.op == ("bitwise_and" if holds else "bitwise_or"):
        return [part for operand in node.inputs for part in conjuncts(operand, holds, maker)]
    return [Conjunct(value, holds)]


__all__ = ["Conjunct", "conjuncts"]
