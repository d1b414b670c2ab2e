"""Sizes that do not fit where only a run can tell: found by the operation, told as NumPy tells it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.extract.arguments.argument_specs import spec_from_value
from graph_program.extract.pipeline import extract
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.array([1.0, -1.0, 2.0, 3.0, -2.0])
FITTING, NOT_FITTING, STRETCHED, EMPTY = X, X[:4], np.array([-1.0, 1.0, -2.0]), -np.ones(3)

BINARY = [
    *(np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.fmod, np.power, np.maximum),
    *(np.minimum, np.fmax, np.fmin, np.arctan2, np.hypot, np.copysign, np.logaddexp, np.logaddexp2),
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
    *(np.logical_and, np.logical_or, np.logical_xor),
]


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda u: u.__name__)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16", "uint8", "bool"])
def test_binary_operations_of_computed_sizes(ufunc: np.ufunc, dtype: str) -> None:
    def combined(x: Array, y: Array, a: Array, b: Array) -> Array:
        result: Array = ufunc(x[a > 0], y[b > 0])
        return result

    def args(a: Array, b: Array) -> tuple[Array, ...]:
        with np.errstate(all="ignore"):
            return np.abs(a).astype(dtype), np.abs(b).astype(dtype), a, b

    try:
        combined(*args(X, FITTING))
    except TypeError:
        pytest.skip("NumPy does not compute it in this element type")
    check(combined, args(X, FITTING), args(X, NOT_FITTING), args(X, STRETCHED), args(X, EMPTY), args(EMPTY, STRETCHED))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
def test_products_of_computed_sizes(dtype: str) -> None:
    def products(x: Array, a: Array, b: Array) -> tuple[Any, ...]:
        u, v = x[a > 0], x[b > 0]
        m = u[:, None] * u
        return u @ v, m @ v, v @ m, m @ (v[:, None] * v)

    x = np.arange(5).astype(dtype)
    check(products, (x, X, FITTING), (x, X, NOT_FITTING[[0, 1, 2, 3, 1]]), (x, X, -np.abs(X)), (x, -np.abs(X), X))


def test_choices_of_computed_sizes() -> None:
    def chosen(a: Array, b: Array) -> Array:
        return np.where(a[a > 0] > 1, b[b > 0], 0.0)

    check(chosen, (X, FITTING), (X, NOT_FITTING), (X, STRETCHED), (X, EMPTY))


def test_writes_of_computed_sizes() -> None:
    def rows(a: Array, b: Array, i: int) -> Array:
        table = np.zeros((3, 4))
        table[i, : len(a)] = b[b > 0]
        table[: len(a[a > 0]), i] = b[b > 0]
        table[i] = b[b > 0]
        return table

    check(rows, (X[:3], X, 1), (X[:3], STRETCHED, 1), (X[:1], X, 0), (X, X, 2), (X, EMPTY, 2))


def test_in_a_loop_the_first_error_is_told() -> None:
    def summed(parts: Array, lengths: Array) -> Array:
        total = np.zeros(2)
        for n in lengths:
            total += parts[:n] * parts[-n:]
            total = total + parts[n] * 2.0
        return total

    x = np.arange(5.0)
    check(summed, (x, np.array([2, 1, 2])), (x, np.array([2, 3])), (x, np.array([2, 9, 3])), (x, np.array([], int)))


def test_what_nobody_reads_is_still_checked() -> None:
    def unused(a: Array, b: Array) -> int:
        c = a[a > 0] + b[b > 0]
        d = a[a > 0] @ b[b > 0]  # noqa: F841
        return c.ndim + len(c)

    check(unused, (X, FITTING), (X, NOT_FITTING), (X, STRETCHED))


def test_an_error_on_the_way_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    def program(a: Array, b: Array, k: int) -> Array:
        print("start")
        if k > 3:
            raise KeyError("large")
        c = a[a > 0] + b[b > 0]
        print("sum")
        return c // np.array(10 // k)

    for args in ((X, NOT_FITTING, 4), (X, FITTING, 0), (X, NOT_FITTING[:3], 0), (X, STRETCHED, 1)):
        check(program, args)
        out = capsys.readouterr().out
        assert out[: len(out) // 2] * 2 == out


def test_caught_where_it_fails() -> None:
    def caught(a: Array, b: Array) -> Array:
        try:
            c = a[a > 0] * b[b > 0]
        except ValueError:
            c = -a
        return c

    check(caught, (X, FITTING), (X, NOT_FITTING[:3]), (X, STRETCHED))


def test_rounds_make_no_check_twice_and_the_model_has_it() -> None:
    def combined(a: Array, b: Array, n: int) -> float:
        total = 0.0
        for k in range(n):
            total += (a[:k] * b[k : 2 * k]).sum()
        return total

    args = {"a": X, "b": X, "n": 2}
    found = extract(combined, {name: spec_from_value(value, None, name) for name, value in args.items()})
    assert ValueError not in [error.exception for error in found.session.errors]
    assert ValueError in [error.exception for error in found.program.errors]
    model = graph_program(combined).model((X, X, 2))
    assert "error" in [output.name for output in model.graph.output]
    check(combined, (X, X, 2), (X, X, 3), (X, X, 4))
