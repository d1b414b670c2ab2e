"""The pass that puts matrices together of the columns that are written; and writes that are of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Int64, Tensor
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.sessions import exported

Vector, Matrix, Five = Float64[Tensor, "n"], Float64[Tensor, "n m"], Float64[Tensor, "n 5"]
VECTORS = [(np.arange(float(n)), np.arange(float(n)) - 0.5) for n in (3, 1, 0)]
FIVE = [(np.arange(n * 5.0).reshape(n, 5), np.arange(float(n)) - 9) for n in (3, 1, 0)]

columns = Cases()
"""Programs whose writes are of columns, with arguments."""
others = Cases()
"""Near misses: writes of some rows, or of a column that is computed."""


@columns(*VECTORS)
def all_of_them(a: Vector, b: Vector) -> Any:
    y = np.zeros((len(a), 3))
    y[:, 0] = a
    y[:, 2] = b
    y[:, 1] = 7.0
    return y


@columns(*VECTORS)
def in_the_rounds_of_a_loop(a: Vector, b: Vector) -> Any:
    y = np.full((len(a), 4), -1.0)
    for i in range(len(a)):
        y[i, 0] = a[i] + b[i]
        y[i, 2] = a[i] * b[i]
    return y


@columns(*FIVE)
def of_an_array_that_is_there(x: Five, v: Vector) -> Any:
    x[:, 1] = v
    x[:, -1] = 0.0
    x[:, 1] = -v
    return x


@columns(*FIVE)
def read_in_between(x: Five, v: Vector) -> Any:
    x[:, 1] = v
    y = x * 2.0
    x[:, 3] = y[:, 0]
    return x, y


@columns(*[(np.arange(n * m * 2.0).reshape(n, m, 2),) for n in (3, 1, 0) for m in (4, 2)])
def of_three_axes(x: Float64[Tensor, "n m 2"]) -> Any:
    z = x.copy()
    z[np.arange(len(z)), 1] = 3.0
    return z


@columns(*[(n,) for n in (3, 1, 0)])
def numbers_alone(n: int) -> Any:
    y = np.zeros((n, 2), np.int64)
    for i in range(n):
        y[i, 1] = i * i
    return y


@others(*FIVE)
def some_rows(x: Five, v: Vector) -> Any:
    x[1:, 1] = v[1:]
    return x


@others(*[(x, v, k) for x, v in FIVE for k in (0, 4, -1)])
def a_column_that_is_computed(x: Five, v: Vector, k: int) -> Any:
    x[:, k] = v
    return x


@others(*[(np.arange(15.0).reshape(3, 5), np.array(k, np.int64)) for k in ([2, 0], [1, 1], [])])
def rows_that_are_computed(x: Five, k: Int64[Tensor, "k"]) -> Any:
    x[k, 0] = 1.0
    return x


def operators(graph: onnx.GraphProto) -> Iterator[str]:
    """The operators of a graph and its inner ones."""
    for node in graph.node:
        yield node.op_type
        for a in node.attribute:
            if a.HasField("g"):
                yield from operators(a.g)


def scatters(model: onnx.ModelProto) -> int:
    """How many operators write elements."""
    return sum(operator.startswith("Scatter") for operator in operators(model.graph))


@columns.each
def test_columns_are_put_together(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert scatters(exported(fn, inputs, tmp_path)) == 0
    without(monkeypatch, "column_writes")
    assert scatters(exported(fn, inputs, tmp_path)) > 0


@others.each
def test_other_writes_stay(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = list(operators(exported(fn, inputs, tmp_path).graph))
    without(monkeypatch, "column_writes")
    assert list(operators(exported(fn, inputs, tmp_path).graph)) == here
