"""Numbers that are vectors of one element where that saves nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from graph_program import Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.sessions import compared

MATRICES = tuple((np.arange(float(n * m)).reshape(n, m),) for n, m in ((3, 4), (1, 1), (0, 2), (2, 0)))
VECTORS = tuple((np.arange(n) - 1,) for n in (5, 2, 1, 0))

vectors = Cases()
"""Programs of which no node turns numbers into vectors or back, with arguments."""
numbers = Cases()
"""Near misses."""


@vectors(*MATRICES)
def a_part_up_to_a_size(x: Float64[Tensor, "n m"]) -> Any:
    return x[: x.shape[1] - 1]


@vectors(*MATRICES)
def compared_with_elements(x: Float64[Tensor, "n m"]) -> Any:
    return x > x.shape[1] * 2


@vectors(*(((np.array(x)),) for x in ([1.0, -2.0], [-0.0, np.nan], [np.inf, 0.0])))
def elements_put_together(x: Float64[Tensor, "2"]) -> Any:
    return np.array([np.sin(x[0]) / x[1], x[1] * x[1]])


@vectors(*VECTORS)
def extremes_put_together(x: Int64[Tensor, "n"]) -> Any:
    return np.array([np.argmax(x), np.argmin(x)]) if len(x) > 1 else np.zeros(2, np.int64)


@vectors(*MATRICES)
def asked_in_a_branch(x: Float64[Tensor, "n m"]) -> Any:
    return np.cos(x) * np.sin(x) + x if x.shape[0] > x.shape[1] + 1 else x @ x.T


@numbers(*MATRICES)
def given_back(x: Float64[Tensor, "n m"]) -> Any:
    return x.shape[1] + 1, x[: x.shape[1] + 1]


@numbers(*(((np.array(k)),) for k in (0, 2, 4)))
def an_argument(k: int) -> Any:
    return np.zeros(k + 1)


@numbers((np.arange(12.0).reshape(3, 4), np.array([0, 2])), (np.ones((3, 2)), np.array([-1])))
def an_index(x: Float64[Tensor, "n m"], k: Int64[Tensor, "j"]) -> Any:
    return x[x.shape[1] - 2, k]


def turned(graph: onnx.GraphProto) -> int:
    """Nodes that turn numbers into vectors, or back."""
    inner = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
    found = Counter(node.op_type for node in graph.node)
    return found["Squeeze"] + found["Unsqueeze"] + sum(map(turned, inner))


def test_who_takes_a_number_gets_one() -> None:
    """One node for it, where vectors save five."""

    def parts(x: Float64[Tensor, "n m"], rounds: int) -> Any:
        n = x.shape[0] * 2 - x.shape[1]
        total = np.float64(n)
        for _ in range(rounds):
            total = np.sin(total) * n
        return x[: n - 1], x[: n - 2], x[n:], total

    inputs = tuple((x, k) for (x,) in MATRICES for k in (0, 3))
    assert turned(compared(parts, inputs).graph) == 1


@vectors.each
def test_numbers_that_are_vectors(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    model = compared(fn, inputs)
    onnx.checker.check_model(model, full_check=True)
    assert not turned(model.graph)


@numbers.each
def test_numbers_that_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert turned(compared(fn, inputs).graph)


@vectors.each
def test_other_runtimes_get_numbers(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert turned(graph_program(fn).model(portable=True).graph)
