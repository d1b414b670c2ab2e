"""Programs with host code called from several threads and from each other, and what ends a call early."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, graph_program, host_function
from tests.programs.plain import differs

pytestmark = pytest.mark.usefixtures("host_way")
log: list[Any] = []


@host_function
def reading(k: int) -> float:
    return 0.5 * k


@host_function
def thread() -> int:
    return threading.get_ident()


@graph_program(copies="ignore")
def collect(x: Float64[np.ndarray, "2"], n: int) -> Any:
    for k in range(n):
        x = x + reading(k)
    return x, thread()


@host_function
def inner(n: int) -> float:
    return float(collect(np.zeros(2), n)[0].sum())


@graph_program(copies="ignore")
def outer(x: Float64[np.ndarray, "2"], n: int) -> Any:
    for k in range(n):
        x = x * 2 + inner(k)
    return x


@host_function
def fewer(n: int) -> float:
    return float(downwards(n - 1)) if n else 0.0


@graph_program(copies="ignore")
def downwards(n: int) -> Any:
    return fewer(n) + n


def test_several_threads_at_once() -> None:
    def one(n: int) -> None:
        for _ in range(10):
            found, where = collect(np.zeros(2), n)
            assert found[0] == n * (n - 1) / 4
            assert where == threading.get_ident()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(2, 10)))


def test_programs_that_host_code_calls() -> None:
    assert not differs(outer(np.ones(2), 4), outer.python(np.ones(2), 4))
    assert downwards(6) == 21.0


def test_threads_of_host_code() -> None:
    @host_function
    def many(n: int) -> float:
        with ThreadPoolExecutor(2) as pool:
            return float(sum(found[0].sum() for found, *_ in pool.map(lambda k: (collect(np.zeros(2), k),), range(n))))

    @graph_program(copies="ignore")
    def total(x: Any, n: int) -> Any:
        return x + many(n)

    assert total(np.zeros(1), 4) == sum(k * (k - 1) / 2 for k in range(4))


def generated(n: int) -> Iterator[float]:
    try:
        for k in range(n):
            yield k * 1.0
    finally:
        log.append("closed")


@host_function
def numbers(n: int) -> Iterator[float]:
    return generated(n)


@host_function
def note(what: str) -> None:
    log.append(what)


def left_by_break(x: Any) -> Any:
    for value in numbers(5):
        x = x + value
        if value > 1:
            break
    note("after")
    return x


def left_by_return(x: Any) -> Any:
    for value in numbers(5):
        x = x + value
        if value > 1:
            return x
        note("round")
    return x


def left_by_raise(x: Any) -> Any:
    for value in numbers(5):
        x = x + value
        if x.sum() > 1:
            raise ValueError("enough")
    return x


@pytest.mark.parametrize("function", [left_by_break, left_by_return, left_by_raise], ids=lambda f: f.__name__)
def test_generators_that_are_left(function: Any) -> None:
    found = []
    for called in (function, graph_program(function, copies="ignore")):
        log.clear()
        try:
            called(np.zeros(1))
        except ValueError as error:
            assert str(error) == "enough"
        found.append(list(log))
    assert found[0] == found[1]


def test_pickled() -> None:
    again = pickle.loads(pickle.dumps(collect))
    assert again(np.zeros(2), 3)[0][0] == 1.5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_in_a_forked_process() -> None:
    collect(np.zeros(2), 3)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found, _ = pool.apply_async(collect, (np.zeros(2), 3)).get(timeout=60)
    assert found[0] == 1.5
