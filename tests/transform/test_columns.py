"""The pass that carries matrices through loops transposed, of which columns are read and written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import Cases, check, outcome
from tests.transform.sessions import run
from tests.transform.test_rows import MATRICES, VECTORS, scatters

pytestmark = pytest.mark.usefixtures("loops_stay")

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]
Other = Float64[Tensor, "p m"]

PAIRS = tuple(
    (np.arange(float(n * m)).reshape(n, m), np.arange(float(p * m)).reshape(p, m))
    for n, p, m in ((3, 3, 4), (3, 1, 4), (3, 2, 4), (1, 3, 2), (3, 2, 0), (0, 0, 2), (0, 1, 2))
)

collected = Cases()
"""Programs whose loops write into no array, with arguments."""
turned = Cases()
"""Programs that write rows of a transposed matrix."""
kept = Cases()
"""Near misses."""


@collected(*VECTORS)
def written(x: Vector) -> Any:
    y = np.zeros((3, len(x)), np.float32)
    for i in range(len(x)):
        y[:, i] = np.array([x[i], i, 1])
    return y


@collected(*VECTORS)
def a_number(x: Vector) -> Any:
    y = np.ones((2, len(x) + 1))
    for i in range(len(x)):
        y[:, i + 1] = x[i]
    return y, y.sum()


@collected(*VECTORS)
def the_column_before(x: Vector) -> Any:
    y = np.zeros((2, len(x)))
    for i in range(1, len(x)):
        y[:, i] = y[:, i - 1] * 0.5 + x[i]
    return y


@collected(*MATRICES)
def of_unknown_sizes(x: Matrix) -> Any:
    y = x + 1
    for j in range(x.shape[1]):
        y[:, j] = x[:, j] * j
    return y


@collected(*MATRICES)
def element_by_element(x: Matrix) -> Any:
    y = np.zeros(x.shape)
    for j in range(x.shape[1]):
        y[:, j] = x[:, j]
        y[0, j] = y[x.shape[0] - 1, j] + j
    return y


@collected(*VECTORS)
def in_some_rounds(x: Vector) -> Any:
    y = np.zeros((2, len(x)))
    for i in range(len(x)):
        if x[i] > 0:
            y[:, i] = x[i]
        elif x[i] == 0:
            break
    return y


@collected(*VECTORS)
def planes(x: Vector) -> Any:
    y = np.zeros((2, 3, len(x)))
    for i in range(len(x)):
        y[:, :, i] = x[i]
        y[:, :, i] = (y[:, :, i] + np.arange(3)) * 0.5
    return y


@collected(*VECTORS)
def the_plane_before(x: Vector) -> Any:
    y = np.zeros((1, 2, len(x)))
    for i in range(1, len(x)):
        y[:, :, i] = y[:, :, i - 1] * 0.5 + x[i]
    return y


@collected(*PAIRS)
def of_other_sizes(x: Matrix, z: Other) -> Any:
    y = x + 1
    for j in range(x.shape[1]):
        y[:, j] = z[:, j] * j
    return y


@collected(*MATRICES)
def part_of_a_column(x: Matrix) -> Any:
    y = x + 1
    for j in range(1, x.shape[1]):
        y[1:-1, j] = y[1:-1, j - 1] * 0.5 + x[1:-1, j]
    return y


@collected(*MATRICES)
def a_number_in_part_of_a_column(x: Matrix) -> Any:
    y = x + 1
    for j in range(x.shape[1]):
        y[1:, j] = j
        y[: x.shape[0] - 2, j] = 0.5
    return y


@turned(*VECTORS)
def parts_where_the_data_say(x: Vector) -> Any:
    y = np.zeros((4, 3))
    for i in range(len(x)):
        y[1:3, i % 3] += i
    return y


@turned(*VECTORS)
def where_the_data_say(x: Vector) -> Any:
    y = np.zeros((2, 3))
    for i in range(len(x)):
        y[:, i % 3] += i
    return y


@turned(*VECTORS)
def from_the_end(x: Vector) -> Any:
    y = np.zeros((2, 7))
    for i in range(len(x)):
        y[:, -1 - (i * i) % 7] = x[i]
    return y


@kept(*VECTORS)
def rows_and_columns(x: Vector) -> Any:
    y = np.zeros((4, len(x)))
    for i in range(len(x)):
        y[:, i] = x[i]
        y[i % 4] += 1
    return y


@kept(*MATRICES)
def some_rows(x: Matrix) -> Any:
    y = x + 1
    for j in range(x.shape[1]):
        y[::2, j] = j
    return y


@kept(*MATRICES)
def a_part_that_may_not_fit(x: Matrix) -> Any:
    y = x + 1
    for j in range(x.shape[1]):
        y[1:, j] = x[:-1, 0] if j else x[1:, 0]
        y[x.shape[0] - 3 :, j] = x[1:, 0]
    return y


@kept(*MATRICES)
def places_that_may_be_outside(x: Matrix) -> Any:
    y = x + 1
    for j in range(x.shape[1]):
        y[[1, 2], j] = j
    return y


@kept(*VECTORS)
def between_others(x: Vector) -> Any:
    y = np.zeros((2, len(x), 3))
    for i in range(len(x)):
        y[:, i, :] = x[i]
    return y


@kept(*VECTORS)
def some_of_a_plane(x: Vector) -> Any:
    y = np.zeros((2, 3, len(x)))
    for i in range(len(x)):
        y[:, 1:, i] = x[i]
    return y


@kept(*VECTORS)
def rows_of_a_plane(x: Vector) -> Any:
    y = np.zeros((2, 2, len(x)))
    for i in range(len(x)):
        y[:, :, i] = y[0].sum() + x[i]
    return y


@kept(*VECTORS)
def all_of_it(x: Vector) -> Any:
    y = np.zeros((2, len(x)))
    for i in range(len(x)):
        y[:, i] = y.sum() + x[i]
    return y


def transposed(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> tuple[int, bool]:
    """How many writes stand in loops of a program that does what Python does, and whether it transposes."""
    check(fn, *inputs)
    model = graph_program(fn).model()
    for args in inputs:
        expected = outcome(fn, args)
        if not isinstance(expected[0], type):
            results = expected[0] if isinstance(expected[0], tuple) else (expected[0],)
            for part, found in zip(results, run(model, args), strict=False):
                assert np.shape(part) == found.shape
                np.testing.assert_array_equal(part, found)
    return scatters(model), transposes(model.graph)


def transposes(graph: onnx.GraphProto) -> bool:
    """Whether something is transposed in a graph or in a version of it."""
    inner = (attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g"))
    return any(node.op_type == "Transpose" for node in graph.node) or any(map(transposes, inner))


@collected.each
def test_columns_are_collected(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    count, turned = transposed(fn, inputs)
    assert count <= (fn is element_by_element)  # an element of the row
    assert turned


@turned.each
def test_columns_are_rows(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert transposed(fn, inputs) == (1, True)


@kept.each
def test_other_matrices_are_carried_as_they_are(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert not transposed(fn, inputs)[1]


@pytest.mark.parametrize("column", [0, 2, 3, -3, -4])
def test_columns_outside(column: int) -> None:
    def program(x: Float64[Tensor, "2 3"], k: int, steps: int) -> Any:
        for i in range(steps):
            x[:, k] = i
        return x

    check(program, (np.ones((2, 3)), column, 2), (np.ones((2, 3)), column, 0))
