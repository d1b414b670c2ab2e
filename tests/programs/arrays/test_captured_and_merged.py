"""Writes to an array that may be another one, captured or an argument, or a part of it, by the path taken."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from graph_program import UnsupportedError, graph_program
from tests.programs.plain import differs, outcome

STORE = SimpleNamespace(values=np.zeros(4), other=np.zeros(2), rows=np.zeros((3, 2)))
MODULE_ARRAY = np.zeros(2)


def reset() -> None:
    STORE.__dict__.update(values=np.arange(4.0), other=np.arange(2.0), rows=np.zeros((3, 2)))


def one_of_two_parts(x: Any, n: int) -> None:
    part = STORE.values[1:] if n else STORE.values[:3]
    part += x[0]


def a_part_that_a_handler_may_have(x: Any, n: int) -> None:
    try:
        part = STORE.values[n:]
        if x[n] > 1:
            raise ValueError
    except ValueError:
        pass
    part += 1


def replaced_in_some_rounds(x: Any, n: int) -> Any:
    total = STORE.other
    for _ in range(n):
        total = total + x
    total[0] = 100
    return total


def sorted_in_place(x: Any, n: int) -> None:
    part = STORE.values[:2][::-1] if n else x
    part.sort()


def output_of_an_operation(x: Any, n: int) -> None:
    part = STORE.rows[1] if n else STORE.rows[n]
    np.add(part, x, out=part)


@pytest.mark.parametrize(
    "function",
    [
        one_of_two_parts,
        a_part_that_a_handler_may_have,
        replaced_in_some_rounds,
        sorted_in_place,
        output_of_an_operation,
    ],
)
def test_the_captured_array_is_written(function: Any) -> None:
    program = graph_program(function)
    for n in (0, 1):
        found = []
        for run in (function, program):
            reset()
            found.append((outcome(run, (np.array([1.0, 2.0]), n)), dict(vars(STORE))))
        assert not differs(*found), found


def a_part_of_a_round(x: Any, n: int) -> None:
    for k in range(3):
        part = STORE.rows[k]
    part += x


def the_row_that_a_loop_ends_with(x: Any, n: int) -> None:
    for row in STORE.rows:
        x = x + row
    row += x


def elements_of_a_grown_list(x: Any, n: int) -> None:
    parts = []
    for k in range(n):
        parts.append(STORE.values[k : k + 1])
    parts[0] += 1


def one_of_the_modules(x: Any, n: int) -> Any:
    total = MODULE_ARRAY
    for _ in range(n):
        total = total + x
    total[0] = 100
    return total


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (a_part_of_a_round, "GP351"),
        (the_row_that_a_loop_ends_with, "GP351"),
        (elements_of_a_grown_list, "GP440"),
        (one_of_the_modules, "GP335"),
    ],
)
def test_a_write_that_may_reach_a_captured_array_is_refused(function: Any, code: str) -> None:
    reset()
    with pytest.raises(UnsupportedError, match=code):
        graph_program(function)(np.array([1.0, 2.0]), 1)
    assert np.array_equal(STORE.values, np.arange(4.0)) and not STORE.rows.any() and not MODULE_ARRAY.any()


def none_or_the_best_row(x: Any, n: int) -> None:
    best = None
    for row in x:
        if best is None or row[0] >= best[0]:
            best = row
    best[0] = 9


def none_or_a_row_of_some_rounds(x: Any, n: int) -> None:
    best = None
    for k in range(3):
        if n:
            best = x[k]
    if best is not None:
        best[0] = 9


def none_or_a_captured_row(x: Any, n: int) -> None:
    best = None
    for row in STORE.rows:
        if best is None or row[0] >= n:
            best = row
    best += 1


def none_or_the_last_of_two(x: Any, n: int) -> None:
    last = None
    k = 0
    while k < n:
        last = x[k] if last is None or n > 1 else last
        k += 1
    if last is not None:
        last.fill(2)


@pytest.mark.parametrize(
    "function",
    [none_or_the_best_row, none_or_a_row_of_some_rounds, none_or_a_captured_row, none_or_the_last_of_two],
)
def test_what_may_be_none_before_a_round_is_a_view_behind_it(function: Any) -> None:
    program = graph_program(function)
    for n in (0, 1, 2):
        found = []
        for run in (function, program):
            reset()
            found.append((outcome(run, (np.zeros((3, 2)), n)), STORE.rows.copy()))
        result = found[1][0][0]
        refused = isinstance(result, type) and issubclass(result, UnsupportedError) and "GP351" in found[1][0][1]
        assert refused or not differs(*found), found
