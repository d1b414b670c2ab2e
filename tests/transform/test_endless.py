"""Loops that are left early around loops that would go on for ever in rounds behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program
from graph_program.extract.transform.vectorize import endless, one_loop
from tests.benchmarks import loop_programs
from tests.programs.plain import Cases, outcome
from tests.transform.endless_nests import EndlessNest
from tests.transform.sessions import compared, module
from tests.transform.test_vectorize import loops_in

Vector = Float64[Tensor, "n"]
Numbers = Int64[Tensor, "n"]

found = Cases()
"""Programs that are array operations in blocks of rounds, but for loops inside under a mask."""

NUMBERS = tuple(
    (np.array(x, np.int64),)
    for x in (
        [3, 5, 0, 0, -1, 0],
        [0, -1],
        [7, 6, 27, 1, 0],
        [1, 1],
        [],
        [2, 3, 4, 5, 6, 7, 8, 9],
        [27, 1, 97, 3, 0, -5],
    )
)
"""Of -1 and of 0 the sequences never come to 1."""
BEFORE = tuple(NUMBERS[k] for k in (0, 1, 2, 3, 4, 5, 6))
TALL = tuple((np.array(x, np.int64),) for x in ([2, 27, 0, -1], [27, 0], [1, 4, 16, 5, 27, -1, 0], [2, 4, 8], []))


@found(*BEFORE)
def left_before(starts: Numbers) -> Any:
    best, total = 0, 0
    for i in range(len(starts)):
        if starts[i] == 0:
            break
        n, steps = starts[i], 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        total += steps
        if steps > best:
            best = steps
    return best, total


@found(*TALL)
def left_behind(starts: Numbers) -> Any:
    best, y = 0, np.zeros(len(starts), dtype=np.int64)
    for i in range(len(starts)):
        n, steps = starts[i], 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        y[i] = steps
        if steps > 10:
            break
        best = max(best, steps)
    return best, y


@found(*TALL)
def left_inside(starts: Numbers) -> Any:
    kept = []
    for i in range(len(starts)):
        n, steps = starts[i], 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
            if steps > 12:
                return np.array(kept, dtype=np.int64), i
        kept.append(steps)
    return np.array(kept, dtype=np.int64), -1


@found(*TALL)
def raised_inside(starts: Numbers) -> Any:
    best = 0
    for i in range(len(starts)):
        n, steps = starts[i], 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
            if steps > 12 + i:
                raise ValueError(f"round {i} has come to {n}")
        if steps > best:
            best = steps
    return best


@found(
    (np.array([9.0, 4.0, 1.0, 2.0]), 50), (np.array([4.0, 9.0, 1.0]), 2), (np.array([5.0, 3.0]), 0), (np.zeros(0), 5)
)
def the_first_round_raises_though_a_later_one_fails_sooner(x: Vector, most: int) -> Any:
    y = np.zeros(len(x))
    for i in range(len(x)):
        value, steps = x[i], 0
        while value > 0.5:
            if steps * x[i] > most:
                raise ValueError(f"{i} after {steps}")
            value *= 0.75
            steps += 1
        y[i] = value
    return y


@found(*BEFORE)
def ends_inside_and_outside(starts: Numbers) -> Any:
    total = 0
    for i in range(len(starts)):
        n, steps, comes_to_1 = starts[i], 0, False
        while n != 1:
            if n == 0 or steps == 40:
                break
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        else:
            comes_to_1 = True
        if n < 0:
            return -1, i
        if comes_to_1:
            total += steps
    return total, 0


@found(
    *((*x, k) for x in BEFORE for k in (1, 3)), (np.array([2, 5, 0, 3, 2, 6]), -1), (np.array([5, 8, 11, 27, 0]), 26)
)
def one_inside_the_other(starts: Numbers, deep: int) -> Any:
    best, total = 0, 0
    for i in range(len(starts)):
        if starts[i] == 0:
            break
        n, rounds, sum_of_steps = starts[i], 0, 0
        while n > deep:
            m, steps = n, 0
            while m != 1:
                m = m // 2 if m % 2 == 0 else 3 * m + 1
                steps += 1
            sum_of_steps += steps
            n -= 3
            rounds += 1
        total += sum_of_steps
        if rounds > best:
            best = rounds
    return best, total


@found(
    (np.array([3, 10, 2, 5]),), (np.array([3, -1, 10**12]),), (np.array([2, 0, -1, 10**15, 4]),), (np.zeros(0, int),)
)
def as_many_rounds_as_an_element_says(counts: Numbers) -> Any:
    total = 0.0
    for i in range(len(counts)):
        if counts[i] < 0:
            break
        x = 1.0
        for j in range(counts[i]):
            x = x * 0.5 + j
        total += x
    return total


@pytest.fixture(params=["as it is", "impatient", "impatient in small blocks"])
def patience(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "as it is":
        monkeypatch.setattr(endless, "LEAST", 2)
        monkeypatch.setattr(endless, "FACTOR", 1)
    if request.param.endswith("blocks"):
        monkeypatch.setattr(one_loop, "FEW", 3)


@found.each
def test_lanes_that_are_not_waited_for(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], patience: None
) -> None:
    model = compared(fn, inputs)
    assert loops_in(model) == 2 + (fn is one_inside_the_other)
    reports = graph_program(fn).explain("optimized", inputs[0]).splitlines()
    assert any(line.endswith("is array operations") for line in reports)


def test_what_is_written_before_the_error_stays(patience: None) -> None:
    def program(x: Numbers, y: Numbers) -> int:
        for i in range(len(x)):
            n, steps = x[i], 0
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
                if steps > 12:
                    raise ValueError(f"round {i}")
            y[i] = steps
        return 1

    compiled = graph_program(program)
    for (x,) in TALL:
        results = []
        for run in (program, compiled):
            y = np.full(len(x), -1)
            try:
                run(x, y)
                results.append((y.tolist(), ""))
            except ValueError as error:
                results.append((y.tolist(), str(error)))
        assert results[0] == results[1]


def test_sequences_of_the_benchmark() -> None:
    program = loop_programs.cases()["Collatz"].program
    compared(program.python, tuple((limit,) for limit in (-1, 0, 1, 2, 3, 100, 400)))
    lines = graph_program(program.python).explain("optimized").splitlines()  # the checks of numbers are a flag there
    assert sum(line.endswith("is array operations") for line in lines) == 1


def test_rounds_that_are_all_reached_are_waited_for() -> None:
    def program(starts: Numbers) -> Any:
        y = np.zeros(len(starts), dtype=np.int64)
        for i in range(len(starts)):
            n, steps = starts[i], 0
            while n > 1:
                n //= 2
                steps += 1
            y[i] = steps
        return y

    text = graph_program(program).explain("optimized")
    assert "patience" not in text and "lost" not in text


def elements(seed: int) -> tuple[tuple[np.ndarray, np.ndarray, int], ...]:
    """Arguments of a random program."""
    random = np.random.default_rng(seed)
    arrays = [random.integers(-2, 30, n) for n in (0, 1, 2, 5, 9)] + [np.abs(random.integers(1, 12, 7))]
    return tuple((x, np.zeros(len(x), np.int64), int(random.integers(0, 9))) for x in arrays)


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int, tmp_path: Path, patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    nest = EndlessNest(seed)
    limited = module(tmp_path / f"limited_{seed}.py", nest.source(limited=True), monkeypatch)
    inputs = tuple(args for args in elements(seed) if outcome(limited.f, args)[0] is not limited.TooLong)
    compared(module(tmp_path / f"endless_{seed}.py", nest.source(limited=False), monkeypatch).f, inputs)
