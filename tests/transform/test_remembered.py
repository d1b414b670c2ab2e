"""What rounds remember, told with an error, beside a record, asked for, and carried from row to row: in files, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Bool, Float64, Int64, Tensor
from tests.programs.plain import Cases
from tests.transform.sessions import exported

Signal = Float64[Tensor, "n"]
Flags = Bool[Tensor, "m"]

cases = Cases()
"""Programs with arguments."""

X = np.array([1.0, 2.0, -1.0, 3.0])
NONE, SOME, LAST = (np.array(c, bool) for c in ([0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 1, 0]))
BOTH = tuple((x, c) for x in (X, -X, X[:0], np.abs(X)) for c in (NONE, SOME, LAST, NONE[:2]))


@cases(*BOTH)
def told_where_nothing_has_set_it(x: Signal, c: Flags) -> int:
    last = 7
    for i in range(len(x)):
        if c[i]:
            last = 3
        if x[i] < 0:
            raise ValueError(last)
    return 1


@cases(*BOTH)
def told_with_the_round(x: Signal, c: Flags) -> int:
    since = -1
    for i in range(len(x)):
        if x[i] < 0:
            raise ValueError(f"{i}: {since}")
        if c[i]:
            since = i
    return 1


@cases(*((x,) for x, _ in BOTH[::4]), (np.array([6.0, -1.0]),))
def told_beside_a_record(x: Signal) -> int:
    peak, at = 5.0, -1
    for i in range(len(x)):
        if x[i] > peak:
            peak, at = x[i], i
        if x[i] < 0:
            raise ValueError(f"low at {i}, peak at {at}")
    return len(x)


@cases(*BOTH)
def told_in_a_nest(x: Signal, c: Flags) -> int:
    last = 7
    for r in range(2):
        for i in range(len(x)):
            if c[i]:
                last = i + r
            if x[i] < r - 1:
                raise ValueError(last)
    return 1


@cases(*BOTH)
def a_place_beside_a_record_that_others_leave_out(x: Signal, c: Flags) -> Any:
    best, at = 0.0, -1
    for i in range(len(x)):
        better = x[i] > best
        if c[i] and better:
            best = float(x[i])
        if better:
            at = i
    return best, at


@cases(*BOTH)
def a_place_before_a_record_is_left_out(x: Signal, c: Flags) -> Any:
    best, at = 0.0, -1
    for i in range(len(x)):
        better = x[i] > best
        if better:
            at = i
        if not c[i]:
            continue
        if better:
            best = float(x[i])
    return best, at


@cases(*((c, n) for c in (NONE, SOME, LAST, NONE[:0]) for n in (3, 0, -1, 10)))
def compared_with_what_the_round_computes(c: Flags, n: int) -> Any:
    start, count = -1, 0
    for i in range(len(c)):
        limit = n // 2 if n > 0 else 5
        if c[i]:
            if start < limit:
                start = i
            else:
                count += 1
    return start, count


@cases(*((np.arange(k) + 1, n) for k in (0, 2, 3) for n in (0, 1, 2, 3)))
def sums_from_row_to_row(x: Int64[Tensor, "n"], n: int) -> Any:
    out = np.zeros((2, n), np.int64)
    total = 5
    for r in range(2):
        for i in range(n):
            total = total + int(x[i])
            out[r, i] = total
    return out


@cases(*((c, n) for c in (NONE, SOME, LAST, NONE[:2]) for n in (0, 1, 2, 4)))
def held_from_row_to_row(c: Flags, n: int) -> Any:
    out, last = [], -1
    for r in range(3):
        for i in range(n):
            if c[i]:
                last = r * n + i
            out.append(last)
    return np.array(out, np.int64)


@cases(*((c, n) for c in (NONE, SOME, LAST, NONE[:2]) for n in (0, 1, 2, 4)))
def turned_from_row_to_row(c: Flags, n: int) -> Any:
    out, on, most = np.zeros((3, n), bool), False, np.zeros((3, n))
    greatest = -1.0
    for r in range(3):
        for i in range(n):
            if c[i]:
                on = not on
            greatest = max(greatest, float(r * i))
            out[r, i], most[r, i] = on, greatest
    return out, most


@cases.each
def test_as_in_python(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path) -> None:
    exported(fn, inputs, tmp_path)
