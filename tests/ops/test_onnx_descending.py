"""The order from the greatest element on is one operator: nothing is negated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, Float64, Int64, Tensor, graph_program
from tests.transform.sessions import compared

Vector, Matrix = Float64[Tensor, "n"], Float32[Tensor, "n m"]


def arrays(shapes: list[tuple[int, ...]], dtype: Any) -> Iterator[tuple[np.ndarray]]:
    """Arrays with equal elements, with NaN and infinities, and of zeros of both signs."""
    for shape in shapes:
        x = np.random.default_rng(len(shape)).integers(-3, 4, shape).astype(dtype)
        special, zeros = x.copy(), np.zeros(shape, dtype)
        special[::3], special[1::4], special[2::5], zeros[::2] = np.nan, np.inf, -np.inf, -0.0
        yield from ((x,), (special,), (zeros,))


def order(x: Vector) -> Any:
    return np.argsort(-x, kind="stable")


def of_rows_and_columns(x: Matrix) -> Any:
    return np.argsort(-x, axis=0, kind="stable"), np.argsort(-x, axis=1, kind="stable")


def best(x: Float64[Tensor, "5"]) -> Any:
    return np.argsort(-np.sqrt(np.abs(x)), kind="stable")[:2]


def also_negated(x: Vector) -> Any:
    return np.argsort(-x, kind="stable"), -x


def of_integers(x: Int64[Tensor, "n"]) -> Any:
    return np.argsort(-x, kind="stable")


def values(x: Vector) -> Any:
    return np.sort(-x, kind="stable")  # otherwise NumPy orders zeros as its processor does


def operators(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


@pytest.mark.parametrize(
    ("fn", "inputs", "negations"),
    [
        (order, arrays([(0,), (1,), (5,), (40,)], np.float64), 0),
        (of_rows_and_columns, arrays([(0, 3), (3, 0), (4, 5), (20, 1)], np.float32), 0),
        (best, arrays([(5,)], np.float64), 0),
        (also_negated, arrays([(7,)], np.float64), 1),
        (of_integers, [(np.array(x),) for x in ([3, np.iinfo(np.int64).min, 3, -1], [2])], 1),
        (values, arrays([(7,)], np.float64), 1),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_from_the_greatest_on(fn: Any, inputs: Any, negations: int) -> None:
    assert operators(compared(fn, tuple(inputs))).count("Neg") == negations


def test_other_runtimes_sort_what_is_negated() -> None:
    assert "Neg" in operators(graph_program(order).model(portable=True))
