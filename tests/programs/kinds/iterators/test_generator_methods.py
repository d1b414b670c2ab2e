"""Objects that iterate by a method of their own: a generator, whose elements are the host's, or one of the graph's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import Cases, check, check_shown

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
cases = Cases()
x = np.arange(4.0)


class Count:
    def __init__(self, n: int):
        self.n = n

    def __iter__(self) -> Iterator[int]:
        yield from range(self.n)

    def twice(self) -> Iterator[int]:
        for y in range(self.n):
            yield 2 * y


class Batches:
    def __init__(self, x: Any, size: int):
        self.x, self.size = x, size

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self.x), self.size):
            yield self.x[start : start + self.size]


class Loud:
    def __init__(self, items: Any):
        self.items = items

    def __iter__(self) -> Iterator[Any]:
        print("begun")
        return iter(self.items)


captured = Count(3)


@cases((x,), (x[:0],))
def made_in_the_program(x: Any) -> Any:
    total = 0
    for y in Count(len(x)):
        total += y
    return total


def passed_in(x: Any, count: Any) -> Any:
    for y in count:
        x = x + int(y)
    return x


@cases((x,))
def taken_from_the_module(x: Any) -> Any:
    for y in captured:
        x = x * 2 + y
    for y in captured.twice():
        x = x + y
    return x


@cases((x,))
def in_nested_loops(x: Any) -> Any:
    total = 0.0
    for a in Count(3):
        if a == 1:
            continue
        for b in Count(a + 1):
            total += a * b * x.sum()
            if b > 1:
                break
    else:
        total += 1
    return total


@cases((x,))
def beside_others(x: Any) -> Any:
    total = 0.0
    for i, (y, v) in enumerate(zip(Count(5), x)):  # noqa: B905 - of different lengths
        total += i * y * v
    return total, [i + y for i, y in enumerate(Count(3))], sum(Count(4))


@cases((x,))
def of_changed_objects(x: Any) -> Any:
    count, rounds = Count(3), 0
    for _ in count:
        rounds += 1
    count.n = 2
    for _ in count:
        rounds += 1
    return rounds, x


@cases.each
def test_like_python(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_an_argument() -> None:
    assert graph_program(passed_in)(x, Count(3)).tolist() == passed_in(x, Count(3)).tolist()


def test_arrays_of_a_generator_method() -> None:
    def total(x: Any) -> Any:
        rounds = 0
        for _ in Batches(x, 3):
            rounds += 1
        return rounds

    assert graph_program(total)(x) == total(x)


def test_a_method_is_called_once_for_each_loop(capsys: pytest.CaptureFixture[str]) -> None:
    def program(x: Any) -> Any:
        for i, v in enumerate(Loud([1, 2])):
            x = x + i * v
        pairs = enumerate(Loud([3, 4]))
        print("made")
        for i, v in pairs:
            x = x + i * v
        return x

    check_shown(program, (x,), capsys)
