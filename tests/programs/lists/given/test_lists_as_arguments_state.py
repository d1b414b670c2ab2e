"""Lists of numbers in the state of an object: one signature however long they have become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.programs.given_lists import counted
from tests.programs.stateful import check_calls


def check(make: Callable[[], Any], *calls: tuple[Any, ...], extractions: int) -> None:
    """Assert that a method does what Python does, call after call, and how often it was extracted."""
    with counted() as names:
        check_calls(make, "step", *calls)
    assert len(names) == extractions


class Log:
    def __init__(self) -> None:
        self.log: list[float] = []
        self.count = 0

    def step(self, x: float) -> Any:
        self.log.append(x)
        self.count += 1
        return sum(self.log) / self.count


def test_a_log_that_grows() -> None:
    check(Log, *((float(i),) for i in range(12)), extractions=1)


class Window:
    def __init__(self) -> None:
        self.values = [0.0]

    def step(self, x: float, size: int) -> Any:
        self.values.append(x)
        if len(self.values) > size:
            self.values.pop(0)
        return max(self.values), self.values[-1]


def test_a_window_that_slides() -> None:
    check(Window, *((float(i % 5), 4) for i in range(9)), (1.0, 2), (2.0, 9), extractions=1)


class Replaced:
    def __init__(self) -> None:
        self.values = [1, 2, 3]

    def step(self, k: int) -> Any:
        self.values = [v + 1 for v in self.values if v % k]
        return len(self.values)


def test_a_list_that_is_replaced() -> None:
    check(Replaced, (5,), (4,), (3,), (2,), (2,), (2,), extractions=1)


class Weights:
    def __init__(self) -> None:
        self.weights = [0.5, 0.25]
        self.steps = 0

    def step(self, x: Any) -> Any:
        a, b = self.weights
        self.weights[0] = a + x
        self.steps += 1
        return a * x + b


def test_a_list_that_is_taken_apart() -> None:
    check(Weights, (1.0,), (2.0,), (3.0,), extractions=1)


class Failing:
    def __init__(self) -> None:
        self.seen = [1]

    def step(self, k: int) -> Any:
        self.seen.append(k)
        if k in self.seen[:-1]:
            raise ValueError(f"{k} again")
        return len(self.seen)


def test_what_was_written_before_an_exception() -> None:
    check(Failing, (2,), (1,), (3,), (3,), (4,), extractions=1)
