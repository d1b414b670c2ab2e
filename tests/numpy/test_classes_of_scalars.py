"""NumPy functions that call a method of a scalar give a scalar, and squares of booleans are narrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check


def moved(x: Any) -> Any:
    return np.transpose(x), np.reshape(x, ()), x.reshape(()), np.moveaxis(x, (), ()), np.squeeze(x), np.ravel(x)


@pytest.mark.parametrize("number", [np.float64(1.5), np.bool_(True), np.int8(3), np.array(2.0)])
def test_moved_scalars(number: Any) -> None:
    check(moved, (number,))


def test_squares_of_booleans() -> None:
    def powers(x: Any) -> Any:
        return x**2, x**3, np.power(x, 2), np.square(x), (x > 0) ** 2

    check(powers, (np.array([True, False]),), (np.array(True),), (np.array([[True]]),))
