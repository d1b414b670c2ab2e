"""Arguments that say how NumPy works, and along which axes; outputs of reductions of any type; sizes that are 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import ProgramAxisError, graph_program
from tests.programs.plain import check, check_or_refused

Array = np.ndarray[Any, Any]
X = np.arange(6.0).reshape(2, 3)
INTS = np.array([1, 2])
Y = X - 2


def test_kinds_of_sorts() -> None:
    def known(x: Array) -> Any:
        x.sort(0, "heap")
        return np.sort(x, kind="mergesort"), np.argsort(x, kind="stable"), np.sort(x, stable=True)

    def caught(x: Array) -> Any:
        try:
            return np.argsort(x, kind="timsort")
        except ValueError as error:
            return str(error)

    def unknown(x: Array) -> Any:
        return np.sort(x, kind="bogus")

    def in_place(x: Array) -> None:
        x.sort(kind="abc")

    check(known, (X,))
    check(caught, (X,))
    for function in (unknown, in_place):
        with pytest.raises(ValueError, match="sort kind must be one of"):
            graph_program(function)(X)


def test_casting_rules_of_ufuncs() -> None:
    def allowed(x: Array) -> Any:
        return np.add(x, 0.7, casting="safe"), np.multiply(x, x, casting="unsafe"), np.sqrt(x, casting="same_kind")

    def caught(x: Array) -> Any:
        try:
            return np.add(x, 0.7, casting="equiv")
        except TypeError as error:
            return str(error)

    def unknown(x: Array) -> Any:
        return np.add(x, 1, casting="bogus")

    check(allowed, (X,), (INTS,))
    check(caught, (X,), (INTS,))
    with pytest.raises(ValueError, match="casting must be one of"):
        graph_program(unknown)(X)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, bool, np.complex128])
def test_reductions_into_arrays_of_any_type(dtype: Any) -> None:
    def into(x: Array, row: Array, whole: Array) -> Any:
        np.sum(x, 0, out=row)
        first = row.copy()
        np.max(x, axis=0, out=row)
        np.cumsum(x, axis=1, out=whole)
        return first, np.any(x, axis=0, out=row), row, whole

    def outputs() -> tuple[Array, Array]:
        return np.zeros(3, dtype), np.zeros((2, 3), dtype)

    check(into, (X, *outputs()), (X * 20, *outputs()), (X.astype(int) * 30, *outputs()))


def test_elements_of_an_empty_axis() -> None:
    def compressed(c: Array, x: Array) -> Any:
        return np.compress(c, x)

    none = np.zeros(0)
    check(compressed, (np.array([True]), none), (np.array([False]), none), (np.array([False, True]), none[:0] + 1.0))
    check(compressed, (np.array([False, True]), np.ones(1)), (np.array([True, True]), np.arange(3.0)))


def test_products_of_sizes_that_are_not_0() -> None:
    def statistics(labels: Array, x: Array) -> Any:
        return np.bincount(labels.ravel(), weights=x.ravel(), minlength=3), np.bincount(labels[1:, 0], x[1:, 0])

    def joint(x: Array, y: Array) -> Any:
        return np.histogram2d(x, y, bins=[3, 2], range=[[0, 1], [-1, 1]])[0]

    labels = np.array([[0, 1, 2], [1, 1, 3]])
    check(statistics, (labels, X), (labels[:1], X[:1]), (labels[:, :1], X[:, :1]), (labels[:0], X[:0]))
    check(joint, (np.zeros(0), np.zeros(0)), (np.array([0.5, 0.6]), np.array([0.5, 0.0])))


def test_more_axes_than_there_are() -> None:
    def contracted(x: Array) -> Any:
        return np.tensordot(x, x, 3)

    with pytest.raises(IndexError, match="tuple index out of range"):
        graph_program(contracted)(X)


# ---------------------------------------------------------------- axes


def test_functions_written_in_python_take_lists_of_axes() -> None:
    def taken(x: Array) -> Any:
        middle = np.median(x, axis=[0, 1]), np.nanmedian(x, axis=[1, 0]), np.quantile(x, 0.25, axis=[0, 1])
        weighted = np.average(x, axis=[0, 1]), np.average(x, axis=[1, 0], weights=x + 9)
        moved = np.flip(x, [1]), np.moveaxis(x, [0, 1], [1, 0]), np.roll(x, 1, [0, 1]), np.expand_dims(x, [0, 2])
        return middle, weighted, moved, np.size(x, [0, 1]), np.gradient(x, axis=[1])

    check(taken, (Y,))


def _norm_of_one_axis(x: Array) -> Any:
    return np.linalg.norm(x, axis=1.5), np.linalg.norm(x, axis=np.int64(-1)), np.linalg.vector_norm(x, axis=1.0)


def test_the_axis_of_a_norm_is_made_an_int() -> None:
    check(_norm_of_one_axis, (Y,))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(x, axis=[0, 1]),
        lambda x: np.mean(x, axis=[0, 1]),
        lambda x: x.max([0, 1]),
        lambda x: np.var(x, axis=[0, 1]),
        lambda x: np.any(x > 0, axis=[0]),
        lambda x: np.nansum(x, axis=[0, 1]),
        lambda x: np.count_nonzero(x, axis=[0, 1]),
        lambda x: np.squeeze(x[None], axis=[0]),
        lambda x: np.add.reduce(x, axis=[0, 1]),
        lambda x: np.linalg.norm(x, axis=[0, 1]),
        lambda x: np.linalg.norm(x, axis="rows"),
        lambda x: np.linalg.vector_norm(x, axis=[0, 1]),
        lambda x: np.linalg.vector_norm(x, axis=(0, 0)),
        lambda x: np.flip(x, (0, 0)),
        lambda x: np.median(x, (1, -1)),
        lambda x: np.average(x, (0, 0)),
        lambda x: np.gradient(x, axis=(0, 0)),
        lambda x: np.expand_dims(x, (0, 0)),
        lambda x: np.moveaxis(x, (0, 1), (1, 1)),
    ],
)
def test_axes_that_numpy_does_not_take(function: Callable[[Array], Any]) -> None:
    check_or_refused(function, (Y,))


@pytest.mark.parametrize(
    "function",
    [lambda x: np.linalg.vector_norm(x[0, 0], axis=0), lambda x: np.flip(x[0, 0], 0), lambda x: np.average(x, axis=2)],
)
def test_axes_that_an_array_does_not_have(function: Callable[[Array], Any]) -> None:
    with pytest.raises(np.exceptions.AxisError) as expected:
        function(Y)
    with pytest.raises(ProgramAxisError, match=str(expected.value)):
        graph_program(function)(Y)


def test_weights_of_an_average_have_the_shape_of_the_array() -> None:
    def weighted(x: Array, w: Array) -> Any:
        return np.average(x, axis=1, weights=w)

    check(weighted, (Y, Y + 5), (Y, np.ones((1, 3))), (Y, np.ones((2, 1))))


WRONG: dict[str, Any] = {
    "nothing to fill with": lambda x: x.fill(),
    "too much to fill with": lambda x: x.fill(1, 2),
    "another name": lambda x: x.fill(foo=3),
    "sorted by what there is not": lambda x: x.sort(foo=1),
    "too much to sort by": lambda x: x.sort(0, "stable", None, True),
    "no place": lambda x: x.partition(),
}


@pytest.mark.parametrize("program", WRONG.values(), ids=list(WRONG))
def test_methods_that_change_an_array(program: Any) -> None:
    with pytest.raises(TypeError):
        program(X.copy())
    with pytest.raises(TypeError, match="GP320"):
        graph_program(program)(X.copy())
