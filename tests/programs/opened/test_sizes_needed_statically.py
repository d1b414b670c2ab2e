"""Sizes of arguments that decide the structure of a result: one extraction for each size that is passed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, graph_program
from tests.programs.plain import check


def squeezed(x: Any) -> Any:
    return x.squeeze()


def shape_of_squeezed(x: Any) -> Any:
    return np.squeeze(x).shape


def starred(x: Any) -> Any:
    return np.array([0.0, *x[1:]])


def first_and_rest(x: Any) -> Any:
    first, *rest = x
    return first, rest


def as_tuple(x: Any) -> Any:
    return tuple(x)


def squeezed_rows(xs: Any) -> Any:
    return xs[0].squeeze(), xs[1]


def test_squeeze() -> None:
    shapes = [(1, 3), (2, 3), (1, 1), (0, 1), (1, 4), (2, 3)]
    for program in (squeezed, shape_of_squeezed):
        check(program, *((np.ones(shape),) for shape in shapes))


def test_unpacking() -> None:
    for program in (starred, first_and_rest, as_tuple):
        check(program, *((np.arange(float(n)),) for n in (3, 4, 1, 3)))


def test_sizes_inside_structures() -> None:
    check(squeezed_rows, ([np.ones((1, 3)), np.ones(2)],), ([np.ones((2, 3)), np.ones(2)],))


def test_more_sizes_than_are_kept() -> None:
    program = graph_program(squeezed)
    for n in [*range(30), 1, 2]:
        assert program(np.ones((n, 1, 2))).shape == np.ones((n, 1, 2)).squeeze().shape


def test_a_size_that_a_name_gives_is_the_same_everywhere() -> None:
    @graph_program
    def program(x: Float64[np.ndarray, "n m"], y: Float64[np.ndarray, "m"]) -> Any:
        return x.squeeze(), y

    assert program(np.ones((1, 3)), np.ones(3))[0].shape == (3,)
    assert program(np.ones((3, 1)), np.ones(1))[0].shape == (3,)
    with pytest.raises(GraphProgramError, match="GP309"):
        program.model()


def test_default_of_none() -> None:
    def program(x: Any, dt: float = None) -> Any:  # type: ignore[assignment]  # noqa: RUF013
        return x if dt is None else x * dt

    check(program, (np.ones(3),), (np.ones(3), 0.5))
