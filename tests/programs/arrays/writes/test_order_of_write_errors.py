"""Writes of numbers that do not fit, at places that do not exist: which error NumPy tells; reductions of nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

NOTHING = [(np.zeros(shape, kind),) for shape in ((0,), (0, 3), (3, 0), (2, 2)) for kind in (np.float64, np.uint8)]
GRIDS = NOTHING[2:]


def test_the_place_comes_before_the_value() -> None:
    def program(x: Any) -> Any:
        x[0] = 300
        return x

    check(program, (np.zeros(0, np.uint8),), (np.zeros(2, np.uint8),), (np.zeros(2, np.int16),))


def test_a_computed_place_and_value() -> None:
    def program(x: Any, i: int, v: Any) -> Any:
        x[i] = v
        return x

    bytes_, ints = np.zeros(2, np.uint8), np.zeros(3, np.int64)
    check(program, *[(bytes_, i, v) for i in (5, 1, -3) for v in (300, 7)])
    check(program, *[(ints, i, v) for i in (3, -4, 2) for v in (np.nan, np.inf, 2.5)])


def test_a_row_that_does_not_exist() -> None:
    def program(x: Any, i: int) -> Any:
        try:
            x[i] = float("nan")
        except (IndexError, ValueError) as error:
            return type(error).__name__, str(error)
        return x

    check(program, (np.zeros((2, 2), int), 2), (np.zeros((2, 2), int), 1))


def test_extremes_of_nothing() -> None:
    def program(x: Any) -> Any:
        return np.nanmax(x), np.nanmin(x)

    check(program, *NOTHING)


def test_extremes_of_nothing_along_an_axis() -> None:
    def program(x: Any) -> Any:
        return np.nanmin(x, axis=1, keepdims=True)

    check(program, *GRIDS)


def test_medians_of_nothing() -> None:
    def program(x: Any) -> Any:
        return np.median(x), np.nanmedian(x), np.median(x, axis=0), np.nanmedian(x, axis=-1, keepdims=True)

    check(program, *NOTHING)


def test_a_percentile_of_nothing() -> None:
    def program(x: Any, q: float) -> Any:
        return np.percentile(x, q)

    check(program, *[(x, q) for (x,) in NOTHING for q in (50.0, 0.0, 100.0)])


def test_several_percentiles_of_nothing() -> None:
    def program(x: Any) -> Any:
        return np.percentile(x, [50, 0], axis=1)

    check(program, *GRIDS)


def test_quantiles_of_nothing_that_choose_an_element() -> None:
    def program(x: Any) -> Any:
        return np.quantile(x, 1)

    check(program, *NOTHING)


def test_a_quantile_of_what_is_not_nan() -> None:
    def program(x: Any) -> Any:
        return np.nanquantile(x, 0.5)

    check(program, *NOTHING)


def test_element_types_come_before_sizes() -> None:
    def program(x: Any, y: Any) -> Any:
        for _ in range(2):
            if len(x):
                x[:0] *= y
        return x

    grid = np.arange(6).reshape(2, 3)
    check(program, (grid, np.array([])), (grid * 1.0, np.array([])), (grid, np.zeros(0, int)), (grid[:0], np.array([])))


def test_what_a_tuple_holds_is_changed_before_the_error() -> None:
    def of_a_view(x: Any, s: float) -> Any:
        t = (s, x[1:])
        try:
            t[1] *= s > 1.0
        except TypeError:
            s = -1.0
        return x, s, t

    def of_a_list(x: Any, s: float) -> Any:
        rows = [s]
        t = (rows, x)
        try:
            t[0] += [2.0]
        except TypeError as error:
            return rows, str(error)
        return t

    for program in (of_a_view, of_a_list):
        check(program, (np.ones(3), 2.0), (np.ones(3), 0.0))
