"""Arrays that loops with several ways out write to are written in place, and operations between checks are one loop."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program
from graph_program.backends.c.compiler import STRICT
from tests.benchmarks.native_programs import components, union_find
from tests.native.compilers import compiler_with, needs_compiler
from tests.programs.plain import Cases, check

one = Cases()
"""Programs that copy no array, with arguments."""
both = Cases()
"""Near misses: a copy is needed."""
PAIRS = np.array([[0, 1], [2, 3], [1, 2], [3, 4]])
PASSES = ("kept_arrays", "sink")

one((PAIRS, 5), (PAIRS, 3), (np.zeros((0, 2), int), 4), (PAIRS[:, :1], 5))(union_find)
one((np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1]], bool),), (np.zeros((0, 3), bool),))(components)


@one(*((np.array(x, float), n) for x in ([4, 1, 3], [0.5], [9, 9], []) for n in (1, 2, 5)))
def halved(x: Float64[Tensor, "n"], n: int) -> Float64[Tensor, "n"]:
    y = x.copy()
    i = 0
    while y[i] > 1:
        y[i] = y[i] / 2
        i = (i + 1) % n
    return y


@one(*((np.array(x, float),) for x in ([4, 1, 3], [0.5], [9, 9], [])))
def left_behind_a_write(x: Float64[Tensor, "n"]) -> Float64[Tensor, "n"]:
    y = x.copy()
    i = 0
    while True:
        y[i] = y[i] - 1
        if y[i] < 1:
            break
        y[i - 1] = y[i - 1] * 0.75
        i = (i + 1) % len(y)
    return y


@both(*((np.array(x), 3) for x in ([4, 1, 3], [7, 7, 1], [1, 2])))
def what_a_round_found(x: Int64[Tensor, "n"], n: int) -> Any:
    """What the round that leaves has found is read beside what it has written."""
    y = x.copy()
    before = y
    i = 0
    while y[i] > 1:
        before = y.copy()
        y[i] = y[i] // 2
        i = (i + 1) % n
    return before, y


SCORES = np.array([4.0, 1.0, np.nan, 3.0, 1.0, -2.0])


@both(*((x, k) for x in (SCORES, SCORES[::-1], SCORES[:0]) for k in (3, 1, 9, 0)))
def smallest(x: Float64[Tensor, "n"], k: int) -> Any:
    """A heap, and where its elements are from: arrays that have their size in all rounds of all loops."""
    heap, places, size = np.full(k, -np.inf), np.full(k, -1), 0
    for i in range(len(x)):
        v = x[i]
        if size < k:
            j = size
            size += 1
            heap[j], places[j] = v, i
            while j > 0 and heap[(j - 1) // 2] < heap[j]:
                p = (j - 1) // 2
                heap[j], heap[p] = heap[p], heap[j]
                places[j], places[p] = places[p], places[j]
                j = p
        elif v < heap[0]:
            heap[0], places[0] = v, i
            j = 0
            while True:
                c = 2 * j + 1
                if c >= size:
                    break
                if c + 1 < size and heap[c + 1] > heap[c]:
                    c += 1
                if heap[j] >= heap[c]:
                    break
                heap[j], heap[c] = heap[c], heap[j]
                places[j], places[c] = places[c], places[j]
                j = c
    return heap[:size], places[:size]


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        yield


def copies(function: Callable[..., Any], args: tuple[Any, ...], without: tuple[str, ...] = ()) -> int:
    """How many arrays are copied in the C of a program, but for its results."""
    lines = graph_program(function, without=without).c_source(args).splitlines()
    return sum("memcpy(" in line and "_given" not in line and "x, sizeof" not in line for line in lines)


@pytest.mark.parametrize(("function", "inputs"), one.found, ids=[f.__name__ for f, _ in one.found])
def test_nothing_is_copied(function: Any, inputs: Any) -> None:
    assert copies(function, inputs[0]) == 0
    assert copies(function, inputs[0], PASSES) > 0


@pytest.mark.parametrize(("function", "inputs"), both.found, ids=[f.__name__ for f, _ in both.found])
def test_what_is_read_later_is_copied(function: Any, inputs: Any) -> None:
    assert copies(function, inputs[0]) > 0


@needs_compiler
@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("disabled", [(), PASSES], ids=["with", "without"])
@pytest.mark.parametrize(
    ("function", "inputs"), [*one.found, *both.found], ids=[f.__name__ for f, _ in [*one.found, *both.found]]
)
def test_like_python(function: Any, inputs: Any, disabled: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    from graph_program.extract import transform

    kept = tuple(p for p in transform.FOR_COMPILERS if p.name not in disabled)
    monkeypatch.setattr("graph_program.extract.graph_steps.FOR_COMPILERS", kept)
    check(function, *inputs)


@needs_compiler
def test_compilers_see_nothing_that_is_read_behind_its_end(tmp_path: Path) -> None:
    """What keeps its size is left where it is: asked for as much memory again, it might be elsewhere, and freed."""
    source = tmp_path / "smallest.c"
    graph_program(smallest).export(str(source), (SCORES, 3), verify=False)
    with compiler_with(tmp_path, ("-O3", *STRICT)) as command:
        subprocess.run([command, "-std=c99", "-c", str(source), "-o", str(tmp_path / "smallest.o")], check=True)


def sweep(e: Float64[Tensor, "n m"], h: Float64[Tensor, "k m"]) -> Float64[Tensor, "n m"]:
    e = e.copy()
    e[1:, :] = e[1:, :] - 0.5 * (h[1:, :] - h[:-1, :])
    return e


def test_operations_between_checks_are_one_loop() -> None:
    arguments = np.ones((4, 3)), np.ones((4, 3))
    sizes = [graph_program(sweep, without=w).c_source(arguments).count("gp_take(&memory") for w in ((), ("sink",))]
    assert sizes[0] <= sizes[1]


@needs_compiler
@pytest.mark.usefixtures("native")
def test_operations_between_checks_are_as_in_python() -> None:
    r = np.random.default_rng(0)
    rows = [(r.random((n, 3)), r.random((k, 3))) for n, k in ((4, 4), (4, 2), (2, 4), (1, 1), (1, 3), (0, 2), (5, 3))]
    check(sweep, *rows)
