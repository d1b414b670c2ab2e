"""The pass that recognises softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, Tensor, graph_program
from tests.programs.plain import Cases, check

SPECIAL = (0.0, -0.0, 1.0, -100.0, -1e38, 3e38, np.inf, -np.inf, np.nan)
recognised = Cases()
"""Programs with the operation, with arguments."""
near = Cases()


def rows(dtype: Any) -> tuple[tuple[np.ndarray], ...]:
    rng = np.random.default_rng(0)
    found = [rng.choice(SPECIAL, (n, m)) for n in (1, 4) for m in (1, 2, 5, 17)]
    return tuple((x.astype(dtype),) for x in (*found, 20 * rng.standard_normal((6, 9)), np.zeros((0, 3))))


@recognised(*rows(np.float32))
def along_rows(x: Float32[Tensor, "n m"]) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@recognised(*rows(np.float64))
def along_rows_of_doubles(x: Float64[Tensor, "n m"]) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1)[:, None]


@recognised(*rows(np.float64))
def row_by_row(x: Float64[Tensor, "n m"]) -> Any:
    found = np.zeros(x.shape)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - x[i].max())
        found[i] = e / e.sum()
    return found


@recognised(*rows(np.float32))
def logarithms(x: Float32[Tensor, "n m"]) -> Any:
    shifted = x - x.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


@near(*rows(np.float64))
def logarithms_of_doubles(x: Float64[Tensor, "n m"]) -> Any:
    shifted = x - x.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


@near(*rows(np.float32))
def without_the_largest(x: Float32[Tensor, "n m"]) -> Any:
    e = np.exp(x)
    return e / e.sum(axis=1, keepdims=True)


@near(*rows(np.float32))
def another_axis(x: Float32[Tensor, "n m"]) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True)) if x.shape[0] else x
    return e / e.sum(axis=0, keepdims=True)


@near(*rows(np.float32))
def of_all(x: Float32[Tensor, "n m"]) -> Any:
    e = np.exp(x - x.max()) if x.shape[0] else x
    return e / e.sum()


@near(*rows(np.float32))
def the_terms_are_used(x: Float32[Tensor, "n m"]) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True), e


@near(*((x[:, :4].T @ x[:, :4],) for (x,) in rows(np.float64)[3:4]))
def sums_of_the_other_axis(x: Float64[Tensor, "n n"]) -> Any:
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1)


def softmaxes(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> int:
    check(fn, *inputs)
    return graph_program(fn).explain("optimized").count("softmax(")


@recognised.each
def test_formulas_are_the_operation(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert softmaxes(fn, inputs) == 1


@near.each
def test_other_formulas_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert softmaxes(fn, inputs) == 0


@pytest.mark.parametrize("size", [0, 3])
def test_there_is_no_largest_of_nothing(size: int) -> None:
    def program(x: Float64[Tensor, "n"], k: int) -> Any:
        x = x[k:]
        e = np.exp(x - x.max())
        return e / e.sum()

    check(program, *((np.arange(size, dtype=float), k) for k in (0, 1, 3)))
