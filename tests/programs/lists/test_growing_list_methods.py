"""Methods and operators of lists of computed length, and of known lists at computed positions."""
# ruff: noqa: B905, FURB, C413, C414, B023

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest

from tests.programs.given_arrays import INTS, NO_ROWS, NONE, NUMBERS, ROWS
from tests.programs.plain import check


def read(x: Any) -> Any:
    xs = [int(i) for i in x if i > 2]
    return (
        xs[0],
        xs[-1],
        xs[1:],
        xs[::-1],
        xs[:2],
        len(xs),
        4 in xs,
        7 in xs,
        xs.index(5),
        xs.count(4),
        sum(xs),
        max(xs),
        min(xs),
    )


def changed(x: Any) -> Any:
    xs = [int(i) for i in x if i > 2]
    xs.insert(1, 100)
    xs.append(7)
    xs.extend([8, 9])
    xs += [1]
    a = xs.pop()
    b = xs.pop(0)
    c = xs.pop(2)
    xs.remove(100)
    xs[0] = 55
    del xs[1]
    xs.reverse()
    ys = xs.copy()
    xs.sort()
    return xs, ys, a, b, c, ys == xs, xs == xs, xs + ys, xs * 2


def index_error(x: Any) -> Any:
    xs = [float(i) for i in x if i > 100]
    return xs[0]


def pop_from_empty(x: Any) -> Any:
    xs = [float(i) for i in x if i > 100]
    return xs.pop()


def max_of_empty(x: Any) -> Any:
    xs = [float(i) for i in x if i > 100]
    return max(xs)


def reduced(x: Any) -> Any:
    return functools.reduce(lambda a, b: a * b, [float(i) for i in x if i > 2])


def unpacked(x: Any) -> Any:
    a, b = [v for v in x if v > 2]
    return a, b


def sorted_by_key(x: Any) -> Any:
    out = []
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] > 0:
                out.append((i, j, float(x[i, j])))
    out.sort(key=lambda t: -t[2])
    return out[:3]


def zipped(x: Any) -> Any:
    s = 0.0
    for a, b in zip([float(v) for v in x if v > 0], range(100)):
        s += a * b
    return s


def reversed_and_numbered(x: Any) -> Any:
    s = 0.0
    for i, v in enumerate(reversed([float(v) for v in x if v > -2])):
        s += i * v
    return s


def written_in_a_loop(x: Any) -> Any:
    xs = [float(v) for v in x]
    for i in range(len(xs)):
        xs[i] = xs[i] * 2
    xs[0], xs[-1] = xs[-1], xs[0]
    return xs


def bubble_sort(x: Any) -> Any:
    xs = [float(v) for v in x]
    # bubble sort
    n = len(xs)
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


def pairs_of_two_lists(x: Any) -> Any:
    a = [float(v) for v in x if v > 0]
    b = [float(v) for v in x if v < 0]
    return [p * q for p in a for q in b], [(p, q) for p, q in zip(a, b)]


def mean_or_nothing(x: Any) -> Any:
    a = [float(v) for v in x if v > 0]
    return math.fsum(a) if False else sum(a) / len(a) if a else 0.0


def extremes_by_key(x: Any) -> Any:
    xs = [int(v) for v in x]
    return max(xs, key=lambda v: -v), min(xs, key=abs), sorted(xs, key=abs), sorted(xs, reverse=True)


def starred(x: Any) -> Any:
    xs = [float(v) for v in x if v > 0]
    first, *rest = xs
    return first, rest


def list_parameter(xs: Any) -> Any:
    out = []
    for i in range(len(xs)):
        out.append(xs[i] * 2)
    return out


def deleted(x: Any) -> Any:
    xs = []
    for i in range(int(x[0])):
        xs.append(i * i)
    for i in range(len(xs) - 1, -1, -1):
        if xs[i] % 2:
            del xs[i]
    return xs


def known_list_at_computed_position(x: Any, k: Any) -> Any:
    values = [1.0, 2.0, 3.0]
    i = int(x[0])
    values[i] = 9.0
    return values, values[i - 1], (4, 5, 6)[i]


def elements_replaced(x: Any) -> Any:
    rows = [r * 2 for r in x if r[0] > -10]
    rows[0] = np.zeros(3)
    rows[-1] = rows[0] + 1
    return rows


