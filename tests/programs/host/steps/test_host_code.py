"""Host code inside programs: what it does, in which order, and what crosses, as plain Python does it."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float32, Float64

from graph_program import graph_program, host_function, to_device

LOG: list[Any] = []
pytestmark = pytest.mark.usefixtures("host_way")


class Simulator:
    def __init__(self) -> None:
        self.n = 0

    def step(self, action: float) -> tuple[Any, ...]:
        self.n += 1
        LOG.append(("step", action))
        return np.array([action, self.n * 0.5]), 1.0, self.n >= 5, {}


@host_function
def make() -> Simulator:
    return Simulator()


@host_function
def note(*what: Any) -> None:
    LOG.append(tuple(np.array(w).tolist() for w in what))


@host_function
def words(text: str) -> Any:
    return text.split()


@host_function
def reading(k: int) -> float:
    LOG.append(("reading", k))
    return k * 1.5


@host_function
def frames(n: int) -> Iterator[Float32[np.ndarray, "h w"]]:
    for i in range(n):
        LOG.append(("frame", i))
        yield np.full((2, i + 1), i, np.float32)


@host_function
def failing(k: float) -> float:
    raise KeyError("off")


def episode(w):
    env = make()
    obs = np.zeros(2)
    total = 0.0
    while True:
        raw, reward, done, _ = env.step(float(w @ obs + 1.0))
        obs = to_device(raw, Float64[np.ndarray, "2"])
        total += reward
        if done:
            break
    return total, obs


def read_in_a_loop(x):
    s = 0.0
    for k in range(4):
        s = s + reading(k) * x[k]
    return s


def host_iterator(n):
    acc, best = np.float32(0), 0
    for f in frames(n):
        acc = acc + f.sum()
        if f.shape[1] > best:
            best = f.shape[1]
            note("best", best, f.max())
    return acc, best


def host_raises(x):
    y = x.sum()
    if y > 1:
        failing(y)
    note("went on", y)
    return y


def checks_come_first(x, i):
    note("before", i)
    v = x[i]
    note("after", v)
    return v


def host_condition(x):
    env = make()
    if env.n > 100:
        return x + 1
    return x - 1


def objects_merge(x):
    chosen = words("nothing to say") if x[0] > 0 else words("a b")
    note(chosen[0], len(chosen))
    return x


def strings_of_the_host(x):
    n = 0
    for word in words("the quick brown"):
        n += len(word)
        note(word, n)
    return n * x


def random_condition(x):
    if random.random() < 2.0:
        x = x * 2
    return x


def timed(x):
    start = time.perf_counter()
    y = x.sum()
    return y, time.perf_counter() - start >= 0


def carried_object(x):
    last = None
    for v in x:
        if last is not None:
            note("last", last[0])
        last = str(v).split(".")
    return x


def own_object(sim, x):
    obs, *_ = sim.step(x[0])
    return obs


PROGRAMS = [
    (episode, (np.array([0.5, 0.25]),)),
    (read_in_a_loop, (np.arange(4.0),)),
    (host_iterator, (4,)),
    (host_iterator, (0,)),
    (host_raises, (np.ones(3),)),
    (host_raises, (np.full(1, 0.5),)),
    (checks_come_first, (np.arange(3.0), 1)),
    (checks_come_first, (np.arange(3.0), 7)),
    (host_condition, (np.ones(2),)),
    (objects_merge, (np.ones(2),)),
    (objects_merge, (-np.ones(2),)),
    (strings_of_the_host, (np.ones(2),)),
    (random_condition, (np.ones(2),)),
    (timed, (np.ones(2),)),
]


def run(function: Any, args: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """What a call gives or raises, and what the host has seen."""
    LOG.clear()
    try:
        result = repr(function(*args))
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    return result, list(LOG)


@pytest.mark.parametrize(("function", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_as_python(function: Any, args: tuple[Any, ...]) -> None:
    program = graph_program(function)
    assert run(program, args) == run(function, args)
    assert run(program, args) == run(function, args), "the second call"


def test_print_in_a_loop(capsys: pytest.CaptureFixture[str]) -> None:
    @graph_program
    def program(x):
        s = 0.0
        for i in range(3):
            s += x[i]
            print("sum", s, i)
        return s

    assert program(np.ones(3)) == 3
    assert capsys.readouterr().out == "sum 1.0 0\nsum 2.0 1\nsum 3.0 2\n"


def test_host_exceptions_are_unchanged() -> None:
    error = KeyError("mine")

    @host_function
    def fail() -> float:
        raise error

    @graph_program
    def program(x):
        return x + fail()

    with pytest.raises(KeyError) as caught:
        program(np.ones(2))
    assert caught.value is error


def test_what_host_code_changes_of_what_it_is_given() -> None:
    @host_function
    def add_to(items: list[Any]) -> None:
        items.append(1)

    @host_function
    def look_at(items: list[Any]) -> int:
        return len(items)

    @graph_program
    def changing(x):
        items = [x, x * 2]
        add_to(items)
        return len(items)

    @graph_program
    def looking(x):
        return look_at([x, {"a": x}]) + x

    with pytest.raises(RuntimeError, match="has changed a list that it was given"):
        changing(np.ones(2))
    np.testing.assert_allclose(looking(np.ones(2)), [3, 3])
