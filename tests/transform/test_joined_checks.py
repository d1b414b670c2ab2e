"""The pass that makes one branch of checks that follow each other: with and without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor
from tests.benchmarks.graphs.counts import counted
from tests.benchmarks.graphs.programs import viterbi
from tests.models.agreement import agree
from tests.passes import without
from tests.programs.plain import Cases, check
from tests.transform.looked_up import PAIRS, Indices, Vector
from tests.transform.sessions import exported

joined = Cases()
"""Programs that have fewer branches by it, with arguments."""
apart = Cases()
"""Near misses."""

STATES = [tuple(viterbi.arguments(size, np.random.default_rng(size)).values()) for size in (5, 2, 1)]
WRONG = [(np.where(np.arange(len(obs)) == 1, 7, obs), *rest) for obs, *rest in STATES]
WORSE = [(obs - 9, *rest) for obs, *rest in STATES]
NO_STATES = [(obs, np.zeros(0), np.zeros((0, 0)), np.zeros((0, 4))) for obs, *_ in STATES]
joined(*STATES, *WRONG, *WORSE, *NO_STATES)(viterbi.viterbi.python)


@joined(*PAIRS)
def told_in_order(x: Vector, k: Indices) -> Any:
    """With numbers of their own, and a loop between them that none of them asks."""
    y = x / np.max(x)
    total = np.float64(0.0)
    for value in y:
        total = np.sin(total + value)
    if len(k) > 5:
        raise ValueError(f"{len(k)} are too many")
    if len(x) == 1:
        raise KeyError(len(k))
    return y * total, np.max(k)


@joined(*PAIRS)
def the_other_way_round(x: Vector, k: Indices) -> Any:
    if len(x) > 1:
        y = x[1:] / np.max(x)
        if len(k) <= 5:
            return y, k[0]
        raise ValueError(f"{len(k)} are too many for {len(x)}")
    raise KeyError("too few")


@apart(*PAIRS)
def what_is_asked_may_fail(x: Vector, k: Indices) -> Any:
    place = k[0]
    return x[place], np.max(x)


@apart(*PAIRS)
def behind_a_loop_that_is_asked(x: Vector, k: Indices) -> Any:
    low = np.argmin(x)
    total = 0
    for i in k:
        total = (total * 3 + i) % 7
    return x[total], low


@joined.each
def test_fewer_branches(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = counted(exported(fn, inputs, tmp_path)).branches
    without(monkeypatch, "joined_checks")
    assert here < counted(exported(fn, inputs, tmp_path)).branches


@apart.each
def test_as_they_are(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = counted(exported(fn, inputs, tmp_path))
    without(monkeypatch, "joined_checks")
    assert here == counted(exported(fn, inputs, tmp_path))


def test_what_fails_by_itself_comes_first() -> None:
    """In process an index says by failing that it is outside, behind one check and before another."""

    def between(x: Vector, k: Indices, at: int) -> Any:
        if len(k) > 5:
            raise ValueError(f"{len(k)} are too many")
        found = x[at]
        if len(k) == 2:
            raise KeyError("two")
        return found, k[0]

    def in_rounds(x: Vector, k: Indices, rounds: int) -> Any:
        total = np.float64(0.0)
        for i in range(rounds):
            total = np.sin(total) + x[i]
            if len(k) == 2:
                raise KeyError("two")
            total = total * 0.5
        return total

    inputs = tuple((x, k, at) for x, k in PAIRS for at in (0, 2, -5))
    check(between, *inputs)
    check(in_rounds, *inputs)


def test_what_a_loop_gives_that_has_not_begun_is_not_asked(tmp_path: Path) -> None:
    """In a file: a loop of 64 rounds has none behind a check that has failed, and no row is less than another."""

    def in_an_order(x: Any, q: Any) -> Any:
        if x.shape != (64,):
            raise ValueError(f"64 are wanted, got {x.shape[0]}")
        order = np.zeros(64, np.int64)
        place = 0
        for k in range(64):
            order[k] = place
            place = place * 3 + 1 if place < 20 else place - 20
        ordered = np.zeros(64)
        ordered[order] = x * q
        return ordered

    inputs = [(np.arange(float(n)), np.ones(m)) for n, m in ((64, 64), (63, 63), (0, 0), (64, 1), (64, 5), (3, 64))]
    agree(in_an_order, *inputs, folder=tmp_path)


def test_checks_among_what_has_been_copied_are_joined_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is told behind a check is a copy of checks that another pass has not decided."""

    def column(x: Float64[Tensor, "n"], m: Float64[Tensor, "h w"], k: int) -> Any:
        a, z, at = np.zeros(len(x)), np.zeros(m.shape), -1
        for r in range(1, len(m)):
            for _ in range(min(max(k, 0), 3)):
                if m[r, k] < x[-1]:
                    break
                a = np.sort(x)
            z[:, k] = x[at]
        return a, z

    without(monkeypatch, "fold")
    sizes = [(n, h, w, k) for n in (0, 1, 3) for h, w in ((0, 2), (3, 2), (1, 1)) for k in (-2, 0, 1, 4)]
    inputs = tuple((np.arange(n) * 0.5, np.arange(h * w).reshape(h, w) * 1.0 - 2, k) for n, h, w, k in sizes)
    exported(column, inputs, tmp_path)
