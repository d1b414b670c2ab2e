"""The operations that integers of 8 bits can take over: products with float32 matrices that are known, and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir

from graph_program.quantized.collected import graphs_of
from graph_program.quantized.constants import Constants

WEIGHTS: Mapping[str, tuple[int, ...]] = {"MatMul": (1,), "Gemm": (1,), "Conv": (1,), "LSTM": (1, 2), "Gather": (0,)}
"""The inputs that have to be known; of a product it may be the first one as well."""
RANKS = {"MatMul": (2,), "Gemm": (2,), "Conv": (3, 4, 5), "LSTM": (3,), "Gather": (2,)}


@dataclass(frozen=True)
class Candidate:
    """An operation that can be quantized.

    Attributes
    ----------
    node : onnx_ir.Node
    weights : tuple of int
        Which of its inputs are known matrices.
    size : int
        The numbers in these.
    """

    node: ir.Node
    weights: tuple[int, ...]
    size: int

    @property
    def activations(self) -> list[ir.Value]:
        """The inputs whose numbers are only known in a run, and are quantized then."""
        if self.node.op_type == "Gather":
            return []
        (first, *_) = (value for place, value in enumerate(self.node.inputs[:2]) if place not in self.weights)
        assert first is not None
        return [first]


def candidates(model: ir.Model, constants: Constants) -> Iterator[Candidate]:
    """What of a model can be quantized, in bodies of loops and branches as well."""
    for graph in graphs_of(model.graph):
        for node in graph:
            weights = _weights(node, constants)
            if weights:
                yield Candidate(node, weights, sum(constants.of(node.inputs[place]).size for place in weights))


def wide_products(model: ir.Model) -> Iterator[ir.Node]:
    """The products of float64, which no tool quantizes."""
    for graph in graphs_of(model.graph):
        for node in graph:
            if node.op_type in WEIGHTS and node.op_type != "Gather" and node.outputs[0].dtype == ir.DataType.DOUBLE:
                yield node


def _weights(node: ir.Node, constants: Constants) -> tuple[int, ...]:
    places = WEIGHTS.get(node.op_type, ())
    if not places or node.domain:
        return ()
    if node.op_type == "Gather" and (
        node.attributes.get_int("axis", 0) != 0 or constants.of(node.inputs[1]) is not None
    ):
        return ()  # only what looks rows up
    if _are_known(node, places, constants):
        return places
    if _may_be_turned(node) and _are_known(node, (0,), constants):
        shape = node.inputs[1].shape if node.inputs[1] is not None else None
        return (0,) if shape is not None and shape.rank() == 2 else ()
    return ()


def _may_be_turned(node: ir.Node) -> bool:
    """Whether a product is a plain one, whose sides can be exchanged."""
    plain = node.attributes.get_float("alpha", 1.0) == 1.0 and len(node.inputs) == 2
    return node.op_type == "MatMul" or (node.op_type == "Gemm" and plain)


def _are_known(node: ir.Node, places: tuple[int, ...], constants: Constants) -> bool:
    arrays = [constants.of(node.inputs[place]) for place in places]
    known = [array for array in arrays if array is not None and array.dtype == np.float32 and np.isfinite(array).all()]
    return len(known) == len(arrays) and all(array.ndim in RANKS[node.op_type] for array in known)


__all__ = ["Candidate", "candidates", "wide_products"]
