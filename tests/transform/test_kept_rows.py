"""The pass that collects what rounds may append, and picks out what they do; and lists that stay carried."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, differs, outcome
from tests.transform.sessions import exported

Vector, Matrix = Float64[Tensor, "n"], Float64[Tensor, "n 3"]
VECTORS = [(np.array(x, np.float64),) for x in ([3, -1, 4, -1, 5], [-9, 2], [7], [-7], [])]
MATRICES = [(np.arange(n * 3.0).reshape(n, 3) - 4,) for n in (4, 1, 0)]

picked = Cases()
"""Programs whose loops carry no list, with arguments."""
carried = Cases()
"""Near misses: the list is read in the loop, or what is appended has any size, or rounds are not counted."""


@picked(*VECTORS)
def kept(x: Vector) -> Any:
    kept, level = [], np.float64(0.0)
    for value in x:
        if np.sin(level) < value:
            kept.append(value)
            level = level / 2 + value
    return kept


@picked(*VECTORS)
def numbers_of_others(x: Vector) -> Any:
    found, level = [0], np.float64(1.0)
    for i in range(len(x)):
        if np.cos(level) > x[i]:
            level = level / 2
        else:
            found.append(i)
            level = level + x[i]
    return found, level


@picked(*VECTORS)
def until_there_are_enough(x: Vector) -> Any:
    found, level = [], np.float64(0.0)
    for value in x:
        if np.sin(level) < value:
            found.append(value)
            level = level / 2 + value
        if level > 5:
            break
    return found, level


@picked(*VECTORS)
def computed_only_then(x: Vector) -> Any:
    found, level = [], np.float64(0.0)
    for value in x:
        if np.sin(level) < value:
            level = np.tanh(level * value) + np.exp(-level * level) + np.sin(value)
            found.append(level)
    return found, level


@picked(*MATRICES)
def rows(x: Matrix) -> Any:
    found, level = [], np.float64(0.0)
    for row in x:
        if np.sin(level) < row[0]:
            found.append(row)
            level = level / 2 + row[1]
    return found, level


@carried(*VECTORS)
def read_in_the_loop(x: Vector) -> Any:
    found, level = [], np.float64(0.0)
    for value in x:
        if np.sin(level) < value:
            found.append(value)
            level = level / 2 + len(found)
    return found, level


@carried(*[(x[0], x[0]) for x in MATRICES])
def of_any_size(x: Matrix, y: Float64[Tensor, "n m"]) -> Any:
    found, level = [], np.float64(0.0)
    for row, other in zip(x, y, strict=False):
        if np.sin(level) < row[0]:
            found.append(other)
            level = level / 2 + row[1]
    return found, level


@carried((9.0,), (1.0,), (0.5,))
def not_counted(level: float) -> Any:
    found = []
    while level > 0.6:
        if np.sin(level) > 0.5:
            found.append(level)
        level = level / 1.5
    return found


def growing(graph: onnx.GraphProto) -> int:
    """How many arrays grow by parts that are put behind them in a branch of a loop."""
    inner = [(node.op_type, a.g) for node in graph.node for a in node.attribute if a.HasField("g")]
    here = sum(node.op_type == "Concat" for op, g in inner if op == "If" for node in g.node)
    return here + sum(growing(g) for _, g in inner)


@picked.each
def test_lists_are_picked_out(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert growing(exported(fn, inputs, tmp_path).graph) == 0
    without(monkeypatch, "kept_rows")
    assert growing(exported(fn, inputs, tmp_path).graph) > 0


@carried.each
def test_other_lists_are_carried(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    here = growing(exported(fn, inputs, tmp_path).graph)
    assert here > 0
    without(monkeypatch, "kept_rows")
    assert growing(exported(fn, inputs, tmp_path).graph) == here


@picked.each
def test_what_appended_is_gone(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    """It would read the list, which no round carries any more, where dead code is not eliminated."""
    program = graph_program(fn, without=["dce"])
    assert not any(differs(outcome(fn, args), outcome(program, args)) for args in inputs)
