"""Tensors from numbers and sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.opdef import define


def _full(value: Any, *dims: Any) -> Any:
    return np.full(tuple(int(d) for d in dims), value, dtype=np.asarray(value).dtype)


def _iota(n: Any) -> Any:
    return np.arange(int(n), dtype=np.int64)


def _dim(x: np.ndarray, axis: int) -> Any:
    return np.int64(np.shape(x)[axis])


define("full", "value *dims", "(t [], int64 [], ...) -> t [*sizes(dims)]", "full", _full, "one value everywhere")
define("iota", "n", "int64 [] -> int64 [*sizes(n)]", "iota", _iota, "0, 1, ..., n-1; none if n < 0")
define(
    "dim",
    "x",
    "t [*s, n, *r] -> int64 [] where rank(s) = axis",
    "dim",
    _dim,
    "the size of one axis",
    attrs="axis",
)
