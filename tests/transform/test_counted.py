"""Counters whose limit only a run has are found by doubling jumps; near misses stay loops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, Int64, IntegerLimitError, Tensor, graph_program
from tests.programs.plain import Cases, outcome
from tests.transform.limits import Limits, arguments
from tests.transform.sessions import exported, module
from tests.transform.test_machines import is_doubled
from tests.transform.test_vectorize import loops_in

Signal = Float64[Tensor, "n"]
Numbers = Int64[Tensor, "n"]
Flags = Bool[Tensor, "n"]
Inputs = tuple[tuple[Any, ...], ...]

doubled = Cases()
"""Programs of which the only loop follows jumps."""
blocks = Cases()
"""Programs that may end early, or of many kinds: a block of rounds at a time."""
misses = Cases()
"""Programs whose loops stay."""

SIGNALS = tuple(
    np.array(values)
    for values in ([0.2, 1.5, 0.7, 2.0, 1.2, 1.1, -1.2, 3.0, 1.5], [2.0, -0.0, np.nan, 2.0, 2.0], [1.5], [-3.0], [])
)
FLAGS = tuple(
    np.array(values, bool)
    for values in ([0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1], [1, 1, 1, 1], [0, 1, 0, 0], [1], [0], [])
)
EXTREMES = tuple(
    np.array(values, np.int64)
    for values in ([0, 2**63 - 1, 3, -(2**63), 1, 2], [2**62, -(2**62), 2**62 + 1, 0, 0], [-(2**63)], [])
)
LIMITS = (1, 2, 3, 100, 0, -2, 2**63 - 1, -(2**63), 2**62)
LONG = np.random.default_rng(1).random(20_000) < 0.6


@doubled(*((c, k) for c in FLAGS for k in LIMITS), (LONG, 3))
def debounced(c: Flags, k: int) -> Any:
    out = np.zeros(len(c), bool)
    state = False
    count = 0
    for i in range(len(c)):
        if c[i] == state:
            count = 0
        else:
            count += 1
            if count >= k:
                state, count = bool(c[i]), 0
        out[i] = state
    return out, count


@doubled(*((c, k) for c in FLAGS for k in LIMITS), (LONG, 3))
def every_so_many(c: Flags, k: int) -> Any:
    hits = 0
    n = 0
    out = np.zeros(len(c), np.int64)
    for i in range(len(c)):
        if c[i]:
            n += 1
            if n == k:
                n = 0
                hits += 1
        out[i] = n
    return out, hits


@doubled(*((x, h) for x in SIGNALS for h in LIMITS))
def held_off(x: Signal, h: int) -> Any:
    found: list[int] = []
    hold = 0
    for i in range(len(x)):
        if hold > 0:
            hold -= 1
        elif x[i] > 1.0:
            hold = h
            found.append(i)
    return np.array(found, np.int64), hold


@doubled(*((c, h) for c in FLAGS for h in LIMITS), (LONG, 7))
def cooled_down(c: Flags, h: int) -> Any:
    out = np.zeros(len(c), bool)
    cool = h
    for i in range(len(c)):
        if cool > 0:
            cool -= 1
        if c[i] and cool == 0:
            cool = h
            out[i] = True
    return out, cool


@doubled(*((c, h) for c in FLAGS for h in LIMITS))
def timers(c: Flags, h: int) -> Any:
    out = np.zeros(len(c), bool)
    left = 0
    for i in range(len(c)):
        if c[i]:
            left = h
        elif left > 0:
            left -= 1
        out[i] = left > 0
    return out, left


@doubled(*((c, np.resize(np.array([3, 1, 0, 2, -1, 9, 2**62, 2]), len(c))) for c in FLAGS))
def timers_of_their_own(c: Flags, q: Numbers) -> Any:
    out = np.zeros(len(c), np.int64)
    left = 0
    for i in range(len(c)):
        if left > 0:
            left -= 1
        elif c[i]:
            left = int(q[i])
        out[i] = left
    return out


@doubled(*((x, 0.9, -0.5, k) for x in SIGNALS for k in LIMITS))
def two_thresholds(x: Signal, high: float, low: float, k: int) -> Any:
    out = np.zeros(len(x), bool)
    on = False
    n = 0
    for i in range(len(x)):
        if not on:
            n = n + 1 if x[i] > high else 0
            if n >= k:
                on, n = True, 0
        else:
            n = n + 1 if x[i] < low else 0
            if n >= k:
                on, n = False, 0
        out[i] = on
    return out


@doubled(*((c, k) for c in FLAGS for k in LIMITS))
def three_states(c: Flags, k: int) -> Any:
    out = np.zeros(len(c), np.int64)
    state = "idle"
    n = 0
    for i in range(len(c)):
        if state == "idle":
            if c[i]:
                state, n = "run", 0
        elif state == "run":
            n += 1
            if n > k:
                state, n = "rest", 0
        else:
            n += 1
            if n > k and not c[i]:
                state, n = "idle", 0
        out[i] = n
    return out, state


@doubled(*((c, k) for c in FLAGS for k in LIMITS if k < 2**62))
def next_to_the_limit(c: Flags, k: int) -> Any:
    n = 0
    hits = 0
    for v in c:
        n = n + 1 if v else 0
        if k <= n < k + 3:
            hits += 1
        elif n >= k + 5:
            n = 0
    return n, hits


@doubled(*((q, k) for q in EXTREMES for k in LIMITS))
def numbers_as_far_as_may_be(q: Numbers, k: int) -> Any:
    out = np.zeros(len(q), np.int64)
    n = 0
    for i in range(len(q)):
        if n >= k:
            n = int(q[i])
        else:
            n += 1
        out[i] = n
    return out


@doubled(*((c, k) for c in FLAGS for k in LIMITS))
def what_is_read_is_written(c: Flags, k: int) -> Any:
    n = 0
    for i in range(len(c)):
        n = n + 1 if c[i] else 0
        if n > k:
            c[i] = False
            n = 0
    return n


@blocks(*((c, k) for c in FLAGS for k in (1, 2, 3, 0)), (LONG, 12))
def the_third_time(c: Flags, k: int) -> Any:
    n = 0
    hits = 0
    at = -1
    for i in range(len(c)):
        if c[i]:
            n += 1
            if n >= k:
                n = 0
                hits += 1
        if hits == 3:
            at = i
            break
    return at, n


@blocks(*((c, k) for c in FLAGS for k in LIMITS), (LONG, 1), (LONG, 3))
def several_stages(c: Flags, k: int) -> Any:
    out = np.zeros(len(c), np.int64)
    stage = 0
    n = 0
    for i in range(len(c)):
        if c[i] and stage < 7:
            stage, n = stage + 1, 0
        elif not c[i] and n >= k:
            stage, n = 0, 0
        else:
            n += 1
        out[i] = stage
    return out, n


@misses(*((c, k) for c in FLAGS for k in (1, 2, 3)))
def two_limits(c: Flags, k: int) -> Any:
    n = 0
    out = np.zeros(len(c), np.int64)
    for i in range(len(c)):
        n = min(n + 1, k) if c[i] else max(n - 1, 0)
        out[i] = n
    return out


@misses(*((c, k) for c in FLAGS for k in (1, 2, 3)))
def too_many_kinds(c: Flags, k: int) -> Any:
    stage = 0
    n = 0
    for v in c:
        n += 1
        if v and stage < 12:
            stage, n = stage + 1, 0
        elif n > k:
            stage, n = 0, 0
    return stage, n


@misses(*((np.array(q, np.int64), k) for q in ([2, 5, 1, 9, 3], [1], []) for k in (1, 2)))
def a_limit_that_is_written(q: Numbers, k: int) -> Any:
    n = 0
    for i in range(1, len(q)):
        n += 1
        if n >= q[0]:
            n = 0
            q[0] = k + i % 2
    return n


@misses(*((c, k) for c in FLAGS for k in (1, 2, 3)))
def a_limit_that_grows(c: Flags, k: int) -> Any:
    n = 0
    hits = 0
    for i in range(len(c)):
        n = n + 1 if c[i] else 0
        if n >= k + hits:
            n = 0
            hits += 1
    return n, hits


@misses(*((c, k) for c in FLAGS for k in (1, 2, 5)))
def steps_of_two(c: Flags, k: int) -> Any:
    n = 0
    out = np.zeros(len(c), np.int64)
    for i in range(len(c)):
        if n > 0:
            n -= 2
        elif c[i]:
            n = k
        out[i] = n
    return out


@misses(*((np.array(q, np.int64), k) for q in ([3, -2, 5], [2**62] * 3, []) for k in (1, 4)))
def numbers_that_wrap(q: Numbers, k: int) -> Any:
    n = np.int64(0)
    out = np.zeros(len(q), np.int64)
    for i in range(len(q)):
        n = q[i] if n >= k else n + np.int64(1)
        out[i] = n
    return out


@doubled.each
def test_jumps_are_doubled(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1
    assert is_doubled(fn, inputs[0])


@blocks.each
def test_blocks_of_rounds(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 2
    assert is_doubled(fn, inputs[0])


@misses.each
def test_loops_that_stay(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1
    assert not is_doubled(fn, inputs[0])


@pytest.mark.parametrize("seed", range(12))
def test_random_limits(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"limits_{seed}.py", Limits(seed).source(), monkeypatch)
    with np.errstate(all="ignore"):
        in_process = graph_program(program.f)
        inputs = [args for args in arguments(seed) if outcome(in_process, args)[0] is not IntegerLimitError]
        exported(program.f, tuple(inputs), tmp_path)
