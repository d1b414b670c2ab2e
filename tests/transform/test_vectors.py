"""The pass that makes array operations of vectors that are taken apart and put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, Int64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, check

Vector = Float64[Tensor, "4"]
VALUES = ([1.0, -2, 3, 0.25], [-0.0, 0, np.inf, -np.inf], [np.nan, 1e300, -1e300, 5e-324])
PAIRS = tuple((np.array(x), np.array(y)) for x in VALUES for y in VALUES)

packed = Cases()
"""Programs that put nothing together number by number, with arguments."""
kept = Cases()
"""Near misses, which do."""


@packed(*PAIRS)
def quaternions(p: Vector, q: Vector) -> Any:
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return np.array(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ]
    )


@packed(*PAIRS)
def scaled(p: Vector, q: Vector) -> Any:
    return np.array([p[0] / q[1], p[1] / q[1], p[2] / q[1]])


@packed(*PAIRS)
def turned(p: Vector, q: Vector) -> Any:
    return np.array([-p[1], p[0]]) * q[0]


@packed(*PAIRS)
def operands_in_another_order(p: Vector, q: Vector) -> Any:
    return np.array([p[0] * q[0], q[1] * p[1], q[2] * p[2]])


@packed(*PAIRS)
def with_constants(p: Vector, q: Vector) -> Any:
    return np.array([p[0] * 2 + 1, p[1] * 3 - 1, p[3] * 4 + 1, p[2] * 0.5 + 7])


@packed(*PAIRS)
def between_vectors(p: Vector, q: Vector) -> Any:
    return np.concatenate((q[1:], [np.sqrt(p[3]) + 1, np.sqrt(p[2]) + 1, np.sqrt(p[1]) + 1]))


@packed(*PAIRS)
def written_one_by_one(p: Vector, q: Vector) -> Any:
    y = np.zeros((2, 3))
    y[0, 0] = p[0] / q[0]
    y[0, 1] = p[1] / q[0]
    y[1, 0] = -p[1] / q[1]
    y[1, -2] = p[0] / q[1]
    return y


@packed(*PAIRS)
def in_a_loop(p: Vector, q: Vector) -> Any:
    for _ in range(3):
        p = np.array([p[0] + p[1] * q[0], p[1] + p[2] * q[0], p[2] + p[3] * q[0], p[3] + p[0] * q[0]])
    return p


@kept(*PAIRS)
def different_operations(p: Vector, q: Vector) -> Any:
    return np.array([p[0] * q[0], p[1] / q[1], np.sqrt(p[2])])


@kept(*PAIRS)
def read_elsewhere(p: Vector, q: Vector) -> Any:
    a, b = p[0] * q[3] + p[1] * q[2], p[2] * q[1] + p[3] * q[0]
    return np.array([a, b]), a, b


@kept(*PAIRS)
def sines(p: Vector, q: Vector) -> Any:
    return np.array([np.sin(p[0]), np.sin(p[1])])


@kept(*PAIRS)
def before_a_loop(p: Vector, q: Vector) -> Any:
    a, b, total = p[0] * q[0], p[1] * q[1], np.zeros(2)
    for k in range(5):
        total = total + np.array([a, b]) * k
    return total


def squared_distance(p: Vector, q: Vector) -> Any:
    dx, dy = p[0] - q[0], p[1] - q[1]
    return np.sqrt(dx * dx + dy * dy) * p[3], dx * dx + dy * dy + (p[2] - q[2]) ** 2


def squared_length(p: Vector, q: Vector) -> Any:
    return p[0] * p[0] + p[2] * p[2] + q[1]


def of_two_vectors(p: Vector, q: Vector) -> Any:
    return p[0] * p[0] + q[0] * q[0]


def of_sums_that_are_read(p: Vector, q: Vector) -> Any:
    a, b = p[0] * p[0], p[1] * p[1]
    return a + b, a, b


def operations(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> Counter[str]:
    """How many nodes of each operator a program has that does what Python does."""
    check(fn, *inputs)
    model = graph_program(fn).model()
    loops = [a.g for node in model.graph.node for a in node.attribute if a.HasField("g")]
    return Counter(node.op_type for graph in (model.graph, *loops) for node in graph.node)


@packed.each
def test_vectors_are_computed_at_once(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    found = operations(fn, inputs)
    assert not found["Unsqueeze"]
    assert not found["ScatterND"]


@kept.each
def test_other_numbers_are_put_together(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert operations(fn, inputs)["Concat"]


def test_results_are_the_same_bit_for_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "vector_products")
    rng = np.random.default_rng(0)
    for program in (graph_program(quaternions), graph_program(written_one_by_one)):
        for _ in range(50):
            p, q = rng.standard_normal((2, 4))
            assert program(p, q).tobytes() == program.python(p, q).tobytes()


@pytest.mark.parametrize("fn", [squared_distance, squared_length])
def test_sums_of_squares_are_one_operator(fn: Callable[..., Any]) -> None:
    found = operations(fn, PAIRS)
    assert found["ReduceSumSquare"] == 1 and found["Gather"] <= 5


@pytest.mark.parametrize("fn", [of_two_vectors, of_sums_that_are_read])
def test_other_squares_are_added(fn: Callable[..., Any]) -> None:
    assert operations(fn, PAIRS)["Add"] == 1


@pytest.mark.parametrize("count", [0, 2])
def test_of_unknown_sizes(count: int) -> None:
    def program(x: Float32[Tensor, "n"], k: Int64[Tensor, "2"]) -> Any:
        found = np.array([x[0] * x[1], x[1] * x[2]]) if len(x) > 2 else x
        return found, np.array([k[1], k[0]])

    check(program, (np.arange(count * 2, dtype=np.float32), np.array([3, 4])))
