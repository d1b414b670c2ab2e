"""Arrays of rank 0 that are a number on another path: the array where it is one, with all that shares it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.model_alone import Alone, held
from tests.programs.plain import Cases, check

cases = Cases()
Z = np.asarray(3)
S = np.asarray(1.5)
X = np.array([1.0, 2.0, 3.0])


@cases((Z, 0), (Z, 1))
def subtracted(x: Any, c: Any) -> Any:
    y = x
    if c > 0:
        y = x * 2
    y -= 1
    return y


@cases((Z, 0), (Z, 1))
def returned(x: Any, c: Any) -> Any:
    y = x
    if c > 0:
        y = x * 2
    return y


@cases((np.array([1, 2, 3]), 0), (np.array([1, 2, 3]), 1))
def view_of_one_element(x: Any, c: Any) -> Any:
    b = x[..., 0]
    if c > 0:
        b = x.max()
    b *= 2
    return b


@cases((Z, 0), (Z, 1))
def written_whole(x: Any, c: Any) -> Any:
    y = x
    z = y
    if c > 0:
        y = np.array(x * 2)
    y[...] = 5
    return y, z


@cases((Z, 0), (Z, 1), (Z, 4))
def behind_a_loop(x: Any, n: Any) -> Any:
    y = x
    for _ in range(n):
        y = y + 1
    y *= 2
    return y


@cases((Z, 0), (Z, 1))
def or_a_python_number(x: Any, c: Any) -> Any:
    y = 1
    if c > 0:
        y = x
    y += 1
    return y


@cases((S, 0), (S, 1))
def in_an_expression(x: Any, c: Any) -> Any:
    y = x if c > 0 else 2.5
    y += 1
    return y, type(y) is np.ndarray


@cases((X, S), (X[:0], S), (-X, S))
def largest(v: Any, s: Any) -> Any:
    for a in v:
        if a > s:
            s = a
    return s


@cases((X, S), (X[:0], S), (X[:1], S))
def in_place_and_not(v: Any, s: Any) -> Any:
    t = s
    for a in v:
        t += a
        t = t * 2 if a > 1 else t
    return t


@cases((X[0], 0), (X[0], 1))
def one_of_its_own(x: Any, c: Any) -> Any:
    y = np.zeros(())
    if c > 0:
        y = np.float64(2)
    z = y
    y += x
    return y, z


@cases((Z, 0), (Z, 5))
def by_min(x: Any, c: Any) -> Any:
    y = min(x, c)
    y += 1
    return y


@cases.each
def test_the_array_is_written_where_it_is_one(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


@pytest.mark.parametrize("example", [0, 1])
def test_in_a_model_made_on_the_other_path(example: int) -> None:
    def program(x: Any, c: Any) -> Any:
        y = x
        if c > 0:
            y = x * 2
        y -= 1
        return y + 0

    alone = Alone(program, (Z, example))
    for c, left, result in ((0, 6, 6), (1, 7, 13)):
        found = alone({"x": np.asarray(7), "c": c})
        assert held(found) == result
        written = [v for name, v in found.items() if name.startswith("x")]
        assert [int(v) for v in written] == [left]
