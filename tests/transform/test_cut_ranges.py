"""What is left behind loops whose ranges are cut at an end, and what is read in rounds that there are not."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float64, Int64, IntegerLimitError, Tensor, graph_program, load
from tests.programs.plain import Cases, differs, outcome

Vector = Float64[Tensor, "n"]

cut = Cases()

CASES = [((np.arange(n) * 7.0 % 5 - 1.5), r) for n, r in itertools.product((0, 1, 3, 6), (0, 1, 3, -2, 2**63 - 2))]


@cut(*CASES)
def last_place(x: Vector, r: int) -> Any:
    total, j = np.float64(0.5), -1
    for i in range(len(x)):
        for j in range(max(0, i - r), min(len(x), i + r + 1)):
            total += x[j]
    return total, j


@cut(*CASES)
def last_that_is_great(x: Vector, r: int) -> Any:
    last, found = -1, np.float64(0.0)
    for i in range(len(x)):
        for j in range(max(0, i - r), min(len(x), i + r + 1)):
            if x[j] > 1:
                last, found = j, x[j] * i
    return last, found


@cut(*CASES)
def last_pair(x: Vector, r: int) -> Any:
    p, q, total = -1, -1, np.float64(0.0)
    for i in range(len(x)):
        for j in range(max(0, i - r), min(len(x), i + r + 1)):
            if x[i] * x[j] < 0:
                total += x[i]
                p, q = i, j
    return p, q, total


@cut(*CASES)
def last_of_each(x: Vector, r: int) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        found = np.float64(-1.0)
        for j in range(max(0, i - r), min(len(x), i + r + 1)):
            found = x[j]
        out[i] = found
    return out


@cut(*CASES)
def first_from_behind(x: Vector, r: int) -> Any:
    last = np.full(len(x), -1)
    for i in range(len(x)):
        for j in range(min(len(x) - 1, i + r), max(-1, i - r - 1), -1):
            if x[j] > 0:
                last[i] = j
                break
    return last


@cut(*CASES)
def from_behind(x: Vector, r: int) -> Any:
    n, out, j = len(x), 0, -3
    for i in range(n):
        for j in range(min(n, i + r + 1) - 1, max(0, min(i - r, n)) - 1, -1):
            out += int(x[j])
    return out, j


@cut(*(case for case in CASES if case[1] < 9))
def last_of_two_rows(x: Vector, r: int) -> Any:
    last = -7
    for y in range(2):
        for j in range(max(0, y - r), min(len(x), y + r + 1)):
            for u in range(r):
                last = j * 10 + u
    return last


@cut.each
def test_like_python_in_process_and_as_a_file(fn: Any, inputs: tuple[tuple[Any, ...], ...], tmp_path: Path) -> None:
    program = graph_program(fn, backend="onnxruntime")
    program.export(tmp_path / "program.onnx", (np.arange(6.0), 0))
    file = load(tmp_path / "program.onnx")
    for args in inputs:
        expected = outcome(fn, args)
        for found in (outcome(program, args), outcome(file, args)):
            assert _is_limit(found) or not differs(expected, found), (args, expected, found)


def test_the_loop_around_is_told_why_it_stays() -> None:
    @graph_program
    def summed(x: Vector, lengths: Int64[Tensor, "n"]) -> Any:
        out = np.zeros(len(x))
        for i in range(len(x)):
            for j in range(lengths[i]):
                out[i] += x[j]
        return out

    told = [line for line in summed.explain("optimized").splitlines() if " is a loop" in line]
    assert "`for j in range(lengths[i])`: each round counts up to another number; hint: count up to one" in told[0]


def _is_limit(found: tuple[Any, ...]) -> bool:
    """Whether a number has left 64 bits, which is no error of Python's."""
    return isinstance(found[0], type) and (issubclass(found[0], IntegerLimitError) or "too large" in found[1])
