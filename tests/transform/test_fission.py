"""The pass that does for all rounds, before a loop, what they do not need each other for."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program
from graph_program.extract.transform.vectorize import blocks
from tests.passes import without
from tests.programs.plain import Cases, check
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
Rows = Float64[Tensor, "n 3"]
MOVED = "for all rounds before it"

VECTORS = tuple((np.array(x, float),) for x in ([1, 5, -2, 4, 0.5], [3, -0.0], [2], [], [np.nan, 1, -1, np.inf]))
ROWS = tuple((np.resize(np.array([1.0, -2, 0.5, 4, -0.25, 3, 0]), (n, 3)),) for n in (4, 1, 0))
BOTH = tuple((x[0], y[0]) for x, y in zip(VECTORS, VECTORS[::-1], strict=True) if len(x[0]) <= len(y[0]))

parted = Cases()
"""Programs of whose loop something is done before it, with arguments."""
whole = Cases()
"""Near misses."""


# ---------------------------------------------------------------- what goes


@parted(*VECTORS)
def work_on_elements(x: Vector) -> Any:
    y = np.float64(1.0)
    for v in x:
        y = y * 0.5 + np.sqrt(np.abs(v)) * 2
    return y


@parted(*ROWS)
def elements_of_a_row(rates: Rows) -> Any:
    """A row is taken once; an element of it is less than one of the matrix."""
    y = np.float64(1.0)
    for i in range(len(rates)):
        for j in range(rates.shape[1]):
            y = np.sin(y) + rates[i, j]
    return y


@parted(*ROWS)
def norms_of_rows(rates: Rows) -> Any:
    q = np.ones(3)
    track = np.zeros((len(rates), 3))
    for t, rate in enumerate(rates):
        angle = np.sqrt((rate * rate).sum())
        q = q * 0.5 + rate / (angle + 1)
        track[t] = q
    return track


@parted(*ROWS)
def behind_a_test_that_is_known(rates: Rows) -> Any:
    q = np.ones(3)
    for rate in rates:
        angle = np.sqrt((rate * rate).sum())
        if angle > 1:
            q = q / 2 + rate * rate / angle
    return q


@parted(*VECTORS)
def behind_a_test_of_what_is_carried(x: Vector) -> Any:
    y = np.float64(1.0)
    for v in x:
        if y < 3:  # noqa: SIM108
            y = y * 2 + np.exp(-v * v)
        else:
            y = y - np.abs(v) * 4
    return y


@parted(*VECTORS)
def what_the_round_before_has_read(x: Vector) -> Any:
    y, previous = np.float64(0.0), np.float64(7.0)
    for v in x:
        change = (v - previous) * 4 + 1
        y = y * y + change
        previous = v
    return y


@parted(*VECTORS)
def read_before_and_given(x: Vector) -> Any:
    y, previous = np.float64(0.0), np.float64(7.0)
    for v in x:
        y = y * y + (v - previous) * 4
        previous = v + 1
    return y, previous


@parted(*VECTORS)
def time_that_is_added_up(x: Vector) -> Any:
    t, y = np.float64(0.0), np.float64(1.0)
    for v in x:
        t += 0.1
        y = y * 0.25 + np.sin(t * 2) * v
    return t, y


@parted(*VECTORS)
def windows_of_elements(x: Vector) -> Any:
    y = np.float64(0.0)
    for k in range(len(x) - 2):
        y = y * 0.5 + np.abs(x[k : k + 3]).sum()
    return y


@parted(*VECTORS)
def frames_of_elements(x: Vector) -> Any:
    y = np.float64(0.0)
    for k in range(len(x) // 2):
        y = y * 0.5 + np.abs(x[2 * k : 2 * (k + 1)]).sum()
    return y


@parted(*VECTORS)
def what_is_the_same_in_every_round(x: Vector) -> Any:
    y = np.zeros(len(x))
    for _ in range(len(x)):
        y = y * 0.5 + np.exp(x / 8) * x
    return y


@parted(*BOTH)
def indices_that_may_be_outside(x: Vector, z: Float64[Tensor, "m"]) -> Any:
    y = np.float64(0.0)
    for k in range(len(x)):
        y = y * y + np.abs(z[k]) * 4 + x[k]
    return y


@parted(*VECTORS)
def a_loop_in_a_loop(x: Vector) -> Any:
    y = np.float64(1.0)
    for v in x:
        for k in range(4):
            y = y * 0.5 + np.abs(x[k % 2 - 1] + k) * 2 + v
    return y


@parted(*VECTORS)
def rows_that_need_no_loop(x: Vector) -> Any:
    y, squares, sums = np.float64(1.0), np.zeros(len(x)), np.zeros(len(x))
    for k in range(len(x)):
        squares[k] = x[k] * x[k] + 1
        y = y * 0.5 + np.abs(x[k]) * 2
        sums[k] = y
    return squares, sums


@parted(*ROWS)
def parts_along_two_axes(m: Rows) -> Any:
    y = np.zeros((1, 2))
    for k in range(len(m)):
        y = y * 0.5 + np.abs(m[k : k + 1, 0:2]) + np.sqrt(np.abs(m[k, 0])) * 2
    return y


# ---------------------------------------------------------------- what stays


@whole(*VECTORS)
def only_an_access(x: Vector) -> Any:
    y = np.float64(1.0)
    for v in x:
        y = y * 0.5 + v
    return y


@whole((3, 2.0), (0, 1.0), (7, -1.5))
def only_numbers_of_rounds(n: int, y: float) -> Any:
    for k in range(n):
        y = y * 0.5 + (k + 1) * 2
    return y


@whole(*VECTORS)
def left_early(x: Vector) -> Any:
    y = np.float64(1.0)
    for v in x:
        if y > 4:
            break
        y = y * 2 + np.exp(-v * v)
    return y


@whole((5, 1.0), (2, 2.0))
def more_memory_than_arrays_have(n: int, y: float) -> Any:
    for k in range(n):
        y = y * 0.5 + np.sin(k * 0.25) * np.cos(k * 0.5)
    return y


@whole(*VECTORS)
def while_it_is_small(x: Vector) -> Any:
    y, k = np.float64(1.0), 0
    while y < 100 and k < 50:
        y = y * 2 + np.exp(-np.float64(k)) * len(x)
        k += 1
    return y


@whole((np.ones((3, 4)), np.ones(4)), (np.ones((0, 4)), np.ones(4)))
def big_rows_that_some_rounds_need(m: Float64[Tensor, "n d"], y: Float64[Tensor, "d"]) -> Any:
    for row in m:
        if y.sum() < 9:
            y = y + np.exp(row) * row
    return y


def is_parted(fn: Callable[..., Any]) -> bool:
    """Whether something is done before a loop of a program."""
    return MOVED in graph_program(fn).explain("optimized")


@parted.each
def test_it_is_done_before_the_loop(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any
) -> None:
    check(fn, *inputs)
    assert is_parted(fn)
    without(monkeypatch, "fission")
    check(fn, *inputs)
    assert not is_parted(fn)


@whole.each
def test_near_misses_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert not is_parted(fn)


def test_before_and_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop reads one row a round."""

    def body() -> list[str]:
        lines = graph_program(work_on_elements).explain("optimized").splitlines()
        (start,) = (k for k, line in enumerate(lines) if "= loop(" in line)
        inside = [line for line in lines[start + 1 :] if line.startswith(" " * 8)]
        return [line.split(" = ")[1].split("(")[0] for line in inside if " = " in line]

    assert sorted(body()) == ["add", "multiply", "take"]
    without(monkeypatch, "fission")
    assert sorted(body()) == ["absolute", "add", "multiply", "multiply", "sqrt", "take"]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of n elements for n rounds are not made before the loop."""

    def distances(x: Float64[Tensor, "n"]) -> Any:
        y = np.zeros(len(x))
        for v in x:
            y = y * 0.5 + np.abs(x - v) * 2
        return y

    check(distances, *VECTORS)
    assert not is_parted(distances)
    monkeypatch.setattr(blocks, "FACTOR", 10**9)
    assert not is_parted(distances)


def test_a_failure_in_the_middle_is_the_first_one() -> None:
    def divided(x: Int64[Tensor, "n"], a: int) -> Any:
        y = a
        for k in range(len(x)):
            y = (y + 7 * abs(int(x[k]))) // int(x[k]) + k
        return y

    compared(divided, tuple((np.array(x), 3) for x in ([1, 2, 3], [4, 0, 2, 0], [0], [-1, 5])))


# ---------------------------------------------------------------- random filters


HEADER = """
import numpy as np
from graph_program import Float64, Int64, Tensor


