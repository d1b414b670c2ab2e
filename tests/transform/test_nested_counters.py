"""What loops inside of loops count on is computed from the numbers of their rounds; near misses are carried."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, UInt8, graph_program
from graph_program.extract import transform
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.passes import Hook, Pass, run_passes
from tests.programs.plain import Cases
from tests.transform.counted_nests import Nests, arguments
from tests.transform.sessions import exported, module
from tests.transform.test_vectorize import loops_in

Picture = UInt8[Tensor, "h w c"]
Matrix = Float64[Tensor, "h w"]
Inputs = tuple[tuple[Any, ...], ...]

flat = Cases()
"""Programs without a loop."""
misses = Cases()
"""Programs with loops."""

PICTURES = tuple(
    (np.arange(h * w * c, dtype=np.uint8).reshape(h, w, c),) for h, w, c in ((2, 3, 3), (1, 1, 1), (0, 2, 3))
)
MATRICES = tuple((np.arange(1.0, 1 + h * w).reshape(h, w),) for h, w in ((2, 3), (3, 1), (1, 4), (0, 2), (2, 0)))


@flat(*PICTURES)
def flattened(x: Picture) -> Any:
    h, w, c = x.shape
    out = np.zeros(h * w * c, np.float32)
    i = 0
    for y in range(h):
        for q in range(w):
            for k in range(c):
                out[i] = x[y, q, k] / 255.0
                i += 1
    return out


@flat(*((x,) for (x,) in PICTURES if x.shape[2] == 3))
def with_a_channel_more(x: UInt8[Tensor, "h w 3"]) -> Any:
    h, w, _ = x.shape
    out = np.zeros(h * w * 4, np.uint8)
    i = 0
    for y in range(h):
        for q in range(w):
            for k in range(3):
                out[i] = x[y, q, k]
                i += 1
            out[i] = 255
            i += 1
    return out


@misses(*MATRICES)
def added_up(x: Matrix) -> Any:
    h, w = x.shape
    out = np.zeros(h * w)
    total = 0
    i = 0
    for y in range(h):
        for q in range(w):
            out[i] = x[y, q] * i
            i += 1
        total += i
    return out, total, i


@misses(*MATRICES)
def counted_by_some(x: Matrix) -> Any:
    h, w = x.shape
    out = np.zeros((h, w))
    i = 0
    for y in range(h):
        for q in range(w):
            out[y, q] = out[i // 4 % h, 0] + x[y, q]
            if x[y, q] % 2:
                i += 1
    return out, i


@misses(*MATRICES)
def ended_early(x: Matrix) -> Any:
    h, w = x.shape
    out = np.zeros(h * w)
    i = 0
    for y in range(h):
        for q in range(w):
            if x[y, q] > 4:
                break
            out[i] = x[y, q] + out[i - 1]
            i += 1
    return out, i


@misses(*((x, len(x) * 2) for (x,) in MATRICES))
def too_short(x: Matrix, n: int) -> Any:
    h, w = x.shape
    out = np.zeros(n)
    i = 0
    try:
        for y in range(h):
            for q in range(w):
                out[i] = x[y, q] + out[i - 1]
                i += 1
    except IndexError:
        return out, -i
    return out, i


@misses(*((x, 2) for (x,) in MATRICES), (np.ones((2, 3)), -1))
def other_numbers_of_rounds(x: Matrix, n: int) -> Any:
    h, w = x.shape
    out = np.zeros(h * w + 10)
    i = 0
    for y in range(h):
        for q in range(n):
            out[i] = y + q + out[i - 1]
            i += 1
    return out, i


@flat.each
def test_files_without_loops(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 0


@misses.each
def test_loops_that_stay(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) > 0


@pytest.mark.parametrize("seed", range(12))
def test_random_nests(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"nests_{seed}.py", Nests(seed).source(), monkeypatch)
    with np.errstate(all="ignore"):
        exported(program.f, arguments(seed), tmp_path)


def test_numbers_of_other_nests(tmp_path: Path) -> None:
    """Each nest counts from where the one before has ended."""

    def twice(x: Int64[Tensor, "h w"]) -> Any:
        h, w = x.shape
        out = np.zeros((2, h * w), np.int64)
        i = 0
        for y in range(h):
            for q in range(w):
                out[0, i] = x[y, q]
                i += 1
        j = i
        for y in range(h):
            for q in range(w):
                j -= 1
                out[1, j] = x[y, q]
        return out, i, j

    exported(twice, tuple((x.astype(np.int64),) for (x,) in MATRICES), tmp_path)


def read_where_the_first_round_fails(x: Matrix, y: Float64[Tensor, "n"], i: int) -> Any:
    h, w = x.shape
    out = np.zeros((h, w))
    for r in range(h):
        for c in range(3):
            out[r, c % w] = y[i]
        i = 0
    return out


def test_accesses_behind_conditions_of_loops_inside(tmp_path: Path) -> None:
    """What is inside wherever a loop inside has a round may be outside in a round of the one around."""
    inputs = tuple((x, np.arange(3.0), i) for (x,) in MATRICES for i in (2, 3, -3, -4))
    exported(read_where_the_first_round_fails, (*inputs, (np.ones((2, 2)), np.zeros(0), 0)), tmp_path)


def test_what_nobody_reads_is_made_on_either_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """The graph of a file is well formed behind each pass where a loop is array operations if it has a round."""

    def backwards(x: Float64[Tensor, "h w"], y: Float64[Tensor, "n"]) -> Any:
        h, w = x.shape
        rows, i = np.zeros((h, w)), 0
        for r in range(h - 1, -1, -1):
            for c in range(w):
                rows[r % h, c % w] = y[i]
                i -= 1
        return rows, i

    seen = list[str]()

    def verified(result: GraphProgram, passes: tuple[Pass, ...], disabled: frozenset[str], hook: Hook) -> None:
        def behind(name: str, program: GraphProgram) -> None:
            verify_graph(program, unread=False)
            seen.append(name)
            hook(name, program)

        run_passes(result, passes, disabled, behind)

    monkeypatch.setattr(transform, "run_passes", verified)
    graph_program(backwards).model(include_errors=True)
    assert "vectorize" in seen
