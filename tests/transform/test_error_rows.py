"""The passes that read what failed checks tell from vectors: with and without them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor
from tests.benchmarks.graphs.counts import counted
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.looked_up import PAIRS, Indices, Vector
from tests.transform.sessions import exported

Matrix = Float64[Tensor, "n m"]
Other = Float64[Tensor, "k l"]
Third = Float64[Tensor, "p q"]
Numbers = Float64[Tensor, "r"]

flat = Cases()
"""Programs whose checks are in fewer branches by it, with arguments."""
apart = Cases()
"""Near misses."""

SIZES = ((2, 3), (3, 2), (1, 3), (3, 3), (0, 3), (3, 1))
MATRICES = [np.arange(1.0, 1 + n * m).reshape(n, m) for n, m in SIZES]
TRIPLES = list(itertools.product(MATRICES[:4], MATRICES[:5], MATRICES[1:]))


@flat(*((a, b, np.ones(r)) for a, b in itertools.product(MATRICES, MATRICES) for r in (1, 2, 3)))
def layers(a: Matrix, b: Other, bias: Numbers) -> Any:
    hidden = np.maximum(a @ b + bias, 0)
    return hidden.max(axis=0), hidden @ a - bias


@flat(*TRIPLES)
def what_fits(a: Matrix, b: Other, c: Third) -> Any:
    """Sums of parts, of which each is told with the sizes that do not fit."""
    x = a[1:] + b[1:]
    y = x * c[:, 1:]
    y[:, 0] = c[0]
    return y.sum(), y - b


@flat(*TRIPLES)
def told_by_hand(a: Matrix, b: Other, c: Third) -> Any:
    """Some with a number that others tell in another place, or as a result; nothing that follows can fail."""
    rows, columns = a.shape
    if len(b) < rows:
        raise ValueError(f"{len(b)} for {rows}")
    if len(c) < rows:
        raise KeyError(f"{rows}, {len(c)}")
    if b.shape[1] != columns:
        raise ValueError(f"{columns}, {rows} and {len(b)}: {b.shape[1]}")
    if c.shape[1] == 1:
        raise IndexError(f"{len(b)}: {columns}")
    if len(c) > 2:
        raise IndexError(f"{len(b)}: {columns}, {rows}, {c.shape[1]}")
    return a.sum() * b.sum() * c.sum(), rows


@flat(*PAIRS)
def in_each_round(x: Vector, k: Indices) -> Any:
    """In a loop the side that has failed asks again."""
    total = np.float64(0.0)
    for i in k:
        if total > 6:
            raise ValueError(f"too much at {i}: {len(x)}")
        if i == 3 and total < 0:
            raise KeyError(i)
        total = np.sin(total) + x[i] * x[i - 1]
    return total


@apart(*((a, b) for a, b in itertools.product(MATRICES, MATRICES)))
def one_of_two(a: Matrix, b: Other) -> Any:
    """Choosing costs less."""
    return a @ b


@apart(*PAIRS)
def what_is_told_is_computed(x: Vector, k: Indices) -> Any:
    """The text has what a loop has found, which is not asked for where nothing fails."""
    if len(k) == 4:
        place = 0
        while place < len(x) and x[place] > 0:
            place += 1
        raise ValueError(f"stands at {place}")
    if len(k) == 2:
        raise KeyError(len(x))
    return np.float64(len(k))


@flat.each
def test_fewer_branches(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = counted(exported(fn, inputs, tmp_path))
    without(monkeypatch, "check_results", "error_rows")
    there = counted(exported(fn, inputs, tmp_path))
    assert (here.nodes, here.identities) < (there.nodes, there.identities)
    assert here.branches <= there.branches


@apart.each
def test_as_they_are(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = counted(exported(fn, inputs, tmp_path))
    without(monkeypatch, "error_rows")
    assert here == counted(exported(fn, inputs, tmp_path))


def test_checks_of_sizes_are_one_branch(tmp_path: Path) -> None:
    inputs = tuple((a, b, c) for a, b, c in TRIPLES if len(a))
    found = counted(exported(what_fits, inputs, tmp_path))
    assert (found.depth, found.branches) == (1, 1)


def clipped_and_overwritten(x: Int64[Tensor, "n"], a: int) -> Any:
    place = 0
    a = min(a, 2)
    out = np.zeros(len(x))
    for v in x:
        a = 1
        out[place] = v
        place += 1  # noqa: SIM113
    return a, out


def test_numbers_that_stand_for_those_of_errors(tmp_path: Path) -> None:
    """A loop carries one number that is also that of the error where there is one."""
    exported(clipped_and_overwritten, tuple((np.arange(n), a) for n in (3, 0) for a in (5, 1)), tmp_path)
