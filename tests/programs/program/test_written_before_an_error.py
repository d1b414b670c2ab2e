"""What a program has written of the caller's before it raises stays written, as in Python; what comes after is not."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from graph_program import LostWritesWarning, graph_program, host_function
from tests.programs.plain import Cases, check, outcome
from tests.programs.stateful import check_calls

case = Cases()


@dataclass
class Filter:
    mean: np.ndarray = field(default_factory=lambda: np.zeros(3))
    count: int = 0
    seen: list[float] = field(default_factory=list)


@case((np.zeros(3), -1), (np.zeros(3), 1), (np.zeros(0), 1), (np.zeros(1), 1))
def between_two_elements(x: Any, n: int) -> Any:
    x[0] = 1.0
    if n < 0:
        raise ValueError(f"no {n}")
    x[1] = 2.0
    return x.sum()


@case((np.arange(1.0, 6.0), 3), (np.arange(1.0, 6.0), 9), (np.array([1.0, 0.0, 2.0]), 3))
def in_a_round(x: Any, n: int) -> Any:
    for k in range(n):
        x[k] = 12.0 / x[k]
        if x[k] > 100:
            raise OverflowError(k)
    return x


NEGATIVE = ([1.0, 5.0, -3.0, 4.0], [-1.0, 2.0, 3.0], [1.0, 2.0, -3.0], [1.0, 2.0], [])


@case(*((np.array(x),) for x in NEGATIVE))
def each_element(x: Any) -> None:
    for i in range(len(x)):
        if x[i] < 0:
            raise ValueError(f"neg {i}")
        x[i] += 1


@case(*((np.array(x),) for x in NEGATIVE))
def some_elements(x: Any) -> None:
    for i in range(1, len(x)):
        if x[i] > 2:
            x[i] = 2
        elif x[i] < 0:
            raise KeyError(i)


@case(*((np.array(x),) for x in NEGATIVE))
def by_an_operation_that_fails(x: Any) -> None:
    for i in range(len(x)):
        x[i] = 1 / float(x[i] + 3)


@case((np.arange(4.0), np.arange(4.0)), (np.arange(2.0), np.arange(9.0)))
def by_an_index_outside(x: Any, y: Any) -> None:
    for i in range(len(x)):
        x[i] = y[i + 2]


@case((np.array([[1, -2], [3, 4]]),), (np.array([[-1, 2], [3, 4]]),), (np.array([[1, 2], [3, -4]]),))
def each_pixel(x: Any) -> None:
    for r in range(x.shape[0]):
        for c in range(x.shape[1]):
            if x[r, c] < 0:
                raise ValueError(f"{r} {c}")
            x[r, c] = x[r, c] * 2


@case((Filter(), 2.0), (Filter(), np.nan), (Filter(), -1.0))
def fields_of_an_object(f: Any, v: float) -> Any:
    f.count += 1
    f.seen.append(v)
    f.mean[f.count] += v
    if v != v:
        raise ValueError("not a number")
    f.mean = f.mean * 2
    if v < 0:
        raise KeyError("below zero")
    return f.count


@case(([1, 2], {"a": 1}, 0), ([1, 2], {"a": 1}, 1), ([], {"a": 1}, 1))
def lists_and_dicts(items: Any, found: Any, n: int) -> Any:
    items.append(n)
    found["b"] = items[0] + n
    items[1] = 10 // n
    found["a"] = 7
    return len(items)


@case((np.arange(4.0), 1), (np.arange(4.0), 5), (np.arange(4.0), 0))
def behind_a_handler(x: Any, i: int) -> Any:
    try:
        x[0] = 5.0
        x[i] = 1.0
        x[1] = 1 / i
    except IndexError:
        x[2] = -1.0
        raise KeyError("again") from None
    finally:
        x[3] = 9.0
    return x


@case((np.arange(6.0), 1), (np.arange(6.0), 0))
def through_views(x: Any, n: int) -> Any:
    rows = x.reshape(2, 3)
    rows[1] += 10
    for row in rows:
        row[0] = 6 // n
    return x


def halved(x: Any, n: int) -> Any:
    x /= 2
    if n == 0:
        raise RuntimeError("nothing")
    return x


@case((np.ones(2), 1), (np.ones(2), 0))
def in_a_function(x: Any, n: int) -> Any:
    halved(x, n)
    x += 1
    return x


@case((np.ones(3), True), (np.ones(3), False))
def where_every_path_raises(x: Any, first: bool) -> Any:
    x[0] = 4.0
    if first:
        raise ValueError("first")
    x[1] = 5.0
    raise KeyError("second")


@case((np.ones(2, complex), 0), (np.ones(2, complex), 1))
def complex_elements(z: Any, n: int) -> Any:
    z[0] = 2 + 1j
    return 1 // n


@case((np.array([-2.5, -2.5, 0.0]), 0.25), (np.array([0.0, 4.0]), 0.25))
def where_the_runtime_fails_behind_it(x: Any, t: float) -> None:
    part = x[0:3:2]
    x[x == x] = t
    part += np.zeros(2)
    x *= [False, False, True]
    for _ in part:
        part[1], part[1] = part


@case.each
def test_programs(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


class Counter:
    def __init__(self) -> None:
        self.n = 0
        self.last = np.zeros(2)
        self.log: list[int] = []

    def step(self, k: int) -> int:
        self.n += 1
        self.last[k] = self.n
        self.log.append(k)
        if self.n > 2:
            raise ValueError(self.n)
        return self.n


@dataclass
class Limits:
    top: float
    places: int


class Recorder:
    def __init__(self) -> None:
        self.total = 0.25
        self.values: Any = np.ones(2)
        self.items = [1.5, 0.25]

    def step(self, x: Any, limits: Limits) -> Any:
        values = self.values
        if limits.places:
            if limits.top:
                return x
        else:
            self.values = self
        if self.total:
            self.items = [self.items[1], limits.top]
        values[2] += 1
        return None


def test_where_a_value_is_needed() -> None:
    """The graph that says what is written is fixed to the numbers that the first one needed."""
    calls = [(np.zeros(3), Limits(top, -3)) for top in (0.0, 2.0, 0.0)]
    check_calls(Recorder, "step", *calls)


def test_lists_whose_lengths_that_graph_needs(recwarn: pytest.WarningsRecorder) -> None:
    """It is made for the lists of each call that raises; the call that does not takes lists of any length."""

    @graph_program
    def program(rows: Any, n: int) -> Any:
        rows[-1] -= 1.0
        return [0.0] * n if n > 0 else 1.0 / n

    for length in (2, 3, 2, 1):
        rows = [np.ones(2) for _ in range(length)]
        with pytest.raises(ZeroDivisionError):
            program(rows, 0)
        assert [row.tolist() for row in rows] == [[1.0, 1.0]] * (length - 1) + [[0.0, 0.0]]
    assert not [one for one in recwarn if issubclass(one.category, LostWritesWarning)]


def test_writes_that_no_graph_tells_of() -> None:
    """The call raises as Python's does, and a warning says that its arguments are as they were."""

    def program(found: Any, x: Any, n: int) -> None:
        found["share"] = 1.0 / (n - 1)
        found["share"] = 1.0 / n
        found["last"] = x[:]
        found["last"] = x * x[n]

    with pytest.raises(ZeroDivisionError), pytest.warns(LostWritesWarning, match=r"program\(\) has raised.*GP\d+"):
        graph_program(program)({"last": np.zeros(2), "share": 0.0}, np.ones(2), 0)


