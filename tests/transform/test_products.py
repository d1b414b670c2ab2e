"""The pass that writes products so that they are less work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from graph_program import Float32, Float64, Tensor, graph_program
from tests.programs.plain import Cases, check, outcome
from tests.transform.sessions import run

Matrix = Float64[Tensor, "n m"]
Square = Float32[Tensor, "m m"]


def arrays(*shapes: tuple[int, ...], dtype: Any = np.float64) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(len(shapes))
    return tuple(rng.standard_normal(shape).astype(dtype) for shape in shapes)


MATRICES = tuple(arrays((n, m), (m, m)) for n, m in ((5, 3), (1, 2), (0, 3), (4, 0), (2, 1)))
MATRICES += ((np.array([[np.inf, 1], [np.nan, -0.0], [2, 3]]), np.array([[0.0, 1], [np.inf, -1]])),)

turned = Cases()
"""Programs whose loops have no more than the given products and transpositions, with arguments."""
near = Cases()


@turned(*MATRICES)
def products_of_rows(x: Matrix, w: Float64[Tensor, "m m"]) -> Any:
    y = np.zeros(x.shape)
    for t in range(x.shape[0]):
        y[t] = x[t] @ w + 1
    return y


@turned(*MATRICES)
def products_of_rows_from_the_right(x: Matrix, w: Float64[Tensor, "m m"]) -> Any:
    y = np.zeros(x.shape)
    for t, row in enumerate(x):
        y[t] = w @ row
    return y


@turned(*MATRICES)
def products_of_rows_backwards(x: Matrix, w: Float64[Tensor, "m m"]) -> Any:
    total = np.zeros(x.shape[1])
    for t in range(x.shape[0] - 1, 0, -1):
        total = total * 0.5 + x[t - 1] @ w
    return total


@turned(*MATRICES)
def until_an_error(x: Matrix, w: Float64[Tensor, "m m"]) -> Any:
    y = np.zeros(x.shape)
    for t in range(x.shape[0]):
        if x[t].sum() > 4:
            raise ValueError("too large")
        y[t] = x[t] @ w
    return y


@turned(*MATRICES)
def some_rows(x: Matrix, w: Float64[Tensor, "m m"]) -> Any:
    total = np.zeros(x.shape[1])
    for t in range(min(3, x.shape[0])):
        total += x[t] @ w
    return total


@near(*MATRICES)
def until_a_break(x: Matrix, w: Float64[Tensor, "m m"]) -> Any:
    total = np.zeros(x.shape[1])
    for t in range(x.shape[0]):
        if total.sum() > 2:
            break
        total += x[t] @ w
    return total


@near(*MATRICES)
def where_the_data_say(x: Matrix, w: Float64[Tensor, "m m"]) -> Any:
    total, row = np.zeros(x.shape[1]), 0
    for _ in range(x.shape[0]):
        total += x[row] @ w
        row = int(abs(np.nan_to_num(total.sum(), posinf=0, neginf=0))) % x.shape[0]
    return total


@near(*MATRICES)
def another_matrix_each_round(x: Matrix, w: Float64[Tensor, "m m"]) -> Any:
    total = np.zeros(x.shape[1])
    for t in range(x.shape[0]):
        total += x[t] @ w
        w = w * 0.5
    return total


def in_loops(model: onnx.ModelProto) -> Counter[str]:
    """How many nodes of each operator stand in loops."""
    found: Counter[str] = Counter()

    def count(graph: onnx.GraphProto, inside: bool) -> None:
        for node in graph.node:
            found[node.op_type] += inside
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    count(attribute.g, inside or node.op_type == "Loop")

    count(model.graph, False)
    return found


def compared(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> Counter[str]:
    """What stands in the loops of a program that does in process and as a file what Python does."""
    check(fn, *inputs)
    model = graph_program(fn).model(inputs[0])
    for args in inputs:
        expected = outcome(fn, args)
        if not isinstance(expected[0], type):
            found = run(model, args)[0]
            assert found.shape == np.shape(expected[0])
            np.testing.assert_allclose(found, expected[0], rtol=1e-5)
    return in_loops(model)


@turned.each
def test_products_of_rows_stand_before_the_loop(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert not {"MatMul", "Transpose"} & set(+compared(fn, inputs))


@near.each
def test_products_that_may_be_in_vain_stay(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert compared(fn, inputs)["MatMul"] == 1


def test_vectors_are_multiplied_from_the_left() -> None:
    def program(w: Square, h: Float32[Tensor, "m"], steps: int) -> Any:
        for _ in range(steps):
            h = w @ h + w.T @ h
        return h

    found = compared(program, tuple((*arrays((m, m), (m,), dtype=np.float32), k) for m, k in ((4, 3), (1, 2), (0, 1))))
    assert found["MatMul"] == 2
    assert not {"Transpose", "Unsqueeze", "Squeeze"} & set(+found)


def test_matrices_made_in_a_loop_are_not_transposed() -> None:
    def program(w: Square, h: Float32[Tensor, "m"], steps: int) -> Any:
        for k in range(steps):
            h = (w * k) @ h
        return h

    found = compared(program, tuple((*arrays((m, m), (m,), dtype=np.float32), k) for m, k in ((4, 3), (1, 2), (0, 1))))
    assert not found["Transpose"]


def test_a_transposition_is_left_out_without_a_loop() -> None:
    def program(w: Float64[Tensor, "n m"], v: Float64[Tensor, "n"]) -> Any:
        return w.T @ v

    inputs = tuple(arrays((n, m), (n,)) for n, m in ((3, 2), (0, 2), (2, 0), (1, 1)))
    check(program, *inputs)
    model = graph_program(program).model()
    assert [node.op_type for node in model.graph.node] == ["MatMul"]
    for args in inputs:
        np.testing.assert_allclose(run(model, args)[0], program(*args))
