"""Comparisons and arithmetic called as functions (`np.greater(n, 0)`), with Python numbers as operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check

NUMBERS = [(1, 2), (2, 2), (-5, 3), (3, 0)]
OF_OTHER_CLASSES = [
    ((1, 2.5), (2, 2.0), (-5, 3.0)),
    ((1.5, 2.5), (2.0, 2.0), (-5.0, 3.0)),
    ((True, 2), (False, 1)),
    ((1, np.int64(2)), (1, np.int64(1))),
    ((1, np.int8(2)), (1, np.int8(1))),
]
DTYPES = ["float64", "float32", "float16", "int64", "int32", "uint8", "uint64", "bool"]


def compared(a: Any, b: Any) -> Any:
    return np.greater(a, b), np.less(a, b), np.equal(a, b), np.not_equal(b, a), np.less_equal(a, b)


def computed(a: Any, b: Any) -> Any:
    return np.maximum(a, b), np.add(a, b), np.multiply(a, b), np.logical_and(a, b), np.subtract(a, b), np.hypot(a, b)


def divided(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b), np.remainder(a, b), np.divide(a, b), np.isclose(a, b), np.arctan2(a, b)


def near(a: Any, b: Any) -> Any:
    """Python numbers take the element type of the other side, to the last bit."""
    return np.isclose(a, b, 0.0, 0.0), np.allclose(a, b, 0.0, 1e-9), np.isclose(a, 0.1, 1e-9, 0.0), np.isclose(0.1, a)


def beside_known_numbers(a: Any) -> Any:
    return np.greater(a, 2), np.less(2, a), np.greater_equal(a, True), np.equal(a, 0), np.not_equal(a, 2.5)


def counted(n: Any, a: Any) -> Any:
    k = 0
    for i in range(n):
        if np.greater(i, a):
            k = k + 1
    return k


def into_what_is_there(x: Any, y: Any) -> Any:
    np.greater(x, 0, out=y)
    return y, np.less.outer(x, 1)


def beyond_64_bits(x: Any) -> Any:
    return x > 10**30, x < -(10**30), np.not_equal(10**30, x), np.greater(x, -(10**30)), x * 1.5 < 10**20


def beyond_floats(x: Any) -> Any:
    return x * 1.5 + 10**400


@pytest.mark.parametrize("fn", [compared, computed, divided], ids=lambda f: f.__name__)
def test_two_numbers(fn: Any) -> None:
    check(fn, *NUMBERS)
    for inputs in OF_OTHER_CLASSES:
        check(fn, *inputs)


def test_with_known_numbers() -> None:
    for inputs in ((1,), (2,), (-1,)), ((0.5,), (2.5,)), ((True,), (False,)):
        check(beside_known_numbers, *inputs)


def test_in_loops() -> None:
    check(counted, (0, 0), (1, 0), (5, 2), (5, -1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_with_arrays(dtype: str) -> None:
    x = np.array([0, 1, 2]).astype(dtype)
    check(beside_known_numbers, (x,), (x[:0],), (x[:, None],))
    check(compared, (x, 1), (x, 0), (x[:0], 1))
    check(into_what_is_there, (x, np.zeros(3, bool)))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8", "uint64"])
def test_integers_beyond_64_bits(dtype: str) -> None:
    x = np.array([0, 1, 2]).astype(dtype)
    check(beyond_64_bits, (x,), (x[:0],))
    check(beyond_floats, (x,))


@pytest.mark.parametrize("dtype", DTYPES)
def test_near_python_numbers(dtype: str) -> None:
    x = np.array([0.1, 1, 2]).astype(dtype)
    check(near, *((x, b) for b in (0.1, 1, True)), (x[0], 0.1), (0.1, 0.1), (1, 1))


def test_in_an_exported_model() -> None:
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(graph_program(compared).model((1, 2)).SerializeToString())
    names = [o.name for o in session.get_outputs()]
    for a, b in NUMBERS:
        found = dict(zip(names, session.run(None, {"a": np.array(a), "b": np.array(b)}), strict=True))
        assert [bool(v) for name, v in found.items() if name != "error"] == [bool(v) for v in compared(a, b)]
