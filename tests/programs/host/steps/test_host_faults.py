"""Host code that raises, at every point that it is reached: as in plain Python, and nothing stays behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, graph_program, host_function
from tests.programs.faults import Fault, Living, check_all_points, points

pytestmark = pytest.mark.usefixtures("host_way", "only_new_garbage")


class Device(Living):
    def __init__(self, name: str):
        super().__init__()
        points.reach(f"make {name}")
        self.name = name

    @property
    def level(self) -> float:
        points.reach("level")
        return 0.5

    def __enter__(self) -> Device:
        points.reach("enter")
        return self

    def __exit__(self, cls: Any, error: Any, trace: Any) -> bool:
        points.reach(f"exit {cls.__name__ if cls else None}")
        return False

    def __add__(self, other: int) -> Device:
        points.reach(f"add {other}")
        return Device(f"{self.name}+{other}")

    def __bool__(self) -> bool:
        points.reach("bool")
        return len(self.name) % 2 == 0


class Items(Living):
    def __init__(self, n: int):
        super().__init__()
        self.n, self.k = n, 0

    def __iter__(self) -> Items:
        points.reach("iter")
        return self

    def __next__(self) -> Any:
        points.reach("next")
        self.k += 1
        if self.k > self.n:
            raise StopIteration
        return self.k


@host_function
def device(name: str) -> Any:
    return Device(name)


@host_function
def items(n: int) -> Iterator[int]:
    return Items(n)


@host_function
def reading(k: int) -> float:
    points.reach(f"reading {k}")
    return k * 0.5


@host_function
def image(k: int) -> Float64[np.ndarray, "200"]:
    points.reach(f"image {k}")
    return np.full(200, float(k))


@host_function
def note(*values: Any) -> None:
    points.reach(f"note {[float(np.sum(v)) for v in values]}")


def branches(x: Any, n: int) -> Any:
    if x.sum() > 1:
        x = x + reading(1)
        note(x)
    else:
        x = x - reading(2)
    if reading(3) > 1:
        note(n)
    return x


def loops(x: Any, n: int) -> Any:
    for k in range(n):
        for j in range(k):
            x = x + reading(j)
            if x.max() > 3:
                note(k, j)
                break
    k = 0
    while k < n:
        x = x * 2 + image(k)[:2]
        k += 1
    return x


def final(x: Any, n: int) -> Any:
    for k in range(n):
        try:
            x = x + reading(k)
            note(x)
        finally:
            note(k)
    return x


def contexts(x: Any, n: int) -> Any:
    with device("a") as d, device("bc") as e:
        for _ in range(n):
            first: float = d.level
            second: float = e.level
            x = x + first + second
        note(x)
    return x


def caught(x: Any, n: int) -> Any:
    failed = 0
    for k in range(n):
        try:
            with device("a"):
                x = x + reading(k)
        except Fault:
            note(-1)
            failed += 1
        except MemoryError:
            failed += 10
    return x, failed


def caught_and_raised(x: Any, n: int) -> Any:
    try:
        for k in range(n):
            x = x + reading(k)
    except BaseException:
        note(x)
        raise
    return x


def iterators(x: Any, n: int) -> Any:
    for a in items(n):
        for b in items(a):
            x = x + a * b
            note(x)
    return x


def in_out(x: Any, n: int) -> Any:
    for k in range(n):
        x[k % 2] += reading(k)
        x *= 2
        note(x)
    return x.sum()


def operators(x: Any, n: int) -> Any:
    d = device("d")
    for k in range(n):
        if d:
            x = x + 1
        d = d + k
    return x


def beside(x: Any, n: int) -> Any:
    m = np.full((64, 64), 0.01)
    for k in range(n):
        y = image(k)
        for _ in range(20):
            m = m @ m + 0.01
        x = x + m[0, :2] + y[:2]
        note(k)
    return x


PROGRAMS = (branches, loops, final, contexts, caught, caught_and_raised, iterators, in_out, operators, beside)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_every_point(function: Callable[..., Any]) -> None:
    assert check_all_points(function, np.array([0.5, 1.0]), 3) >= 3


class Counter:
    def __init__(self) -> None:
        self.total = np.zeros(2)
        self.rounds = 0

    @graph_program(copies="ignore")
    def advance(self, n: int) -> float:
        for k in range(n):
            self.total = self.total + reading(k)
            self.rounds += 1
            note(k)
        return self.total.sum()


def test_state_is_as_before() -> None:
    counter = Counter()
    for number in range(1, 7):
        points.begin(number, Fault)
        with pytest.raises(Fault):
            counter.advance(3)
        assert counter.rounds == 0 and not counter.total.any()
    points.begin(None, Fault)
    assert counter.advance(3) == 3.0
    assert counter.rounds == 3


@host_function
def two() -> float:
    return 2.0


def written_out_of_bounds(x: Any, n: int) -> Any:
    x[3] = 1.0 + two()
    return x.sum()


def written_number(x: Any, n: int) -> Any:
    two()
    x[3] = n
    return x


def written_row(x: Any, n: int) -> Any:
    x.reshape(-1, 1)[3, :] = [two()]
    return x


@pytest.mark.parametrize("function", [written_out_of_bounds, written_number, written_row])
def test_an_index_outside_is_an_error_beside_host_code(function: Any, host_way: str) -> None:
    program = graph_program(copies="ignore")(function)
    for x in (np.zeros(3), np.zeros(5), np.zeros(0), np.zeros(4, np.uint8)):
        found = []
        for run in (function, program):
            try:
                found.append(repr(run(x.copy(), 1)))
            except IndexError as error:
                found.append(repr(error))
        assert found[0] == found[1]
