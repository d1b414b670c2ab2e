"""What the host may give (`-> Float64[...] | None`) is what it is annotated as, where a test says that it is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import graph_program, host_function
from tests.programs.plain import differs, outcome

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
LOG: list[Any] = []


@host_function
def frame(n: int) -> Float64[np.ndarray, "n"] | None:
    return None if n > 2 else np.arange(n + 1.0)


@host_function
def level(n: int) -> float | None:
    return None if n > 2 else 0.5


@host_function
def level_of(n: int) -> float:
    return n + 0.5


@host_function
def levels(n: int) -> Iterator[float]:
    for k in range(n):
        yield k + 0.5


@host_function
def read(n: int) -> tuple[bool, Float64[np.ndarray, "n"] | None]:
    return n < 2, None if n > 2 else np.ones(n)


@host_function
def show(value: Any) -> None:
    LOG.append(None if value is None else str(value))


@dataclass
class Kept:
    last: Any


def used_where_it_is_there(x, n):
    v = frame(n)
    show(v)
    if v is not None:
        show(v)
        x = x + v.sum() * v[0] + (v * 2).max()
    show(v)
    return x, v is None


def left_early(x, n):
    v = frame(n)
    if v is None:
        return x
    return x * v.mean() + len(v)


def numbers(x, n):
    a, b = level(n), level(n + 1)
    if a is None or b is None:
        return x
    return x + max(a, 1.0) * b


def gone_through(x, n):
    while (v := frame(n)) is not None:
        x = x + v.sum()
        n += 1
    return x, n


def carried(x, n):
    v = frame(n)
    while v is not None:
        x = x - v.max()
        n += 1
        v = frame(n)
    return x, v


def annotated(x, n):
    v: Float64[np.ndarray, "n"] | None = frame(n)
    return x if v is None else x - v.mean()


def in_a_tuple(x, n):
    fine, v = read(n)
    if fine and v is not None:
        x = x + v.sum()
    if v is None:
        raise ValueError("nothing there")
    return x + v.shape[0]


def replaced(x, n):
    v, a = frame(n), level(n)
    if v is None:
        v = np.full(3, 2.0)
    if a is None:
        a = 4.0
    return x * v.sum() - a


def replaced_in_an_expression(x, n):
    v = frame(n)
    known = v if v is not None else np.ones(2)
    return x * known.sum()


def in_attributes_and_items(x, n):
    kept = Kept(frame(n))
    items = {"v": frame(n + 1)}
    if kept.last is not None:
        x = x + kept.last.sum()
    return x if items["v"] is None else x + items["v"].max()


def written(x, n):
    v = frame(n)
    if v is None:
        raise ValueError("nothing there")
    v[0] = 5
    v += 1
    return x + v.sum(), v


def until_there_are_no_more(x, n):
    numbers, total = levels(n), 0.0
    while (v := next(numbers, None)) is not None:
        total += v
        next(numbers, None)
    return x * total


def what_is_put_together(x, n):
    found = iter((float(x.sum()), level_of(n)))
    count = 0
    while (v := next(found, None)) is not None:
        count += v
    return count, next(found, -1.0)


def default_of_another_type(x, n):
    numbers, total = levels(n), 0.0
    for _ in x:
        total += next(numbers, 0)
    return total, next(levels(0), 0)


def taken_out(x, n):
    table = {str(int(v)): level_of(k) for k, v in enumerate(x)}
    first = table.pop(str(n), None)
    if first is not None:
        x = x + first
    return x, table.pop("1", 0.0), table.pop("1", 7), first is None


PROGRAMS = [
    until_there_are_no_more,
    what_is_put_together,
    default_of_another_type,
    taken_out,
    used_where_it_is_there,
    left_early,
    numbers,
    gone_through,
    carried,
    annotated,
    in_a_tuple,
    replaced,
    replaced_in_an_expression,
    in_attributes_and_items,
    written,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any) -> None:
    program = graph_program(function)
    for n in (2, 0, 5):
        LOG.clear()
        expected, log = outcome(function, (np.ones(2), n)), list(LOG)
        LOG.clear()
        assert not differs(expected, outcome(program, (np.ones(2), n)))
        assert log == LOG


def test_it_is_copied_once_for_all_uses() -> None:
    program = graph_program(used_where_it_is_there)
    program(np.ones(2), 1)
    assert [copy.text for copy in program.copies] == ["frame(...)"]
