"""`out=` and `where=`: results written into arrays that are there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(6.0).reshape(2, 3)


def test_an_output_is_the_result() -> None:
    def added(x: Array, y: Array) -> Any:
        z = np.empty_like(x)
        w = np.add(x, y, out=z)
        w[0] = 5
        np.multiply(z, 2, z)
        return z, w is z

    check(added, (X, X + 1), (X[:1], X[:1]), (X[:0], X[:0]))


def test_an_output_that_is_an_operand_or_a_view() -> None:
    def shifted(x: Array) -> Any:
        np.add(x[1:], x[:-1], out=x[1:])
        np.negative(x, out=(x,))
        np.sqrt(np.abs(x[:, 0]), out=x[:, 1])
        return x

    check(shifted, (X.copy(),), (X[:1].copy(),))


def test_elements_that_are_left() -> None:
    def safe(x: Array, y: Array) -> Any:
        z = np.zeros_like(x)
        np.divide(x, y, out=z, where=y != 0)
        np.exp(x, where=x > 100, out=z)
        return z

    check(safe, (X, X % 2), (X, np.zeros(3)), (X, np.ones((2, 1))))


def test_an_output_larger_than_the_operands() -> None:
    def filled(z: Array, x: Array) -> Any:
        return np.add(x, 1, out=z)

    check(filled, (X.copy(), X[0]), (X.copy(), X[:, :1]), (X.astype(np.float32), X[0]))
    check(filled, (X.copy(), np.ones(2)))


def test_reductions_into_arrays() -> None:
    def sums(x: Array, s: Array) -> Any:
        np.sum(x, axis=0, out=s)
        t = np.empty(x.shape[0])
        x.max(axis=1, out=t)
        np.mean(x, axis=1, out=t[::-1])
        return np.cumsum(x, axis=1, out=x), t

    check(sums, (X.copy(), np.zeros(3)), (np.arange(6, dtype=np.int8).reshape(2, 3), np.zeros(3)))


def test_products_into_arrays() -> None:
    def product(x: Array, y: Array) -> Any:
        z = np.zeros((x.shape[0], y.shape[1]))
        w = np.zeros_like(z)
        np.dot(x, y, out=z)
        np.matmul(x, y, out=w)
        np.clip(z, 1, 20, out=z)
        return z, w

    check(product, (X, X.T.copy()))


def test_two_outputs() -> None:
    def parts(x: Array) -> Any:
        q, r = np.empty_like(x), np.empty_like(x)
        np.divmod(x, 2, out=(q, r))
        return q, r

    check(parts, (X,), (np.arange(5),))


def test_an_output_of_an_element_type_that_is_too_narrow() -> None:
    def narrow(x: Array) -> Any:
        z = np.zeros(x.shape, np.int64)
        np.add(x, 0.5, out=z)
        return z

    text = r"Cannot cast ufunc 'add' output from dtype\('float64'\) to dtype\('int64'\) with casting rule 'same_kind'"
    with pytest.raises(TypeError, match=text):
        graph_program(narrow)(np.arange(3))


def test_an_output_with_an_unsafe_cast() -> None:
    def truncated(x: Array) -> Any:
        return np.add(x, 0.75, out=np.zeros(x.shape, np.int64), casting="unsafe")

    check(truncated, (np.arange(3),))


def test_elements_that_nothing_sets_are_refused() -> None:
    with pytest.raises(GraphProgramError, match="GP321"):
        graph_program(lambda x: np.sqrt(x, where=x > 0))(X)


def test_copyto() -> None:
    def copied(x: Array, y: Array) -> Any:
        np.copyto(x, y)
        np.copyto(x[0], 3, where=x[0] > 2)
        np.copyto(x[:, 0], np.array([7.0, 8.0]), where=[True, False])
        return x

    check(copied, (X.copy(), X[::-1]), (X.copy(), X[1]), (X.astype(np.float32), X[0]))


def test_order_statistics_into_arrays() -> None:
    def statistics(x: Array) -> Any:
        columns, rows, whole = np.empty(x.shape[1]), np.empty(x.shape[0]), np.zeros(())
        np.median(x, axis=0, out=columns)
        np.quantile(x, 0.3, axis=1, out=rows)
        np.trace(x, out=whole)
        first = columns.copy(), rows.copy()
        np.nanmean(x, axis=1, out=rows)
        np.nanmax(x, axis=0, out=columns)
        np.nanmedian(x, axis=0, out=columns[::-1])
        return first, columns, rows, whole

    holed = X.copy()
    holed[0, 1] = np.nan
    check(statistics, (X,), (holed,), (X.astype(np.float32),), (X.astype(np.int64),))


def test_methods_into_arrays() -> None:
    def methods(x: Array) -> Any:
        chosen, sums, product = np.empty(2), np.zeros(3), np.zeros((2, 2))
        np.compress([True, False, True], x[0], out=chosen)
        x.clip(1, 3, out=x)
        x.sum(axis=0, out=sums)
        x.dot(x.T, out=product)
        x.round(1, out=x)
        return chosen, sums, product, x.take([0, 1], out=chosen)

    check(methods, (X / 3,))


def test_reductions_of_some_elements() -> None:
    def some(x: Array, mask: Any) -> Any:
        extremes = np.max(x, where=mask, initial=0), x.min(axis=1, where=mask, initial=9)
        moments = x.mean(where=mask, axis=1), x.var(where=mask), np.std(x, axis=0, where=mask, ddof=1, keepdims=True)
        return extremes, moments, x.all(where=mask), x.any(where=mask, axis=1), x.sum(where=mask, initial=3)

    check(some, (X, X > 2), (X, X[0] > 0), (X, X[:, :1] > 0), (X, X > 9), (X.astype(np.int64), X > 2))
    check(some, (X[:0], X[:0] > 1), (X.astype(np.float32), X > 2), (X[:1], X > 1), (X, True), (X, False))


def test_an_extreme_of_some_elements_needs_an_initial_value() -> None:
    with pytest.raises(ValueError, match="to use a where mask one has to specify 'initial'"):
        graph_program(lambda x: np.max(x, where=x > 2))(X)


def test_nan_aware_reductions_of_some_elements() -> None:
    def some(x: Array) -> Any:
        return np.nanmean(x, where=x < 4), np.nanmax(x, where=x > 2, initial=0), np.nanmin(x, initial=-9, axis=0)

    holed = X.copy()
    holed[0, 1] = np.nan
    check(some, (holed,), (X.astype(np.int64),))


def test_texts_show_the_shape_of_the_output() -> None:
    def program(a: Any, b: Any, c: Any) -> Any:
        np.add(a, b, out=c)
        return c

    check(program, (np.ones(3), np.ones(5), np.ones(5)), (np.ones(3), np.ones(3), np.ones(5)))
