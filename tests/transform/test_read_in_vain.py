"""An element that all rounds read, where some may be done in vain, is one of each round; so are sides that it is in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, Tensor
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.sessions import exported

Signal, Flags = Float64[Tensor, "n"], Bool[Tensor, "n"]
ONE = tuple((np.arange(n) + 1.0, np.arange(n) > 2, p) for n in (0, 1, 2, 5) for p in (-1, 0, 1, 3, 9))
cases = Cases()


@cases(*ONE)
def all_rows_inside(x: Signal, c: Flags, p: int) -> Any:
    """The loop inside is done where there is an element."""
    n = len(x)
    a = np.zeros(n)
    for r in range(min(max(p, 0), 3)):
        c[r - 3] if n > 3 else True
        for i in range(n):
            a[i] = x[-1]
    return a


@cases(*ONE)
def one_of_two_sides(x: Signal, c: Flags, p: int) -> Any:
    n = len(x)
    a = np.zeros(n)
    for r in range(min(max(p, 0), 3)):
        c[r - 3] if n > 3 else True
        a = np.full(n, x[-1]) if n > 1 else np.zeros(1)
    return a


@cases(*ONE)
def until_it_ends(x: Signal, c: Flags, p: int) -> Any:
    n = len(x)
    a, found = np.zeros(n), 0
    for r in range(min(max(p, 0), 3)):
        if c[r - 3] if n > 3 else r > 1:
            found = r
            break
        for i in range(n):
            a[i] = x[-1] + x[0]
    return a, found


@cases(*((np.arange(n) - 1.0, np.arange(h) == 2, 0) for n in range(4) for h in range(5)))
def greatest_in_a_loop_inside(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    """All rounds of the loop inside read the same, and may not be there."""
    y = np.zeros(len(c))
    for r in range(len(c)):
        t = 0.0
        for _ in range(5):
            t = float(np.sin(t) + x.max())
        y[r] = t
        if c[r]:
            break
    return y


@cases(*((np.arange(n) - 1.0, np.arange(h) == 2, 4) for n in range(4) for h in range(5)))
def where_the_least_is_in_a_loop_inside(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    y = np.zeros(len(c), np.int64)
    for r in range(len(c)):
        at = 0
        while at < p:
            at = at * 2 + int(x.argmin()) + 1
        y[r] = at
        if c[r]:
            break
    return y


@cases(*((np.arange(n) - 1.0, np.arange(h) == 2, p) for n in range(4) for h in range(5) for p in (0, 2)))
def what_is_there_where_the_least_is(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    """Where there is no least the place of it stands for none, either."""
    y, sums, at = np.zeros(len(c)), np.zeros(len(x)), 0
    for r in range(len(c)):
        at = 0
        while at < p:
            at = at * 2 + int(abs(x[x.argmin()]) > 1) + 1
        y[r] = sums[(x - r).argmin()] + at
        if c[r]:
            break
    return y, at


@cases(*((np.arange(n) - 1.0, np.arange(h) == 2, p) for n in range(4) for h in range(5) for p in (0, 2)))
def what_is_there_behind_a_loop(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    y = np.zeros(len(c))
    sums = np.zeros(len(x) + 1)
    for r in range(len(c)):
        at = x.argmax()
        for _ in range(p):
            y[r] += x[at]
            at = min(at, (x * y[r]).argmin())
        y[r] += sums[at + 1]
        if c[r]:
            break
    return y


@cases(*((np.arange(n) + 0.5, p) for n in (0, 1, 3) for p in (-1, 0, 1, 3)))
def nearest_of_a_book(x: Signal, p: int) -> Any:
    book, used = np.zeros(p), np.zeros(p, np.int64)
    for _ in range(3):
        sums, loss = np.zeros(p), 0.0
        for v in x:
            at = int(np.argmin(np.abs(book - v)))
            sums[at] += v
            used[at] += 1
            loss += float(book[at])
        book = sums * loss
    return book, used


PLACES = tuple(
    (np.arange(n) * -1.5, np.arange(h) == 2, p) for n in range(4) for h in (0, 1, 2, 4) for p in (-3, -1, 0, 1, 2)
)


@cases(*PLACES)
def in_order(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    """An element that is a place stands for none where there are no elements."""
    order, y = np.argsort(x), np.zeros(len(c))
    for r in range(len(c)):
        y[r] = x[order[r]]
        if c[r]:
            break
    return y


@cases(*PLACES)
def in_order_on_one_side(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    order, y = np.argsort(x), np.zeros(len(c))
    for r in range(len(c)):
        if c[r]:
            y[r] = x[order[p]]
    return y


@cases(*PLACES)
def one_behind(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    order, y = np.arange(len(x)), np.zeros(len(c))
    sums = np.cumsum(np.concatenate([np.zeros(1), x]))
    for r in range(len(c)):
        y[r] = sums[order[r] + 1]
        if c[r]:
            break
    return y


@cases(*PLACES)
def in_order_in_a_loop_inside(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    order, y = np.argsort(x), np.zeros(len(c))
    for r in range(len(c)):
        t = 0.0
        for _ in range(3):
            t = float(np.sin(t) + x[order[r % 2]] + x[order[p]])
        y[r] = t
        if c[r]:
            break
    return y


@cases(*PLACES)
def before_it_is_written(x: Signal, c: Bool[Tensor, "h"], p: int) -> Any:
    """What is asked of a place is known before the loop that reads it, which has no round without elements."""
    a = np.zeros(len(x))
    for r in range(len(c)):
        for i in range(len(x)):
            a[i] += x[p]
        if r != p:
            a[p] = 1.0
    return a


GRIDS = tuple((np.arange(float(r * c)).reshape(r, c), 1) for r in range(4) for c in range(4))


@cases(*GRIDS)
def of_a_row_before(x: Float64[Tensor, "r c"], p: int) -> Any:
    """The loop inside has no rounds where there is one column, and then no row before is read."""
    a = x.copy()
    for i in range(x.shape[0]):
        for j in range(1, x.shape[1]):
            a[i, j] = a[i - 2, j]
    return a


@cases.each
@pytest.mark.parametrize("left_out", [(), ("hoist", "loop_checks"), ("loop_checks", "round_checks")])
def test_what_is_read_in_vain(
    fn: Callable[..., Any],
    inputs: tuple[tuple[Any, ...], ...],
    left_out: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without(monkeypatch, *left_out)
    exported(fn, inputs, tmp_path)


SIZES = tuple(
    (np.arange(float(n)), np.arange(float(m)) + 1, k) for n in (0, 1, 3, 5) for m in (0, 1, 2, 4) for k in (0, 3)
)
fits = Cases()


@fits(*SIZES)
def where_sizes_are_the_same(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"], k: int) -> Any:
    s = 0.0
    for _ in range(k):
        if len(x) - 1 == len(y):
            s += np.sum(x[1:] * y)
        else:
            s -= np.sum(x)
    return float(s)


@fits(*SIZES)
def rows_where_sizes_are_the_same(x: Float64[Tensor, "n"], y: Float64[Tensor, "m"], k: int) -> Any:
    z = np.zeros((3, len(y)))
    for t in range(k):
        if len(x) - 1 == len(y):
            z[t] = x[1:] * t
    return z


@fits.each
def test_what_sizes_a_branch_is_for(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path
) -> None:
    """The types in a branch say nothing of what is computed in vain."""
    exported(fn, inputs, tmp_path)
