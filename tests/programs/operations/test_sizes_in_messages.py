"""Errors of operations that fail for all sizes, on some paths only: the text shows the sizes of the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import Cases, check

cases = Cases()
VECTORS = tuple((np.ones(n), k) for n, k in ((3, 1), (2, 3), (4, 4), (1, 1), (3, 0)))


@cases(*VECTORS)
def a_part_reshaped(x: Any, k: int) -> Any:
    return x[-2:].reshape(3, 2) if k else x


@cases(*VECTORS)
def a_part_reshaped_with_what_is_left(x: Any, k: int) -> Any:
    return np.outer(x[:2], x[:2]).reshape(3, 2, -1) if k == 1 else x[:2].reshape(5, k) if k else x


@cases(*VECTORS)
def a_list_of_rows(x: Any, k: int) -> Any:
    rows = []
    for _ in range(k):
        rows.append(x)
    return np.array(rows)[:2] + np.ones((4, 1)) if k > 2 else rows


@cases(*VECTORS)
def rows_joined_with_others(x: Any, k: int) -> Any:
    return np.vstack([x[:2], np.ones(3)]) if k else x


@cases(*VECTORS)
def a_part_added_to(x: Any, k: int) -> Any:
    numbers = []
    for _ in range(k):
        numbers.append(x[0])
    y = np.array(numbers)
    if k:
        y[:2] += np.ones(3)
    return y


@cases(*VECTORS)
def a_part_assigned(x: Any, k: int) -> Any:
    if k == 1:
        x[:2][...] = np.ones(3)
    elif k:
        x[:2] @= np.ones((2, 3))
    return x


@cases(*VECTORS)
def index_lists_of_two_lengths(x: Any, k: int) -> Any:
    y = np.zeros((4, 4))
    if k:
        y[[0, 1, 2], [0, 1]] = x[0]
    return y


@cases.each
def test_sizes_of_the_run_are_shown(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


@pytest.mark.parametrize("value", [[1.0, 2.0], (1.0, 2.0), range(2), np.ones(2)], ids=str)
def test_what_is_added_in_place_is_an_array_in_the_text(value: Any) -> None:
    def program(x: Any, k: int) -> Any:
        x += value
        x *= [1.0, k]
        return x

    check(program, *VECTORS)


certain = Cases()
"""Indices outside of an axis for every length of a list, where something has said how long the axis is."""
LISTS = tuple((np.ones(size), n) for size, n in ((3, 1), (3, 2), (4, 1), (3, 0)))


def places(x: Any, n: int) -> list[int]:
    x[:] = x * np.ones(3)
    found = []
    for k in range(n):
        found.append(k)
    return found


@certain(*LISTS)
def a_read(x: Any, n: int) -> Any:
    found = places(x, n)
    return x[len(found) + len(found) + 3]


@certain(*LISTS)
def from_the_end(x: Any, n: int) -> Any:
    found = places(x, n)
    return x[-4 - len(found)]


@certain(*LISTS)
def a_write(x: Any, n: int) -> Any:
    found = places(x.copy(), n)
    x[len(found) + 4 : len(found) + 5] = np.ones((2, 1))
    return x


@certain(*LISTS)
def of_take(x: Any, n: int) -> Any:
    found = places(x, n)
    return np.take(x, 3 + len(found))


@certain(*LISTS)
def caught(x: Any, n: int) -> Any:
    found = places(x.copy(), n)
    try:
        x[len(found) + 3] = 1
    except IndexError as error:
        return str(error)
    return x


@certain.each
def test_what_is_outside_for_every_length(fn: Any, inputs: Any) -> None:
    def program(x: Any, n: int) -> Any:
        return fn(x.copy(), n) if n < 9 else n

    check(program, *inputs)
