"""The pass that collects the rows which the rounds of a loop write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.sessions import compared

pytestmark = pytest.mark.usefixtures("loops_stay")

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]

VECTORS = tuple((np.array(x, float),) for x in ([1, -2, np.nan, 4, 0.5], [3, np.inf, -0.0], [7], []))
SHAPES = ((3, 4), (1, 2), (0, 3), (2, 0), (4, 1))
MATRICES = tuple((np.arange(n * m, dtype=float).reshape(n, m) - 3,) for n, m in SHAPES)

collected = Cases()
"""Programs whose loops write into no array, with arguments."""
written = Cases()
"""Programs of which some loop does: near misses."""


def scatters(model: onnx.ModelProto) -> int:
    """The nodes that write elements, in loops."""

    def count(graph: onnx.GraphProto, inside: bool) -> int:
        found = 0
        for node in graph.node:
            found += inside and node.op_type.startswith("Scatter")
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    found += count(attribute.g, inside or node.op_type == "Loop")
        return found

    return count(model.graph, False)


# ---------------------------------------------------------------- collected


@collected(*VECTORS)
def numbers(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * 2
    return y


@collected(*VECTORS)
def ones_before(x: Vector) -> Any:
    y = np.ones(len(x) + 3)
    for i in range(len(x)):
        y[i + 2] = x[i] + i
    return y


@collected(*VECTORS)
def from_the_second(x: Vector) -> Any:
    y = np.full(len(x), 7.0)
    for i in range(1, len(x)):
        y[i] = x[i] - x[i - 1]
    return y


@collected(*VECTORS)
def backwards(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x) - 1, -1, -1):
        y[i] = x[i] + i
    return y


@collected(*VECTORS)
def backwards_but_for_the_ends(x: Vector) -> Any:
    y = x * 10
    for i in range(len(x) - 2, 0, -1):
        y[i] = x[i + 1]
    return y


@collected(*VECTORS)
def from_the_end(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[-1 - i] = x[i]
    return y


@collected(*VECTORS)
def negative(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i - len(x)] = x[i] + 1
    return y


@collected(*VECTORS)
def rows_of_numbers(x: Vector) -> Any:
    y = np.zeros((len(x), 3), np.float32)
    for i in range(len(x)):
        y[i] = np.array([x[i], i, 1])
    return y


@collected(*VECTORS)
def rows_of_one_number(x: Vector) -> Any:
    y = np.zeros((len(x), 2, 3), np.int32)
    for i in range(len(x)):
        y[i] = i + 5
    return y


@collected(*MATRICES)
def rows_of_rank_2(x: Matrix) -> Any:
    y = np.zeros((x.shape[0], x.shape[1], x.shape[1]))
    for i in range(x.shape[0]):
        y[i] = np.outer(x[i], x[i])
    return y


@collected(*MATRICES)
def in_nests(x: Matrix) -> Any:
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] + i * j
    return y


@collected(*MATRICES)
def triangles(x: Matrix) -> Any:
    y = np.zeros((x.shape[1], x.shape[1]))
    for i in range(x.shape[1]):
        for j in range(i + 1):
            y[i, j] = i - j
    return y


@collected(*MATRICES)
def sums_of_products(x: Matrix) -> Any:
    y = np.zeros((x.shape[0], x.shape[0]))
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            for k in range(x.shape[1]):
                y[i, j] += x[i, k] * x[j, k]
    return y


@collected(*VECTORS)
def several(x: Vector) -> Any:
    y, z, u = np.zeros(len(x)), np.ones((len(x), 2)), np.zeros(len(x), bool)
    for i in range(len(x)):
        y[i] = x[i]
        z[i] = y[i] + 1
        u[i] = x[i] > 1
    return y, z, u


@collected(*VECTORS)
def some_rounds_only(x: Vector) -> Any:
    y, z = np.zeros(len(x)), x * 3
    for i in range(len(x)):
        if x[i] > 1:
            y[i] = x[i]
        elif x[i] < 0:
            z[i] = 4
    return y, z


@collected(*VECTORS)
def in_inner_loops(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i):
            y[i] += x[j]
    return y


@collected(*VECTORS)
def the_row_before(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i]
    return y


@collected(*VECTORS)
def rows_before(x: Vector) -> Any:
    y = x + 1
    for i in range(3, len(x)):
        y[i] = y[i - 1] - y[i - 3]
    return y


@collected(*VECTORS)
def rows_behind(x: Vector) -> Any:
    y = x + 1
    for i in range(len(x) - 1):
        y[i] = y[i] - y[i + 1]
    return y


@collected(*MATRICES)
def rows_before_of_matrices(x: Matrix) -> Any:
    y = np.ones(x.shape)
    for i in range(1, x.shape[0]):
        for j in range(1, x.shape[1]):
            y[i, j] = y[i - 1, j] + x[i, j]
    return y


@collected(*VECTORS)
def down_the_path(x: Vector) -> Any:
    y = np.zeros(len(x) + 1)
    y[len(x)] = 3
    for i in range(len(x) - 1, -1, -1):
        y[i] = y[i + 1] + x[i]
    return y


@collected(*VECTORS)
def until_a_break(x: Vector) -> Any:
    y = np.full((len(x), 2), -1.0)
    for i in range(len(x)):
        if x[i] < 0:
            break
        y[i] = x[i]
    return y


@collected(*VECTORS)
def a_break_behind_the_write(x: Vector) -> Any:
    y = x * 2
    for i in range(len(x)):
        y[i] = 9
        if x[i] > 3:
            break
    return y, y.sum()


@collected(*VECTORS)
def until_an_error(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] == 0:
            raise ValueError(f"nothing at {i}")
        y[i] = x[i]
    return y


@collected(*VECTORS)
def what_is_made_of_it_behind_an_error(x: Vector) -> Any:
    y = np.zeros((len(x), 2))
    for i in range(len(x)):
        if x[i] == 0:
            raise ValueError("nothing")
        y[i] = x[i]
    return y[-1:] @ y.T + x


@collected(*VECTORS)
def an_argument(x: Vector) -> Any:
    for i in range(1, len(x)):
        if x[i] == -0.0:
            raise ValueError("nothing")
        x[i] = 1 + i
    return len(x)


@collected(*VECTORS)
def caught(x: Vector) -> Any:
    y = np.zeros(len(x))
    try:
        for i in range(len(x)):
            y[i] = 1 / float(x[i])
    except ZeroDivisionError:
        y += 100
    return y


@collected(*VECTORS)
def of_fixed_size(x: Vector) -> Any:
    y = np.zeros((4, 2))
    for i in range(4):
        if len(x) == i:
            raise ValueError("too short")
        y[i] = i * x[i]
    return y


@collected(*VECTORS)
def one_row_in_all_rounds(x: Vector) -> Any:
    y = np.zeros((3, 2))
    for i in range(len(x)):
        y[1] = y[1] * 0.5 + x[i]
    return y


@collected(*VECTORS)
def read_behind_the_loop(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] + 1
    z = y.copy()
    for i in range(len(y)):
        z[i] = y[i] * z[i]
    return y.sum(), z


# ---------------------------------------------------------------- near misses


@written(*VECTORS)
def elsewhere(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] + y[0]
    return y


@written(*VECTORS)
def all_of_it(x: Vector) -> Any:
    y = np.ones(len(x))
    for i in range(len(x)):
        y[i] = x[i] + y.sum()
    return y


@written(*VECTORS)
def two_rows(x: Vector) -> Any:
    y = np.zeros(len(x) + 1)
    for i in range(len(x)):
        y[i] += x[i]
        y[i + 1] = 1
    return y


@written(*VECTORS)
def around_the_end(x: Vector) -> Any:
    y = x + 1
    for i in range(len(x)):
        y[i] += y[i - 1]
    return y


@written(*VECTORS)
def written_around_the_end(x: Vector) -> Any:
    y = x + 1
    for i in range(len(x)):
        y[i - 1] = x[i]
    return y


@written(*VECTORS)
def every_other(x: Vector) -> Any:
    y = np.zeros(2 * len(x))
    for i in range(len(x)):
        y[2 * i] = x[i]
    return y


@written(*VECTORS)
def perhaps_outside(x: Vector) -> Any:
    y = np.zeros(4)
    for i in range(len(x)):
        y[i] = x[i]
    return y


@written(*VECTORS)
def far_before(x: Vector) -> Any:
    y = x + 1
    for i in range(5, len(x)):
        y[i] = y[i - 5]
    return y


@written(*VECTORS)
def where_the_data_say(x: Vector) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[int(abs(np.nan_to_num(x[i], posinf=0))) % len(x)] = i
    return y


@written(*VECTORS)
def replaced_in_some_rounds(x: Vector) -> Any:
    y, z = np.zeros(len(x)), x
    for i in range(len(x)):
        if x[i] < 0:
            y = z
        y[i] = i + 1
    return y, z


@written(*VECTORS)
def in_every_round_again(x: Vector) -> Any:
    n = x.shape[0]
    out = np.ones(n + 2)
    for _ in range(n - 1):
        for k in range(n - 1, 0, -2):
            out[k] = x[k] % 3
    return out


@collected.each
def test_rows_are_collected(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert scatters(compared(fn, inputs)) == 0


@written.each
def test_what_needs_the_array_writes_it(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert scatters(compared(fn, inputs)) > 0


def bit_by_bit(x: Vector) -> Any:
    y = np.zeros((len(x), 4))
    for i in range(len(x)):
        y[i, 0] = x[i]
        y[i, 1:3] = i
        y[i] += 1
        y[i, -1] -= y[i, 0]
    return y


def test_rows_that_are_written_bit_by_bit() -> None:
    assert scatters(compared(bit_by_bit, VECTORS)) == 1  # into a row


def test_an_array_that_is_all_written_is_not_made_before() -> None:
    model = graph_program(rows_of_numbers).model()
    assert not {"Expand", "ConstantOfShape", "Slice"} & {node.op_type for node in model.graph.node}


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float16, np.float32])
def test_element_types(dtype: Any) -> None:
    def program(x: Float32[Tensor, "n"]) -> Any:
        y = np.zeros((len(x), 2), dtype)
        for i in range(len(x)):
            y[i, 1] = x[i] > 0
        return y

    assert scatters(compared(program, ((np.array([1, -1, 2], np.float32),), (np.zeros(0, np.float32),)))) <= 1


def test_sizes_that_a_number_says() -> None:
    def program(n: int, k: Int64[Tensor, "2"]) -> Any:
        y, z = np.zeros(n), np.ones((2, n))
        for i in range(n - 3):
            y[i + 2] = k[0] - i
        for j in range(n):
            z[1, j] = j
        return y, z

    assert not scatters(compared(program, tuple((n, np.array([5, 1])) for n in (7, 3, 1, 0, -1))))


def test_sizes_of_other_arrays() -> None:
    def program(n: int, m: int) -> Any:
        y, z = np.zeros(n), np.ones(m)
        for i in range(n):
            z[i] = y[i] + 1
        return z

    assert scatters(compared(program, ((3, 3), (2, 4), (0, 0), (4, 2), (-1, 0)))) == 1
