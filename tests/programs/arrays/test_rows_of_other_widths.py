"""Rows and elements that loops copy between arrays whose sizes may not fit: in process, and as files."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program, load
from tests.programs.plain import Cases, check, differs, outcome

Matrix, Other = Float64[Tensor, "n d"], Float64[Tensor, "m e"]
SHAPES = [(n, d, m, e) for n, d, m, e in itertools.product((1, 3), (1, 2), (1, 2, 3), (0, 1, 2))]
PAIRS = tuple((np.ones((n, d)), np.arange(1.0, 1 + m * e).reshape(m, e) - 1.5) for n, d, m, e in SHAPES)

copied = Cases()
"""Programs, with arguments of which many do not fit."""


@copied(*PAIRS)
def by_counter(c: Matrix, x: Other) -> Any:
    for j in range(len(c)):
        c[j] = x[j]
    return c


@copied(*PAIRS)
def while_there_are_any(c: Matrix, x: Other) -> Any:
    j = 0
    while j < len(c):
        c[j] = x[j]
        j += 1
    return c


@copied(*PAIRS)
def where_they_are_large(c: Matrix, x: Other) -> Any:
    for j in range(len(x)):
        if x[j].sum() > 0:
            c[j] = x[j] * 2
    return c


@copied(*PAIRS)
def never(c: Matrix, x: Other) -> Any:
    for j in range(len(c)):
        if len(x) > 5:
            c[j] = x[j]
    return c


@copied(*PAIRS)
def one_behind_the_other(c: Matrix, x: Other) -> Any:
    k = 0
    for i in range(len(x)):
        if x[i, 0] > 0:
            c[k] = x[i]
            k += 1
    return c


@copied(*PAIRS)
def the_same_one(c: Matrix, x: Other) -> Any:
    v = x[0]
    for j in range(len(c)):
        c[j] = v
    return c


@copied(*PAIRS)
def columns(c: Matrix, x: Other) -> Any:
    for j in range(c.shape[1]):
        c[:, j] = x[:, j]
    return c


@copied(*PAIRS)
def elements(c: Matrix, x: Other) -> Any:
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = x[i, j]
    return c


@copied(*PAIRS)
def elements_put_together(c: Matrix, x: Other) -> Any:
    for j in range(len(c)):
        c[j] = [x[j, 0], x[j, 1]]
    return c


@copied(*PAIRS)
def into_a_new_array(c: Matrix, x: Other) -> Any:
    out = np.zeros((len(c), c.shape[1]))
    for j, row in enumerate(x):
        out[j] = row.astype(np.float32)
    return out


@copied(*PAIRS)
def caught(c: Matrix, x: Other) -> Any:
    try:
        for j in range(len(c)):
            c[j] = x[j]
    except ValueError:
        return np.zeros(1)
    return c.sum(axis=0)


@copied(*PAIRS)
def the_largest_so_far(c: Matrix, x: Other) -> Any:
    for j in range(len(x)):
        for i in range(len(c)):
            c[i] = np.maximum(c[i], x[j])
    return c


@copied.each
def test_like_python(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path) -> None:
    check(fn, *inputs)
    graph_program(fn).export(tmp_path / "program.onnx")
    program = load(tmp_path / "program.onnx")
    for args in inputs:  # where it raises, a file leaves its arguments as they were
        expected, found = outcome(fn, args)[:-1], outcome(program, args)[:-1]
        assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} from the file"
