"""`np.arange` with steps that are zero, infinite or too small, of Python's and of NumPy's numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.plain import check

INF, NAN = np.inf, np.nan
REALS = [
    (0.0, 5.0, INF), (5.0, 0.0, INF), (0.0, 0.0, INF), (0.0, 5.0, -INF), (0.0, -5.0, -INF), (2.0, 5.0, INF),
    (0.0, INF, INF), (0.0, INF, 1.0), (0.0, 5.0, NAN), (0.0, 5.0, 1e-300), (0.0, -5.0, 1e-300), (0.0, 5.0, 1e-19),
    (0.0, -5.0, 1e-17), (0.0, 5.0, 0.0), (0.0, 0.0, 0.0), (-5.0, 0.0, -0.0), (0.0, 1.0, 0.1), (1.0, 0.0, -0.25),
]  # fmt: skip
INTS = [(0, 5, 0), (0, 0, 0), (0, 5, 2), (5, 0, -2), (3, 3, 1), (0, -5, 0)]


def ranged(start, stop, step):
    return np.arange(start, stop, step)


def caught(start, stop, step):
    try:
        return np.arange(start, stop, step)
    except ZeroDivisionError:
        return np.zeros(1)
    except ValueError:
        return np.zeros(2)


@pytest.mark.parametrize("convert", [lambda v: v, np.float64, np.float32])
def test_real_steps(convert) -> None:
    with np.errstate(all="ignore"):
        rows = [tuple(map(convert, row)) for row in REALS]
    check(ranged, *rows, *((row[0], row[1], convert(0)) for row in REALS[:3]))
    check(caught, *rows)


@pytest.mark.parametrize("convert", [lambda v: v, np.int64, np.int8])
def test_integer_steps(convert) -> None:
    check(ranged, *((a, b, convert(c)) for a, b, c in INTS), *(tuple(map(convert, row)) for row in INTS))
    check(caught, *((a, convert(b), c) for a, b, c in INTS), *((float(a), b, convert(c)) for a, b, c in INTS))


def test_known_steps() -> None:
    check(lambda n: np.arange(n), (3,), (3.5,), (np.float32(2.5),))
    check(lambda x: np.arange(0.0, x, 0.5), (2.0,), (-1.0,), (INF,))
    check(lambda x: np.arange(5) + x, (1,))
    check(lambda x: np.arange(0.0, 5.0, INF) + x, (1.0,))


def test_points_too_few_for_a_gradient() -> None:
    check(lambda x, w: np.gradient(x, w), *((np.arange(n) * 1.0, np.arange(n) * 2.0) for n in (0, 1, 2, 4)))
    check(lambda x, w: np.gradient(x, w, edge_order=2), *((np.arange(n) * 1.0, np.arange(n) * 2.0) for n in (1, 2, 3)))


def test_an_array_is_not_sorted_in_place_along_no_axis() -> None:
    def sorted_at_once(x, flat):
        try:
            x.sort(axis=None)
        except TypeError as error:
            return str(error)
        return flat

    check(sorted_at_once, (np.array([2.0, 1.0]), "no"))
    with pytest.raises(TypeError, match="'NoneType' object cannot be interpreted as an integer"):
        from graph_program import graph_program

        graph_program(lambda x: x.sort(axis=None))(np.zeros(2))


def test_real_transforms_of_half_floats() -> None:
    x = np.array([1, 2, 3, 2], np.float16)
    for function in (np.fft.irfft, np.fft.hfft, np.fft.ihfft, np.fft.irfftn):
        check(lambda x, f=function: f(x).dtype.itemsize, (x,), (x.astype(np.float32),), (x.astype(np.int8),))
        check(lambda x, f=function: f(x), (x,))
