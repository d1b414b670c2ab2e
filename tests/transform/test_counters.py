"""The pass that says of `while` loops that count how many rounds they have; and loops of which it must not."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program, load
from tests.passes import without
from tests.programs.plain import Cases, check, outcome

Vector = Float64[Tensor, "n"]
VECTORS = tuple((np.array(x, float),) for x in ([1, 5, -2, 4], [3, 0.5, 9], [-7, 1], [2], [], [1] * 6))
NUMBERS = tuple((x, n) for (x,) in VECTORS[:2] for n in (-3, 0, 1, 2, 3))
LARGEST = sys.maxsize
HALF = np.float64(0.5)

counted = Cases()
"""Programs whose loops have a number of rounds, with arguments."""
uncounted = Cases()
"""Near misses."""


def step(y: Any, v: Any) -> Any:
    """What is not the same in another order, so that the loop stays one."""
    return np.sin(y) + v


@counted(*VECTORS)
def up(x: Vector) -> Any:
    i, y = 0, HALF
    while i < len(x):
        y = step(y, x[i])
        i += 1
    return y, i


@counted(*VECTORS)
def down(x: Vector) -> Any:
    i, y = len(x), HALF
    while i > 0:
        i -= 1
        y = step(y, x[i])
    return y, i


@counted(*VECTORS)
def down_to_the_first(x: Vector) -> Any:
    i, y = len(x) - 1, HALF
    while i >= 0:
        y = step(y, x[i])
        i = i - 1
    return y, i


@counted(*VECTORS)
def in_steps(x: Vector) -> Any:
    i, y = 1, HALF
    while i < len(x):
        y = step(y, x[i])
        i += 3
    return y, i


@counted(*VECTORS)
def down_in_steps(x: Vector) -> Any:
    i, y = len(x) - 1, HALF
    while not i < 0:
        y = step(y, x[i])
        i -= 2
    return y, i


@counted(*VECTORS)
def at_most(x: Vector) -> Any:
    i, y = 1, HALF
    while i <= len(x):
        y = step(y, x[i - 1])
        i += 1
    return y, i


@counted(*VECTORS)
def from_both_ends(x: Vector) -> Any:
    low, high, y = 0, len(x) - 1, HALF
    while low < high:
        y = step(y, x[low] - x[high])
        low += 1
        high -= 1
    return y, low, high


@counted(*VECTORS)
def a_multiple(x: Vector) -> Any:
    i, y = 0, HALF
    while 2 * i + 1 < len(x):
        y = step(y, x[2 * i])
        i += 1
    return y, i


@counted(*NUMBERS, (VECTORS[0][0], 4))
def up_to_a_number(x: Vector, n: int) -> Any:
    i, y = 0, HALF
    while i < n:
        y = step(y, x[i])
        i += 1
    return y, i


@counted(*NUMBERS)
def from_a_number(x: Vector, n: int) -> Any:
    i, y = n, HALF
    while i < len(x):
        y = step(y, x[i])
        i += 1
    return y, i


@counted(*NUMBERS, (VECTORS[0][0], LARGEST), (VECTORS[0][0], -LARGEST - 1))
def between_numbers(x: Vector, n: int) -> Any:
    i, y = -2, HALF
    while i <= n:
        y = step(y, x[i])
        i += 1
        if y > 3.0:
            break
    return y, i


@counted((0, 3), (3, 0), (-LARGEST - 1, LARGEST), (LARGEST - 2, LARGEST), (LARGEST, LARGEST), (LARGEST, -LARGEST - 1))
def far_apart(a: int, b: int) -> Any:
    i, y = a, HALF
    while i < b:
        y = np.sin(y) + 1.0
        if y > 1.9:
            break
        i += 1
    return y, i


@counted((0, 3), (0, 7), (3, 0), (-LARGEST - 1, LARGEST), (LARGEST - 4, LARGEST), (LARGEST - 5, LARGEST), (LARGEST, 0))
def far_apart_in_steps(a: int, b: int) -> Any:
    i, y = a, HALF
    while i < b:
        y = np.sin(y) + 1.0
        if y > 1.99:
            break
        i += 2
    return y, i


@counted((0, 3), (-LARGEST - 1, LARGEST), (LARGEST - 2, LARGEST - 1), (LARGEST, LARGEST - 1), (LARGEST - 1, LARGEST))
def far_apart_at_most(a: int, b: int) -> Any:
    i, y = a, HALF
    while i <= b:
        y = np.sin(y) + 1.0
        if y > 1.9:
            break
        i += 1
    return y, i


@counted(*VECTORS)
def left_early(x: Vector) -> Any:
    i, y = 0, HALF
    while i < len(x):
        if x[i] < 0:
            break
        y = step(y, x[i])
        i += 1
    else:
        y = -y
    return y, i


@counted(*VECTORS)
def returned(x: Vector) -> Any:
    i, y = 0, HALF
    while i < len(x):
        y = step(y, x[i])
        if y > 4.0:
            return "over", y
        i += 1
    return "under", y


@counted(*VECTORS)
def raised(x: Vector) -> Any:
    i, y = 0, HALF
    while i < len(x):
        if x[i] < 0:
            raise ValueError(f"negative at {i}")
        y = step(y, x[i])
        i += 1
    return y


@counted(*VECTORS)
def left_in_the_middle(x: Vector) -> Any:
    i, y = 0, HALF
    while True:
        if i >= len(x):
            break
        y = step(y, x[i])
        i += 1
    return y, i


@counted(*VECTORS)
def a_round_in_any_case(x: Vector) -> Any:
    i, y = 0, HALF
    while True:
        y = step(y, 1.0)
        i += 1
        if i >= len(x):
            break
    return y, i


@counted(*VECTORS)
def continued(x: Vector) -> Any:
    i, y = 0, HALF
    while i < len(x):
        i += 1
        if x[i - 1] < 0:
            continue
        y = step(y, x[i - 1])
    return y, i


@counted(*VECTORS)
def on_both_paths(x: Vector) -> Any:
    i, y = 0, HALF
    while i < len(x):
        if x[i] < 0:
            i += 1
            continue
        y = step(y, x[i])
        i += 1
    return y, i


@counted(*VECTORS)
def in_each_other(x: Vector) -> Any:
    i, y = 0, HALF
    while i < len(x):
        j = i
        while j < len(x):
            y = step(y, x[i] * x[j])
            j += 1
        i += 1
    return y, i


@counted(*VECTORS)
def from_an_element(x: Vector) -> Any:
    starts = np.argsort(x)
    y = HALF
    for k in range(len(x)):
        i = starts[k]
        while i < len(x):
            y = step(y, x[i])
            i += 1
        y += i
    return y


@counted(*VECTORS)
def another_counter(x: Vector) -> Any:
    i, j, y = 0, 10, HALF
    while i < len(x):
        y = step(y, x[i] * j)
        i += 1
        j -= 4
    return y, i, j


@uncounted(*NUMBERS[2:4])
def of_unknown_sign(x: Vector, n: int) -> Any:
    i, y = 0, HALF
    while i < len(x):
        y = step(y, x[i])
        i += n
    return y, i


@uncounted(*VECTORS)
def in_a_branch(x: Vector) -> Any:
    i, tries, y = 0, 0, HALF
    while i < len(x):
        y = step(y, x[i])
        tries += 1
        if y > 0 or tries > 20:
            i += 1
    return y, i


@uncounted(*VECTORS)
def by_one_or_two(x: Vector) -> Any:
    i, y = 0, HALF
    while i < len(x):
        y = step(y, x[i])
        if y > 0:
            i += 1
        else:
            i += 2
    return y, i


@uncounted(*VECTORS)
def skipped(x: Vector) -> Any:
    i, tries, y = 0, 0, HALF
    while i < len(x):
        tries += 1
        if tries % 3 == 1:
            continue
        y = step(y, x[i])
        i += 1
    return y, i


@uncounted(*VECTORS)
def of_what_changes(x: Vector) -> Any:
    i, n, y = 0, len(x), HALF
    while i < n:
        y = step(y, x[i])
        if y > 1:
            n -= 1
        i += 1
    return y, i


@uncounted(*VECTORS)
def of_what_grows(x: Vector) -> Any:
    found, i = [1.5, 2.5], 0
    while i < len(found):
        if i < len(x):
            found.append(x[i])
        i += 1
    return np.array(found), i


@uncounted(*VECTORS)
def of_floats(x: Vector) -> Any:
    t, y = 0.0, HALF
    while t < 0.7:
        y = step(y, t)
        t += 0.1
    return y, t


@uncounted(*VECTORS)
def at_the_same_distance(x: Vector) -> Any:
    i, j, y = 0, len(x), HALF
    while i < j:
        y = step(y, 1.0)
        i += 1
        j += 1
        if y > 1.5:
            break
    return y, i


@uncounted((np.array([3, 250]),))
def of_bytes(x: Int64[Tensor, "n"]) -> Any:
    i, y = np.uint8(x[1]), HALF
    while i > 5:
        y = step(y, 1.0)
        i += np.uint8(1)
    return y, i


@uncounted((np.array([3, LARGEST - 2]),), (np.array([LARGEST - 5, LARGEST]),))
def that_wraps_around(x: Int64[Tensor, "n"]) -> Any:
    i, y = x[0], HALF
    while i < x[1]:
        y = step(y, 1.0)
        i += 4
        if y > 1.95:
            break
    return y, i


def has_rounds(fn: Callable[..., Any]) -> bool:
    """Whether it is known of all loops of a program how many rounds they have."""
    lines = graph_program(fn).explain("optimized").splitlines()
    heads = [line for line in lines if "= loop(" in line]
    assert heads
    return not any("int_9223372036854775807, while" in head or f"< {LARGEST}" in head for head in heads)


@counted.each
def test_what_counts_has_a_number_of_rounds(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(fn, *inputs)
    without(monkeypatch, "vectorize")
    check(fn, *inputs)
    assert has_rounds(fn)
    without(monkeypatch, "counters")
    check(fn, *inputs)
    assert not has_rounds(fn)


@uncounted.each
def test_what_may_count_otherwise_has_none(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(fn, *inputs)
    without(monkeypatch, "vectorize")
    check(fn, *inputs)
    assert not has_rounds(fn)


def test_a_while_loop_that_counts_is_what_a_for_loop_is() -> None:
    def over(x: Vector) -> Any:
        y = np.zeros_like(x)
        for i in range(len(x)):
            y[i] = x[i] * 2
        return y

    def counting(x: Vector) -> Any:
        y = np.zeros_like(x)
        i = 0
        while i < len(x):
            y[i] = x[i] * 2
            i += 1
        return y

    texts = [check(program, *VECTORS).explain("optimized").splitlines()[1:-1] for program in (over, counting)]
    assert texts[0] == texts[1] or [t.split("=")[-1] for t in texts[0]] == [t.split("=")[-1] for t in texts[1]]


def up_to(n: int, m: int) -> Any:
    k = 0
    while n <= m and k < 4:
        n += 1
        k += 1
    return n, k


def down_to(n: int, m: int) -> Any:
    k = 0
    while n > m and k < 4:
        n -= 1
        k += 1
    return n, k


def down_by_three(n: int, m: int) -> Any:
    k = 0
    while n >= m and k < 4:
        n -= 3
        k += 1
    return n, k


ENDS = (LARGEST, LARGEST - 1, LARGEST - 3, -LARGEST - 1, -LARGEST, -LARGEST + 2, 0)


@pytest.mark.parametrize("program", [up_to, down_to, down_by_three])
def test_rounds_between_the_ends_of_64_bits(program: Callable[..., Any], tmp_path: Path) -> None:
    """What leaves 64 bits is told; what does not has as many rounds as in Python."""
    graph_program(program).export(tmp_path / "program.onnx")
    runs = (graph_program(program, backend="onnxruntime"), load(tmp_path / "program.onnx"))
    for args in itertools.product(ENDS, ENDS):
        expected = program(*args)
        for run in runs:
            found = outcome(run, args)
            told = isinstance(found[0], type) and abs(expected[0]) > LARGEST
            assert told or tuple(map(int, found[0])) == expected, (args, found[0])
