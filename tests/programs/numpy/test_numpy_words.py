"""What NumPy says of outputs and operands that do not fit, and forms that take several steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(24.0).reshape(4, 6)


def test_an_output_of_round_has_as_many_elements() -> None:
    def rounded(x: Array, out: Array) -> Any:
        return np.round(x, 0, out)

    check(rounded, (X / 3, np.zeros((4, 6))), (X, np.zeros((2, 6))), (X[0], np.zeros(5)))


def test_operands_of_an_iterator() -> None:
    def pairs(x: Array, y: Array) -> Any:
        found = []
        for a, b in np.nditer((x, y)):
            found.append(a.item() - b.item())
        return found

    fortran = np.asfortranarray(X)
    check(pairs, (X, X[0]), (X[0], X[0, :2]), (fortran, fortran), (X.T, X.T))


def test_windows_over_one_axis_twice() -> None:
    def windows(x: Array) -> Any:
        return np.lib.stride_tricks.sliding_window_view(x, (2, 3, 2), (0, 1, 0))

    check(windows, (X,), (X[:2],))


def test_keywords_that_are_an_int_or_a_float() -> None:
    def steps(x: float) -> Any:
        return np.arange(7, step=max(1, abs(x)))

    check(steps, (0.5,), (5.5,), (-3.0,))


def test_shapes_of_texts() -> None:
    def told(x: Any) -> Any:
        return np.shape(x), np.size(x), np.ndim(x)

    check(told, ("text",), (X,), ([1.0, 2.0],), (3,))


def test_a_value_with_more_axes_than_the_place_it_goes_to() -> None:
    """Leading axes of one element are dropped, and are not in what NumPy says of the rest."""

    def column(x: Array, y: Array) -> Any:
        x[:, 0] = y
        return x

    def filled(x: Array, y: Array) -> Any:
        return np.full(x.shape[:1], y), np.full_like(x, y, shape=(4,)), np.full((4,), [[1, 2, 3, 4]])

    def number(x: Array, y: Array) -> Any:
        return np.full((), y)

    shapes = [(1, 4), (1, 1, 1), (1, 5), (1, 1, 5), (1, 2, 4), (2, 4), (2, 1, 5), (0, 4), (1, 0)]
    for function in (column, filled, number):
        check(function, *((X, np.ones(shape)) for shape in shapes))
