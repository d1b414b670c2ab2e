"""What crosses between graph and host: which crossings warn, where, and how they are silenced."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import ImplicitCopyWarning, graph_program, host_function, to_device, to_host


@host_function
def show(*what: Any) -> None:
    pass


@host_function
def reading(k: int) -> float:
    return k * 0.5


@host_function
def failing(k: int) -> float:
    raise OSError(k)


@host_function
def state(n: int) -> Float64[np.ndarray, "n"]:
    return np.zeros(n)


def result_only(x):
    y = x * 2
    show(y)
    return y


def one_send(x):
    y = x * 2
    show(y)
    return y + 1


def two_sends(x):
    y = x * 2
    show(y)
    z = y + 1
    show(z)
    return z * 2


def send_in_a_branch(x):
    if x.sum() > 0:
        show(x.max())
    return x * 2


def send_in_a_loop(x):
    s = 0.0
    for i in range(3):
        s = s + x[i]
        show(i, s)
    return s


def both_sides_count(x, n: int):
    for i in range(n):
        show(i, n, i * n, x.shape[0])
    return x + 1


def receive_a_scalar(x):
    return x * reading(3)


def receive_a_tensor(x):
    return x + state(3)


def receives_in_a_loop(x):
    for k in range(3):
        x = x + reading(k)
    return x


def host_predicate(x):
    k = 0
    while reading(k) < 2.0:
        x = x * 2
        k += 1
    return x


def numbers_stay_on_the_host(x):
    start = time.perf_counter()
    y = x * 2
    elapsed = time.perf_counter() - start
    show(elapsed < 1e9)
    return y


def loop_without_a_result(x):
    for i in range(len(x)):
        show(x[i])


def loop_of_the_host_alone(x):
    for i in range(3):
        show(i)


def shared_continuation(x):
    try:
        y = x * reading(1)
    except OSError:
        y = x - 1
    show(y)
    return y + 1


def continuation_after_a_failure(x):
    try:
        s = failing(1)
    except OSError:
        s = 2.0
    y = x * s
    show(y)
    return y + 1


def asked_for(x):
    y = x * 2
    show(to_host(y))
    z = to_device(state(3), Float64[np.ndarray, "n"])
    return y + z


CROSSINGS: list[tuple[Any, tuple[Any, ...], list[tuple[str, int]]]] = [
    (result_only, (np.ones(3),), []),
    (one_send, (np.ones(3),), [("host", 2)]),
    (two_sends, (np.ones(3),), [("host", 2), ("host", 4)]),
    (send_in_a_branch, (np.ones(3),), [("host", 2)]),
    (send_in_a_loop, (np.ones(3),), [("host", 4)]),
    (both_sides_count, (np.ones(3), 2), []),
    (receive_a_scalar, (np.ones(3),), [("graph", 1)]),
    (receive_a_tensor, (np.ones(3),), [("graph", 1)]),
    (receives_in_a_loop, (np.ones(3),), [("graph", 2)]),
    (host_predicate, (np.ones(3),), []),
    (numbers_stay_on_the_host, (np.ones(3),), []),
    (loop_without_a_result, (np.ones(3),), [("host", 2)]),
    (loop_of_the_host_alone, (np.ones(3),), []),
    (shared_continuation, (np.ones(3),), [("graph", 2), ("host", 5)]),
    (continuation_after_a_failure, (np.ones(3),), [("graph", 5), ("host", 6)]),
    (asked_for, (np.ones(3),), []),
]


@pytest.mark.parametrize(("function", "args", "expected"), CROSSINGS, ids=lambda v: getattr(v, "__name__", ""))
def test_warnings(function: Any, args: tuple[Any, ...], expected: list[tuple[str, int]], host_way: str) -> None:
    program = graph_program(function)
    first = function.__code__.co_firstlineno
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = program(*args)
        program(*args)
    assert repr(found) == repr(function(*args))
    copies = [w for w in caught if issubclass(w.category, ImplicitCopyWarning)]
    assert [("host" if "to the host" in str(w.message) else "graph", w.lineno - first) for w in copies] == expected
    assert all(w.filename == __file__ for w in copies)
