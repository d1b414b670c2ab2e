"""Iterators give their elements once: a second pass is refused, a first one in any place is not."""

# ruff: noqa: B007, B905, C417 (written as users write)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

X = np.array([0.5, -1.0, 2.0])


def a_loop_in_a_loop(x: Any, n: int) -> Any:
    pairs = zip(x, x)
    total = 0.0
    for _ in range(n):
        for a, b in pairs:
            total += a * b
    return total


def an_unrolled_loop(x: Any, n: int) -> Any:
    doubled = map(lambda v: v * n, [1.0, 2.0])
    total = x[0]
    for _ in (1, 2):
        total = total + sum(doubled)
    return total


def one_branch(x: Any, n: int) -> Any:
    pairs = enumerate(x)
    total = 0.0
    if n > 1:
        for i, v in pairs:
            total += i * v
    for i, v in pairs:
        total -= i * v
    return total


def inside_another(x: Any, n: int) -> Any:
    numbered = enumerate(x)
    total = 0.0
    for (i, v), w in zip(numbered, x):
        total += i * v * w
    for i, v in numbered:
        total += n * v
    return total


def taking_turns(x: Any, n: int) -> Any:
    numbers = map(lambda v: v * n, [1.0, 2.0, 3.0, 4.0])
    total = x[0]
    for a, b in zip(numbers, numbers):
        total += a * b
    return total


def emptied_on_one_path(x: Any, n: int) -> Any:
    total = 0.0
    if n > 1:
        pairs = zip(x, x)
        for a, b in pairs:
            total += a * b
    else:
        pairs = zip(x[1:], x)
    for a, b in pairs:
        total -= a * b
    return total


def test_iterators_of_which_one_is_empty() -> None:
    with pytest.raises(GraphProgramError, match="zip"):
        graph_program(emptied_on_one_path)(X, 2)


REFUSED = [a_loop_in_a_loop, an_unrolled_loop, one_branch, inside_another, taking_turns]


@pytest.mark.parametrize("fn", REFUSED, ids=lambda f: f.__name__)
def test_a_second_pass_is_refused(fn: Callable[..., Any]) -> None:
    with pytest.raises(GraphProgramError, match="already gone through"):
        graph_program(fn)(X, 2)


def made_in_each_round(x: Any, n: int) -> Any:
    total = np.float64(0)
    for k in range(n):
        pairs = zip(x, x[::-1])
        for a, b in pairs:
            total = total + a * b * k
    return total


def in_a_round_that_leaves(x: Any, n: int) -> Any:
    pairs = enumerate(x)
    total = np.float64(0)
    k = 0
    while True:
        k += 1
        if k > n:
            for i, v in pairs:
                total = total + i * v
            break
    return total


def either_branch(x: Any, n: int) -> Any:
    pairs = zip(x, x)
    total = np.float64(0)
    if n > 1:
        for a, b in pairs:
            total = total + a * b
    else:
        for a, _ in pairs:
            total = total - a
    return total


def types_that_settle_late(x: Any, n: int) -> Any:
    numbered = enumerate(x)
    total, best = 0, None
    for i, v in numbered:
        total = total + i * v
        best = v if best is None or v > best else best
    return total, best


ACCEPTED = [made_in_each_round, in_a_round_that_leaves, either_branch, types_that_settle_late]


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("fn", ACCEPTED, ids=lambda f: f.__name__)
def test_one_pass(fn: Callable[..., Any], n: int) -> None:
    check(fn, (X, n))
