"""Programs that are cut at host steps in the middle of loops and branches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import graph_program, host_function, to_device

LOG: list[Any] = []
pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]


@host_function
def reading(k: int) -> float:
    LOG.append(k)
    return float((k * 7) % 5)


@host_function
def note(*what: Any) -> None:
    LOG.append(tuple(np.array(w).tolist() for w in what))


def continue_behind_a_step(x):
    s = 0.0
    for k in range(8):
        if k % 3 and reading(k) > 2:
            continue
        s += x[k]
    return s


def jump_over_the_rest(x):
    s, k = 0.0, 0
    while k < 12:
        k += 1
        if x[k % 4] > 1:
            if reading(k) > 3:
                continue
            s += 1
            if s > 5:
                break
        s = s * 2 - 1
    return s, k


def nested(x):
    total = np.zeros(3)
    for i in range(3):
        row = x * i
        for j in range(4):
            if (i + j) % 2:
                row = row + reading(j)
                if row.sum() > 20:
                    break
            inner = 0
            while inner < j:
                inner += 1
                row = row - inner
        if i == 1:
            note("row", row)
            continue
        total = total + row
    return total


def growing(x):
    y = x
    for k in range(3):
        y = np.concatenate((y, x * reading(k)))
        if k == 1:
            y = y[1:]
    return y, y.sum()


def sizes_of_what_grew(n):
    y = np.ones(2)
    while len(y) < n:
        y = np.append(y, reading(len(y)))
    return np.zeros(len(y)) + y


def error_behind_a_step(x, i):
    s = 0.0
    for k in range(4):
        s += reading(k)
        s += x[i + k]
    return s


def raises_in_a_loop(x):
    for k in range(5):
        note(k)
        if x[k] > 2:
            raise ValueError(f"too much at {k}: {x[k]}")
    return x


def error_of_an_array(x):
    for k in range(3):
        v = reading(k) * x
        if v.sum() > 6:
            raise ValueError("sum", v.sum())
        note(v)
    return x


def in_place(x):
    for k in range(len(x)):
        x[k] = reading(k)
    x += 1
    return x.max()


def triple(x):
    s = 0
    for i in range(2):
        for j in range(3):
            for k in range(i + j):
                if reading(i + j + k) > 2:
                    if j == 2:
                        break
                    continue
                s += k + 1
            else:
                s += 10
                note("else", s)
            if s > 30:
                return s, i
        s += reading(i)
    return s, -1


def two_exits(x):
    y = x
    while True:
        y = y * 2
        a = reading(int(y[0]))
        if a > 3:
            return y
        if y[0] > 50:
            break
        if a < 1:
            note("low", y)
    return -y


def reassigned(x, n):
    for k in range(n):
        x = x[: len(x) - 1] + reading(k)
        n = n + 1
    return x, n


BUFFER = np.zeros(2)


@host_function
def buffered(k: int) -> Float64[np.ndarray, "2"]:
    BUFFER[:] = k
    return BUFFER


def same_buffer(n):
    first = buffered(0) + 0
    kept = to_device(buffered(1), Float64[np.ndarray, "2"])
    total = kept * n
    for k in range(2, 5):
        total = total + buffered(k)
    return first, total


def same_array_twice(x):
    note("before", x)
    y = x.copy()
    z = x.copy()
    x[0] = 9
    note("after", x)
    return y, z


def not_set(x, n, i):
    for _ in range(n):
        v = x * reading(n)
    note("then", n)
    return v[i % 3] * 2


def loop_of_one_round(x):
    for key in range(3):
        note("key", key)
        for k in range(reading_count(x)):
            if k == 0:
                x = x + 1
            for j in range(4):
                if key > 1:
                    return k, j, x
                break
            break
    return x


def reading_count(x):
    return 1 + (x[0] > 2)


PROGRAMS = [
    (loop_of_one_round, (np.arange(3.0),)),
    (not_set, (np.arange(4.0), 1, np.array([4, 5]))),
    (not_set, (np.arange(4.0), 0, np.array([4, 5]))),
    (same_buffer, (2,)),
    (same_array_twice, (np.arange(3.0),)),
    (continue_behind_a_step, (np.arange(8.0),)),
    (jump_over_the_rest, (np.array([0.0, 2, 1, 3]),)),
    (nested, (np.array([1.0, 2, 3]),)),
    (growing, (np.arange(3.0),)),
    (sizes_of_what_grew, (7,)),
    (sizes_of_what_grew, (1,)),
    (error_behind_a_step, (np.arange(6.0), 0)),
    (error_behind_a_step, (np.arange(6.0), 4)),
    (raises_in_a_loop, (np.arange(5.0),)),
    (error_of_an_array, (np.ones(3),)),
    (error_of_an_array, (np.zeros(3),)),
    (in_place, (np.zeros(5),)),
    (in_place, (np.zeros(1),)),
    (triple, (np.ones(1),)),
    (two_exits, (np.array([1.0, 2]),)),
    (two_exits, (np.array([3.0, 2]),)),
    (reassigned, (np.arange(6.0), 3)),
    (reassigned, (np.arange(6.0), 0)),
]


def run(function: Any, args: tuple[Any, ...]) -> tuple[Any, list[Any], str]:
    LOG.clear()
    given = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
    try:
        result = repr(function(*given))
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    return result, list(LOG), repr(given)


@pytest.mark.parametrize(("function", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_as_python(function: Any, args: tuple[Any, ...]) -> None:
    program = graph_program(function)
    assert run(program, args) == run(function, args)
    assert run(program, args) == run(function, args), "the second call"
