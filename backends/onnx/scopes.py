"""What is known while one ONNX graph is written: its nodes, and what may be used again in it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from typing import TYPE_CHECKING

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


__all__ = ["Scope", "Sizes"]
