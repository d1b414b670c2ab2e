"""The pass that recognises GELU."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, Tensor, graph_program
from graph_program.tensor_api import nn
from tests.programs.plain import Cases, check
from tests.transform.sessions import run

recognised = Cases()
"""Programs with the operation, with arguments."""
near = Cases()
ROOT = math.sqrt(2 / math.pi)


def arrays(dtype: Any = np.float32) -> list[tuple[np.ndarray]]:
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-30, -1e-30, 5.0, 100.0, -100.0, 1e30, -1e30]
    found = [
        np.array([special]),
        np.linspace(-1.5, 1.5, 60).reshape(6, 10),
        np.zeros((0, 3)),
        np.zeros((3, 0)),
        [[0.5]],
    ]
    return [(np.asarray(x, dtype),) for x in found]


Matrix = Float32[Tensor, "n m"]


@recognised(*arrays())
def of_nn(x: Matrix) -> Any:
    return nn.gelu(x)


@recognised(*arrays())
def exact(x: Matrix) -> Any:
    return 0.5 * x * (1.0 + nn.erf(x / math.sqrt(2)))


@recognised(*arrays())
def exact_otherwise(x: Matrix) -> Any:
    return x * (nn.erf(x * 0.7071067811865476) * 0.5 + 0.5)


@recognised(*arrays())
def of_nn_approximate(x: Matrix) -> Any:
    return nn.gelu(x, approximate="tanh")


@recognised(*arrays())
def approximate(x: Matrix) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@recognised(*arrays())
def approximate_otherwise(x: Matrix) -> Any:
    return x / 2 * (np.tanh(0.7978845608 * x * (1 + 0.044715 * np.square(x))) + 1)


@recognised(*((x[0],) for (x,) in arrays()[:2]))
def each_number(x: Float32[Tensor, "n"]) -> Any:
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        y[i] = np.float32(0.5) * x[i] * (1 + np.tanh(np.float32(ROOT) * (x[i] + np.float32(0.044715) * x[i] ** 3)))
    return y


@near(*arrays(np.float64))
def doubles(x: Float64[Tensor, "n m"]) -> Any:
    return 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**3)))


@near(*arrays())
def another_factor(x: Matrix) -> Any:
    return 0.5 * x * (1 + np.tanh(ROOT * (x + 0.0447 * x**3)))


@near(*arrays())
def another_root(x: Matrix) -> Any:
    return 0.5 * x * (1 + nn.erf(x / 1.41))


@near(*arrays())
def not_halved(x: Matrix) -> Any:
    return x * (1 + nn.erf(x / math.sqrt(2)))


@near(*arrays())
def another_sign(x: Matrix) -> Any:
    return 0.5 * x * (1 - nn.erf(x / math.sqrt(2)))


@near(*arrays())
def of_another_array(x: Matrix) -> Any:
    return 0.5 * x * (1 + nn.erf(np.abs(x) / math.sqrt(2)))


@near(*arrays())
def another_power(x: Matrix) -> Any:
    return 0.5 * x * (1 + np.tanh(ROOT * (x + 0.044715 * x**2)))


@near(*arrays())
def the_function_is_used(x: Matrix) -> Any:
    e = nn.erf(x / math.sqrt(2))
    return 0.5 * x * (1 + e), e


@near(*arrays())
def broadcast(x: Matrix) -> Any:
    v = x[:1] if x.shape[0] else x
    return 0.5 * v * (1 + nn.erf(x / math.sqrt(2)))


def count(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> int:
    """How often the operation is in a program, which does what Python does."""
    check(fn, *inputs)
    return graph_program(fn).explain("optimized").count("gelu(")


@recognised.each
def test_formulas_are_the_operation(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert count(fn, inputs) == 1


@near.each
def test_other_formulas_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert count(fn, inputs) == 0


@pytest.mark.parametrize("fn", [exact, approximate])
@pytest.mark.parametrize(
    ("opset", "portable", "single"), [(17, False, 0), (19, False, 0), (20, False, 1), (20, True, 0)]
)
def test_older_versions_have_the_formula(fn: Callable[..., Any], opset: int, portable: bool, single: int) -> None:
    model = graph_program(fn).model(include_errors=False, opset=opset, portable=portable)
    assert [node.op_type for node in model.graph.node].count("Gelu") == single
    for args in arrays():
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(run(model, args)[0], fn(*args), 1e-5, 1e-7)


@pytest.mark.parametrize("fn", [exact, approximate])
def test_the_formula_is_inexact_where_it_cancels(fn: Callable[..., Any]) -> None:
    x = np.linspace(-9, 9, 80, dtype=np.float32).reshape(8, 10)
    np.testing.assert_allclose(graph_program(fn)(x), fn(x), rtol=1e-5, atol=1e-6)
