"""Sums of several numbers are one operator, where nobody reads what is added up on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx

from graph_program import Float32, Float64, Int64, Tensor
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
CUBE = np.linspace(-2.0, 5.0, 3) ** 3
FLOATS = tuple((x, x[::-1].copy(), 1e16) for x in (CUBE, np.array([-0.0]), np.array([np.nan, np.inf]), np.zeros(0)))
SINGLES = tuple((x.astype(np.float32), y.astype(np.float32)) for x, y, _ in FLOATS)

joined = Cases()
"""Programs without `Add`, with arguments."""
apart = Cases()
"""Near misses, in which each sum is a node of its own."""


@joined(*FLOATS)
def three(x: Vector, y: Vector, z: float) -> Any:
    return x + y + z


@joined(*FLOATS)
def in_another_order(x: Vector, y: Vector, z: float) -> Any:
    return y + (z + (x * x + y))


@joined(*SINGLES)
def zeros_below_zero(x: Float32[Tensor, "n"], y: Float32[Tensor, "n"]) -> Any:
    return x * np.float32(-0.0) + y * np.float32(-0.0) + np.float32(-0.0)


@joined(*FLOATS)
def stretched(x: Vector, y: Vector, z: float) -> Any:
    return x[:, None] + y + z


@apart(*FLOATS)
def that_are_given_back(x: Vector, y: Vector, z: float) -> Any:
    total = x + y
    return total + z, total


@apart(*((np.arange(n), np.arange(n) - 7) for n in (4, 1, 0)))
def of_integers(x: Int64[Tensor, "n"], y: Int64[Tensor, "n"]) -> Any:
    return x + y + x * y


@apart(*((np.arange(4.0).reshape(2, 2), x) for x in (np.eye(2), np.ones((2, 2)))))
def behind_products(x: Float64[Tensor, "2 2"], y: Float64[Tensor, "2 2"]) -> Any:
    return np.abs(np.floor(x) @ y + x + y) * np.sqrt(np.floor(y) @ x + y + x)


@apart(*((x, y) for x, y, _ in FLOATS))
def made_before_a_loop(x: Vector, y: Vector) -> Any:
    """The sum of two stays before it."""
    total = x + y
    for _ in range(7):
        x = np.sqrt(np.abs(x + total))
    return x


def nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for a in node.attribute:
            if a.HasField("g"):
                yield from nodes(a.g)


def additions(fn: Any, inputs: Any) -> Counter[str]:
    found = Counter(node.op_type for node in nodes(compared(fn, inputs).graph))
    return Counter({name: found[name] for name in ("Add", "Sum")})


@joined.each
def test_joined(fn: Any, inputs: Any) -> None:
    found = additions(fn, inputs)
    assert not found["Add"]
    assert found["Sum"]


@apart.each
def test_apart(fn: Any, inputs: Any) -> None:
    found = additions(fn, inputs)
    assert found["Add"] >= 2
