"""Sums and norms of what is one number, whose squares are no squares of an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, ProgramAxisError, Tensor, graph_program
from tests.programs.plain import check


def test_a_norm_of_one_number() -> None:
    def norms(x: Any) -> Any:
        widest = np.ptp(x)
        product = np.sin(x) @ x
        return np.linalg.norm(widest), np.sqrt((product**2).sum()), product / np.sqrt((product * product).sum() + 1)

    for dtype in (np.float32, np.float64):
        check(norms, (np.array([0.0, 1.5, -0.5], dtype),), (np.array([2.0], dtype),))


def test_norms_over_several_axes() -> None:
    def norms(x: Any) -> Any:
        sizes = [np.linalg.vector_norm(x, axis=(2, 0), ord=order) for order in (0, 1, 2, 3, np.inf, -np.inf)]
        return sizes, np.linalg.vector_norm(x, ord=np.inf, keepdims=True), np.linalg.vector_norm(x, axis=(), ord=1)

    check(norms, (np.arange(-5.0, 7.0).reshape(2, 3, 2),), (np.arange(-2, 2).reshape(2, 2, 1),))


def test_the_norm_of_a_matrix_takes_a_matrix() -> None:
    @graph_program
    def norm(x: Float64[Tensor, "n"]) -> Any:
        return np.linalg.matrix_norm(x)

    with pytest.raises(ProgramAxisError, match="axis -2 is out of bounds for array of dimension 1"):
        norm(np.ones(3))
