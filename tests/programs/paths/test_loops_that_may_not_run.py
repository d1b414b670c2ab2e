"""Loops that change the rank, type or structure of a variable: where they do not run, it is what it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.model_alone import Alone, held
from tests.programs.plain import check

X = np.array([1.0, 2.0, 3.0])
I3 = np.array([1, 2, 3])
TRIPS = (0, 1, 2, 5)


def added_to_0(x: Any, n: Any) -> Any:
    s = 0
    for _ in range(n):
        s = s + x
    return s


def added_in_place(x: Any, n: Any) -> Any:
    s = 0.0
    for _ in range(n):
        s += x
    return np.ndim(s), np.sum(s), s


def used_behind(x: Any, n: Any) -> Any:
    s = 0.0
    q = 0.0
    for _ in range(n):
        s = s + x
        q = q + x * x
    return s / 3, q - s


def by_while(x: Any, n: Any) -> Any:
    s = 0.0
    k = 0
    while k < n:
        s = s + x * k
        k += 1
    return s + 1


def in_two_loops(x: Any, n: Any) -> Any:
    s = 0
    for i in range(n):
        for _ in range(i):
            s = s + x
    return s


def once_more(x: Any, n: Any) -> Any:
    s = 0
    for _ in range(n):
        s = s + x
    s = s / 10
    t = 0
    for _ in range(n):
        t = t + s
    return t + s


def many_sums(x: Any, n: Any) -> Any:
    a = b = c = d = e = 0
    f, g = 0.0, 1
    for _ in range(n):
        a, b, c = a + x, b + x * x, c - x
        d, e = d + 2 * x, e + x / 2
        f, g = f + x, g * x
    return a + b + c * d + e, f - g


SUMS = [added_to_0, added_in_place, used_behind, by_while, in_two_loops, once_more, many_sums]


@pytest.mark.parametrize("fn", SUMS, ids=lambda f: f.__name__)
def test_a_sum_that_starts_as_a_number(fn: Callable[..., Any]) -> None:
    check(fn, *((X, n) for n in TRIPS), (X[:0], 0), (X[:0], 2), (X[None], 2))


def test_a_sum_of_no_rows() -> None:
    def program(m: Any) -> Any:
        s = 0
        for row in m:
            s = s + row
        return s * 2

    check(program, (np.ones((0, 3)),), (np.ones((1, 3)),), (np.ones((4, 3)),), (np.ones((4, 0)),))


def replaced(x: Any, n: Any) -> Any:
    y = x
    for _ in range(n):
        y = x * 0.5
    return y


def replaced_and_written(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        y = x * 0.5 + i
    y[0] = 7
    return y


def by_a_number(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        y = x[i % 3]
    return y


def by_while_and_used(x: Any, n: Any) -> Any:
    y = x
    while n > 0:
        n -= 1
        y = (x * n).astype(np.float32)
    return y.sum()


def in_some_rounds(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        if i % 2:
            y = x * 0.5
    return y


def by_a_third_type(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        if i == 0:
            y = x * 0.5
        elif i == 1:
            y = x > 1
        else:
            y = x.astype(np.float32)
    return y


def until_a_break(x: Any, n: Any) -> Any:
    y = x
    z = np.float64(0)
    for i in range(n):
        y = x * 0.5 + i
        z = y.sum()
        if z > 4:
            break
    else:
        z = z + 1
    return y, z


def in_an_inner_loop(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        for j in range(i):
            y = x * 0.5 + j
        x = x + 1
    return y


def by_a_list(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        y = [x, i]
    return y


def by_a_longer_tuple(x: Any, n: Any) -> Any:
    y = (x, 1)
    for i in range(n):
        y = (x * 0.5, i, 2)
    return len(y), y


def instead_of_text(x: Any, n: Any) -> Any:
    y = "none"
    for _ in range(n):
        y = x
    return y


def in_a_dict_and_a_list(x: Any, n: Any) -> Any:
    d, items = {"a": x}, [x, 1]
    for _ in range(n):
        d["a"] = x * 0.5
        items[0] = x[None]
    return d, items[0].sum(), items


def in_a_helper(x: Any, n: Any) -> Any:
    s = 0.0
    for k in range(3):
        s = s + replaced(x, n - k).sum()
    return s


def two_of_them(x: Any, n: Any) -> Any:
    y = z = x
    for _ in range(n):
        y = x * 0.5
        z = x[0]
    if n > 3:
        return z
    return y


REPLACED = [
    replaced,
    replaced_and_written,
    by_a_number,
    by_while_and_used,
    in_some_rounds,
    by_a_third_type,
    until_a_break,
    in_an_inner_loop,
    by_a_list,
    by_a_longer_tuple,
    instead_of_text,
    in_a_dict_and_a_list,
    in_a_helper,
    two_of_them,
]


@pytest.mark.parametrize("fn", REPLACED, ids=lambda f: f.__name__)
def test_a_variable_that_a_loop_replaces_without_reading_it(fn: Callable[..., Any]) -> None:
    check(fn, *((I3, n) for n in TRIPS))


def test_one_that_the_rows_replace() -> None:
    def program(m: Any) -> Any:
        y = m
        for row in m:
            y = row
        return y

    check(program, (np.ones((0, 3)),), (np.ones((1, 3)),), (np.ones((4, 3)),))


def test_one_that_an_exception_leaves_as_it_is() -> None:
    def program(x: Any, n: Any) -> Any:
        y = x
        try:
            for i in range(n):
                y = x * 0.5
                if x[i] > 2:
                    raise ValueError("large")
                y = y > 0.6
        except ValueError:
            return y, "raised"
        return y

    check(program, *((I3, n) for n in (0, 1, 2, 3)))


@dataclass
class Holder:
    y: Any
    k: int = 2


def test_one_that_is_an_attribute() -> None:
    def made(x: Any, n: Any) -> Any:
        b = Holder(x)
        for _ in range(n):
            b.y = x * 0.5
        return b.y

    check(made, *((I3, n) for n in TRIPS))


@pytest.mark.parametrize("fn", [added_to_0, replaced, by_a_number], ids=lambda f: f.__name__)
@pytest.mark.parametrize("example", [0, 2])
def test_in_a_model_made_with_other_arguments(fn: Callable[..., Any], example: int) -> None:
    alone = Alone(fn, (I3, example))
    for x in (I3, np.arange(3, 8)):
        for n in TRIPS:
            expected, found = np.asarray(fn(x, n)), held(alone({"x": x, "n": n}))
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            np.testing.assert_array_equal(found, expected)


def test_what_has_one_type_is_not_there_twice() -> None:
    def program(x: Any, n: Any) -> Any:
        s = np.zeros_like(x)
        t = 0.0
        for _ in range(n):
            s = s + x
            t = t + x.sum()
        return s / 2, t

    names = [o.name for o in graph_program(program).model((X, 2)).graph.output]
    assert not any(".case" in name for name in names)
    nodes = [node.op_type for node in graph_program(program).model((X, 2)).graph.node]
    assert nodes.count("Loop") == 1
