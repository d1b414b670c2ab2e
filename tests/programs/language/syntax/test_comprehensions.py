"""Comprehensions and generator expressions over what has a computed length."""
# ruff: noqa: C417, FURB, C413, C414, B023

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.given_arrays import INTS, NEGATIVE, NO_ROWS, NONE, NUMBERS, ROWS
from tests.programs.plain import check


def filtered_rows(x: Any) -> Any:
    return [r for r in x if r.sum() > 0]


def nested(x: Any) -> Any:
    return [[v * 2 for v in r if v > 0] for r in x]


def sum_any_all(x: Any) -> Any:
    return sum(r.sum() for r in x), any(v > 4 for v in x[0]), all(r.sum() < 3 for r in x)


def max_of_a_generator(x: Any) -> Any:
    return max(v * v for v in x)


def min_of_floats(x: Any) -> Any:
    return min(float(v) for v in x)


def floats(x: Any) -> Any:
    return [float(v) for v in x if v > 0]


def builtins_that_make_lists(x: Any) -> Any:
    return list(range(x.shape[0])), list(x), [0.0] * x.shape[0], x.tolist()


def any_stops_early(x: Any) -> Any:
    return any(10 // int(v) == 2 for v in x)


def mapped(x: Any) -> Any:
    return list(map(lambda v: v * 2, x))


def enumerated(x: Any) -> Any:
    return [(i, float(v)) for i, v in enumerate(x) if v > 0]


def sorted_generators(x: Any) -> Any:
    return sorted([float(v) for v in x if v > 0]), sorted((v for v in x), reverse=True)


def loop_over_a_comprehension(x: Any) -> Any:
    s = 0
    for v in [int(i) for i in x if i > 2]:
        s += v
    return s


def index_list(x: Any) -> Any:
    idx = [i for i, v in enumerate(x) if v > 0]
    return x[idx], idx


def dict_of_comprehensions(x: Any) -> Any:
    return {k: [float(v) for v in x if v > k] for k in (0, 1, 2)}


def chunks(x: Any) -> Any:
    return [x[i : i + 2] for i in range(0, len(x), 2)]


def table_of_zeros(x: Any) -> Any:
    return [[0.0] * len(x) for _ in range(len(x))]


def known_rounds_with_conditions(x: Any) -> Any:
    out = []
    for i in range(4):
        if x[i] > 0:
            out.append(i)
    return out


PROGRAMS: dict[Any, list[tuple[Any, ...]]] = {
    filtered_rows: [(ROWS,), (NEGATIVE,), (NO_ROWS,)],
    nested: [(ROWS,), (NO_ROWS,)],
    sum_any_all: [(ROWS,), (NEGATIVE,)],
    max_of_a_generator: [(NUMBERS,), (NONE,)],
    min_of_floats: [(NUMBERS,), (NONE,)],
    floats: [(NUMBERS,), (NONE,)],
    builtins_that_make_lists: [(NUMBERS,), (NONE,)],
    any_stops_early: [(np.array([5, 0]),), (np.array([7, 0]),)],
    mapped: [(NUMBERS,), (NONE,)],
    enumerated: [(NUMBERS,), (NONE,)],
    sorted_generators: [(NUMBERS,), (INTS,)],
    loop_over_a_comprehension: [(INTS,)],
    index_list: [(NUMBERS,)],
    dict_of_comprehensions: [(NUMBERS,), (NONE,)],
    chunks: [(NUMBERS,), (NONE,)],
    table_of_zeros: [(NUMBERS,)],
    known_rounds_with_conditions: [(NUMBERS,)],
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_like_python(program: Any) -> None:
    check(program, *PROGRAMS[program])
