"""Generator expressions give each element when it is asked for, and only once."""

# ruff: noqa: B007, B905, C401, C402 (written as users write)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

X = np.array([0.5, -1.0, 4.0])


def loops(x: Any, n: int) -> Any:
    out = []
    for v in (x[k] for k in range(3) if k != n):
        if v > 100:
            break
        x[2] += v
        out.append(v)
    k = 5
    for k in (n * k for k in range(3)):
        n += 1
    return out, x, k, n


def left_early(x: Any, n: int) -> Any:
    total = x[0]
    for k in range(n):
        for w in (v + k for v in x if v > k if v < 9):
            if w == 5:
                continue
            total += w
            if total > 9:
                return total
        else:
            total = -total
    return total


def an_element_that_fails(x: Any, n: int) -> Any:
    total = 0
    try:
        for w in (n // int(v) for v in x):
            total += w
    except ZeroDivisionError:
        return total
    return -total


def a_generator_of_a_generator(x: Any, n: int) -> Any:
    parts = [n // v for v in (int(w) for w in x if w > 0)]
    return parts, sum(v * n for v in (w + 1 for w in x)), any(v > n for v in (w * w for w in x))


def gone_through_at_once(x: Any, n: int) -> Any:
    a, *b = (k * n for k in range(3))
    values = [n]
    values.extend(k * n for k in range(2))
    numbered = dict((i, v) for i, v in enumerate((1, 2, n)))
    text = ",".join(str(i) for i in range(3))
    total = 0.0
    for i, v in enumerate(w + 1 for w in x):
        total += i * v
    rest = max(v for v in x if v > -10), sorted((-v for v in x), key=abs), list(zip((k for k in range(2)), x))
    return a, b, values, numbered, text, total, rest, 3 in (k for k in range(5)), len(set(k % 2 for k in range(3)))


def test_as_plain_python() -> None:
    check(loops, (X.copy(), 3), (X.copy(), 1))
    check(left_early, (X, 3), (-X, 3), (X, 0), (X * 3, 2))
    check(an_element_that_fails, (X + 2, 7), (X, 7), (np.zeros(0), 7))
    check(a_generator_of_a_generator, (X + 1, 3), (X, 2))
    check(gone_through_at_once, (X, 3), (X, 0))


def twice(numbers: Any) -> Any:
    return sum(numbers) + sum(numbers)


def handed_on(x: Any, n: int) -> Any:
    return twice(n * k for k in range(3))


def in_a_tuple(x: Any, n: int) -> Any:
    pair = (v for v in x), n
    return sum(pair[0])


def as_a_test(x: Any, n: int) -> Any:
    return 1 if (k for k in range(0)) else n


def changed_between(x: Any, n: int) -> Any:
    total = 0.0
    for i, v in enumerate(x[k] for k in range(3)):
        x[2] += v
        total += i * v
    return total


@pytest.mark.parametrize("function", [handed_on, in_a_tuple, as_a_test, changed_between])
def test_one_that_is_kept_is_refused(function: Any) -> None:
    with pytest.raises(GraphProgramError, match="generator"):
        graph_program(function)(X.copy(), 3)


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
def test_in_an_exception_of_one_path() -> None:
    def known(x: Any) -> Any:
        if x[0] < 0:
            raise ValueError(",".join(n for n in ("a", "b")), max(n for n in (1, 2)))
        if x[0] > 8:
            raise AssertionError("too large: " + ", ".join(n.upper() for n in "ab"))
        return x

    def computed(x: Any) -> Any:
        if x[0] < 0:
            raise ValueError("neg: " + ", ".join(f"{v:.1f}" for v in x if v < 0), sum(v for v in x))
        return x

    for program in (known, computed):
        check(program, (np.array([1.0]),), (np.array([-1.0, 2.0, -3.0]),), (np.array([9.0]),))


@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
def test_joins_of_iterators() -> None:
    def program(x: Any) -> Any:
        if x[0] > 2:
            raise ValueError("in " + "x".join(map(str, x.shape)))
        sep = f"{x[0]:.0f}"
        parts = "-".join(filter(None, [str(len(x)), "", "b"])), sep.join(map(str, x)), sep.join(reversed(["a", "b"]))
        return parts, ",".join(map(str, (1, 2))), ";".join(" ".join(map(str, (v, v + 1))) for v in x)

    check(program, (np.array([1.0]),), (np.array([-1.0, 2.0]),), (np.array([3.0]),))
