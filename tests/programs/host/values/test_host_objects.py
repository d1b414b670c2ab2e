"""Ordinary objects as parameters, own functions that are host code, contexts, iterables and lists of the host."""

from __future__ import annotations

import collections
import contextlib
import functools
import io
import threading
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
LOG: list[Any] = []
CACHE: dict[str, int] = {}
LOCK = threading.Lock()
COUNT = 0


class Simulator:
    def __init__(self) -> None:
        self.n = 0
        self.names = ["a", "b"]
        self.lock = LOCK  # what no graph has: it stays on the host

    def step(self, a: float) -> float:
        self.n += 1
        return float(a) * self.n

    def raw(self, x: Any) -> Any:
        return x.tolist()

    @property
    def rounds(self) -> int:
        return self.n


def parameter(sim, x):
    t = 0.0
    for _ in range(3):
        t = t + sim.step(x.sum())
    for name in sim.names:
        print(name)
    if sim.rounds > 2:
        print("many", sim.n)
    sim.extra = 5
    return t, sim.raw(x), sim.extra


def in_a_tuple(sim, x):
    one, k = (sim, 2)
    return one.step(x[0]) * k


def bump():
    global COUNT
    COUNT += 1
    LOG.append(("bump", COUNT))
    return COUNT


def remember(key, value):
    CACHE[key] = value
    LOG.append(("cache", key))


def numbers(n):
    for i in range(n):
        LOG.append(("yield", i))
        yield i * 2.0


def words():
    yield "a"
    yield "bb"


@functools.lru_cache
def cached(k: int) -> float:
    LOG.append(("cached", k))
    return k * 2.0


@contextlib.contextmanager
def timer(name):
    LOG.append(("enter", name))
    try:
        yield 5
    except KeyError as error:
        LOG.append(("swallowed", str(error)))
    finally:
        LOG.append(("exit", name))


class Resource:
    def __enter__(self):
        LOG.append("in")
        return self

    def __exit__(self, *what):
        LOG.append(("out", [str(w) for w in what[:2]]))


def writers(sim, x):
    bump()
    remember("k", 3)
    return x


def own_generator(sim, x):
    for v in numbers(3):
        print(str(v))
    g = numbers(4)
    print(next(g), next(g))
    return x


def with_a_cache(sim, x):
    return x * cached(3) + cached(3)


def a_timer(sim, x):
    with timer("t") as k:
        y = x.sum()
        print(k)
    return y


def raises_inside(sim, x):
    with timer("t"), LOCK:
        print("in")
        if x[0] > 0:
            raise KeyError("mine")
    return 7


def index_error_inside(sim, x):
    with Resource():
        return x[5]


def an_object_of_a_package(sim, x):
    file = io.StringIO()
    file.write("abc")
    print(file.getvalue(), file=file)
    found = collections.Counter()
    found["a"] += 1
    return file.getvalue(), dict(found)


def comprehensions(sim, x):
    zipped = list(zip(words(), range(2), strict=True))
    return (
        sum(len(w) for w in words()),
        zipped,
        [w for i, w in enumerate(words()) if i],
        any(w == "bb" for w in words()),
    )


def loops(sim, x):
    for i, w in enumerate(words()):
        print(i, w)
    for v, w in zip(x, words(), strict=False):
        print(v, w)
    for i in range(len(list(words()))):
        print(i)
    return x


def growing(sim, x):
    names = []
    for v in x:
        if v > 0:
            names.append(str(sim.step(v)))
    print(names, len(names))
    for name in names:
        print(name)
    return names


def a_range(sim, x):
    print(list(map(str, range(len(sim.names)))), slice(0, sim.n))
    return x


PROGRAMS = [
    parameter,
    in_a_tuple,
    writers,
    own_generator,
    with_a_cache,
    a_timer,
    raises_inside,
    index_error_inside,
    an_object_of_a_package,
    comprehensions,
    loops,
    growing,
    a_range,
]


def run(function: Any, x: Any) -> Any:
    """All that can be seen of a call."""
    global COUNT
    COUNT = 0
    LOG.clear()
    CACHE.clear()
    cached.cache_clear()
    shown, sim = io.StringIO(), Simulator()
    try:
        with contextlib.redirect_stdout(shown):
            result: Any = repr(function(sim, x))
    except Exception as error:
        result = type(error), str(error)
    return result, list(LOG), shown.getvalue(), dict(CACHE), COUNT, vars(sim)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any) -> None:
    program = graph_program(function)
    for x in (np.ones(3), -np.ones(3)):
        assert run(program, x) == run(function, x)


def test_identity_of_parameters() -> None:
    @graph_program
    def program(a, b):
        return a, a is b

    one, other = Simulator(), Simulator()
    assert program(one, one) == (one, True)
    assert program(one, other) == (one, False)


def test_one_program_for_a_class() -> None:
    @graph_program
    def program(sim, x):
        return x * sim.step(x[0])

    assert program(Simulator(), np.ones(2)).tolist() == [1, 1]
    sim = Simulator()
    sim.n = 3
    assert program(sim, np.ones(2)).tolist() == [4, 4]


def test_lines_of_a_file(tmp_path: Any) -> None:
    @graph_program
    def program(path, x):
        with open(path, "w") as file:
            for i in range(3):
                file.write(f"{i} {x[i]}\n")
        with open(path) as file:
            return [line.strip() for line in file]

    assert program(str(tmp_path / "lines.txt"), np.ones(3)) == ["0 1.0", "1 1.0", "2 1.0"]


@pytest.mark.parametrize("items", [iter(["a", "bcd"]), io.StringIO("a\nbcd\n"), ("a", "bcd"), {"a": 1, "bcd": 2}])
def test_iterables(items: Any) -> None:
    @graph_program
    def program(items, x):
        n = 0
        for item in items:
            n += len(item)
        return n * x

    assert program(items, np.ones(2)).tolist() in ([4, 4], [6, 6])


def test_callbacks_that_change_what_the_program_has_are_refused() -> None:
    @graph_program
    def program(sim, x):
        shown = []

        def show(v):
            shown.append(v + x)

        return sim.raw(show)

    with pytest.raises(GraphProgramError, match="GP529"):
        program(Simulator(), np.ones(2))
