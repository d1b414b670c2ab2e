"""What is read at one place and then gets the axis back is read with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx

from graph_program import Float64, Int64, Tensor
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Square = Float64[Tensor, "n n"]
SQUARES = tuple((np.arange(float(n * n)).reshape(n, n) - 4,) for n in (4, 2, 1, 0))
PLACED = tuple((x, k) for (x,) in SQUARES[:3] for k in (0, -1, 3, 7))

kept = Cases()
"""Programs in which at most a place gets an axis, with arguments."""
put_back = Cases()
"""Near misses, in which more do."""


@kept(*SQUARES)
def eliminated(x: Square) -> Any:
    """As in the elimination of Gauss, of a row and a column in each round."""
    for k in range(len(x)):
        x = np.floor(x[:, k][:, None] * x[k][None, :] / 8.0) - x
    return x


@kept(*PLACED)
def at_a_place_that_may_not_be_there(x: Square, k: int) -> Any:
    return x[:, k][:, None] - x[k][None, :]


@kept(*PLACED[:4])
def behind_a_branch(x: Square, k: int) -> Any:
    if k > 1:
        x = np.floor(np.sqrt(np.abs(x[k][None, :]))) - np.floor(np.sqrt(np.abs(x[:, k][:, None]))) * x
    return x


@kept(*SQUARES[:2])
def at_a_known_place(x: Float64[Tensor, "n m"]) -> Any:
    return x - x[1][None, :] * x[:, 0][:, None]


@put_back(*SQUARES)
def at_other_axes(x: Square) -> Any:
    for k in range(len(x)):
        x = np.floor(x[:, k][None, :] * x[k][:, None] / 8.0) - x
    return x


@put_back(*((x, np.arange(len(x))) for (x,) in SQUARES))
def read_as_they_are(x: Square, order: Int64[Tensor, "n"]) -> Any:
    total = np.zeros(len(x))
    for k in order:
        row, column = x[k], x[:, k]
        x = np.floor(column[:, None] * row[None, :] / 8.0) - x
        total = total + row * column
    return x, total


def nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for a in node.attribute:
            if a.HasField("g"):
                yield from nodes(a.g)


def unsqueezed(fn: Any, inputs: Any) -> int:
    return Counter(node.op_type for node in nodes(compared(fn, inputs).graph))["Unsqueeze"]


@kept.each
def test_kept(fn: Any, inputs: Any) -> None:
    assert unsqueezed(fn, inputs) <= 1


@put_back.each
def test_put_back(fn: Any, inputs: Any) -> None:
    assert unsqueezed(fn, inputs) == 2