def f(x: Float64[Tensor, "n"], m: Float64[Tensor, "n 3"], q: Int64[Tensor, "n"], u: float):
    s, v, before, t, last = u, np.ones(3), 2.0, 0.25, 0
    out, others = np.zeros(len(x)), []
    for k in range({trips}):
"""
KNOWN = (
    "a = x[k] * 2 + u",
    "a = np.abs(x[k] - before) * 0.5",
    "b = m[k] * x[k] - u",
    "b = m[k] / 2 + a",
    "a = x[k - 1] * t + 1",
    "t += 0.5",
    "t = t + x[k] * 0.5",
    "before = x[k] - 1",
    "last += q[k]",
    "last = last + 2 if x[k] > 0 else last",
    "a = x[q[k] % len(x)] + np.floor(t)",
    "a, b = b.sum() * 0.25, m[k] + a",
    "others.append(a * 2)",
    "others.append(a + q[k])",
)
CARRIED = (
    "s = s * 0.5 + a",
    "s = a - s if s > b[1] else s + b[0]",
    "v = v * 0.5 + b",
    "v = v * a - b * 2",
    "v[k % 3] = a",
    "s += v.sum() * 0.25 - t",
    "out[k] = s + a",
    "out[k] = t * a",
    "others.append(s)",
)
TESTS = ("x[k] > 0", "s > 1", "q[k] == 1", "a < b[2]", "v[0] > t")


def written(seed: int) -> str:
    """The text of a module with a program `f`, a filter."""
    pick = random.Random(seed)
    lines = ["        a, b = x[k], m[k]"]
    for _ in range(pick.randint(3, 8)):
        line = pick.choice(KNOWN if pick.random() < 0.6 else CARRIED)
        if pick.random() < 0.3:
            lines += [f"        if {pick.choice(TESTS)}:", f"            {line}"]
            if pick.random() < 0.4:
                lines += ["        else:", f"            {pick.choice(KNOWN + CARRIED)}"]
        else:
            lines.append(f"        {line}")
    lines.append(f"        {pick.choice(CARRIED)}")
    if pick.random() < 0.2:
        lines += [f"        if {pick.choice(TESTS)} and k > 2:", "            " + pick.choice(("break", "continue"))]
    trips = pick.choice(("len(x)", "len(x)", "len(x) - 1", "min(len(x), 3)"))
    end = "    return np.array([s, before, t]), v, out, np.array(others), np.array(last)\n"
    return HEADER.format(trips=trips) + "\n".join(lines) + "\n" + end


def filtered(seed: int, n: int) -> tuple[Any, ...]:
    """Arguments whose sums are exact."""
    numbers = np.random.default_rng(seed)
    x, m = numbers.integers(-4, 5, n) * 0.5, numbers.integers(-4, 5, (n, 3)) * 0.5
    return x, m, numbers.integers(0, 4, n), float(numbers.integers(-2, 3))


@pytest.mark.parametrize("seed", range(24))
def test_random_filters(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python does."""
    path = tmp_path / f"filter_{seed}.py"
    path.write_text(written(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    compared(module.f, tuple(filtered(seed, n) for n in (6, 3, 1, 0)))


def test_branches_that_give_what_is_no_longer_carried() -> None:
    def program(x: Vector, u: float) -> Any:
        g, s = np.zeros((3, 4)), np.float64(0.0)
        for k in range(len(x)):
            if u < 0:
                s = s * 0.5 + x[k]
            else:
                g[k % 3, k % 4] += 0.25
        return g, s

    for left in ((), ("dce", "vectorize")):
        compiled = graph_program(program, without=left)
        for u in (-1.0, 1.0):
            for a, b in zip(program(np.arange(5.0), u), compiled(np.arange(5.0), u), strict=True):
                np.testing.assert_array_equal(a, b)
