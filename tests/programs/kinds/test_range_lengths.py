"""Ranges of any int64 bounds and steps: rounds, lengths and numbers, in onnxruntime, as machine code and in NumPy."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.fuzz.check import by_numpy, other_program
from tests.native.compilers import compiler_with, needs_compiler
from tests.programs.plain import check, differs, outcome

LEAST, MOST = -(2**63), 2**63 - 1
BOUNDS = (LEAST, LEAST + 1, -(2**62), -3, -1, 0, 1, 2, 5, 2**62, MOST - 1, MOST)
STEPS = (LEAST, LEAST + 1, -(2**62), -3, -2, -1, 1, 2, 3, 2**62, MOST - 1, MOST)
EDGES = [(LEAST, MOST, 2), (MOST, LEAST, -2), (LEAST, MOST, LEAST), (MOST, LEAST, LEAST), (0, 2, MOST), (1, LEAST, -1)]
TRIPLES = EDGES + random.Random(0).sample([*itertools.product(BOUNDS, BOUNDS, STEPS)], 250)
X = np.arange(7.0)


def rounds(numbers: Any) -> Any:
    found, k = 0, 0
    for number in numbers:
        found = number
        k += 1
        if k == 3:
            break
    else:
        return found, k, True
    return found, k, False


def numbered(numbers: Any) -> Any:
    found = 0
    for k, (number, other) in enumerate(zip(numbers, range(4), strict=False)):
        found = number + other if number < 0 else number - other
        if k == 2:
            break
    return found


def backwards(numbers: Any) -> Any:
    return rounds(reversed(numbers))


def ends(numbers: Any) -> Any:
    try:
        return numbers[0], numbers[1], numbers[-1]
    except IndexError:
        return bool(numbers)


def least_and_most(numbers: Any) -> Any:
    return min(numbers, default=7), max(numbers, default=7)


def contains(numbers: Any) -> Any:
    return -1 in numbers, 2**62 in numbers


FORMS = (rounds, numbered, backwards, ends, len)


def all_computed(form: Callable[[Any], Any]) -> Any:
    return lambda start, stop, step: form(range(start, stop, step))


def by_known_step(form: Callable[[Any], Any], step: int) -> Any:
    return lambda start, stop: form(range(start, stop, step))


def known_start(start: int, step: int) -> Any:
    return lambda stop: (rounds(range(start, stop, step)), rounds(reversed(range(start, stop, step))))


def known_stop(stop: int, step: int) -> Any:
    return lambda start: (rounds(range(start, stop, step)), rounds(reversed(range(start, stop, step))))


def compared(function: Any, program: Any, inputs: list[tuple[Any, ...]]) -> None:
    for args in inputs:
        expected, found = outcome(function, args), outcome(program, args)
        assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} as a graph"


@pytest.mark.parametrize("form", FORMS)
def test_all_computed(form: Callable[[Any], Any]) -> None:
    function = all_computed(form)
    program = check(function, *TRIPLES)
    compared(function, other_program(program, by_numpy), TRIPLES)


@pytest.mark.parametrize("form", [*FORMS, contains])
@pytest.mark.parametrize("step", STEPS)
def test_known_step(form: Callable[[Any], Any], step: int) -> None:
    function, pairs = by_known_step(form, step), [*itertools.product(BOUNDS, BOUNDS)]
    program = check(function, *random.Random(step).sample(pairs, 50))
    compared(function, other_program(program, by_numpy), pairs[::7])


@pytest.mark.parametrize("step", [LEAST, -3, -1, 1, 2, MOST])
@pytest.mark.parametrize("bound", [LEAST, -2, 0, 3, MOST])
def test_known_bounds(bound: int, step: int) -> None:
    for function in (known_start(bound, step), known_stop(bound, step)):
        check(function, *((other,) for other in BOUNDS))


def sliced(start: int, stop: int, step: int) -> Any:
    return X[start:stop:step]


@pytest.mark.parametrize("step", [*STEPS, None])
def test_slices(step: int | None) -> None:
    if step is None:
        check(sliced, *TRIPLES)
        return
    check(lambda start, stop: X[start:stop:step], *itertools.product(BOUNDS, BOUNDS))
    check(lambda start: (X[start::step], X[:start:step]), *((start,) for start in BOUNDS))


@pytest.mark.parametrize("stop", [2**31 - 1, 2**31, MOST])
def test_stops_that_onnx_takes_for_none(stop: int) -> None:
    check(lambda stop: (X[::-1], X[5:stop:-1], X[10:stop:-2]), (stop,), (2,))

    def written(stop: int) -> Any:
        y = X.copy()
        y[5:stop:-1] = 1
        return y

    check(written, (stop,), (2,))


def ranged(start: Any, stop: Any, step: Any) -> Any:
    return np.arange(start, stop, step)


def few(triple: tuple[int, int, int]) -> bool:
    return len_of(range(*triple)) <= 1000


def len_of(numbers: range) -> int:
    return (numbers[-1] - numbers[0]) // numbers.step + 1 if numbers else 0


@pytest.mark.parametrize("kind", [int, np.int64])
def test_arange(kind: Any) -> None:
    inputs = [tuple(map(kind, triple)) for triple in TRIPLES if few(triple)]
    check(ranged, *inputs)
    for step in (-3, 2, 2**62):
        known = [pair[:2] for pair in inputs if few((int(pair[0]), int(pair[1]), step))]
        check(lambda start, stop, step=step: np.arange(start, stop, step), *known)


@needs_compiler
@pytest.mark.parametrize("form", FORMS)
def test_machine_code(form: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        check(all_computed(form), *TRIPLES)
        for step in (LEAST, -3, -1, 1, 2, 2**62):
            check(by_known_step(form, step), *itertools.product(BOUNDS, BOUNDS))
        check(sliced, *TRIPLES)
        check(ranged, *(triple for triple in TRIPLES if few(triple)))


@needs_compiler
def test_loops_that_begin_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """They count with the source's variable, up to the end that the source says."""

    def summed(n: int) -> float:
        total = 0.5
        for i in range(2, n):
            total = total * 0.5 + i
            if i == 9:
                break
        return total

    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        check(summed, *((n,) for n in BOUNDS))
    assert "for (int64_t i = 2; i < n; i++)" in graph_program(summed).c_source((3,))


def test_least_and_most() -> None:
    check(all_computed(least_and_most), *filter(few, TRIPLES))


def test_truth() -> None:
    check(lambda a, b, c: (bool(range(a, b, c)), not range(a, b)), *TRIPLES)
    check(lambda a: [1 if range(a) else 2, bool(range(5, a, -1))], (-1,), (0,), (1,), (9,))