def caught_index_error(x: Any) -> Any:
    try:
        xs = [float(v) for v in x if v > 100]
        return xs[0]
    except IndexError:
        return -1.0


def caller_list(xs: Any, v: Any) -> Any:
    xs.append(v)
    return len(xs)


def caller_list_in_a_loop(xs: Any, y: Any) -> Any:
    for v in y:
        if v > 0:
            xs.append(float(v))


def positions_of_texts(x: Any) -> Any:
    names = []
    for v in x:
        names.append("a" if v > 2 else "b")
    try:
        return names.index(names[1]), ["a", "b", "c"].index("b" if len(x) > 3 else "z")
    except ValueError as error:
        return str(error)


def lists_end_to_end(x: Any) -> Any:
    rows = []
    for k in range(len(x)):
        row = []
        for j in range(k + 1):
            row.append(x[j] * k)
        rows.append(row)
    return np.concatenate(rows), np.hstack(rows)


PROGRAMS: dict[Any, list[tuple[Any, ...]]] = {
    read: [(INTS,)],
    changed: [(INTS,)],
    index_error: [(INTS,), (INTS * 100,)],
    pop_from_empty: [(INTS,), (INTS * 100,)],
    max_of_empty: [(INTS,), (INTS * 100,)],
    reduced: [(INTS,)],
    unpacked: [(NUMBERS,), (INTS,), (-INTS,)],
    sorted_by_key: [(ROWS,), (NO_ROWS,)],
    zipped: [(NUMBERS,), (NONE,)],
    reversed_and_numbered: [(NUMBERS,), (NONE,)],
    written_in_a_loop: [(NUMBERS,), (NONE,)],
    bubble_sort: [(NUMBERS,), (NONE,)],
    pairs_of_two_lists: [(NUMBERS,), (NONE,)],
    mean_or_nothing: [(NUMBERS,), (NONE,)],
    extremes_by_key: [(INTS,)],
    positions_of_texts: [(INTS,), (NUMBERS[:3],), (NUMBERS[:1],)],
    lists_end_to_end: [(NUMBERS,), (NUMBERS[:1],), (NONE,)],
    starred: [(NUMBERS,), (NONE,), (np.array([1.0]),)],
    list_parameter: [([1.0, 2.0],), ([],)],
    deleted: [(np.array([7.0]),), (np.array([0.0]),)],
    known_list_at_computed_position: [(np.array([1.0]), 0), (np.array([-2.0]), 0), (np.array([7.0]), 0)],
    elements_replaced: [(ROWS,), (NO_ROWS,)],
    caught_index_error: [(NUMBERS,), (NUMBERS * 100,)],
    caller_list: [([1.0], 2.0), ([], 1.0)],
    caller_list_in_a_loop: [([1.0], NUMBERS), ([], NUMBERS), ([], NONE)],
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_like_python(program: Any) -> None:
    check(program, *PROGRAMS[program])


def sum_of_rows(x: Any) -> Any:
    return sum(x), sum(x, 1.5), sum(row * 2 for row in x if row[0] > 2)


def a_mean_of_rows(x: Any) -> Any:
    rows = [row * 2 for row in x]
    return sum(rows) / len(rows)


def parts_of_a_sum_of_rows(x: Any, n: int) -> Any:
    total = sum([row for row in x if row[0] > n])
    return total[0], total[1:], total[n % 2 :], total.sum()


def writes_a_sum_of_rows(x: Any) -> Any:
    total = sum([row + 1 for row in x])
    total[0] = 3
    return total


def after_a_loop(x: Any, n: int) -> Any:
    total: Any = 0
    for row in x:
        total = total + row
    return total[n:]


def test_a_sum_of_no_arrays_is_what_it_starts_with() -> None:
    """Python's 0, which has no items and no methods; a sum of no numbers of NumPy's is NumPy's (see the language)."""
    empty = np.zeros((0, 2))
    check(sum_of_rows, (ROWS,), (empty,), (ROWS[:1],), (empty.astype(np.int32),))
    check(a_mean_of_rows, (ROWS,), (empty,))
    check(parts_of_a_sum_of_rows, (ROWS, 0), (ROWS, 99), (empty, 1))
    check(writes_a_sum_of_rows, (ROWS,), (empty,))
    check(after_a_loop, (ROWS, 1), (ROWS, 0), (empty, 1))
