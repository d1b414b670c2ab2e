"""`np.put`, `place`, `putmask`, `put_along_axis` and `ufunc.at`; views that cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(6.0).reshape(2, 3)


def ints(*numbers: Any) -> Array:
    return np.array(numbers, np.int64)


def test_put() -> None:
    def put(x: Array, places: Array, values: Array) -> Array:
        np.put(x, places, values)
        return x

    values = np.array([7.0, 8.5])
    check(put, (X, ints(0, 5, 1), values), (X, ints(0, 9, 1), values), (X, ints(-7), values), (X, ints(), values))
    check(put, (X[:0], ints(0), values), (X, ints(0), values[:0]), (X.astype(np.int32), ints(1, 1), values))
    check(put, (X.astype(np.float32), ints([0, 1], [2, -1]), values))


def test_put_with_a_mode() -> None:
    def put(x: Array, places: Array) -> None:
        np.put(x, places, [1, 2], mode="wrap")
        x.put(places[:1], 7, "clip")
        np.put(x[:, 1:], 0, -1.5)

    check(put, (X, ints(7, -9, 13)), (X.astype(np.int8) * 2, ints(7, -9, 13)), (X[:1], ints(7, -9, 13)))


def test_what_is_in_front_of_a_wrong_place_is_written() -> None:
    def put(x: Array, places: Array) -> Any:
        try:
            np.put(x, places, [1, 2])
        except IndexError as error:
            return x, str(error)
        return x, ""

    check(put, (X, ints(0, 2, 17, 3)), (X, ints(0, 2, 3)))


def test_place() -> None:
    def place(x: Array, values: Array) -> Array:
        np.place(x, x > 2, values)
        np.place(x[:, ::2], [1, 0, 0, 1], [5, 6])
        np.place(x, x == 5, 3.5)
        return x

    check(place, (X, np.array([7.0, 8])), (X, np.zeros(0)), (X * 0, np.zeros(0)), (X.astype(np.int64), ints(7)))


def test_a_mask_of_another_size() -> None:
    def place(x: Array) -> None:
        np.place(x, x[0] > 2, 1)

    def putmask(x: Array) -> None:
        np.putmask(x, x[0] > 2, 1)

    check(place, (X,), (X[:1],))
    check(putmask, (X,), (X[:1],))


def test_putmask() -> None:
    def put(x: Array, values: Array) -> Array:
        np.putmask(x, x > 2, values)
        np.putmask(x, x > 4, -1)
        return x

    check(put, (X, np.array([7.0, 8])), (X, np.zeros(0)), (X, X**2), (X.astype(np.int64), ints(3)))


def test_values_of_a_wider_type() -> None:
    def put(x: Array) -> None:
        np.putmask(x, x > 2, np.array([7.0, 8]))

    with pytest.raises(TypeError, match="according to the rule 'safe'"):
        graph_program(put)(X.astype(np.float32))


def test_put_along_axis() -> None:
    def put(x: Array, places: Array) -> Array:
        np.put_along_axis(x, places, 9, axis=1)
        return x

    def several(x: Array) -> Array:
        np.put_along_axis(x, np.argmax(x, axis=0, keepdims=True), 0, axis=0)
        np.put_along_axis(x, np.argsort(x, axis=-1), x * 2, -1)
        np.put_along_axis(x, np.array([0, 1]), 7.5, None)
        return x

    check(put, (X, ints([1], [2])), (X, ints([1], [3])), (X, ints([1, 0], [-1, 2])), (X, ints([1], [2], [0])))
    check(put, (X, X))
    check(several, (X,), (-X,))


def test_add_at() -> None:
    def add(x: Array, places: Array, values: Any) -> Array:
        np.add.at(x, places, values)
        return x

    three = np.array([1.0, 2, 3])
    check(add, (X[0], ints(0, 0, 2), three), (X[0], ints(0, 0, 3), three), (X[0], ints(0, 0), three))
    check(add, (X, ints(0, 0, 1), three), (X.astype(np.int64), ints(0, 0), 1.5), (X, ints(), 2.0))
    check(add, (X.astype(np.uint8), ints(0, 0), -1), (X.astype(np.float32), ints([0, 1], [1, 0]), three))


def test_other_ufuncs_at_other_indices() -> None:
    def change(x: Array, places: Array) -> Array:
        np.subtract.at(x, (slice(None), places), 1)
        np.maximum.at(x, (places[:2], places[:2]), [9, 2])
        np.minimum.at(x, x > 3, 2)
        np.negative.at(x, places[:2])
        np.multiply.at(x[0], [1, 1], 2)
        return x

    def bits(x: Array, places: Array) -> None:
        np.bitwise_or.at(x, places, 4)
        np.bitwise_xor.at(x, places, 1)
        np.add.at(x, 2, 100)

    def truths(x: Array, places: Array) -> None:
        np.logical_or.at(x, places, [True, False])
        np.bitwise_or.at(x, places, True)
        np.logical_and.at(x, 0, False)

    check(change, (X, ints(0, 0, 1)), (X.astype(np.int32), ints(1, 1, 0)))
    check(bits, (ints(1, 2, 3), ints(0, 0)))
    check(truths, (np.array([False, False, True]), ints(0, 1)))


def test_a_histogram_of_rows() -> None:
    def histogram(rows: Array, n: int) -> Array:
        counts = np.zeros(n, np.int64)
        for row in rows:
            np.add.at(counts, row, 1)
        return counts

    check(histogram, (ints([0, 1, 1], [2, 2, 2]), 4), (ints([0, 1, 1], [2, 2, 2]), 2))


def _item(x: Array) -> None:
    np.broadcast_to(x, (2, 2, 3))[0] = 1


def _increment(x: Array) -> None:
    d = np.diagonal(x)
    d += 5


def _sort(x: Array) -> None:
    x.diagonal()[1:].sort()


def _out(x: Array) -> None:
    d = x.diagonal()
    np.add(d, 1, out=d)


def _put(x: Array) -> None:
    x.diagonal().put(0, 1)


def _fill(x: Array) -> None:
    if x[0, 0] > 5:
        np.fill_diagonal(np.broadcast_to(x, (2, 3)), 1)


def _caught(x: Array) -> Any:
    try:
        np.diagonal(x)[0] = 3
    except ValueError as error:
        x[0] = 1
        return str(error)
    return ""


@pytest.mark.parametrize("write", [_item, _increment, _sort, _out, _put, _fill, _caught])
def test_views_that_cannot_be_written(write: Callable[[Array], Any]) -> None:
    check(write, (X,), (X + 7,))
