"""Generators, context managers and objects on the host that go on with what they were given of the program's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program, host_function
from tests.programs.plain import check

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]


@dataclass
class Stats:
    read: int


class Bag:
    def __init__(self) -> None:
        self.n = 0

    def __iter__(self) -> Iterator[int]:
        yield from self.items()

    def items(self) -> Iterator[int]:
        for k in range(3):
            self.n += 1
            yield k


class Recorder:
    def __init__(self, items: Any) -> None:
        self.items = items

    def add(self, value: Any) -> None:
        self.items.append(value)


@host_function
def recorder(items: Any) -> Any:
    return Recorder(items)


@host_function
def count(*args: Any, stats: Any = None) -> None:
    (stats if stats is not None else args[0][0])["read"] += 1


def numbers(n: int, stats: Any) -> Iterator[float]:
    for k in range(n):
        stats["read"] += 1
        yield float(k)


def reading(stats: Any) -> Iterator[float]:
    for _ in range(3):
        yield float(stats["read"])


def walk(todo: Any) -> Iterator[int]:
    while todo:
        yield todo.pop()


def counted(stats: Stats) -> Iterator[int]:
    for k in range(3):
        stats.read += 1
        yield k


@contextlib.contextmanager
def collecting(errors: Any) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        errors.append(str(error))


@contextlib.contextmanager
def timer(name: str, out: Any) -> Iterator[None]:
    yield
    out[name] = 1.0


def dict_of_a_generator(n):
    stats, total = {"read": 0}, 0.0
    for v in numbers(n, stats):
        total += v
    return total, stats["read"]


def dict_of_a_list(n):
    stats = {"read": 0}
    found = list(numbers(n, stats))
    return found, stats["read"]


def list_of_a_manager(n):
    errors = []
    for k in range(n):
        with collecting(errors):
            if k > 1:
                raise ValueError("too big")
    return errors


def dict_of_a_manager(n):
    out = {}
    with timer("a", out):
        y = n * 2
    return y, out


def keyword_of_a_manager(n):
    out = {}
    with timer("a", out=out):
        y = n * 2
    return y, out


def list_of_an_object(n):
    items = []
    r = recorder(items)
    for k in range(n):
        r.add(k)
    return len(items)


def object_of_a_generator(n):
    stats, total = Stats(0), 0
    for k in counted(stats):
        total += k * n
    return total, stats.read


def object_with_an_iterator(n):
    bag, total = Bag(), 0
    for k in bag:
        total += k * n
    return total, bag.n


def object_with_a_generator(n):
    bag, total = Bag(), 0
    for k in bag.items():
        total += k * n
    return total, bag.n


def given_by_keyword(n):
    stats = {"read": n}
    count(stats=stats)
    return stats["read"]


def given_in_a_tuple(n):
    stats = {"read": n}
    count((stats, n))
    return stats["read"]


CHANGED_BY_THE_HOST = [
    dict_of_a_generator,
    dict_of_a_list,
    list_of_an_object,
    object_of_a_generator,
    object_with_an_iterator,
    object_with_a_generator,
    given_by_keyword,
    given_in_a_tuple,
]


@pytest.mark.parametrize("function", CHANGED_BY_THE_HOST, ids=lambda f: f.__name__)
def test_what_the_host_changes_later_is_an_error(function: Callable[..., Any]) -> None:
    with pytest.raises(RuntimeError, match=r"has changed a \w+ that it was given"):
        graph_program(function)(3)


@pytest.mark.parametrize("make", [lambda: {"read": 0}, lambda: Stats(0)])
def test_so_it_is_for_parameters(make: Callable[[], Any]) -> None:
    source = numbers if isinstance(make(), dict) else lambda n, stats: counted(stats)

    def program(n, stats):
        for v in source(n, stats):
            n = n + int(v)
        return n

    with pytest.raises(RuntimeError, match="has changed a"):
        graph_program(program)(3, make())


def list_written_beside_a_generator(n: int):
    todo, out = [n], []
    for k in walk(todo):
        out.append(k)
        if k > 0:
            todo.append(k - 1)
    return out


def dict_written_beside_a_generator(n: int):
    stats, total = {"read": n}, 0.0
    for v in reading(stats):
        stats["read"] += 1
        total += v
    return total


def dict_written_in_a_manager(n: int):
    out = {"a": n}
    with timer("b", out):
        out["a"] = 2
    return n


@pytest.mark.parametrize("function", [list_written_beside_a_generator, dict_written_beside_a_generator])
def test_what_the_program_writes_meanwhile_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(GraphProgramError, match="GP585"):
        graph_program(function)(3)


@pytest.mark.parametrize(
    "function",
    [list_of_a_manager, dict_of_a_manager, keyword_of_a_manager, dict_written_in_a_manager],
    ids=lambda f: f.__name__,
)
def test_what_a_manager_changes_that_can_be_inlined_is_changed(function: Callable[..., Any]) -> None:
    assert repr(graph_program(function)(3)) == repr(function(3))


def test_what_only_the_host_has_may_change() -> None:
    def its_own(n):
        r = recorder([])
        for k in range(n):
            r.add(k)
        return n

    def a_copy(n):
        todo, total = [n], 0
        for k in walk(list(todo)):
            todo.append(k)
            total += k
        return total, todo

    def read_only(n):
        stats, total = {"read": n}, 0.0
        for v in reading(stats):
            total += v
        stats["read"] = 0
        for v in reading(stats):
            total += v
        return total, stats

    for function in (its_own, a_copy, read_only):
        check(function, (3,))


def test_what_the_host_has_let_go_of_is_not_looked_at() -> None:
    from graph_program.backends.host.watching import is_held, lend

    class Table:
        lent: list[Any] = []  # noqa: RUF012

    def lent(value: Any) -> Any:
        Table.lent.clear()
        lend(Table, value, (Stats,), "f(...)")
        return Table.lent[0][0]

    kept = {"a": [1, 2], "s": Stats(1)}
    inner = kept["a"]
    entries = lent(kept)
    assert is_held(entries)
    del kept
    assert is_held(entries)
    del inner
    assert not is_held(entries)
    entries = lent([[1], [2, [3]], np.ones(2)])
    assert not is_held(entries)
