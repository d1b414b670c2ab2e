"""What the host has already is not sent again."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, host_function, to_host

SEEN: list[Any] = []


@host_function
def show(*values: Any) -> None:
    SEEN.append(copy.deepcopy(values))


@host_function
def keep(*values: Any) -> None:
    SEEN.extend(values)


@dataclass
class Filter:
    weights: Any
    gain: float


def argument(x, n):
    show(x, [x, {"x": x}], x.shape)
    for k in range(n):
        show(k, x)
    return x + 1


def written_argument(x, n):
    show(x)
    for k in range(n):
        x[k] += 1
        show(x)
    return x.sum()


def fields(f, n):
    for k in range(n):
        show(f.weights, f.gain)
        if k == 1:
            f.weights = f.weights * 2
    show(f.weights)
    return f.weights.sum()


def invariant(x, n):
    y = x * 2
    t = y.mean()
    for k in range(n):
        show(y, f"{t:.3f}", k)
        for j in range(k):
            show(y, (t, j))
    return y


def invariant_of_the_inner_loop(x, n):
    for k in range(n):
        y = x * k
        for j in range(n):
            show(y, j)
        show(y)
    return y if n else x


def under_a_condition(x, n):
    y = x * 2
    for k in range(n):
        if x[k] > 1:
            show(y)
    return y


def again(x, n):
    y = x * 2
    show(y)
    if n > 1:
        show([y], n)
    y = y + 1
    show(y)
    show(y[0], y)
    return y


def in_a_try(x, n):
    y = x * 2
    try:
        for k in range(n):
            show(y)
            if k == 1:
                raise ValueError("k")
    except ValueError:
        show(y, "caught")
    return y


def with_early_ends(x, n):
    y = x * 2
    k = 0
    while True:
        k += 1
        if k > n:
            break
        if k == 2:
            continue
        show(y, k)
    else:
        show("never")
    return y


def asked_for(x, n):
    y = x * 2
    for k in range(n):
        z = to_host(y)
        show(z, k)
    return y


X = np.array([0.5, 1.5, 2.5])
PROGRAMS: list[tuple[Any, Any, list[tuple[int, int]]]] = [
    (argument, X, []),
    (written_argument, X, [(1, 3)]),
    (fields, Filter(X, 2.0), [(1, 3), (0, 1)]),
    (invariant, X, [(0, 1), (0, 1)]),
    (invariant_of_the_inner_loop, X, [(1, 3)]),
    (under_a_condition, X, [(1, 2)]),
    (again, X, [(0, 1), (0, 1)]),
    (in_a_try, X, [(0, 1)]),
    (with_early_ends, X, [(0, 1)]),
    (asked_for, X, [(0, 1)]),
]


@pytest.mark.parametrize(("function", "first", "copies"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_as_python(function: Any, first: Any, copies: list[tuple[int, int]], host_way: str) -> None:
    """With the copies that are made: how many loops are around each, and how often in the first call."""
    program = graph_program(copies="ignore")(function)
    found: list[tuple[int, int]] = []
    for n in (3, 0, 1):
        outcomes = []
        for run in (function, program):
            SEEN.clear()
            result = run(copy.deepcopy(first), n)
            outcomes.append((repr(result), repr(SEEN)))
        assert outcomes[0] == outcomes[1]
        found = found or [(c.depth, c.times) for c in program.copies]
    assert found == copies


def test_the_host_may_keep_an_argument_but_not_write_it(host_way: str) -> None:
    program = graph_program(copies="error")(lambda x: keep(x))
    x = np.arange(3.0)
    SEEN.clear()
    program(x)
    assert np.shares_memory(SEEN[0], x)
    assert x.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        SEEN[0][0] = 1.0


def test_a_text_or_list_of_a_value_is_not_the_value(host_way: str) -> None:
    def text(x):
        n = sum(1 for v in x if v > 1)
        for v in x:
            show(n)
            show(str(n).upper(), v)
        return n

    def ordered(x):
        total = x.sum()
        names = ["b", "a"]
        for v in x:
            show(total)
            show(f"{total}".title(), sorted(names), v)
        return total

    for function in (text, ordered):
        SEEN.clear()
        function(np.array([1.0, 2.0, 3.0]))
        want = list(SEEN)
        SEEN.clear()
        graph_program(function, copies="ignore")(np.array([1.0, 2.0, 3.0]))
        assert want == SEEN
