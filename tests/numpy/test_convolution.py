"""Convolutions of what is not finite: what lies outside of a vector meets no coefficient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program

NAN, INF = np.nan, np.inf
VECTORS = [[1.0, 2.0, 3.0, 4.0, 5.0], [1.0, NAN, 3.0, 4.0, 5.0], [NAN], [1.0, INF, -INF], [0.5, -1.0, 2.0]]


def all_modes(x: Any, v: Any) -> Any:
    convolved = [np.convolve(x, v, "full"), np.convolve(x, v, "same"), np.convolve(x, v, "valid")]
    return convolved, np.correlate(x, v, "full"), np.convolve(x, [1.0, NAN, 0.5]), np.convolve(v, np.array([2.0, -1.0]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_of_what_is_not_finite(dtype: Any) -> None:
    program = graph_program(all_modes)
    for first in VECTORS:
        for second in VECTORS:
            x, v = np.array(first, dtype), np.array(second, dtype)
            want, found = all_modes(x, v), program(x, v)
            for a, b in zip([*want[0], *want[1:]], [*found[0], *found[1:]], strict=True):
                assert a.dtype == b.dtype
                np.testing.assert_allclose(b, a, rtol=1e-6)