def test_state() -> None:
    check_calls(Counter, "step", (0,), (1,), (0,), (3,), (1,))


def test_an_array_that_nobody_may_write() -> None:
    @graph_program
    def program(x: Any, n: int) -> Any:
        x[0] = 1.0
        if n < 0:
            raise KeyError(n)
        return n

    x = np.zeros(2)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        program(x, -1)
    assert x.tolist() == [0.0, 0.0]


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    @graph_program
    def program(x: Any) -> Any:
        x[0] += 1
        print("before")
        if x[0] > 1:
            raise ValueError("above")
        print("after")
        return x

    x = np.ones(1)
    with pytest.raises(ValueError, match="above"):
        program(x)
    assert capsys.readouterr().out == "before\n" and x[0] == 2


def test_calls_that_write_nothing_are_extracted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from graph_program.calls import calls

    made = []
    extract = calls.extract
    monkeypatch.setattr(calls, "extract", lambda *args, **given: made.append(1) or extract(*args, **given))

    @graph_program
    def program(x: Any, n: int) -> Any:
        if n < 0:
            raise ValueError(n)
        x[0] = 1.0
        return n

    for _ in range(2):
        with pytest.raises(ValueError, match="-1"):
            program(np.ones(2), -1)
    assert len(made) == 1


@host_function
def measured(k: int) -> float:
    return 2.0 * k


def with_host_code(x: Any, n: int) -> Any:
    for k in range(n):
        v = measured(k)
        x[k] = v
        if v > 5:
            raise ValueError(k)
    x[0] = 9.0
    return x


def test_beside_host_code() -> None:
    program = graph_program(with_host_code, copies="ignore")
    for args in ((np.zeros(5), 2), (np.zeros(5), 5), (np.zeros(2), 3)):
        expected, found = outcome(with_host_code, copy.deepcopy(args)), outcome(program, args)
        assert repr(found) == repr(expected)
