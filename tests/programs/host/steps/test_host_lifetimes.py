"""Objects on the host go when the program cannot reach them any more, and not before."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from graph_program import graph_program, host_function
from graph_program.backends.host.object_table import ObjectTable

pytestmark = [
    pytest.mark.usefixtures("host_way", "only_new_garbage"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]


class Thing:
    """An object that is counted while it lives."""

    alive: ClassVar[weakref.WeakSet[Any]] = weakref.WeakSet()
    most = 0

    def __init__(self, value: int):
        self.value = value
        Thing.alive.add(self)
        Thing.most = max(Thing.most, len(Thing.alive))


@host_function
def make(k: int) -> Any:
    return Thing(k)


@host_function
def value(thing: Any) -> int:
    return thing.value if thing is not None else -1


@host_function
def following(thing: Any) -> Any:
    return Thing(thing.value + 1)


@host_function
def better(a: Any, b: Any) -> bool:
    return a.value % 7 > b.value % 7


@host_function
def things(n: int) -> Iterator[Any]:
    return map(Thing, range(n))


def unread(n: int) -> int:
    for k in range(n):
        make(k)
    return n


def of_one_round(n: int) -> int:
    total = 0
    for k in range(n):
        total += value(make(k))
    return total


def carried(n: int) -> int:
    thing = make(0)
    for _ in range(n):
        thing = following(thing)
    return value(thing)


def best_so_far(n: int) -> int:
    best = make(0)
    for k in range(n):
        thing = make(k)
        if better(thing, best):
            best = thing
    return value(best)


def last_of_each_kind(n: int) -> tuple[int, int, int]:
    even, odd, first = make(0), make(1), make(2)
    for k in range(n):
        if k % 2 == 0:
            even = make(k)
        else:
            odd, even = even, odd
    return value(even), value(odd), value(first)


def window(n: int) -> int:
    a, b, c = make(1), make(2), make(3)
    total = 0
    for _ in range(n):
        a, b, c = b, c, following(a)
        total += value(a) * value(c)
    return total


def driven_by_the_host(n: int) -> int:
    total, last = 0, make(5)
    for thing in things(n):
        total += value(thing) + value(last)
        last = thing
    return total + value(last)


def in_a_branch(n: int) -> int:
    thing, total = make(1), 0
    for k in range(n):
        other = make(k)
        if k % 3 == 0:
            thing = other
            continue
        if k == n - 2:
            break
        total += value(thing)
    return total + value(thing)


def caught(n: int) -> int:
    total = 0
    for k in range(n):
        try:
            total += value(make(k).nothing if k % 3 == 0 else make(k))
        except AttributeError as found:
            total += len(str(found))
    return total


def nested(n: int) -> int:
    outer, total = make(0), 0
    for k in range(n // 5):
        inner = make(k)
        for _ in range(5):
            inner = following(inner)
            if better(inner, outer):
                outer = inner
        total += value(inner)
    return total + value(outer)


PROGRAMS = [
    unread,
    of_one_round,
    carried,
    best_so_far,
    last_of_each_kind,
    window,
    driven_by_the_host,
    in_a_branch,
    caught,
    nested,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_few_are_alive(function: Callable[[int], Any]) -> None:
    program = graph_program(function)
    for n in (0, 1, 2, 60):
        gc.collect()
        Thing.most = 0
        expected = function(n)
        gc.collect()
        in_python, Thing.most = Thing.most, 0
        assert program(n) == expected
        assert Thing.most <= in_python + 3  # not one a round
        gc.collect()
        assert not Thing.alive


def test_an_object_lives_as_long_as_a_list_of_the_program_has_it() -> None:
    @graph_program
    def collect(n: int) -> list[Any]:
        found = []
        for k in range(n):
            thing = make(k)
            if k % 2 == 0:
                found.append(thing)
        return found

    assert [thing.value for thing in collect(7)] == [0, 2, 4, 6]
    gc.collect()
    assert not Thing.alive


def test_results_outlive_the_call() -> None:
    @graph_program
    def pair(n: int) -> tuple[Any, Any]:
        first = thing = make(0)
        for _ in range(n):
            thing = following(thing)
        return first, thing

    a, b = pair(4)
    assert (a.value, b.value) == (0, 4)


def test_what_is_gone_is_noticed() -> None:
    table = ObjectTable(["given"])
    table.put(["a", "b", "c"], 0, [0, 0, -1], [], [])
    assert table == {0: None, -1: "given", 1: "a", 2: "b"}
    table.put(["d"], 3, [1], [0], [2])
    assert table == {0: None, -1: "given", 2: "b", 4: "d"}
    with pytest.raises(RuntimeError, match="object 1 is asked for when it is gone"):
        table[1]


def test_objects_as_large_as_frames(host_way: str) -> None:
    living: list[weakref.ref[Any]] = []

    @host_function
    def frame(k: int) -> Any:
        made = np.full(1000, k)
        living.append(weakref.ref(made))
        return made

    @host_function
    def total(frame: Any) -> int:
        return int(frame.sum()) + 1_000_000 * sum(r() is not None for r in living)

    @graph_program
    def all_of_them(n: int) -> int:
        most = 0
        for k in range(n):
            most = max(most, total(frame(k)))
        return most

    assert all_of_them(20) < 3_000_000


@host_function
def closing(n: int) -> Iterator[float]:
    try:
        for k in range(n):
            yield float(k)
    finally:
        print("closed", n)


def left_by_break(x: Any) -> Any:
    for v in closing(4):
        x = x + v
        if x[0] > 1:
            print("found")
            break
    print("after")
    return x


def left_by_return(x: Any) -> Any:
    for v in closing(4):
        x = x + v
        if x[0] > 1:
            print("found")
            return x
    else:
        print("all")
    print("after")
    return x


def left_in_the_first_round(x: Any) -> Any:
    for v in closing(3):
        print("first", v)
        x = x + v
        break
    print("after")
    for w in closing(5):
        return x + w
    return x


def left_inside_another(x: Any) -> Any:
    for v in closing(3):
        for w in closing(2):
            print("in", v, w)
            if w > v:
                break
            x = x + w
        print("out", v)
    return x


def left_by_an_exception(x: Any) -> Any:
    try:
        for v in closing(3):
            print(v)
            if v > 0:
                raise ValueError(v)
    except ValueError:
        print("caught")
    print("after")
    return x


LEFT = [left_by_break, left_by_return, left_in_the_first_round, left_inside_another, left_by_an_exception]


@pytest.mark.parametrize("function", LEFT)
def test_a_generator_is_closed_when_its_loop_is_left(
    function: Any, host_way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for start in (0.0, -9.0):
        found = []
        for run in (function, graph_program(copies="ignore")(function)):
            found.append((repr(run(np.full(2, start))), capsys.readouterr().out))
        assert found[0] == found[1]
