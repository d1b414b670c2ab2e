"""Which of NumPy's functions take a list of axes, and what the others say of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import ProgramAxisError, graph_program
from tests.programs.plain import check, check_or_refused

Array = np.ndarray[Any, Any]
X = np.arange(6.0).reshape(2, 3) - 2


def test_functions_written_in_python_take_lists_of_axes() -> None:
    def taken(x: Array) -> Any:
        middle = np.median(x, axis=[0, 1]), np.nanmedian(x, axis=[1, 0]), np.quantile(x, 0.25, axis=[0, 1])
        weighted = np.average(x, axis=[0, 1]), np.average(x, axis=[1, 0], weights=x + 9)
        moved = np.flip(x, [1]), np.moveaxis(x, [0, 1], [1, 0]), np.roll(x, 1, [0, 1]), np.expand_dims(x, [0, 2])
        return middle, weighted, moved, np.size(x, [0, 1]), np.gradient(x, axis=[1])

    check(taken, (X,))


def _norm_of_one_axis(x: Array) -> Any:
    return np.linalg.norm(x, axis=1.5), np.linalg.norm(x, axis=np.int64(-1)), np.linalg.vector_norm(x, axis=1.0)


def test_the_axis_of_a_norm_is_made_an_int() -> None:
    check(_norm_of_one_axis, (X,))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x, axis=[0, 1]),
        lambda x: np.mean(x, axis=[0, 1]),
        lambda x: x.max([0, 1]),
        lambda x: np.var(x, axis=[0, 1]),
        lambda x: np.any(x > 0, axis=[0]),
        lambda x: np.nansum(x, axis=[0, 1]),
        lambda x: np.count_nonzero(x, axis=[0, 1]),
        lambda x: np.squeeze(x[None], axis=[0]),
        lambda x: np.add.reduce(x, axis=[0, 1]),
        lambda x: np.linalg.norm(x, axis=[0, 1]),
        lambda x: np.linalg.norm(x, axis="rows"),
        lambda x: np.linalg.vector_norm(x, axis=[0, 1]),
        lambda x: np.linalg.vector_norm(x, axis=(0, 0)),
        lambda x: np.flip(x, (0, 0)),
        lambda x: np.median(x, (1, -1)),
        lambda x: np.average(x, (0, 0)),
        lambda x: np.gradient(x, axis=(0, 0)),
        lambda x: np.expand_dims(x, (0, 0)),
        lambda x: np.moveaxis(x, (0, 1), (1, 1)),
    ],
)
def test_axes_that_numpy_does_not_take(function: Callable[[Array], Any]) -> None:
    check_or_refused(function, (X,))


@pytest.mark.parametrize(
    "function",
    [lambda x: np.linalg.vector_norm(x[0, 0], axis=0), lambda x: np.flip(x[0, 0], 0), lambda x: np.average(x, axis=2)],
)
def test_axes_that_an_array_does_not_have(function: Callable[[Array], Any]) -> None:
    with pytest.raises(np.exceptions.AxisError) as expected:
        function(X)
    with pytest.raises(ProgramAxisError, match=str(expected.value)):
        graph_program(function)(X)


def test_weights_of_an_average_have_the_shape_of_the_array() -> None:
    def weighted(x: Array, w: Array) -> Any:
        return np.average(x, axis=1, weights=w)

    check(weighted, (X, X + 5), (X, np.ones((1, 3))), (X, np.ones((2, 1))))
