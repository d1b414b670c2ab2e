"""Programs in two versions, for numbers that are sizes of arrays and for others; and such as have one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program, load
from graph_program.extract import graph_steps
from tests.programs.plain import Cases, check
from tests.transform.sessions import run

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]
X = np.random.default_rng(0).random((4, 3))
V = np.array([0.5, -2.0, 3.0])
S = X[:3].copy()

twice = Cases()
"""Programs in two versions, with arguments for either."""
once = Cases()
"""Near misses."""


@twice((3, X), (2, X), (4, X), (0, X), (-1, X), (0, X[:, :0]), (1, X))
def products_of_columns(m: int, x: Matrix) -> Any:
    y = x - np.mean(x, axis=0) if len(x) else x
    products = np.zeros((m, m))
    for i in range(m):
        products[i:m, i] = products[i, i:m] = y[:, i] @ y[:, i:m]
    return products


@twice((3, X), (2, X), (4, X), (5, X), (1, X), (0, X))
def upper_ones(m: int, x: Matrix) -> Any:
    products = np.eye(m)
    for i in range(m - 1):
        products[i + 1 : m, i] = products[i, i + 1 : m] = x[:, i] @ x[:, i + 1 : m]
    return products


@twice((4, X), (3, X), (5, X), (0, X), (0, X[:0]))
def written_in_place(n: int, x: Matrix) -> Any:
    total = np.zeros((n, x.shape[1]))
    for i in range(n):
        total[i, :] = x[i, :] * 2.0
        total[i:n, 0] += x[i:n, 1]
        x[i:n, 0] = total[i:n, 0]
    return total


@twice(
    (X.copy(), X @ X.T, X),
    (X.copy(), (X @ X.T)[:2], X),
    (X.copy(), (X @ X.T)[:, :3], X),
    (X.copy(), X @ X.T, X[:3]),
    (X[:0].copy(), X @ X.T, X),
    (X[:, :0].copy(), X @ X.T, X[:, :0]),
)
def of_three_arrays(c: Matrix, a: Float64[Tensor, "k l"], b: Float64[Tensor, "p q"]) -> Any:
    """Sizes of arrays are taken for that of another one."""
    sums = np.zeros(c.shape[1])
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += b[i, j] * a[i, :i]
            sums[j] = b[:i, j] @ a[i, :i]
        c[i, :] += b[i, :] * a[i, i] + sums
    return c


@twice((3, S), (2, S), (4, S), (3, S[:2]), (3, S[:, :2]), (0, S[:0, :0]), (1, S[:1, :1]), (2, S[:2, :2]))
def a_square_grid(n: int, x: Matrix) -> Any:
    y = np.zeros(x.shape)
    for j in range(n - 1):
        y[1 : n - 1, j + 1] = y[1 : n - 1, j] * 0.5 - x[j, 0 : n - 2] + x[j, 2:n]
        y[1 : n - 1, j] = x[j, 1 : n - 1]
    return y


@twice((3, V.copy()), (2, V.copy()), (4, V.copy()), (0, V[:0]), (1, V[:1]), (-1, V.copy()), (3, V[:2].copy()))
def smoothed_in_place(n: int, x: Vector) -> Any:
    """What is written is collected where its place is known to be inside."""
    for j in range(1, n - 1):
        x[j] += x[j - 1]
        x[j] /= 9.0
    return x


@twice((V, np.zeros(3)), (V, np.zeros(2)), (V, np.zeros(4)), (V[:0], np.zeros(2)), (V[:1], np.zeros(0)))
def written_into_another(x: Vector, y: Float64[Tensor, "k"]) -> Any:
    state = np.float64(0.0)
    for i in range(len(x)):
        state = np.sin(state) + x[i]
        y[i] = state
    return y


LONG = np.arange(6.0)


@twice(
    (LONG.copy(), LONG + 1.0, 3),
    (LONG.copy(), LONG[:5].copy(), 3),
    (LONG.copy(), LONG[:3].copy(), 2),
    (LONG[:3].copy(), LONG.copy(), 2),
    (LONG[:1].copy(), LONG[:2].copy(), 2),
    (LONG[:5].copy(), LONG.copy(), 0),
    (LONG[:0].copy(), LONG[:0].copy(), 2),
)
def swept_in_turn(x: Vector, y: Float64[Tensor, "k"], steps: int) -> Any:
    """Sizes that the program compares are taken for the same."""
    for _ in range(steps):
        y[1:-1] = 0.25 * (x[:-2] + x[1:-1] + x[2:])
        x[1:-1] = 0.25 * (y[:-2] + y[1:-1] + y[2:])
    return x, y


@once((V, V.copy(), 2), (V, V[:2].copy(), 2), (V, V[:1].copy(), 2), (V[:0], V[:0].copy(), 2))
def compared_before_the_loop(x: Vector, y: Float64[Tensor, "k"], steps: int) -> Any:
    total = x + y
    for _ in range(steps):
        total = np.sin(total) + 0.5
    return total


@once((V, V[:2].copy()), (V, V.copy()), (V[:2], V.copy()), (V[:0], V.copy()))
def looked_back(x: Vector, y: Float64[Tensor, "k"]) -> Any:
    """How far a loop looks back is not the size of what it looks into."""
    total = np.float64(0.0)
    for i in range(len(x)):
        for j in range(len(y)):
            if i - j >= 0:
                total = np.sin(total) + x[i - j] * y[j]
    return total


@once((3, V), (2, V), (4, V))
def recurrence(n: int, x: Vector) -> Any:
    total = np.float64(0.0)
    for i in range(n):
        total = total * 0.5 + x[i]
    return total


@once((3, V, V), (2, V, V), (3, V, V[:2]))
def sizes_alone(n: int, x: Vector, y: Float64[Tensor, "k"]) -> Any:
    total = np.float64(0.0)
    for i in range(len(x)):
        total += np.sin(total) * y[i] + n
    return total


@once((2, V), (3, V), (1, V))
def one_more(n: int, x: Vector) -> Any:
    """If the number were the size, the last index would be outside."""
    total = np.float64(0.0)
    for i in range(n + 1):
        total = np.sin(total) + x[i] if total < 5.0 else x[i - 1]
    return total


@once((5, 2.0), (0, 1.0))
def no_arrays(n: int, x: float) -> Any:
    for i in range(n):
        x = float(np.sin(x)) + i if x > 0 else -x
    return x


def versions(function: Any, args: Any) -> bool:
    """Whether the program has two versions."""
    lines = graph_program(function).explain("optimized", args).split("\n")
    return any(line.startswith("    same: bool = equal(") for line in lines)


@pytest.mark.parametrize(("fn", "inputs"), [*twice.found, *once.found])
def test_like_python(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


@pytest.mark.parametrize(
    ("fn", "inputs", "expected"), [*((*case, True) for case in twice.found), *((*case, False) for case in once.found)]
)
def test_versions(fn: Any, inputs: Any, expected: bool) -> None:
    assert versions(fn, inputs[0]) is expected


def test_what_explain_says() -> None:
    text = graph_program(products_of_columns).explain("optimized", (3, X))
    (line,) = [line for line in text.split("\n") if ".py:" in line and "a loop" in line]
    assert "is array operations; unless m is x.shape[1], a loop: " in line


@pytest.mark.parametrize(("fn", "inputs"), twice.found)
def test_without(fn: Any, inputs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_steps, "in_versions", lambda program, optimize: optimize(program))
    assert not versions(fn, inputs[0])
    check(fn, *inputs)


def test_a_file(tmp_path: Any) -> None:
    path = tmp_path / "products.onnx"
    graph_program(products_of_columns).export(path, (3, X))
    model = load(path)
    for m in (3, 2, 0):
        assert np.allclose(model(m, X), products_of_columns(m, X))


def test_without_checks() -> None:
    """Where nothing is left to be checked, sizes are what keeps a loop from being array operations."""
    model = graph_program(products_of_columns).model((3, X), checks="none")
    sides = [attribute.g for node in model.graph.node if node.op_type == "If" for attribute in node.attribute]
    assert ["Loop" in {node.op_type for node in side.node} for side in sides] == [False, True]
    for m in (3, 2, 0):
        assert np.allclose(run(model, (m, X))[0], products_of_columns(m, X))
