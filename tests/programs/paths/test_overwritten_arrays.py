"""What fails is told, though nothing is left of what it makes: loops write over it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

ONES, TWOS = np.ones(3), np.ones((2, 3))


def last_of(y, k):
    v = 0.0
    for i in range(len(k)):
        v = y[k[i]]
    return v


def sum_of(y, k):
    v = 0.0
    for i in range(len(k)):
        v += y[k[i]]
    return v


def overwritten(y, k, b):
    out = y[k[0]] * 1.0
    out[:] = b
    return out


def rows_over(y, k, n):
    out = y[k[0]] * 1.0
    for i in range(len(out)):
        out[i] = 2.0
    return out


def filled(y, k):
    out = np.full(len(k), y[k[0]])
    for i in range(len(k)):
        out[i] = 2.0
    return out


def empty2(w, h):
    out = np.zeros((h, w))
    for r in range(h):
        for c in range(w):
            out[r, c] = r * c
    return out


def some(y, k):
    best = -1.0
    for i in range(len(k)):
        t = y[k[i]]
        if i == 2:
            best = t
    return best


def hist(y, k):
    h = np.zeros(3)
    for i in range(len(k)):
        h[k[i]] = y[i]
    return h


def number_of_known_rounds(y, k):
    v = y[k[0]]
    for i in range(3):
        v = i * 2.0
    return v


def number_of_some_rounds(y, k, x):
    v = y[k[0]]
    for i in range(len(x) + 1):
        v = x.sum() + i
    return v


def number_of_many_rounds(y, k, x):
    v = y[k[0]]
    for i in range(300):
        v = x[0] + i
    return v


def given_from_outside(y, k, w):
    v = y[k[0]]
    for _ in range(3):
        v = w
    return v


def computed_and_overwritten(y, k, n):
    v = y[k[0]] * 2.0 + 1.0
    while n > 0:
        v = 2.0 * n
        n -= 1
    return v


def sliced(x, k):
    out = x[k] * 1.0
    out[:] = x[0] * 2
    return out


def replaced(x, k):
    out = x[k] * 1.0
    for i in range(300):
        out = x[0] * i
    return out


def in_a_list(x, k):
    out = [x[k]]
    for i in range(300):
        out = [x[0] * i]
    return out


def every_element(x, k):
    out = x[k] * 1.0
    for i in range(x.shape[1]):
        out[i] = x[0, i]
    return out


def a_write_before(x, k):
    out = np.zeros((2, x.shape[1]))
    out[0] = x[k]
    for i in range(2):
        out[i] = x[i]
    return out


def of_another(x, k):
    a = x[k]
    b = a * 1
    for i in range(x.shape[1]):
        b[i] = i
    return b


def of_an_element(x, k):
    n = int(x[k, 0])
    out = np.zeros(n)
    for i in range(n):
        out[i] = i
    return out


def by_columns(n):
    out = np.zeros((n, 2))
    for i in range(n):
        out[i, 0] = i
        out[i, 1] = i
    return out


def comprehension(n):
    return np.array([i * 2.0 for i in range(n)]), np.zeros(n).sum()


def while_loop(n):
    out = np.empty(n, dtype=np.int64)
    k = 0
    while k < n:
        out[k] = k
        k += 1
    return out


CASES: list[tuple[Any, ...]] = [
    (last_of, (ONES, np.array([0, 9, 1])), (ONES, np.array([0, 1, 9]))),
    (sum_of, (ONES, np.array([0, 9, 1]))),
    (overwritten, (TWOS, np.array([5]), ONES), (TWOS, np.array([1]), ONES)),
    (rows_over, (TWOS, np.array([5]), 3), (TWOS, np.array([0]), 3)),
    (filled, (np.ones(2), np.array([5, 1])), (np.ones(2), np.array([1, 1]))),
    (empty2, (-1, 2), (2, -1), (2, 3)),
    (some, (ONES, np.array([0, 9, 1]))),
    (hist, (ONES, np.array([0, 9, 1])), (np.ones(2), np.array([0, 2, 1]))),
    (number_of_known_rounds, (np.ones(2), np.array([5]))),
    (number_of_some_rounds, (np.ones(2), np.array([5]), np.ones(2))),
    (number_of_many_rounds, (np.ones(2), np.array([5]), np.ones(2))),
    (given_from_outside, (np.ones(2), np.array([5]), ONES[0]), (np.ones(2), np.array([1]), ONES[0])),
    (computed_and_overwritten, (np.ones(2), np.array([5]), 3), (np.ones(2), np.array([5]), 0)),
    *((function, (TWOS, 5), (TWOS, -1)) for function in (sliced, replaced, in_a_list, every_element)),
    *((function, (TWOS, 5), (TWOS, -1)) for function in (a_write_before, of_another)),
    (of_an_element, (TWOS, 5), (TWOS * -1, 0), (TWOS, 0)),
    *((function, (-1,), (0,), (3,)) for function in (by_columns, comprehension, while_loop)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_overwritten(case: tuple[Any, ...]) -> None:
    function, *inputs = case
    check(function, *inputs)
