"""What rounds set and others leave, count on from or switch: array operations, and near misses that stay loops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, Int64, IntegerLimitError, Tensor, graph_program
from tests.programs.plain import Cases, differs, outcome
from tests.transform.latches import Latches, arguments, extremes
from tests.transform.sessions import exported, module
from tests.transform.test_vectorize import loops_in

Signal = Float64[Tensor, "n"]
Numbers = Int64[Tensor, "n"]
Flags = Bool[Tensor, "n"]
Inputs = tuple[tuple[Any, ...], ...]

flat = Cases()
"""Programs without a loop."""
blocks = Cases()
"""Programs that may end early: a block of rounds at a time."""
doubled = Cases()
"""Programs of which the only loop finds extremes so far."""
misses = Cases()
"""Programs whose loops stay."""

SIGNALS = tuple(
    np.array(values)
    for values in ([0.2, 1.5, 0.7, -2.0, 0.1, 1.1, -1.2], [2.0, -0.0, 0.0, np.nan, 2.0, -2.0], [1.0], [-3.0, 3.0], [])
)
FLAGS = tuple(np.array(values, bool) for values in ([0, 1, 1, 0, 0, 1, 0], [1, 1, 0, 1, 1, 1], [1], [0, 0], []))
BOTH = tuple(zip(SIGNALS, FLAGS, strict=True))


@flat(*BOTH)
def held(x: Signal, c: Flags) -> Any:
    out = np.zeros(len(x))
    last = -0.0
    for i in range(len(x)):
        if c[i]:
            last = x[i]
        out[i] = last
    return out, float(last)


@flat(*((x,) for x in SIGNALS))
def filled(x: Signal) -> Any:
    out = np.zeros(len(x))
    last = 0.0
    for i in range(len(x)):
        out[i] = x[i] - last
        if not np.isnan(x[i]):
            last = x[i]
    return out


@flat(*((c,) for c in FLAGS))
def since_when(c: Flags) -> Any:
    out, gaps = np.zeros(len(c), np.int64), []
    last = -1
    for i in range(len(c)):
        if c[i]:
            if last >= 0:
                gaps.append(i - last)
            last = i
        out[i] = i - last
    return out, gaps


@flat(*((c,) for c in FLAGS))
def longest_run(c: Flags) -> Any:
    run, longest = 0, 0
    for i in range(len(c)):
        if c[i]:
            run += 1
        else:
            run = 0
        longest = max(longest, run)
    return longest, run


@flat(*((c, np.arange(len(c)) - 2) for c in FLAGS))
def counted_on(c: Flags, q: Numbers) -> Any:
    out = np.zeros(len(c), np.int64)
    total = 100
    for i in range(len(c)):
        total = total - int(q[i]) if c[i] else i
        total += 1
        out[i] = total
    return out


@flat(*((x, 1.0, -1.0) for x in SIGNALS), *((x, 0.0, 0.5) for x in SIGNALS))
def hysteresis(x: Signal, high: float, low: float) -> Any:
    out = np.zeros(len(x), bool)
    on = False
    for i in range(len(x)):
        if on:
            if x[i] < low:
                on = False
        elif x[i] > high:
            on = True
        out[i] = on
    return out, on


@flat(*((x, 1.0) for x in SIGNALS))
def switched_off(x: Signal, high: float) -> Any:
    armed, hits = True, 0
    for i in range(len(x)):
        if armed and x[i] > high:
            hits += 1
            armed = False
        elif x[i] < -high:
            armed = True
    return hits, armed


@flat(*((c,) for c in FLAGS))
def segments(c: Flags) -> Any:
    starts, ends = [], []
    start = -1
    for i in range(len(c)):
        if c[i] and start < 0:
            start = i
        elif not c[i] and start >= 0:
            starts.append(start)
            ends.append(i)
            start = -1
    return starts, ends, start


@flat(*((c,) for c in FLAGS))
def turned_and_set(c: Flags) -> Any:
    out = np.zeros(len(c), bool)
    on = False
    for i in range(len(c)):
        if i % 3 == 2:
            on = c[i]
        elif c[i]:
            on = not on
        out[i] = on
    return out


@blocks(*((x, 1.0) for x in SIGNALS), (np.arange(20_000) % 7.0 - 3.0, 2.0))
def until_it_is_late(x: Signal, high: float) -> Any:
    last, count = -1, 0
    for i in range(len(x)):
        if x[i] > high:
            last = i
        if last >= 0 and i - last > 9_000:
            break
        count += i - last
    return last, count


@doubled(*((x,) for x in SIGNALS if len(x)), (np.array([np.nan, 1.0, 2.0]),), (np.array([0.0, -0.0, 0.0, 1.0]),))
def drawdown(x: Signal) -> Any:
    peak, worst = x[0], 0.0
    out = np.zeros(len(x))
    for i in range(1, len(x)):
        peak = max(peak, x[i])
        worst = max(worst, peak - x[i])
        out[i] = peak
    return out, float(worst)


@doubled(*BOTH, (np.arange(9_000.0) % 70, np.arange(9_000) % 3 == 0))
def records_and_since_when(x: Signal, c: Flags) -> Any:
    best, at, count = -1.5, -1, 0
    gaps = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        if c[i] and x[i] > best:
            best, at = float(x[i]), i
            count += 1
        gaps[i] = i - at
    return best, at, count, gaps


@doubled(*((c, np.arange(len(c)) * 5 % 7 - 3) for c in FLAGS))
def least_so_far(c: Flags, q: Numbers) -> Any:
    least, total = 2**62, 0
    for i in range(len(c)):
        if c[i]:
            continue
        if q[i] < least:
            least = int(q[i])
        total += least % 5
    return least, total


@doubled(*((x,) for x in SIGNALS), (np.array([0.0, -0.0, 0.0, -0.0]),))
def last_of_the_greatest(x: Signal) -> Any:
    peak, at = -0.0, -1
    since = np.zeros(len(x), np.int64)
    for i in range(len(x)):
        if x[i] >= peak:
            peak, at = float(x[i]), i
        since[i] = i - at
    return peak, since


WITH_NAN = tuple(
    np.array(values)
    for values in (
        [np.nan, 1.0, 2.0, 0.5],
        [0.0, -0.0, np.nan, np.nan, -0.0, 0.0, -np.inf],
        [3.0, np.nan, -np.inf, -1.0],
    )
)


@doubled(*((x, b) for x in (*SIGNALS, *WITH_NAN) for b in (0.0, np.nan, -np.inf)))
def what_comes_behind_a_nan(x: Signal, begin: float) -> Any:
    peak, out = begin, np.zeros(len(x))
    for i in range(len(x)):
        peak = max(x[i], peak)
        out[i] = peak
    return out, float(peak)


@doubled(*((x, np.arange(len(x)) % 3 != 1) for x in (*SIGNALS, *WITH_NAN)))
def least_of_some(x: Signal, c: Flags) -> Any:
    least, out = 1.0, np.zeros(len(x))
    for i in range(len(x)):
        out[i] = least
        if c[i]:
            least = min(float(x[i]), least)
    return out, least


@doubled(*((x,) for x in (*SIGNALS, *WITH_NAN)))
def only_in_the_end(x: Signal) -> Any:
    peak = -0.5
    for i in range(len(x)):
        peak = max(float(x[i]), peak)
    return peak


@doubled(*((q,) for q in (np.array(q, np.int64) for q in ([3, -(2**63), 3, 7, 7, 2**63 - 1], [-(2**63)], []))))
def integers_that_are_no_less(q: Numbers) -> Any:
    peak, at, out = -(2**63), -1, np.zeros(len(q), np.int64)
    for i in range(len(q)):
        peak, at = (peak, at) if peak >= q[i] else (int(q[i]), i)
        out[i] = peak // 2 + at
    return out


@doubled(*((np.arange(12.0).reshape(3, 4) % 5 - 2,), (np.full((2, 3), np.nan),), (np.zeros((2, 0)),)))
def for_each_row(x: Float64[Tensor, "m n"]) -> Any:
    out = np.zeros(x.shape)
    for r in range(x.shape[0]):
        peak = -1.0
        for i in range(x.shape[1]):
            peak = max(float(x[r, i]), peak)
            out[r, i] = peak
    return out


@misses(*((x,) for x in SIGNALS))
def by_what_is_set(x: Signal) -> Any:
    out = np.zeros(len(x))
    last = 0.0
    for i in range(len(x)):
        last = x[i] if x[i] > last + 1 else last / 2
        out[i] = last
    return out


@misses(*((x, b) for x in (*SIGNALS, *WITH_NAN) for b in (0.0, np.nan)))
def as_bad_as_can_be_behind_a_nan(x: Signal, begin: float) -> Any:
    peak, out = begin, np.zeros(len(x))
    for i in range(len(x)):
        peak = peak if peak >= x[i] else float(x[i])
        out[i] = peak
    return out


@misses(*((x, c) for x, c in BOTH))
def floats_that_are_added_up_anew(x: Signal, c: Flags) -> Any:
    out = np.zeros(len(x))
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] if c[i] else 0.0
        out[i] = total
    return out


@flat.each
def test_files_without_loops(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 0


@blocks.each
def test_blocks_of_rounds(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1


@doubled.each
def test_extremes_so_far(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1
    assert "is array operations" in graph_program(fn).explain("optimized", inputs[0])


@misses.each
def test_loops_that_stay(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1


@pytest.mark.parametrize("seed", [*range(12), 500490])
def test_random_latches(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"latches_{seed}.py", Latches(seed).source(), monkeypatch)
    with np.errstate(all="ignore"):
        exported(program.f, arguments(seed), tmp_path)
        in_process = graph_program(program.f)
        for args in extremes(seed):
            expected, found = outcome(program.f, args), outcome(in_process, args)
            assert found[0] is IntegerLimitError or not differs(expected, found), args
