"""The pass that has loops carry the parts of arrays that they read and write."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import Cases, outcome

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]

SHAPES = ((3, 4), (4, 3), (1, 1), (1, 3), (3, 1), (0, 3), (2, 0))
SQUARES = tuple((np.arange(n * n, dtype=float).reshape(n, n) + 0.5,) for n in (4, 1, 0))
PAIRS = tuple((np.ones(shape) * 2, np.arange(5.0 * shape[0]).reshape(shape[0], 5)) for shape in SHAPES)

compared = Cases()
"""Programs whose loops carry a part, and behind them near misses."""


@compared(*PAIRS)
def sums_of_a_part(c: Matrix, a: Float64[Tensor, "n k"]) -> Any:
    for i in range(a.shape[0]):
        c[i, : i + 1] *= 3
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[i, k] * a[: i + 1, k]
    return c


@compared(*SQUARES)
def a_product_of_a_part(x: Float64[Tensor, "n n"]) -> Any:
    y = np.ones(len(x))
    for k in range(x.shape[1]):
        y[1:] = y[1:] * x[k, 1:]
    return y


@compared(*SQUARES)
def every_second(x: Float64[Tensor, "n n"]) -> Any:
    y = np.ones(len(x))
    for k in range(len(x)):
        y[::2] = np.maximum(y[::2], x[k, ::2]) - y[::2] * 0.5
    return y


@compared(*PAIRS)
def of_no_elements(c: Matrix, a: Float64[Tensor, "n k"]) -> Any:
    """As many rounds as there are constants, each of which adds a number to nothing."""
    zeros = np.zeros(3)
    for _ in [k for k in range(len(zeros)) if zeros[k] > -0.5]:
        c[:0] -= a.sum()
    return c


@compared(*SQUARES)
def another_part_is_read(x: Float64[Tensor, "n n"]) -> Any:
    y = np.ones(len(x) + 1)
    for k in range(len(x)):
        y[1:] += x[k] * y[:-1]
    return y


@compared(*SQUARES)
def bounds_that_move(x: Float64[Tensor, "n n"]) -> Any:
    y = np.ones(len(x))
    for k in range(len(x)):
        y[:k] += x[k, :k] * y[:k]
    return y


@compared(*SQUARES)
def an_element_is_read(x: Float64[Tensor, "n n"]) -> Any:
    y = np.ones(len(x) + 1)
    total = 0.0
    for k in range(len(x)):
        y[1:] += x[k]
        total += y[0] + y[k]
    return y, total


@compared(*SQUARES)
def one_number_is_written(x: Float64[Tensor, "n n"]) -> Any:
    y = np.ones(len(x) + 1)
    for k in range(len(x)):
        y[1:] = y[1:].sum() + x[k, k]
    return y


@pytest.mark.parametrize("without", [(), ("loop_slices",), ("vectorize",)])
@compared.each
def test_equal(fn: Any, inputs: tuple[tuple[Any, ...], ...], without: tuple[str, ...]) -> None:
    program = graph_program(fn, without=without)
    for args in inputs:
        for expected, found in zip(outcome(fn, args), outcome(program, args), strict=True):
            np.testing.assert_equal(found, expected)


def test_what_a_loop_carries() -> None:
    program = graph_program(a_product_of_a_part)
    (loop,) = (node for node in program.model(SQUARES[0]).graph.node if node.op_type == "Loop")
    inner = [node.op_type for node in loop.attribute[0].g.node]
    assert "ScatterND" not in inner and "Concat" not in inner and inner.count("Slice") <= 1


def test_sums_of_a_part_are_one_operation() -> None:
    (outer,) = (n for n in graph_program(sums_of_a_part).model(PAIRS[0]).graph.node if n.op_type == "Loop")
    assert not any(node.op_type == "Loop" for node in outer.attribute[0].g.node)


def test_a_write_that_fails() -> None:
    def grows(x: Vector, z: Float64[Tensor, "m"]) -> Any:
        y = np.ones(len(x))
        for _ in range(3):
            y[1:] += z
        return y

    program = graph_program(grows)
    assert np.array_equal(program(np.ones(3), np.ones(2)), grows(np.ones(3), np.ones(2)))
    assert np.array_equal(program(np.ones(3), np.ones(1)), grows(np.ones(3), np.ones(1)))
    for n in (3, 2):
        with pytest.raises(ValueError, match="broadcast"):
            program(np.ones(n), np.ones(3))
