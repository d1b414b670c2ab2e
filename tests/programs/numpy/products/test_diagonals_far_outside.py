"""Diagonals of any number, the extremes of int64 among them: beyond all sizes they are outside on the same side."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
NUMBERS = (0, 1, -1, 2, -3, 2**31, -(2**31), 2**62, -(2**62), 2**63 - 2, 2**63 - 1)


def test_patterns_over_two_axes() -> None:
    def patterns(k: int) -> Any:
        return np.eye(3, k=k), np.eye(2, 4, k), np.tri(3, 4, k)

    def known() -> Any:
        return np.eye(3, k=2**63 - 1), np.tri(3, 4, 2**63 - 2), np.tri(2, k=-1)

    check(patterns, *((k,) for k in NUMBERS))
    check(known, ())


def test_triangles() -> None:
    def triangles(x: Array, k: int) -> Any:
        return np.tril(x, k), np.triu(x, k), np.triu(x, 1)

    x = np.arange(12.0).reshape(3, 4)
    check(triangles, *((given, k) for k in NUMBERS for given in (x, x[:0])))
