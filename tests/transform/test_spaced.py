"""Events with a pause behind each are found by doubling jumps; near misses stay loops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, IntegerLimitError, Tensor, graph_program
from tests.programs.plain import Cases, outcome
from tests.transform.sessions import exported, module
from tests.transform.spacings import Spacings, arguments
from tests.transform.test_machines import is_doubled
from tests.transform.test_vectorize import loops_in

Signal = Float64[Tensor, "n"]
Flags = Bool[Tensor, "n"]
Inputs = tuple[tuple[Any, ...], ...]

doubled = Cases()
"""Programs of which the only loop follows jumps."""
misses = Cases()
"""Programs whose loops stay."""

SIGNALS = tuple(
    np.array(values)
    for values in ([0.2, 1.5, 0.7, 2.0, 1.2, 1.1, -1.2, 3.0, 1.5], [2.0, -0.0, np.nan, 2.0, 2.0], [1.5], [-3.0], [])
)
GAPS = (1, 2, 3, 100, 0, -2, 2**62)
BOTH = tuple((x, gap) for x in SIGNALS for gap in GAPS)
FLAGS = tuple(np.array(values, bool) for values in ([0, 1, 1, 0, 1, 1, 1, 1, 0, 1], [1, 1, 1, 1], [1], [0], []))


@doubled(*BOTH)
def peaks(x: Signal, gap: int) -> Any:
    found: list[int] = []
    last = -gap
    for i in range(len(x)):
        if x[i] > 1.0 and i - last >= gap:
            found.append(i)
            last = i
    return np.array(found, np.int64), last


@doubled(*((x,) for x in SIGNALS), (np.abs(np.sin(np.arange(5000.0))),))
def local(x: Signal) -> Any:
    out = np.zeros(len(x), bool)
    last = -1000
    for i in range(1, len(x) - 1):
        if x[i] > 0.5 and x[i] > x[i - 1] and x[i] >= x[i + 1]:
            if i - last <= 3:
                continue
            out[i] = True
            last = i
    return out


@doubled(*((c,) for c in FLAGS))
def behind_each(c: Flags) -> Any:
    until = 0
    count = 0
    for i in range(len(c)):
        if c[i] and i >= until:
            count += 1
            until = i + 4
    return count, until


@doubled(*BOTH)
def since_then(x: Signal, gap: int) -> Any:
    out = np.zeros(len(x), np.int64)
    last = 0
    for i in range(len(x)):
        if last + 2 < i and x[i] > 1:
            last = i
        out[i] = i - last
    return out


@doubled(*((x, gap) for x in SIGNALS for gap in (1, 2, 100)))
def of_equal_numbers(x: Signal, gap: int) -> Any:
    last = 0
    count = 0
    for i in range(len(x)):
        if x[i] == 2.0 and i - last >= gap:
            last = i
            count += 1
    return count, last


@misses(*((x, 2.0) for x in SIGNALS))
def by_another_number(x: Signal, gap: float) -> Any:
    last = 0.0
    count = 0
    for i in range(len(x)):
        if x[i] - last >= gap:
            count += 1
            last = x[i]
    return count


@misses(*((x, gap) for x in SIGNALS for gap in (1, 2, 3)))
def pauses_that_grow(x: Signal, gap: int) -> Any:
    last = 0
    count = 0
    for i in range(len(x)):
        if x[i] > 1 and i - last >= gap + count:
            count += 1
            last = i
    return count


@misses(*((x, gap) for x in SIGNALS for gap in (1, 2, 3)))
def set_by_others_too(x: Signal, gap: int) -> Any:
    last = 0
    count = 0
    for i in range(len(x)):
        if x[i] > 1 and i - last >= gap:
            count += 1
            last = i
        elif x[i] < 0:
            last = i
    return count


@doubled.each
def test_jumps_are_doubled(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1
    assert is_doubled(fn, inputs[0])


@misses.each
def test_loops_that_stay(fn: Callable[..., Any], inputs: Inputs, tmp_path: Path) -> None:
    assert loops_in(exported(fn, inputs, tmp_path)) == 1
    assert not is_doubled(fn, inputs[0])


@pytest.mark.parametrize("seed", range(12))
def test_random_spacings(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = module(tmp_path / f"spacings_{seed}.py", Spacings(seed).source(), monkeypatch)
    with np.errstate(all="ignore"):
        in_process = graph_program(program.f)
        inputs = [args for args in arguments(seed) if outcome(in_process, args)[0] is not IntegerLimitError]
        exported(program.f, tuple(inputs), tmp_path)
