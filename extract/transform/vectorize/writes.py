"""What a round writes into an array."""

from __future__ import annotations

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.lanes import Mask


@dataclass(frozen=True)
class Write:
    """`x[indices] = value`, where a mask holds; with `adds`, `x[indices] += value`; of a slice without indices."""

    node: Node
    indices: tuple[Value, ...]
    value: Value
    mask: Mask
    unique: bool = True
    adds: bool = False

    @property
    def is_block(self) -> bool:
        """Whether a slice is written."""
        return not self.indices

    @property
    def read(self) -> tuple[Value, ...]:
        """What says where something is written, what, and whether it is."""
        bounds = self.node.inputs[2:] if self.is_block else ()
        return (*self.indices, *bounds, self.value, *(test for test, _ in self.mask))


__all__ = ["Write"]
