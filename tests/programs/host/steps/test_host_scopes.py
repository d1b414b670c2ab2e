"""Objects on the host live as long as their names in Python: guards, temporary files and directories, locks."""

# ruff: noqa: F841, SIM115 (names that nothing reads, and what they keep open)

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, graph_program, host_function
from tests.programs.host.test_host_export import export, module_at
from tests.programs.plain import differs, outcome

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
LOG: list[Any] = []


class Guard:
    def __init__(self, n: int):
        self.n = n
        LOG.append(("open", n))

    def __del__(self) -> None:
        LOG.append(("close", self.n))

    def value(self) -> float:
        return 0.5 * self.n


@host_function
def guard(n: int) -> Any:
    return Guard(n)


@host_function
def log(*what: Any) -> None:
    LOG.append(what)


def stream() -> Iterator[float]:
    try:
        yield 1.5
        yield 2.5
    finally:
        LOG.append("stop")


def until_the_end(x, n):
    g = guard(1)
    log("critical")
    y = x * 2
    log("end")
    return y


def bound_in_each_round(x, n):
    for k in range(n):
        g = guard(k)
        v: float = g.value()
        x = x + v
        log("round", k)
    log("after")
    return x


def bound_in_a_branch(x, n):
    g = guard(0)
    for k in range(n):
        log("k", k)
        if k == 1:
            g = guard(10)
    if n > 1:
        other = guard(20)
        log("in")
    log("out")
    return x


def held(k):
    g = guard(k)
    log("in", k)
    v: float = g.value()
    return v


def in_a_function(x, n):
    for k in range(n):
        x = x + held(k)
        log("back", k)
    return x


def without_a_name(x, n):
    v: float = guard(7).value()
    log("after")
    first: float = next(stream())
    log("after")
    both = list(islice(stream(), 2))
    log("after", len(both))
    return x + v + first


def bound_to_something_else(x, n):
    g = guard(1)
    log("a")
    del g
    log("b")
    g = guard(2)
    log("c")
    g = None
    log("d")
    p, q = guard(3), guard(4)
    log("e")
    p = q
    log("f")
    return x


def in_a_try(x, n):
    try:
        g = guard(1)
        log("a")
        if n == 2:
            raise ValueError("x")
    except ValueError:
        log("caught")
    log("b")
    return x


def endless(x, n):
    while True:
        g = guard(n)
        n -= 1
        log("n", n)
        if n < 0:
            break
    return x


def seen_from_elsewhere(x, n):
    g = guard(3)
    reference = weakref.ref(g)
    log("a")
    return reference() is not None


def temporary_files(x, n):
    directory = tempfile.TemporaryDirectory()
    path = directory.name
    file = tempfile.NamedTemporaryFile("w")
    name = file.name
    y = x.sum()
    log(os.path.isdir(path), os.path.exists(name))
    return y


PROGRAMS = [
    until_the_end,
    bound_in_each_round,
    bound_in_a_branch,
    in_a_function,
    without_a_name,
    bound_to_something_else,
    in_a_try,
    endless,
    seen_from_elsewhere,
    temporary_files,
]


def logged(function: Any, n: int) -> tuple[Any, list[Any]]:
    LOG.clear()
    return outcome(function, (np.ones(2), n)), list(LOG)


@pytest.mark.usefixtures("host_way")
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any) -> None:
    program = graph_program(function)
    for n in (0, 2, 3):
        assert not differs(logged(function, n), logged(program, n))


@pytest.mark.parametrize("host", ["operators", "segments"])
@pytest.mark.parametrize("function", [bound_in_each_round, in_a_function, bound_to_something_else])
def test_exported(function: Any, host: str, tmp_path: Path) -> None:
    function.__annotations__ = {"x": Float64[np.ndarray, "n"], "n": int}
    load = module_at(export(graph_program(function), tmp_path, host, (np.ones(2), 3))).load()
    for n in (0, 3):
        assert not differs(logged(function, n), logged(load, n))


def test_host_source_has_what_the_user_deletes_and_no_more() -> None:
    @graph_program
    def program(x: float):
        kept = guard(1)
        other = guard(2)
        del other.n
        v: float = kept.value()
        return x + v

    text = program.host_source
    assert "del other.n" in text
    assert text.count("del ") == 2  # and in the comment
    assert "objects.table" not in text
