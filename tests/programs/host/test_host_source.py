"""The host half as text: it is what runs, in few steps, at the user's lines."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import graph_program, host_function, to_device, to_host
from graph_program.backends.host import exchange
from graph_program.program import GraphProgramFunction

LOG: list[Any] = []


class Simulator:
    def __init__(self) -> None:
        self.rounds = 0

    def step(self, action: Any) -> Any:
        self.rounds += 1
        return np.full(2, self.rounds * 0.5), float(action), self.rounds >= 4


@host_function
def make() -> Simulator:
    return Simulator()


@host_function
def note(*what: Any) -> None:
    LOG.append(tuple(np.array(w).tolist() for w in what))


@host_function
def numbers(n: int) -> Iterator[float]:
    yield from (k * 0.5 for k in range(n))


@host_function
def seconds() -> float:
    LOG.append("seconds")
    return float(len(LOG))


def episode(w: Float64[np.ndarray, "2"]):
    env = make()
    obs = np.zeros(2)
    total = 0.0
    while True:
        raw, reward, done = env.step(float(w @ obs))
        obs = to_device(raw, Float64[np.ndarray, "2"])
        total += reward
        if done:
            break
    return total, obs


def apart(x):
    before = seconds()
    y = np.sort(x)
    after = seconds()
    return y, after - before


def neighbours(x, k):
    a = seconds()
    b = k * 2.0 + 1
    note("b", b)
    c = seconds() + a
    return x * c


def fails_in_a_run(x):
    env = make()
    note("made")
    env.nothing()
    note("never")
    return x


def nobody_asks(x):
    x = to_host(x)
    return x + 1


def warnings_off(function: Any) -> GraphProgramFunction[..., Any]:
    return graph_program(copies="ignore")(function)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the steps that run."""
    found: list[int] = []
    original = exchange.Exchange.exchange

    def run(self: Any, number: int, *values: Any) -> Any:
        found.append(number)
        return original(self, number, *values)

    monkeypatch.setattr(exchange.Exchange, "exchange", run)
    return found


@pytest.mark.parametrize(
    ("function", "args", "count"),
    [
        (episode, (np.ones(2),), 2 + 4),
        (apart, (np.ones(3),), 2),
        (neighbours, (np.ones(2), 3), 1),
        (nobody_asks, (np.ones(2),), 0),
    ],
)
def test_few_exchanges(function: Any, args: Any, count: int, steps: list[int]) -> None:
    program = warnings_off(function)
    LOG.clear()
    expected, seen = repr(function(*args)), list(LOG)
    LOG.clear()
    assert repr(program(*args)) == expected
    assert seen == LOG
    assert len(steps) == count


def test_source_of_an_episode() -> None:
    program = warnings_off(episode)
    program(np.ones(2))
    text = program.host_source
    assert ": raw, reward, done = env.step(float(w @ obs))\n" in text
    assert "    env = make()\n" in text
    assert "    raw, reward, done_1 = " in text or "    raw, reward, done = " in text
    compile(text, "host.py", "exec")


def test_no_host_no_source() -> None:
    @graph_program
    def program(x):
        return x + 1

    program(np.ones(2))
    assert program.host_source == ""


def test_errors_in_a_run_are_at_their_line() -> None:
    LOG.clear()
    with pytest.raises(AttributeError, match="nothing") as caught:
        warnings_off(fails_in_a_run)(np.ones(2))
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.name, last.line) == ("fails_in_a_run", "env.nothing()")
    assert LOG == [("made",)]


def test_names_that_python_has() -> None:
    def program(x):
        list = make()
        int = list.step(1.0)
        note(len(int), int[1])
        return x

    LOG.clear()
    made = warnings_off(program)
    made(np.ones(2))
    assert LOG == [(3, 1.0)]
    compile(made.host_source, "host.py", "exec")


@host_function
def doubled(x: float) -> float:
    return 2 * x


@host_function
def listed(n: int) -> Any:
    return ["a"] * n


def array_in_place(x):
    y = x
    y *= doubled(1.5)
    return y


def list_in_place(x):
    values = [1.0, 2.0]
    same = values
    values *= to_device(len(listed(2)))
    return same


def host_list_in_place(n):
    words = listed(2)
    same = words
    words *= n
    note(len(same), same)
    return n


@pytest.mark.parametrize(
    ("function", "arg"), [(array_in_place, np.ones(3)), (list_in_place, np.ones(3)), (host_list_in_place, 3)]
)
def test_what_is_changed_in_place_is_the_very_object(function: Any, arg: Any) -> None:
    here, there = np.array(arg) if isinstance(arg, np.ndarray) else arg, arg
    LOG.clear()
    expected, seen = repr(function(here)), list(LOG)
    LOG.clear()
    assert repr(warnings_off(function)(there)) == expected
    assert repr(here) == repr(there)
    assert seen == LOG


@host_function
def two() -> int:
    return 2


def indexed_by_the_host(x):
    x[two()] = 7.0
    x[two() - 1 :] += 1.0
    return x, x[two()], x[: two()], x.reshape(two(), -1)[two() - 1, 0], [1, 2, 3][two()]


def test_a_number_of_the_host_is_an_index() -> None:
    assert repr(warnings_off(indexed_by_the_host)(np.arange(4.0))) == repr(indexed_by_the_host(np.arange(4.0)))
