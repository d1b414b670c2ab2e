"""What is written into a part is not made as large as the part where a slice between the same bounds is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import Cases, check

Vector = Float64[Tensor, "n"]
VECTORS = tuple((np.arange(float(n)) - 1.5,) for n in (6, 3, 2, 1, 0))

fitting = Cases()
"""Programs that make nothing larger."""
spread = Cases()
"""Near misses."""


@fitting(*VECTORS)
def beginnings(x: Vector) -> Any:
    y = np.zeros(len(x))
    for k in range(1, len(x)):
        y[:k] += x[k] * np.sin(np.flip(y[:k])) + 1.0
        y[k] = y[:k].sum()
    return y


@spread(*VECTORS)
def a_number(x: Vector) -> Any:
    y = np.zeros(len(x))
    for k in range(1, len(x)):
        y[:k] = np.sin(y[:k].sum()) + x[k]
    return y


@spread(*VECTORS)
def of_other_bounds(x: Vector) -> Any:
    y = np.zeros(len(x))
    for k in range(1, len(x)):
        y[:k] = np.sin(y[:1]) + x[k]
    return y


def expands(model: onnx.ModelProto) -> int:
    """The nodes in loops that make something as large as something else."""

    def count(graph: onnx.GraphProto, inside: bool) -> int:
        found = sum(inside and node.op_type == "Expand" for node in graph.node)
        parts = [(node.op_type, a.g) for node in graph.node for a in node.attribute if a.HasField("g")]
        return found + sum(count(g, inside or op == "Loop") for op, g in parts)

    return count(model.graph, False)


@fitting.each
def test_nothing_is_made_larger(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert not expands(graph_program(fn).model())


@spread.each
def test_near_misses(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert expands(graph_program(fn).model())
