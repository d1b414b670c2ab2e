"""Models that runtimes other than onnxruntime take: the same results, without what they choke on.

    c: float64[0] = {}                    s: int64[1] = {0}; c = ConstantOfShape(s)
    y = Loop(n, true), collects v         r = Loop(n, true), collects v; y = Slice(r, 0, n > 0 ? 2147483647 : 0)

OpenVINO takes a constant vector without elements for a number, and what a loop without rounds has collected is there
what it had collected in the run before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Builder, Tensor

ENDLESS = int(np.iinfo(np.int64).max)
"""The number of rounds of a loop that only its condition ends."""
ALL = int(np.iinfo(np.int32).max)
"""The end of a slice that cuts nothing off, also where integers have 32 bits."""


def cut_to_rounds(builder: Builder, trips: Tensor, condition: Tensor, stacks: Sequence[Tensor]) -> list[Tensor]:
    """What a loop has collected, and nothing where it has no rounds."""
    tests = []
    if trips.known is None:
        tests.append(trips > 0)
    elif int(trips.known) <= 0:
        tests.append(builder.constant(np.array(False)))
    if condition.known is None or not condition.known:
        tests.append(condition)
    if not stacks or not tests:
        return list(stacks)
    runs = tests[0] if len(tests) == 1 else tests[0] & tests[1]
    start = builder.ints(0)
    end = (runs.cast(builder.constant(np.array(0)).dtype) * ALL).op("Unsqueeze", start)
    return [stack.op("Slice", start, end, start) for stack in stacks]


def without_empty_constants(graph: ir.Graph) -> None:
    """Make each constant without elements of its sizes, in place."""
    for value in [*graph.initializers.values()]:
        tensor = value.const_value
        if tensor is not None and not tensor.size:
            _made_of_sizes(graph, value, tensor.numpy())


def _made_of_sizes(graph: ir.Graph, value: ir.Value, array: np.ndarray) -> None:
    name = str(value.name)
    sizes = ir.Value(
        name=_unused(graph, f"{name}.sizes"),
        const_value=ir.Tensor(np.array(array.shape, np.int64)),
        type=ir.TensorType(ir.DataType.INT64),
        shape=ir.Shape([array.ndim]),
    )
    graph.initializers.add(sizes)
    made = ir.Value(name=name, type=value.type, shape=value.shape)
    fill = ir.AttrTensor("value", ir.Tensor(np.zeros(1, array.dtype)))
    node = ir.Node("", "ConstantOfShape", [sizes], [fill], outputs=[made], name=f"ConstantOfShape_{name}")
    ir.convenience.replace_all_uses_with(value, made)
    del graph.initializers[name]
    graph.insert_before(graph[0], node)


def _unused(graph: ir.Graph, name: str) -> str:
    """A name that no value of a model has."""
    taken = {
        value.name
        for node in ir.traversal.RecursiveGraphIterator(graph)
        for value in (*node.inputs, *node.outputs)
        if value
    }
    while name in taken or name in graph.initializers:
        name += "_"
    return name


__all__ = ["cut_to_rounds", "without_empty_constants"]
