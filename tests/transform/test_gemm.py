"""The pass that takes transposes and sums into products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float16, Float32, Float64, Int32, Tensor, graph_program
from graph_program.tensor_api import nn
from tests.programs.plain import Cases, check
from tests.transform.sessions import run

recognised = Cases()
"""Programs with the operation, with arguments."""
near = Cases()


def whole(*shape: int, dtype: Any = np.float32) -> Any:
    """Small whole numbers, whose sums are exact."""
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape).astype(dtype)


def arguments(dtype: Any = np.float32) -> list[tuple[np.ndarray, ...]]:
    """Matrices of any number of rows, with NaN and infinities."""
    found = [(whole(n, 3, dtype=dtype), whole(3, 4, dtype=dtype), whole(4, dtype=dtype)) for n in (5, 1, 0)]
    special = whole(5, 3, dtype=np.float64).astype(dtype)
    if np.dtype(dtype).kind == "f":
        special[1, 1], special[2, 0], special[3] = np.nan, np.inf, -0.0
    return [*found, (special, *found[0][1:])]


F32, F64 = arguments(), arguments(np.float64)
Rows, Matrix, Bias = Float32[Tensor, "n 3"], Float32[Tensor, "3 4"], Float32[Tensor, "4"]


@recognised(*F32)
def a_layer(x: Rows, w: Matrix, b: Bias) -> Any:
    return x @ w + b


@recognised(*F64)
def of_doubles(x: Float64[Tensor, "n 3"], w: Float64[Tensor, "3 4"], b: Float64[Tensor, "4"]) -> Any:
    return b + x @ w


@recognised(*F32)
def with_a_residual(x: Rows, w: Matrix, b: Bias) -> Any:
    return x[:, :1] * b + x @ w


@recognised(*F32)
def of_a_row(x: Rows, w: Matrix, b: Bias) -> Any:
    return x @ w + b[None]


@recognised(*((x, np.ascontiguousarray(w.T), b) for x, w, b in F32))
def transposed(x: Rows, w: Float32[Tensor, "4 3"], b: Bias) -> Any:
    return np.maximum(x @ w.T + b, 0)


@recognised(*((x, np.ascontiguousarray(w.T), b) for x, w, b in F32))
def transposed_without_a_bias(x: Rows, w: Float32[Tensor, "4 3"], b: Bias) -> Any:
    return x @ w.T


@recognised(*((np.ascontiguousarray(x.T), np.ascontiguousarray(w.T), b) for x, w, b in F32))
def both_transposed(x: Float32[Tensor, "3 n"], w: Float32[Tensor, "4 3"], b: Bias) -> Any:
    return x.T @ w.T + b


LAYER = nn.Linear(3, 4, seed=0)


@recognised(*((x,) for x, *_ in F32))
def of_nn(x: Rows) -> Any:
    return LAYER(x)


@recognised(*F32)
def of_two_sums_the_first(x: Rows, w: Matrix, b: Bias) -> Any:
    return x @ w + b + b


@recognised(*F64)
def it_is_subtracted(x: Float64[Tensor, "n 3"], w: Float64[Tensor, "3 4"], b: Float64[Tensor, "4"]) -> Any:
    return x @ w - b


@recognised(*F32)
def subtracted_from_a_row(x: Rows, w: Matrix, b: Bias) -> Any:
    return b - x @ w


@recognised(*((x[:3], x[:3].T.copy(), np.eye(3, dtype=np.float32)) for x, *_ in F32[:1]))
def of_the_identity(x: Float32[Tensor, "3 3"], y: Float32[Tensor, "3 3"], one: Float32[Tensor, "3 3"]) -> Any:
    return one - x @ y.T


VECTORS = tuple((w.T.copy(), x[0], b) for x, w, b in (*F32[:2], F32[3]))


@recognised(*VECTORS)
def by_a_vector(w: Float32[Tensor, "4 3"], x: Float32[Tensor, "3"], b: Bias) -> Any:
    return b + w @ x


@recognised(*VECTORS)
def subtracted_by_a_vector(w: Float32[Tensor, "4 3"], x: Float32[Tensor, "3"], b: Bias) -> Any:
    return w @ x - b, b


@near(*F32)
def nothing_is_added(x: Rows, w: Matrix, b: Bias) -> Any:
    return x @ w * b


@near(*F32)
def the_product_is_used(x: Rows, w: Matrix, b: Bias) -> Any:
    p = x @ w
    return p + b, p


@near(*((x[0], w, b) for x, w, b in F32[:2]))
def of_a_vector(x: Float32[Tensor, "3"], w: Matrix, b: Bias) -> Any:
    return x @ w + b


@near(*((w.T.copy(), x, b) for w, x, b in VECTORS))
def a_vector_by_a_matrix(w: Matrix, x: Float32[Tensor, "3"], b: Bias) -> Any:
    return b - w.T @ x


@near(*((x[0], w, b[0]) for x, w, b in F32[:2]))
def a_number_is_added(x: Float32[Tensor, "3"], w: Float32[Tensor, "3 4"], b: np.float32) -> Any:
    return w.T @ x + b


@near(*((x[None], w, b) for x, w, b in F32))
def of_a_stack(x: Float32[Tensor, "1 n 3"], w: Matrix, b: Bias) -> Any:
    return x @ w + b


@near(*((x[:1], w, np.stack([b, b])) for x, w, b in F32[:1]))
def the_product_is_stretched(x: Float32[Tensor, "1 3"], w: Matrix, b: Float32[Tensor, "2 4"]) -> Any:
    return x @ w + b


@near(*arguments(np.int32))
def integers(x: Int32[Tensor, "n 3"], w: Int32[Tensor, "3 4"], b: Int32[Tensor, "4"]) -> Any:
    return x @ w + b


@near(*arguments(np.float16))
def half(x: Float16[Tensor, "n 3"], w: Float16[Tensor, "3 4"], b: Float16[Tensor, "4"]) -> Any:
    return x @ w + b


@near(*((x, w, b) for x, w, b in F32), (np.zeros((2, 0), np.float32), np.zeros((0, 4), np.float32), F32[0][2]))
def maybe_nothing_to_add_up(x: Float32[Tensor, "n k"], w: Float32[Tensor, "k 4"], b: Bias) -> Any:
    return x @ w + b


def count(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> int:
    """How often the operation is in a program, which does what Python does."""
    check(fn, *inputs)
    return graph_program(fn).explain("optimized").count("gemm(")


@recognised.each
def test_products_are_the_operation(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert count(fn, inputs) == 1


@near.each
def test_other_products_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert count(fn, inputs) == 0


def of_a_filter(x: Float32[Tensor, "3"], w: Matrix, b: Bias) -> Any:
    return x + w @ (b - x @ w)


def with_one_transpose(x: Float32[Tensor, "3 4"], w: Float32[Tensor, "3 3"], b: Float32[Tensor, "3 3"]) -> Any:
    return w @ x @ x.T + b, b @ x @ x.T


def test_vectors_between_products_stay_rows() -> None:
    inputs = [(x[0], w, b) for x, w, b in F32[:2]]
    assert count(of_a_filter, tuple(inputs)) == 2
    operators = [node.op_type for node in graph_program(of_a_filter).model(include_errors=False).graph.node]
    assert operators == ["Unsqueeze", "Gemm", "Gemm", "Squeeze"]


def test_a_transpose_that_several_products_read_is_taken_in() -> None:
    check(with_one_transpose, (whole(3, 4), whole(3, 3), whole(3, 3) + 1))
    operators = [node.op_type for node in graph_program(with_one_transpose).model(include_errors=False).graph.node]
    assert sorted(operators) == ["Gemm", "Gemm", "MatMul", "MatMul"]


@pytest.mark.parametrize("portable", [False, True])
def test_transposes_are_taken_in(portable: bool) -> None:
    model = graph_program(both_transposed).model(include_errors=False, portable=portable)
    (node,) = model.graph.node
    assert node.op_type == "Gemm" and {a.name: a.i for a in node.attribute} == {"transA": 1, "transB": 1}
    x, w, b = F32[0]
    args = np.ascontiguousarray(x.T), np.ascontiguousarray(w.T), b
    np.testing.assert_array_equal(run(model, args)[0], both_transposed(*args))


@pytest.mark.parametrize(
    ("fn", "expected"),
    [(it_is_subtracted, {"beta": -1.0}), (of_the_identity, {"alpha": -1.0, "transB": 1}), (by_a_vector, {"transB": 1})],
    ids=lambda given: getattr(given, "__name__", None),
)
def test_signs_are_taken_in(fn: Callable[..., Any], expected: dict[str, float]) -> None:
    nodes = graph_program(fn).model(include_errors=False).graph.node
    (node,) = (node for node in nodes if node.op_type == "Gemm")
    assert {a.name: a.i or a.f for a in node.attribute} == expected
