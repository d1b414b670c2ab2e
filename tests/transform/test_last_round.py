"""Loops that count towards an end and that another test may end before: searches, prefixes, sums up to a limit."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.extract.transform.vectorize import one_loop
from tests.programs.plain import Cases
from tests.transform.sessions import compared, module

Vector = Float64[Tensor, "n"]

scans = Cases()
"""Programs of which a block of rounds is done at once."""
near = Cases()
"""Programs whose loop stays."""

VECTORS = tuple(np.array(x, float) for x in ([3, 1, 2, -1, 5], [1, 2], [-1], [], [np.nan, 1], [4, 5, 6, 7, 8, 9, -3]))
ALONE = tuple((x,) for x in VECTORS)
STARTS = tuple((x, k) for x in VECTORS for k in (0, 2, 9, -1, -3, -9))


@scans(*ALONE)
def first_that_is_not_above(x: Vector) -> int:
    i = 0
    while i < len(x) and x[i] > 0:
        i += 1
    return i


@scans(*ALONE)
def with_break(x: Vector) -> int:
    i = 0
    while i < len(x):
        if x[i] <= 0:
            break
        i += 1
    return i


@scans(*ALONE)
def until_the_end_is_met(x: Vector) -> int:
    i = 0
    while True:
        if i == len(x) or not x[i] > 0:
            break
        i += 1
    return i


@scans(*STARTS)
def from_any_place(x: Vector, start: int) -> int:
    i = start
    while i < len(x) and x[i] > 0:
        i += 1
    return i


@scans(*ALONE)
def backwards(x: Vector) -> int:
    i = len(x) - 1
    while i >= 0 and x[i] > 2:
        i -= 1
    return i


@scans(*ALONE)
def in_steps(x: Vector) -> int:
    i = 0
    while i < len(x) and x[i] > 0:
        i += 2
    return i


@scans(*((x, y) for x in VECTORS for y in (x, VECTORS[0], VECTORS[1], VECTORS[3])))
def common_prefix(a: Vector, b: Float64[Tensor, "m"]) -> int:
    k = 0
    while k < len(a) and k < len(b) and a[k] == b[k]:
        k += 1
    return k


@scans(*((x, v) for x in VECTORS for v in (3.5, -9.0, 99.0)))
def inserted(x: Vector, v: float) -> Any:
    y = np.zeros(len(x) + 1)
    i = 0
    while i < len(x) and x[i] < v:
        y[i] = x[i]
        i += 1
    y[i] = v
    y[i + 1 :] = x[i:]
    return y


@scans(*((x, limit) for x in VECTORS for limit in (0.0, 4.0, 99.0)))
def sum_up_to_a_limit(x: Vector, limit: float) -> Any:
    i, total = 0, 0.0
    while i < len(x) and total < limit:
        total += x[i]
        i += 1
    return np.float64(total), i


@scans(*STARTS)
def raises_before_the_end(x: Vector, k: int) -> int:
    i = 0
    while i < len(x):
        if i == k:
            raise ValueError(f"{i} before {x[i]}")
        if x[i] < 0:
            break
        i += 1
    return i


@scans(*((x, k) for x in VECTORS for k in range(4)))
def down_to_a_number(x: Vector, least: int) -> int:
    i = len(x)
    while i > least and x[i - 1] > 1:
        i -= 1
    return i


@near(*((x, limit) for x in VECTORS for limit in (2.5, 99.0)))
def asked_where_it_is_used(x: Vector, limit: float) -> Any:
    i, found, more = 0, -1, True
    while more and found < 0:
        more = i < len(x)
        if more and x[i] > limit:
            found = i
        i += 1
    return found, i, more


@near(*STARTS)
def end_that_moves(x: Vector, k: int) -> int:
    i, n = 0, len(x)
    while i < n and x[i] > 0:
        if x[i] > k:
            n = n - 1
        i += 1
    return i + n


@near(*ALONE)
def steps_that_differ(x: Vector) -> int:
    i = 0
    while i < len(x) and x[i] != 0:
        i += 2 if x[i] > 2 else 1
    return i


@near((VECTORS[0], 5, 0), (VECTORS[0], 3, 3), (VECTORS[0], 4, 1))
def met_from_an_unknown_place(x: Vector, i: int, j: int) -> int:
    n = 0
    while i != j and n * x[0] < 40:
        i -= 1
        n += 1
        x = x * 0.5 + 1.0
    return n


@near(*ALONE)
def depends_on_the_round_before(x: Vector) -> Any:
    i, state = 0, np.float64(1.0)
    while i < len(x) and state < 9.0:
        state = state * x[i] + 1.0
        i += 1
    return state, i


@near(*ALONE)
def asked_in_some_rounds_only(x: Vector) -> Any:
    i, count = 0, 0
    while count < 7:
        if count % 2 == 0:
            if i >= len(x):
                break
            count += 1 if x[i] > 2 else 0
        else:
            count += 2
        i += 1
    return i, count


@pytest.fixture(params=["at once", "in blocks"])
def blocks(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "in blocks":
        monkeypatch.setattr(one_loop, "FEW", 2)


def what_became_of_the_loop(fn: Callable[..., Any], folder: Path) -> str:
    (report,) = graph_program(fn).export(folder / "m.onnx").loops
    return report.text


@scans.each
def test_searches(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], blocks: None, tmp_path: Path) -> None:
    compared(fn, inputs)
    assert what_became_of_the_loop(fn, tmp_path) == "array operations"


@near.each
def test_loops_that_stay(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], blocks: None, tmp_path: Path
) -> None:
    compared(fn, inputs)
    assert what_became_of_the_loop(fn, tmp_path).startswith("a loop")


def test_what_was_written_before_the_end_is_found(blocks: None) -> None:
    def program(x: Vector, y: Vector) -> int:
        i = 0
        while i < len(x) and x[i] >= 0:
            if x[i] == 2:
                raise ValueError(f"{i} is 2")
            y[i] = x[i] * 2
            i += 1
        return i

    compared(program, tuple((x, np.zeros(len(x))) for x in VECTORS))


def source(seed: int) -> str:
    """The text of a module with a random program."""
    pick = random.Random(seed).choice
    step, up = pick([1, 1, 1, 2]), pick([True, True, False])
    end = pick(["len(x)", "len(x)", "len(x) - 1", "p"]) if up else pick(["0", "-1", "p"])
    bound = f"i {pick(['<', '<', '<='])} {end}" if up else f"i {pick(['>', '>='])} {end}"
    if pick([0, 0, 1]):
        bound = f"i != {end}"
        step = 1
    element = pick(["x[i]", "x[i]", "x[i - 1]", "x[i + 1]"])
    other = pick([f"{element} > 0", f"{element} != 2", "total < 4", f"{element} < u", "not found", "total * u < 9"])
    tests = pick([f"{bound} and {other}", f"{bound} and {other}", f"{other} and {bound}", bound])
    does = [f"total += {element}", f"y[i] = {element}", "found = x[i] == 1", "count += 1", "last = i", "out.append(i)"]
    does += ["if i == p:\n            break", "if x[i] == 5:\n            raise ValueError(f'{i}')"]
    does += ["if x[i] > best:\n            best = x[i]", "y[i] += 1"]
    body = random.Random(seed).sample(does, pick([1, 2, 3]))
    body.insert(pick(range(len(body) + 1)), f"i {'+' if up else '-'}= {step}")
    start = pick(["0", "0", "1", "p"]) if up else pick(["len(x) - 1", "len(x)", "p"])
    return f"""
import numpy as np
from graph_program import Float64, Tensor


def f(x: Float64[Tensor, "n"], y: Float64[Tensor, "n"], p: int, u: float):
    i, total, found, count, last, best, out = {start}, np.float64(0.0), False, 0, 0, np.float64(u), [0]
    limit = 0
    while {tests}:
        {(chr(10) + " " * 8).join(body)}
        limit += 1
        if limit > 40:
            break
    return i, total, bool(found), count, last, best, np.array(out)
"""


@pytest.mark.parametrize("seed", range(20))
def test_random_searches(seed: int, tmp_path: Path, blocks: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fn = module(tmp_path / f"search_{seed}.py", source(seed), monkeypatch).f
    compared(fn, tuple((x, np.zeros(len(x)), p, u) for x in VECTORS for p, u in ((0, 2.5), (3, -1.0), (-2, 9.0))))
