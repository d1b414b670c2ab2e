"""`out=` and `where=`: results written into arrays that are there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program

from .plain import check

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
