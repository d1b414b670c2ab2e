"""The pass that moves what follows a check to the side where it does not fail: with and without it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.graphs.counts import counted
from tests.benchmarks.graphs.programs import viterbi
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.looked_up import PAIRS, Indices, Vector
from tests.transform.sessions import exported

fewer = Cases()
"""Programs that have fewer nodes by it, with arguments."""
same = Cases()
"""Near misses."""


@fewer(*PAIRS)
def of_what_may_be_empty(x: Vector, k: Indices) -> Any:
    y, places = np.sin(x), np.zeros(len(k), np.int64)
    for t, i in enumerate(k):
        y = y / np.max(y) + x[i]
        places[t] = np.argmax(y)
    best = np.argmax(y)
    for t in range(len(k)):
        best = places[t] - best
    return best, y


@same(*PAIRS)
def a_check_behind_a_loop(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    for i in k:
        total = np.sin(total) + x[i]
    return np.max(x) * total, x[1:] @ x[1:]


@same(*PAIRS)
def a_loop_behind_a_loop(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    for i in k:
        total = np.sin(total) + x[i]
    place = np.argmax(x)
    for _ in range(3):
        place = k[place % len(k)]
        total = np.cos(total) * place
    return total


STATES = [tuple(viterbi.arguments(size, np.random.default_rng(size)).values()) for size in (5, 2, 1)]
WRONG = [(np.where(np.arange(len(obs)) == 1, 7, obs), *rest) for obs, *rest in STATES]
fewer(*STATES, *WRONG)(viterbi.viterbi.python)


@same(*PAIRS)
def nothing_behind_the_loop(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    for i in k:
        total = np.sin(total) + x[i]
    return total


@same(*PAIRS)
def a_loop_that_fails_in_any_round(x: Vector, k: Indices) -> Any:
    place, total = 0, np.float64(0.0)
    for _ in range(4):
        place = k[place] + place
        total = np.sin(total) + place
    return total * np.max(x)


@fewer.each
def test_fewer_nodes(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = counted(exported(fn, inputs, tmp_path)).nodes
    without(monkeypatch, "jump_threading")
    assert here < counted(exported(fn, inputs, tmp_path)).nodes


@same.each
def test_as_many_nodes(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = counted(exported(fn, inputs, tmp_path)).nodes
    without(monkeypatch, "jump_threading")
    assert here == counted(exported(fn, inputs, tmp_path)).nodes
