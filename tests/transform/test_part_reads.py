"""The pass that reads parts instead of what is put together of them; and reads of which nobody knows the part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor
from tests.benchmarks.graphs.programs import attitude, viterbi
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.sessions import exported
from tests.transform.test_column_writes import operators

Matrix = Float64[Tensor, "n m"]
MATRICES = [(np.linspace(-1, 2, n * m).reshape(n, m),) for n in (4, 2, 1) for m in (3, 1)]
STATES = [tuple(viterbi.arguments(size, np.random.default_rng(size)).values()) for size in (5, 2, 1)]

parts = Cases()
"""Programs that read rows of which it is known what has made them, with arguments."""
others = Cases()
"""Near misses: rows of any part, or all of them are asked for."""

parts(*STATES)(viterbi.viterbi.python)
TURNS = [tuple(attitude.arguments(size, np.random.default_rng(size)).values()) for size in (5, 2)]
others(*TURNS)(attitude.attitude.python)


@parts(*MATRICES)
def backwards(x: Matrix) -> Any:
    y = np.zeros((len(x), x.shape[1]))
    row = x[0]
    for i in range(1, len(x)):
        row = np.sin(row + x[i])
        y[i] = row
    total = np.float64(0.0)
    for i in range(len(x) - 1, 0, -1):
        total = np.cos(total + y[i, 0])
    return total


@parts(*MATRICES)
def forwards(x: Matrix) -> Any:
    y = np.zeros((len(x), x.shape[1]))
    row = x[0]
    for i in range(1, len(x)):
        row = np.sin(row + x[i])
        y[i] = row
    total = np.float64(0.0)
    for i in range(1, len(x)):
        total = np.cos(total + y[i, 0])
    return total


@others(*MATRICES)
def the_first_one_too(x: Matrix) -> Any:
    y = np.zeros((len(x), x.shape[1]))
    row = x[0]
    for i in range(1, len(x)):
        row = np.sin(row + x[i])
        y[i] = row
    total = np.float64(0.0)
    for i in range(len(x)):
        total = np.cos(total + y[i, 0])
    return total


@others(*MATRICES)
def all_of_them(x: Matrix) -> Any:
    y = np.zeros((len(x), x.shape[1]))
    row = x[0]
    for i in range(1, len(x)):
        row = np.sin(row + x[i])
        y[i] = row
    total = np.float64(0.0)
    for i in range(1, len(x)):
        total = np.cos(total + y[i, 0])
    return total, y


@parts.each
def test_parts_are_read(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = list(operators(exported(fn, inputs, tmp_path).graph))
    without(monkeypatch, "part_reads")
    assert len(list(operators(exported(fn, inputs, tmp_path).graph))) > len(here)


@others.each
def test_what_is_put_together_is_read(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = list(operators(exported(fn, inputs, tmp_path).graph))
    without(monkeypatch, "part_reads")
    assert list(operators(exported(fn, inputs, tmp_path).graph)) == here
