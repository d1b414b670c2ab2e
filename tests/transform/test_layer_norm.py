"""The pass that recognises layer normalisation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, Tensor, graph_program
from tests.programs.plain import Cases, check

recognised = Cases()
"""Programs with the operation, with arguments."""
near = Cases()
EPSILON = 1e-5


def arrays(*sizes: int, dtype: Any = np.float32) -> list[tuple[np.ndarray, ...]]:
    """Arrays of 8 columns, with a weight and a bias: usual ones, none, one, constant rows, infinities and NaN."""
    rng = np.random.default_rng(0)
    usual = rng.integers(-8, 9, (*sizes, 8)) * 0.5
    special = usual.copy()
    special[..., 0] = rng.choice((np.nan, np.inf, -np.inf, 1.0), sizes)
    found = [usual, special, np.zeros((0, *usual.shape[1:])), np.ones_like(usual[:1]), np.zeros_like(usual) * -1]
    weights = rng.normal(size=8).astype(dtype), rng.normal(size=8).astype(dtype)
    return [(x.astype(dtype), *weights) for x in found]


ROWS = arrays(6)
Rows = Float32[Tensor, "n 8"]
Weight = Float32[Tensor, "8"]
W, B = np.linspace(-1, 2, 8, dtype=np.float32), np.linspace(0, 1, 8, dtype=np.float32)


@recognised(*ROWS)
def as_in_books(x: Rows, w: Weight, b: Weight) -> Any:
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + EPSILON) * w + b


@recognised(*ROWS)
def squares(x: Rows, w: Weight, b: Weight) -> Any:
    d = x - x.sum(axis=1, keepdims=True) / 8
    return b + w * (d / np.sqrt(EPSILON + (d**2).mean(1)[:, None]))


@recognised(*ROWS)
def inverse_roots(x: Rows, w: Weight, b: Weight) -> Any:
    d = x - x.mean(axis=1, keepdims=True)
    return w * d * (1 / np.sqrt(np.mean(d * d, axis=1, keepdims=True) + EPSILON)) + b


@recognised(*ROWS)
def powers(x: Rows, w: Weight, b: Weight) -> Any:
    d = x - x.mean(axis=1, keepdims=True)
    return d * (np.mean(d * d, axis=1, keepdims=True) + EPSILON) ** -0.5 * w + b


@recognised(*ROWS)
def weights_of_its_own(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * W + B


@recognised(*ROWS)
def no_weights(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON)


@recognised(*ROWS)
def no_bias(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * w


@recognised(*ROWS)
def no_scale(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) + b


@recognised(*ROWS)
def the_bias_is_a_number(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * w + 2


@recognised(*ROWS)
def row_by_row(x: Rows, w: Weight, b: Weight) -> Any:
    found = np.zeros_like(x)
    for i in range(x.shape[0]):
        found[i] = w * (x[i] - x[i].mean()) / np.sqrt(x[i].var() + EPSILON) + b
    return found


@recognised(*ROWS[:2])
def one_vector(x: Rows, w: Weight, b: Weight) -> Any:
    v = x[0]
    return (v - v.mean()) / np.sqrt(v.var() + EPSILON) * w + b


@recognised(*arrays(3, 4))
def two_axes(x: Float32[Tensor, "n 4 8"], w: Weight, b: Weight) -> Any:
    d = x - x.mean((1, 2), keepdims=True)
    return d / np.sqrt(np.mean(d * d, axis=(1, 2), keepdims=True) + EPSILON)


@recognised(*arrays(3, 4))
def the_mean_is_used(x: Float32[Tensor, "n 4 8"], w: Weight, b: Weight) -> Any:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * w + b, mean


@recognised(*ROWS)
def used_before_it_is_scaled(x: Rows, w: Weight, b: Weight) -> Any:
    z = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON)
    return z, z * w


@near(*arrays(6, dtype=np.float64))
def doubles(x: Float64[Tensor, "n 8"], w: Float64[Tensor, "8"], b: Float64[Tensor, "8"]) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * w + b


@near(*ROWS)
def epsilon_outside(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / (np.sqrt(x.var(-1, keepdims=True)) + EPSILON) * w + b


@near(*ROWS)
def no_epsilon(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True)) * w + b


@near(*ROWS)
def epsilon_is_subtracted(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) - EPSILON) * w + b


@near(*ROWS)
def unbiased(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True, ddof=1) + EPSILON) * w + b


@near(*ROWS[:2])
def the_first_axis(x: Float32[Tensor, "6 8"], w: Weight, b: Weight) -> Any:
    return (x - x.mean(0)) / np.sqrt(x.var(0) + EPSILON) * w + b


@near(*ROWS)
def not_centred(x: Rows, w: Weight, b: Weight) -> Any:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * w + b


@near(*ROWS)
def centred_otherwise(x: Rows, w: Weight, b: Weight) -> Any:
    return (x - x.mean()) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * w + b


@near(*ROWS[:2])
def variance_of_something_else(x: Rows, w: Weight, b: Weight) -> Any:
    y = np.tanh(x)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(y.var(-1, keepdims=True) + EPSILON) * w + b


@near((ROWS[0][0][:, :6], W[:6]))
def another_alignment(x: Float32[Tensor, "6 6"], w: Float32[Tensor, "6"]) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1) + EPSILON) * w


@near(*((x, w) for x, w, _ in ROWS), (np.zeros((2, 0), np.float32), np.zeros(0, np.float32)))
def maybe_nothing_to_normalise(x: Float32[Tensor, "n m"], w: Float32[Tensor, "m"]) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * w


@near(*((x.astype(np.float16),) for x, _, _ in ROWS[:1]))
def half(x: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 0.5) > 3


def count(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> int:
    """How often the operation is in a program, which does what Python does."""
    check(fn, *inputs)
    program = graph_program(fn)
    program(*inputs[0])
    return program.explain("optimized").count("layer_norm(")


@recognised.each
def test_formulas_are_the_operation(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert count(fn, inputs) == 1


@near.each
def test_other_formulas_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert count(fn, inputs) == 0


def test_it_is_one_node_of_the_model() -> None:
    model = graph_program(as_in_books).model(include_errors=False)
    assert [node.op_type for node in model.graph.node] == ["LayerNormalization"]
    assert math.isclose(next(a.f for a in model.graph.node[0].attribute if a.name == "epsilon"), EPSILON, rel_tol=1e-6)


@pytest.mark.parametrize("opset", [17, 20, 23])
def test_every_version_has_it(opset: int) -> None:
    model = graph_program(as_in_books).model(include_errors=False, opset=opset)
    assert [node.op_type for node in model.graph.node] == ["LayerNormalization"]
