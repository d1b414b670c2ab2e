"""Numbers of the host whose type is known: in lists, in builtins, beside numbers of the graph, on some paths only."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, host_function, to_host
from tests.programs.plain import differs, outcome

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
LOG: list[Any] = []


@host_function
def note(*what: Any) -> None:
    LOG.append(what)


@host_function
def reading(k: int) -> float:
    LOG.append(("reading", k))
    return k * 1.5


@host_function
def level(k: int) -> Any:
    LOG.append(("level", k))
    return k - 0.5


@host_function
def decided(k: int) -> bool:
    return k % 2 == 0


def mean_of_readings(x, n):
    values = [reading(k) for k in range(n)]
    return np.array(values).mean() + x


def grown_readings(x, n):
    values = []
    for k in range(n):
        values.append(reading(k))
        note(values[-1], len(values))
    values.append(float(x[0]))
    note(sum(values))
    return sum(values) + x, max(values), sorted(values)


def after_a_known_one(x, n):
    first: float = level(n)
    values = [first]
    for k in range(n):
        values.append(reading(k))
    return np.array(values) * x[0]


def spread(x, n):
    numbers = list(range(n))
    return len((reading(2), *numbers)), (reading(2), *[0.5 * k for k in range(n)]), x


def builtins(x, n):
    low = min(reading(c) for c in range(1, 4))
    high = max(reading(1), reading(2))
    shown = sum([reading(2), reading(3)]) + abs(reading(4)) + round(reading(2), 2)
    return x * low + high, shown, x[round(reading(1)) % 2]


def in_a_mask(x, n):
    return x[np.array([True, False, True]) | decided(n)]


def beside_a_computed_class(x, n):
    value: float = level(n)
    for k in range(n):
        if x[k] > 0:
            value = sum(v for v in [1] * k)
    return x - value


def on_some_paths(x, n):
    note(level(n) if n > 3 else None)
    found = None
    if x[0] > 0:
        found = level(n)
    note(found)
    return x


def beside_an_array(x, n):
    value: float = level(n)
    if x[0] > 0:
        return value, x * 2
    return x * 2, value


PROGRAMS = [
    mean_of_readings,
    grown_readings,
    after_a_known_one,
    spread,
    builtins,
    in_a_mask,
    beside_a_computed_class,
    on_some_paths,
    beside_an_array,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any) -> None:
    program = graph_program(function)
    for args in ((np.ones(3), 2), (-np.ones(3), 3)):
        LOG.clear()
        expected, log = outcome(function, args), list(LOG)
        LOG.clear()
        assert not differs(expected, outcome(program, args))
        assert not differs(log, LOG)


def bytes_of_arrays(x: Any) -> Any:
    y = x * 2
    digest = hashlib.md5(y.tobytes(), usedforsecurity=False).hexdigest()
    checksum: int = zlib.crc32(to_host(y + 1).tobytes()) % 7
    return digest, len(y.tobytes()), y[0].tobytes(), x + checksum


def test_bytes_of_arrays(host_way: str) -> None:
    for x in (np.arange(3.0), np.arange(4, dtype=np.uint8)):
        want, found = bytes_of_arrays(x), graph_program(copies="ignore")(bytes_of_arrays)(x)
        assert repr(want) == repr(found)


def drawn_by_functions_of_the_module(x: Any) -> Any:
    np.random.seed(1)
    return x[np.random.randint(0, 3, size=5)], np.random.normal(size=4) * x, x[np.random.permutation(4)]


def test_functions_of_the_module_of_random_numbers(host_way: str) -> None:
    x = np.arange(4.0)
    want = drawn_by_functions_of_the_module(x)
    assert repr(want) == repr(graph_program(copies="ignore")(drawn_by_functions_of_the_module)(x))
