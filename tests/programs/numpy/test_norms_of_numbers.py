"""Sums and norms of what is one number, whose squares are no squares of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check


def test_a_norm_of_one_number() -> None:
    def norms(x: Any) -> Any:
        widest = np.ptp(x)
        product = np.sin(x) @ x
        return np.linalg.norm(widest), np.sqrt((product**2).sum()), product / np.sqrt((product * product).sum() + 1)

    for dtype in (np.float32, np.float64):
        check(norms, (np.array([0.0, 1.5, -0.5], dtype),), (np.array([2.0], dtype),))
