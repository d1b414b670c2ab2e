"""What is known while one ONNX graph is written: its nodes, and what may be used again in it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import onnx_ir as ir

from graph_program.extract.records import dataclass

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Tensor


@dataclass(frozen=True)
class Sizes:
    """What a number is the product of: the sizes of some axes of an array of a rank."""

    of: ir.Value
    axes: frozenset[int]
    rank: int

    @property
    def attributes(self) -> dict[str, Any]:
        """Those of a `Shape` that gives these sizes, which are of axes one behind the other."""
        start, end = min(self.axes), max(self.axes) + 1
        return {**({"start": start} if start else {}), **({"end": end} if end < self.rank else {})}


def in_order(numbers: Sequence[Sizes | None]) -> Sizes | None:
    """All sizes together of several axes of one array, one behind the other; None if numbers are others."""
    found = [sizes for sizes in numbers if sizes is not None and len(sizes.axes) == 1]
    axes = [axis for sizes in found for axis in sizes.axes]
    if len(numbers) < 2 or len(found) < len(numbers) or axes != list(range(axes[0], axes[0] + len(axes))):
        return None
    of_one = all(sizes.of is found[0].of for sizes in found)
    return Sizes(found[0].of, frozenset(axes), found[0].rank) if of_one else None


@dataclass
class Scope:
    """Nodes of one ONNX graph in order, and results, vectors of scalars, products of sizes, conditions.

    Attributes
    ----------
    in_rounds : bool
        Whether the graph may be run again and again in a run of the model.
    """

    nodes: list[ir.Node] = field(default_factory=list)
    computed: dict[Hashable, list[Tensor]] = field(default_factory=dict)
    vectors: dict[ir.Value, Tensor] = field(default_factory=dict)
    sizes: dict[ir.Value, Sizes] = field(default_factory=dict)
    conditions: dict[ir.Value, Tensor] = field(default_factory=dict)
    in_rounds: bool = False


__all__ = ["Scope", "Sizes", "in_order"]
