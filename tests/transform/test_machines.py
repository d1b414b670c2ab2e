"""Numbers that go through a few states: what becomes of each is put together by doubling; near misses stay loops."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.machines import Machines, arguments
from tests.transform.sessions import exported, module
from tests.transform.test_vectorize import loops_in

Signal = Float64[Tensor, "n"]
Numbers = Int64[Tensor, "n"]
Flags = Bool[Tensor, "n"]
Inputs = tuple[tuple[Any, ...], ...]

doubled = Cases()
"""Programs of which the only loop puts together what becomes of states."""
nested = Cases()
"""The same in each round of a loop around, which is none."""
blocks = Cases()
"""Programs that may end early: a block of rounds at a time."""
misses = Cases()
"""Programs whose loops stay."""

SIGNALS = tuple(
    np.array(values)
    for values in ([0.2, 1.5, 0.7, -2.0, 0.1, 1.1, -1.2, 3.0], [2.0, -0.0, 0.0, np.nan, 2.0, -2.0], [1.0], [-3.0], [])
)
FLAGS = tuple(
    np.array(values, bool) for values in ([0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1], [1, 1, 0, 1, 1, 1], [1], [0], [])
)
LONG = np.random.default_rng(1).normal(size=20_000)


class Mode(IntEnum):
    IDLE = 0
    RUN = 4
    STOP = 7


@doubled(*((x,) for x in SIGNALS), (LONG,))
def three_states(x: Signal) -> Any:
    out = np.zeros(len(x), np.int64)
    state = 0
    for i in range(len(x)):
        if state == 0:
            if x[i] > 1.0:
                state = 1
        elif state == 1:
            if x[i] < 0.0:
                state = 2
        elif x[i] > 0.5:
            state = 0
        out[i] = state
    return out, state


@doubled(*((x,) for x in SIGNALS))
def enumeration(x: Signal) -> Any:
    mode = Mode.IDLE
    starts = 0
    for v in x:
        if mode == Mode.IDLE and v > 1:
            mode = Mode.RUN
            starts += 1
        elif mode == Mode.RUN and v < -1:
            mode = Mode.STOP
        elif mode == Mode.STOP:
            mode = Mode.IDLE
    return starts


@doubled(*((x,) for x in SIGNALS))
def texts(x: Signal) -> Any:
    mode = "idle"
    starts = 0
    for v in x:
        if mode == "idle":
            if v > 1:
                mode = "run"
                starts += 1
        elif mode == "run":
            if v < -1:
                mode = "stop"
        else:
            mode = "idle"
    return starts


@doubled(*((c,) for c in FLAGS))
def debounced(c: Flags) -> Any:
    out = np.zeros(len(c), bool)
    on = False
    count = 0
    for i in range(len(c)):
        if c[i] != on:
            count += 1
            if count >= 3:
                on, count = not on, 0
        else:
            count = 0
        out[i] = on
    return out, count


@doubled(*((x,) for x in SIGNALS))
def every_third(x: Signal) -> Any:
    k = 0
    total = 0.0
    for v in x:
        k += 1
        if k == 3:
            total += v
            k = 0
    return float(total), k


@doubled(*((c, start) for c in FLAGS for start in (-3, 0, 9)))
def begun_anywhere(c: Flags, start: int) -> Any:
    level = min(max(start, 0), 4)
    highest = 0
    for i in range(len(c)):
        level = min(level + 1, 4) if c[i] else max(level - 1, 0)
        if level == 4:
            highest += 1
    return level, highest


@doubled(*((c,) for c in FLAGS))
def pauses(c: Flags) -> Any:
    wait = 0
    found: list[int] = []
    for i in range(len(c)):
        if wait > 0:
            wait -= 1
        elif c[i]:
            found.append(i)
            wait = 5
    return np.array(found, np.int64)


@doubled(*((x,) for x in SIGNALS))
def thresholds_of_states(x: Signal) -> Any:
    level = 0
    out = np.zeros(len(x))
    for i in range(len(x)):
        limit = 1.0 if level == 0 else 0.5 if level == 1 else -0.5
        if x[i] > limit:
            level = min(level + 1, 2)
        elif x[i] < -limit:
            level = 0
        out[i] = level * x[i]
    return out


NEXT = (0, 1, 0, 2, 1, 0, 2, 2, 3, 0, 3, 3)


@doubled(*((q,) for q in (np.array([1, 0, 2, 2, 1, 1, 2, 0]), np.array([2]), np.array([], np.int64))))
def tables(q: Numbers) -> Any:
    state = 0
    out = np.zeros(len(q), np.int64)
    for i in range(len(q)):
        state = NEXT[3 * state + min(max(int(q[i]), 0), 2)]
        out[i] = state
    return out


@misses(*((q,) for q in (np.array([1, 0, 2, 2, 1, 1, 2, 0]), np.array([2, 1, 3, 0]), np.array([3]))))
def tables_that_are_too_short(q: Numbers) -> Any:
    state = 0
    for i in range(len(q)):
        state = NEXT[3 * state + min(max(int(q[i]), 0), 3)]
    return state


@nested(*((np.outer(np.arange(1.0, 4.0), x),) for x in SIGNALS))
def for_each_row(x: Float64[Tensor, "m n"]) -> Any:
    out = np.zeros(x.shape, np.int64)
    for r in range(x.shape[0]):
        state = 0
        for i in range(x.shape[1]):
            if state == 0 and x[r, i] > 1.0:
                state = 1
            elif state == 1 and x[r, i] < 0.0:
                state = 2
            elif state == 2 and x[r, i] > 0.5:
                state = 0
            out[r, i] = state
    return out


@blocks(*((x,) for x in SIGNALS), (LONG,), (np.where(np.abs(LONG) > 3, 0.0, LONG),))
def until_it_was_high_low_and_high(x: Signal) -> Any:
    state = 0
    for i in range(len(x)):
        if state == 0 and x[i] > 3.0:
            state = 1
        elif state == 1 and x[i] < -3.0:
            state = 2
        elif state == 2 and x[i] > 3.2:
            return i
    return -1


@doubled(*((q,) for q in (np.array([1, 0, 2, 0, 1]), np.array([0, 0, 1]), np.array([], np.int64))))
def failures(q: Numbers) -> Any:
    depth = 0
    for i in range(len(q)):
        if q[i] == 1:
            depth = min(depth + 1, 3)
        elif q[i] == 0:
            if depth == 0:
                raise ValueError(f"nothing is open at {i}")
            depth -= 1
    return depth


@misses(*((c,) for c in FLAGS))
def too_many_states(c: Flags) -> Any:
    k = 0
    out = np.zeros(len(c), np.int64)
    for i in range(len(c)):
        k = (k * 5 + 3) % 101 if c[i] else (k * 7 + 1) % 101
        out[i] = k
    return out


@misses(*((np.arange(len(c)) * 5 % 7,) for c in FLAGS))
def by_what_is_read(q: Numbers) -> Any:
    state = 1
    out = np.zeros(len(q), np.int64)
    for i in range(len(q)):
        state = (state * int(q[i]) + 1) & 7
        out[i] = state
    return out


def is_doubled(fn: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    return "is array operations" in graph_program(fn).explain("optimized", args)


@doubled.each
def test_states_are_put_together(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1
    assert is_doubled(fn, inputs[0])


@nested.each
def test_rows_at_once(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
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


def a_last_state_outside_of_its_table(c: Flags) -> Any:
    behind = np.array([1, 2, 3])
    state = np.int64(0)
    for v in c:
        state = behind[state] if v else state
        if state == 3:
            break
    return state


def test_last_states_are_looked_up_in_no_table(tmp_path: Path) -> None:
    exported(a_last_state_outside_of_its_table, tuple((c,) for c in FLAGS if len(c)), tmp_path)


@pytest.mark.parametrize("seed", range(12))
def test_random_machines(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"machines_{seed}.py", Machines(seed).source(), monkeypatch)
    with np.errstate(all="ignore"):
        exported(program.f, arguments(seed), tmp_path)
