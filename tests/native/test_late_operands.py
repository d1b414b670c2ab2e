"""Extremes of several whole numbers, of which one is what the round before gives: taken in another order, or not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.c import direct
from graph_program.backends.c import folder as folders
from graph_program.backends.c.c_source import CSource
from tests.native.compilers import needs_compiler
from tests.programs.plain import Cases, check

cases, misses = Cases(), Cases()
A, B = np.array([1, 2, 3, 1, 2]), np.array([2, 3, 1, 1, 4, 2])
NONE = np.zeros(0, np.int64)


@cases((A, B), (A, A), (A, NONE), (NONE, B))
def edit_distance(a, b):
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        corner = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            best = min(row[j] + 1, row[j + 1] + 1, corner + (0 if a[i] == b[j] else 1))
            corner = row[j + 1]
            row[j + 1] = best
    return row


@cases((A, B), (B, A), (A, NONE), (NONE, B))
def of_a_table(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            d[i, j] = max(d[i, j - 1] - 1, d[i - 1, j] - 1, d[i - 1, j - 1] + (2 if a[i - 1] == b[j - 1] else -1))
    return d


@cases((A, 3), (-A, 3), (NONE, 3))
def carried_in_a_number(x, most):
    best, found = 0, 0
    for i in range(len(x)):
        best = min(best + int(x[i]), most, int(x[i]) * 2)
        found += best
    return best, found


@cases((A.astype(np.uint8), np.uint8(2)), (A.astype(np.int16), np.int16(-2)))
def of_a_small_type(x, low):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = max(y[i - 1] * 2, low, x[i])
    return y


@misses((A * 0.5, B * 0.5), (np.array([1.0, np.nan]), np.array([0.0, -0.0])))
def of_floats(a, b):
    row = np.zeros(len(b) + 1)
    for i in range(len(a)):
        for j in range(len(b)):
            row[j + 1] = min(row[j] + 1, row[j + 1] + a[i], b[j])
    return row


@misses((A, 2), (A, 0), (A, 7))
def of_a_place_that_nobody_knows(x, step):
    y = x.copy()
    for i in range(len(x)):
        y[i] = min(y[i - step] if i >= step else 0, y[i] + 1, x[i] * 2)
    return y


@misses((A,), (NONE,))
def of_the_round_before_that_one(x):
    y = x.copy()
    for i in range(2, len(x)):
        y[i] = min(y[i - 2] + 1, x[i], x[i - 1] * 2)
    return y


@misses((A,), (NONE,))
def of_a_smallest_and_a_largest(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = min(max(y[i - 1] + 1, x[i]), 2 * x[i - 1])
    return y


@misses((A,), (NONE,))
def whose_parts_are_read(x):
    y, total = x.copy(), 0
    for i in range(1, len(x)):
        first = min(y[i - 1] + 1, x[i])
        y[i] = min(first, 2 * x[i - 1])
        total += first
    return y, total


@cases.each
@needs_compiler
def test_reordered(fn: Any, inputs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(fn, inputs[0], monkeypatch)
    assert re.search(r" (\w+) = gp_held_\w+\(.*\);\n(?: */\*.*\n)?.* [<>] \1 \?", text)
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    check(graph_program(fn), *inputs)


@misses.each
@needs_compiler
def test_in_their_order(fn: Any, inputs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "gp_held" not in text_of(fn, inputs[0], monkeypatch)
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    check(graph_program(fn), *inputs)


def text_of(function: Any, args: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The C text of machine code."""
    texts: list[str] = []
    library = direct.library

    def seen(source: CSource, flags: Any) -> Path:
        texts.append(source.text)
        return library(source, flags)

    with monkeypatch.context() as patch:
        patch.setattr(direct, "library", seen)
        patch.setenv(folders.VARIABLE, "")
        graph_program(function, backend="native")(*args)
    return texts[0]
