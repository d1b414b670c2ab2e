"""`finally` on every way out of a `try`, and `with`."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check


def ways_out_of_a_round(x):
    total = 0.0
    count = 0
    for i in range(x.shape[0]):
        try:
            if x[i] < 0:
                continue
            if x[i] > 100:
                break
            if x[i] == 50:
                return total, count
            total += 1 / x[i]
        finally:
            count += 1
    return total, count


def return_overrides(n):
    try:
        try:
            return 10 // n
        finally:
            if n == 0:
                return -5  # noqa: B012
    except ZeroDivisionError:
        return 3


def nested_loops(n):
    out = 0
    for i in range(n):
        for j in range(n):
            try:
                if j == 2:
                    break
                if i == 3:
                    continue
                out += 1
            finally:
                out += 10
        else:
            out += 100
    return out


def suppressed(n):
    with contextlib.suppress(ZeroDivisionError, ValueError):
        return 1 // n
    return -1


class Guard:
    def __init__(self):
        self.log = 0

    def __enter__(self):
        self.log += 1
        return self

    def __exit__(self, kind, error, trace):
        self.log += 10
        return kind is ValueError


def own_context(n):
    guard = Guard()
    with guard as g, contextlib.nullcontext(), np.errstate(all="ignore"):
        g.log += 100
        if n == 1:
            raise ValueError("x")
        if n == 2:
            raise KeyError("y")
        if n == 3:
            return -1
    return guard.log


@pytest.mark.parametrize(
    "function, inputs",
    [
        (ways_out_of_a_round, [(np.array(x),) for x in ([1.0, 2, -1, 4], [1.0, 200, -1], [1.0, 50, 3])]),
        (return_overrides, [(2,), (0,)]),
        (nested_loops, [(n,) for n in range(6)]),
        (suppressed, [(1,), (0,)]),
        (own_context, [(n,) for n in range(4)]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_like_python(function, inputs) -> None:
    check(function, *inputs)


class Recorder:
    def __init__(self):
        self.value = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, ValueError):
            self.value = error.args[0]
            return True
        self.value = -5
        return False


def exit_reads_the_exception(n):
    recorder = Recorder()
    for k in range(n):
        with recorder:
            if k == 2:
                raise ValueError(k * 10)
            if k == 4:
                break
    return recorder.value


def continue_in_final(n):
    for k in range(5):
        try:
            if k == n:
                continue
            if k > n:
                return k
        finally:
            if k == 3:
                continue  # noqa: B012
    return -1


def replaced_in_a_handler(n):
    r = 0
    try:
        try:
            1 // n
        except ZeroDivisionError:
            r += 1
            raise ValueError("second") from None
        finally:
            r += 10
    except ValueError:
        r += 100
    return r


def views_and_parameters(x, n):
    v = x[1:]
    try:
        v[0] = 7
        1 // n
        v[1] = 8
    except ZeroDivisionError:
        v[1] = 9
    finally:
        x[0] += v[0]


def ended_by_an_index(x):
    i = 0
    s = x.dtype.type(0)
    try:
        while True:
            s += x[i]
            i += 1
    except IndexError:
        pass
    return s, i


def one_of_two(n):
    try:
        raise ValueError(n) if n > 2 else KeyError(n)
    except ValueError:
        return 1
    except KeyError:
        return 2


@pytest.mark.parametrize(
    "function, inputs",
    [
        (exit_reads_the_exception, [(n,) for n in (0, 2, 3, 4, 9)]),
        (continue_in_final, [(n,) for n in (0, 2, 3, 9)]),
        (replaced_in_a_handler, [(0,), (1,)]),
        (views_and_parameters, [(np.zeros(4), 0), (np.zeros(4), 2)]),
        (ended_by_an_index, [(np.arange(4.0),), (np.zeros(0),)]),
        (one_of_two, [(1,), (5,)]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_more_like_python(function, inputs) -> None:
    check(function, *inputs)


def test_a_call_that_raises_leaves_what_was_written() -> None:
    @graph_program
    def program(x, n):
        x[0] = 5
        try:
            x[1] = 1 // n
        finally:
            x[2] = 3

    x = np.zeros(3)
    with pytest.raises(ZeroDivisionError):
        program(x, 0)
    assert x.tolist() == [5, 0, 3]
    program(x, 1)
    assert x.tolist() == [5, 1, 3]
