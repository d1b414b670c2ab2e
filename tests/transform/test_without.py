"""Passes that are switched off by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Tensor, graph_program
from graph_program.extract.transform import PASSES

X, W = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(3, 4)


def program(x: Float32[Tensor, "n 3"], w: Float32[Tensor, "3 4"]) -> Any:
    return x @ w + 1 / (x + 1).mean(axis=1, keepdims=True) * np.ones(4, np.float32)


@pytest.mark.parametrize("name", sorted({item.name for item in PASSES}))
def test_programs_do_the_same_without_a_pass(name: str) -> None:
    found = graph_program(program, without=[name])(X, W)
    np.testing.assert_allclose(found, program(X, W), 1e-6)


def loops_that_come_to_give_nothing(x: Float32[Tensor, "n 3"]) -> Any:
    y, i = np.ones(3, np.float32), 0
    while i < x.shape[0]:
        for j in range(x.shape[1]):
            for k in range(0):
                y[0] = x[k, j]
        i += 1
    return y, i


@pytest.mark.parametrize("name", sorted({item.name for item in PASSES}))
def test_loops_that_give_nothing_without_a_pass(name: str) -> None:
    y, rounds = graph_program(loops_that_come_to_give_nothing, without=[name])(X)
    np.testing.assert_array_equal(y, np.ones(3))
    assert rounds == 2


def test_what_is_left_out_is_not_there() -> None:
    def layer(x: Float32[Tensor, "n 3"], w: Float32[Tensor, "3 4"]) -> Any:
        return x @ w + 1 * w[0]

    assert "gemm(" in graph_program(layer).explain("optimized")
    assert "gemm(" not in graph_program(layer, without=("gemm",)).explain("optimized")


def test_a_pass_that_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"there is no pass 'gem'; the passes are .*gemm"):
        graph_program(program, without=["gem"])(X, W)


@pytest.mark.parametrize("wrong", ["gemm", [1], 3, None])
def test_what_is_no_sequence_of_names(wrong: Any) -> None:
    with pytest.raises(TypeError, match="without must be a sequence of names of passes"):
        graph_program(program, without=wrong)
