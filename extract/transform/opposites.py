"""Comparisons that hold exactly where others do not."""

from __future__ import annotations

from graph_program.extract.ir.graph import Node

OPPOSITES = {"equal": "not_equal", "not_equal": "equal"}
OPPOSITES_WITHOUT_NAN = {
    "less": "greater_equal",
    "less_equal": "greater",
    "greater": "less_equal",
    "greater_equal": "less",
}
"""Of a NaN both are false."""


def opposite_of(node: Node) -> str | None:
    """The comparison of the same operands that holds where this one does not; None if there is none."""
    has_no_nan = bool(node.inputs) and all(value.type.dtype.kind in "biu" for value in node.inputs)
    return OPPOSITES.get(node.op) or (OPPOSITES_WITHOUT_NAN.get(node.op) if has_no_nan else None)


def are_opposite(node: Node, other: Node) -> bool:
    """Whether one of two comparisons holds where the other does not."""
    opposite = opposite_of(node)
    return opposite is not None and opposite == other.op and node.inputs == other.inputs


__all__ = ["are_opposite", "opposite_of"]
