"""The pass that makes the checks of all rounds before their loop; and checks that must stay in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from tests.benchmarks.graphs.programs import viterbi
from tests.passes import without
from tests.programs.plain import Cases, check
from tests.transform.looked_up import PAIRS, Indices, Vector
from tests.transform.sessions import exported

before = Cases()
"""Programs whose loops end when their rounds are done, with arguments."""
inside = Cases()
"""Near misses: the loop may end early."""


@before(*PAIRS)
def taken(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    for i in k:
        total = np.sin(total) + x[i]
    return total


@before(*PAIRS)
def from_the_second_on(x: Vector, k: Indices) -> Any:
    total = np.float64(1.0)
    for t in range(1, len(k)):
        total = total / 2 + x[k[t]] * total
    return total


@before(*PAIRS)
def raised_with_a_text(x: Vector, k: Indices) -> Any:
    total = np.float64(1.0)
    for i in k:
        if i < 0:
            raise ValueError(f"{i} is negative")
        total = np.cos(total) + i
    return total, x


@before(*PAIRS)
def in_a_branch(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    if len(x) > 1:
        for i in k:
            total = np.sin(total) + x[i]
        total = total + x[0]
    return total


@before(*PAIRS)
def of_two_loops(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    for i in k:
        total = np.sin(total) + x[i]
    for i in k:
        total = np.cos(total) * x[i + 1]
    return total


@before(*PAIRS)
def with_rows(x: Vector, k: Indices) -> Any:
    y = np.zeros(len(k))
    total = np.float64(0.0)
    for t, i in enumerate(k):
        total = np.sin(total) + x[i]
        y[t] = total
    return y, total


STATES = [tuple(viterbi.arguments(size, np.random.default_rng(size)).values()) for size in (5, 2, 1)]
WRONG = [(np.where(np.arange(len(obs)) == 1, 7, obs), *rest) for obs, *rest in STATES]
before(*STATES, *WRONG)(viterbi.viterbi.python)


@inside(*PAIRS)
def of_what_is_carried(x: Vector, k: Indices) -> Any:
    place, total = 0, np.float64(0.0)
    for _ in range(4):
        place = k[place] + place
        total = np.sin(total) + place
    return total, x


@inside(*PAIRS)
def two_checks(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    for i in k:
        total = np.sin(total) + x[i] + x[i - 1]
    return total


@inside(*PAIRS)
def left_before(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    for i in k:
        if total > 4:
            break
        total = np.sin(total) + x[i]
    return total


@inside(*PAIRS)
def told_of_what_is_carried(x: Vector, k: Indices) -> Any:
    total = np.int64(1)
    for i in k:
        if i < 0:
            raise ValueError(f"negative behind {total}")
        total = total * 3 % 7 + i
    return total, x


@inside(*PAIRS)
def may_not_end(x: Vector, k: Indices) -> Any:
    total = np.float64(0.0)
    for i in k:
        while total > 1:
            total = total / 2
        total = np.sin(total) + x[i]
    return total


def may_end_early(graph: onnx.GraphProto) -> int:
    """The loops that another test may end than the number of their rounds."""
    inner = [(node.op_type, a.g) for node in graph.node for a in node.attribute if a.HasField("g")]
    own = sum(op == "Loop" and g.output[0].name != g.input[1].name for op, g in inner)
    return own + sum(may_end_early(g) for _, g in inner)


@before.each
def test_checks_are_made_before_the_loop(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert may_end_early(exported(fn, inputs, tmp_path).graph) == 0
    without(monkeypatch, "round_checks")
    assert may_end_early(exported(fn, inputs, tmp_path).graph) > 0


@inside.each
def test_other_checks_stay(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = may_end_early(exported(fn, inputs, tmp_path).graph)
    assert here > 0
    without(monkeypatch, "round_checks")
    assert may_end_early(exported(fn, inputs, tmp_path).graph) == here


def written_before_an_error(x: Vector, k: Indices) -> None:
    for t, i in enumerate(k):
        x[i] = x[i - i] + t


@pytest.mark.parametrize(("x", "k"), PAIRS)
def test_what_was_written_before_an_error_stays(x: np.ndarray, k: np.ndarray) -> None:
    check(written_before_an_error, (x, k))
