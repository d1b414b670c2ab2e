"""Where a check fails, the C function ends; loops are left at their tests, and count with the source's variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program
from tests.benchmarks.loop_programs import longest
from tests.benchmarks.native_programs import components, shortest_path, union_find
from tests.benchmarks.native_searches import a_star, lz_packed, lz_unpacked
from tests.native.compilers import compiler_with, needs_compiler
from tests.programs.plain import Cases, check

ends = Cases()
"""Programs whose errors end the function, with arguments of which some fail."""
stays = Cases()
"""Near misses: what fails is caught, or what was written before is read behind it."""
WHOLE = np.array([3, -4, 0, 7, 2])
HUGE = np.array([2**62, 2**62, -5, 2**62])

ends((30,), (1,), (0,))(longest.python)
ends((np.array([[1, 1, 0], [0, 0, 1]], bool),), (np.zeros((0, 3), bool),))(components)
ends((np.ones((3, 4)),), (np.ones((0, 3)),), (np.ones((2, 0)),))(shortest_path)
ends((np.array([[0, 1], [2, 9]]), 4), (np.array([[0, 1], [-1, 2]]), 4), (np.array([[0], [1]]), 4))(union_find)
ends((np.random.default_rng(0).random((6, 5)),), (np.ones((1, 1)),), (np.ones((0, 2)),))(a_star)
ends((np.tile(np.arange(9, dtype=np.uint8), 5),), (np.zeros(0, np.uint8),))(lz_packed)
ends(
    (np.array([0, 5, 1, 4], np.uint8), 5),
    (np.array([0, 5, 9, 4], np.uint8), 5),
    (np.array([0, 5, 1, 4], np.uint8), 3),
    (np.array([0, 5, 1], np.uint8), 3),
)(lz_unpacked)


@ends((np.arange(9.0), 6.5), (np.arange(9.0), 9.0), (np.zeros(0), 1.0), (np.full(3, np.nan), 0.0))
def first_above(x: Float64[Tensor, "n"], limit: float) -> int:
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@ends((np.arange(9.0), 6.5), (np.arange(9.0), 99.0), (np.zeros(0), 1.0))
def last_sum_below(x: Float64[Tensor, "n"], limit: float) -> tuple[float, float, float]:
    total, least, most = 0.0, 0.0, 0.0
    for i in range(len(x)):
        value = float(x[i])
        if total + value > limit:
            break
        total += value
        if value < least:
            least = value
        if value > most:
            most = value
    return total, least, most


@ends((WHOLE, 2), (WHOLE, 3), (WHOLE, 9), (np.array([], int), 1))
def in_two_loops(x: Int64[Tensor, "n"], most: int) -> Any:
    total = 0
    for i in range(len(x)):
        for j in range(i, len(x)):
            if x[i] * x[j] < -20 * most:
                raise ValueError(f"{i} and {j} of {most}")
            if x[j] == 7 and i > most:
                break
            total += int(x[i]) // (int(x[j]) - most)
        else:
            total -= 1
    return total


class Coded(Exception):
    def __init__(self, code: int):
        super().__init__(f"code {code}")
        self.code = code


@stays((1,), (5,), (6,), (0,))
def raised_again_behind_others(n: int) -> int:
    """What one branch raises comes behind checks in `finally`, which end the function before."""
    try:
        try:
            if n > 3:
                raise Coded(n * 2)
            10 // n
        except Coded as e:
            if e.code > 10:
                raise
            raise ValueError(f"bad {e}") from e
    finally:
        n += 1
    return n


@ends((HUGE[:1], 1), (HUGE[2:], 4), (WHOLE, 5))
def sums_that_overflow(x: Int64[Tensor, "n"], first: int) -> int:
    total = first
    for i in range(len(x)):
        total = total + int(x[i]) if x[i] > 0 else total * 3
    return total


@ends((np.array([1.0, 2.0, -1.0, 4.0]), 0), (np.array([1.0, 2.0, 4.0]), 1), (np.array([1.0]), 0), (np.zeros(0), 0))
def while_with_a_check(x: Float64[Tensor, "n"], start: int) -> Any:
    at, total = start, 0.0
    while x[at] > 0:
        total += x[at]
        at += 1
    return at, total


@ends((WHOLE,), (np.array([5, 5]),), (np.array([], int),))
def what_the_last_round_has_found(x: Int64[Tensor, "n"]) -> Any:
    y = x.copy()
    k = 0
    before = 0
    while k < len(y) and y[k] != 7:
        before = int(y[k])
        y[k] = before * 2
        k += 1
    return y, k, before


@ends((1,), (2,), (6,), (-3,), (2**63 - 1,))
def counters_that_begin_elsewhere(n: int) -> Any:
    total = 0
    for i in range(1, min(n, 5)):
        for i in range(2, i):  # noqa: B020
            total = total * 3 + i
        for j in range(3, 0, -1):
            total = total * 2 + i - j
    for k in range(n - 2, n):
        total = (total + k % 7) % 1000
    return total


@ends((np.arange(4.0),), (np.zeros(0),), (np.array([1.0]),))
def counters_beside_elements(x: Float64[Tensor, "n"]) -> Any:
    table = np.zeros((len(x), 3))
    for j in range(1, len(x)):
        table[j] = table[j - 1] + x[j] * np.array([1.0, 2.0, 3.0])
        for i, value in enumerate(table[j]):
            table[j, i] = value - i
    return table


@stays((WHOLE, 2), (WHOLE, 0), (np.array([0, 1]), 5))
def caught(x: Int64[Tensor, "n"], limit: int) -> Any:
    failed = 0
    for i in range(len(x)):
        try:
            if int(x[i]) // (limit - i) > 1:
                raise ValueError("large")
        except (ValueError, ZeroDivisionError):
            failed += 1
    return failed


@stays((np.arange(5.0), 3), (np.arange(5.0), 9), (np.zeros(0), 0))
def written_before(x: Float64[Tensor, "n"], limit: int) -> None:
    for i in range(len(x)):
        if i == limit:
            raise ValueError(f"at {i}")
        x[i] = x[i] * 2 + x[i + 1]


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        yield


@needs_compiler
@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("is_on", [True, False], ids=["with", "without"])
@pytest.mark.parametrize(
    ("function", "inputs"), [*ends.found, *stays.found], ids=[f.__name__ for f, _ in [*ends.found, *stays.found]]
)
def test_like_python(function: Any, inputs: Any, is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_on:
        monkeypatch.setattr("graph_program.backends.c.emit.with_early_ends", lambda program: program)
    check(function, *inputs)


@needs_compiler
@pytest.mark.usefixtures("native")
def test_what_overflows() -> None:
    program = graph_program(sums_that_overflow)
    for arguments in ((HUGE, 1), (WHOLE, -(2**62))):
        with pytest.raises(OverflowError, match="too large for int64"):
            program(*arguments)


def code(function: Any, args: tuple[Any, ...]) -> str:
    """The lines of a function in C, without comments."""
    text = graph_program(function).c_source(args)
    body = text[text.index(f"\nint {function.__name__}(") :].partition("\n}\n")[0]
    return "\n".join(line for line in body.splitlines() if "/*" not in line)


SEVERAL = (union_find, a_star, lz_packed, lz_unpacked, in_two_loops)
"""Programs with checks beside loops that may be left in other ways: these hand on a number."""


@pytest.mark.parametrize("function", [f for f, _ in ends.found if f not in SEVERAL], ids=lambda f: f.__name__)
def test_loops_carry_no_errors(function: Any) -> None:
    (arguments, *_) = next(inputs for other, inputs in ends.found if other is function)
    assert "status = (int)" not in code(function, arguments)


def test_how_a_loop_was_left_is_known_where_it_has_one_end() -> None:
    """That of matching bytes ends by its condition: which way it has taken is no number that is carried and asked."""
    assert "int64_t target" not in code(lz_packed, (np.zeros(9, np.uint8),))


def test_an_exception_in_a_loop() -> None:
    text = code(sums_that_overflow, (HUGE, 1))
    assert "for (int64_t i = 0; i < n; i++) {" in text
    assert text.count("return ") == 3


def test_while() -> None:
    assert "while (n != 1) {" in code(longest.python, (30,))


def test_several_rounds_at_a_time() -> None:
    """A short search is written out by the compiler; one of more lines is not."""
    assert "GP_SEVERAL\n    for (int64_t i = 0; i < n; i++) {" in code(first_above, (np.arange(4.0), 2.0))
    assert "GP_SEVERAL" not in code(last_sum_below, (np.arange(4.0), 2.0))


def test_a_counter_that_begins_elsewhere() -> None:
    assert "for (int64_t j = 1; j < n; j++) {" in code(counters_beside_elements, (np.arange(4.0),))


def test_what_was_written_is_read_behind_an_error() -> None:
    assert "goto done" not in graph_program(written_before).c_source((np.arange(3.0), 1))


@needs_compiler
@pytest.mark.usefixtures("native")
def test_elements_that_are_not_there_are_read_behind_an_error() -> None:
    """Without `fold`, what follows an overflow stands behind it, and reads a list that was never made."""

    def program(t: tuple[float, int]) -> Any:
        count = 0
        for _ in range(4):
            products = []
            for _ in range(3):
                products.append((lambda a, b=2: a * b % 11)(t[1]) if True else (-0.0))
            count = sum(1 for product in products if product == (-0.0))
        return count

    compiled = graph_program(program, without=["fold"])
    assert compiled((0.0, 11)) == program((0.0, 11)) == 3
