"""The pass that reads rows in place of the columns of arrays from outside of a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.sessions import compared

pytestmark = pytest.mark.usefixtures("loops_stay")

Matrix = Float64[Tensor, "n m"]
Stack = Float64[Tensor, "n k m"]

rows = Cases()
"""Programs whose rounds read no columns, with arguments."""
columns = Cases()
"""Near misses: they do."""

SHAPES = ((3, 5), (1, 4), (2, 2), (4, 1), (0, 3), (3, 0))
MATRICES = tuple((np.arange(float(n * m)).reshape(n, m) - 4,) for n, m in SHAPES)
STACKS = tuple((np.arange(float(n * 2 * m)).reshape(n, 2, m) - 4,) for n, m in SHAPES)


@rows(*MATRICES)
def in_order(x: Matrix) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(x.shape[1]):
        total = total * 0.5 + x[:, j]
    return total


@rows(*MATRICES)
def neighbours(x: Matrix) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(1, x.shape[1] - 1):
        total = total * 0.5 + x[:, j - 1] * x[:, j + 1]
    return total


@rows(*MATRICES)
def backwards(x: Matrix) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(x.shape[1] - 1, -1, -1):
        total = total * 0.5 + x[:, j]
    return total


@rows(*STACKS)
def of_a_stack(x: Stack) -> Any:
    total = np.zeros((x.shape[0], x.shape[1]))
    for j in range(x.shape[2]):
        total = total * 0.5 + x[:, :, j]
    return total


@rows(*MATRICES)
def of_what_was_written_before(x: Matrix) -> Any:
    y = np.zeros(x.shape)
    for j in range(x.shape[1]):
        y[:, j] = y[:, max(j - 1, 0)] * 0.5 + x[:, j]
    total = np.zeros(x.shape[0])
    for j in range(x.shape[1]):
        total = total * 0.5 + y[:, j]
    return total


@columns(*MATRICES)
def where_the_data_say(x: Matrix) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(x.shape[1]):
        total = total * 0.5 + x[:, (j * j) % x.shape[1]]
    return total


@columns(*MATRICES)
def from_the_end(x: Matrix) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(x.shape[1]):
        total = total * 0.5 + x[:, -1 - j]
    return total


@columns(*MATRICES)
def until_it_is_enough(x: Matrix) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(x.shape[1]):
        total = total * 0.5 + x[:, j]
        if total.sum() > 1:
            break
    return total


@columns(*MATRICES)
def in_some_rounds(x: Matrix) -> Any:
    total = np.ones(x.shape[0])
    for j in range(x.shape[1]):
        if total.sum() > 0:
            total = total * 0.5 + x[:, j]
    return total


@columns((np.arange(12.0).reshape(4, 3),))
def few_rounds(x: Float64[Tensor, "n 3"]) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(3):
        total = total * 0.5 + x[:, j]
    return total


@columns((np.arange(12.0).reshape(3, 4),))
def small_columns(x: Float64[Tensor, "3 m"]) -> Any:
    total = np.zeros(3)
    for j in range(x.shape[1]):
        total = total * 0.5 + x[:, j]
    return total


def reads(graph: onnx.GraphProto, inside: bool = False) -> int:
    """The columns that the rounds of loops take."""
    found = 0
    for node in graph.node:
        axes = [attribute.i for attribute in node.attribute if attribute.name == "axis"]
        found += inside and node.op_type == "Gather" and axes != [0]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found += reads(attribute.g, inside or node.op_type == "Loop")
    return found


@pytest.fixture(autouse=True)
def nothing_for_all_rounds_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """`fission` reads columns itself, with what it computes of them."""
    without(monkeypatch, "fission")


@rows.each
def test_rows_are_read(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not reads(compared(fn, inputs).graph)
    without(monkeypatch, "column_reads")
    assert reads(graph_program(fn).model().graph)


@columns.each
def test_columns_are_read(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert reads(compared(fn, inputs).graph)


def of_another_array(x: Matrix, n: int, first: int) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(n):
        total = total * 0.5 + x[:, j + first]
    return total


def test_columns_outside() -> None:
    x = np.arange(12.0).reshape(3, 4)
    compared(of_another_array, tuple((x, n, k) for n in (-1, 0, 3, 4, 5) for k in (0, 1, -1, -5)))


def by_a_number(x: Matrix, n: int) -> Any:
    total = np.zeros(x.shape[0])
    for j in range(n):
        total = total * 0.5 + x[:, j] - x[:, j + 1]
    return total


def test_as_many_as_a_number_says() -> None:
    x = np.arange(12.0).reshape(3, 4)
    compared(by_a_number, tuple((x, n) for n in (-2, 0, 1, 3, 4, 5, 2**40)))
    model = graph_program(by_a_number).model()
    assert not reads(model.graph)
