"""`np.nextafter` and `np.spacing`: every bit, for numbers at the edges of the formats and random ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program


@graph_program
def neighbours(x: Any, y: Any) -> Any:
    return np.nextafter(x, y), np.spacing(x), np.nextafter(x[0], y[1]), np.nextafter(x, 0.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_every_bit(dtype: Any) -> None:
    info = np.finfo(dtype)
    sizes = [0, 1, 2, 0.5, 3, np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal, 2 * info.tiny, info.eps]
    edges = np.array([sign * size for size in sizes for sign in (1, -1)], dtype)
    bits = np.dtype(f"u{info.bits // 8}")
    random = np.random.default_rng(0).integers(0, np.iinfo(bits).max, 3000, dtype=bits, endpoint=True).view(dtype)
    x = np.concatenate([np.repeat(edges, len(edges)), random])
    y = np.concatenate([np.tile(edges, len(edges)), random[::-1]])
    with np.errstate(all="ignore"):
        for got, want in zip(neighbours(x, y), neighbours.__wrapped__(x, y), strict=True):
            assert type(got) is type(want) and got.dtype == want.dtype
            numbers = ~np.isnan(want)
            np.testing.assert_array_equal(got, want)
            np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(want)[numbers])
