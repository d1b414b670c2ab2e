"""What a round writes into an array."""

from __future__ import annotations

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.lanes import Mask


@dataclass(frozen=True)
class Write:
    """`x[indices] = value`, where a mask holds; with `adds`, `x[indices] += value`."""

    node: Node
    indices: tuple[Value, ...]
    value: Value
    mask: Mask
    unique: bool = True
    adds: bool = False


__all__ = ["Write"]
