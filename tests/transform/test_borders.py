"""The pass that cuts out before a loop what its rounds never write of an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, check
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]

cut = Cases()
"""Programs whose rounds put together what they write with what lies around it, with arguments."""
kept = Cases()
"""Near misses: rounds cut out what lies around."""

VECTORS = tuple((np.arange(float(n)) - 2, steps) for n in range(7) for steps in (0, 1, 3))
MATRICES = tuple(
    (np.arange(float(n * m)).reshape(n, m), 2) for n, m in ((5, 4), (3, 3), (2, 3), (3, 2), (1, 4), (4, 1), (0, 3))
)


@cut(*VECTORS)
def inside(x: Vector, steps: int) -> Any:
    for _ in range(steps):
        x[1:-1] = x[:-2] * 0.5 + x[2:]
    return x.sum()


@cut(*VECTORS)
def one_number(x: Vector, steps: int) -> Any:
    y = x * 2
    for i in range(steps):
        y[2:-1] = i
        x[:-1] += y[1:]
    return y


@cut(*VECTORS)
def behind(x: Vector, steps: int) -> Any:
    for i in range(steps):
        x[-2:] = x[:1] * i
        x[-2:] += 1
    return x[::-1]


@cut(*VECTORS)
def near_the_end(x: Vector, steps: int) -> Any:
    for i in range(steps):
        x[-3:-1] = x[-2:] * i
    return x + 1


@cut(*VECTORS)
def near_the_beginning(x: Vector, steps: int) -> Any:
    for i in range(steps):
        x[1:3] = x[:2] - i
    return x + 1


@cut(*MATRICES)
def of_two_axes(x: Matrix, steps: int) -> Any:
    for _ in range(steps):
        x[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.25
    return x


@cut(*MATRICES)
def columns(x: Matrix, steps: int) -> Any:
    for i in range(steps):
        x[:, 1:] = x[:, :-1] * 0.5 + i
    return x


@cut(*VECTORS)
def in_some_rounds(x: Vector, steps: int) -> Any:
    for i in range(steps):
        if x.sum() > i:
            x[1:-1] = x[1:-1] * 0.5
        else:
            x[1:-1] = x[1:-1] + 1
    return x


@cut(*VECTORS)
def in_a_loop_inside(x: Vector, steps: int) -> Any:
    for i in range(steps):
        while x.sum() > 2 * i + 3:
            x[1:] = x[1:] * 0.5 - 1
        x[1:] += i
    return x


@kept(*VECTORS)
def two_parts(x: Vector, steps: int) -> Any:
    for i in range(steps):
        x[1:-1] = x[1:-1] * i
        x[:2] += x[-2:].sum()
    return x


@kept(*VECTORS)
def an_element_beside(x: Vector, steps: int) -> Any:
    for i in range(steps):
        x[1:-1] = x[1:-1] * i
        if len(x) > 3:
            x[0] = i
    return x


@kept(*VECTORS)
def another_array(x: Vector, steps: int) -> Any:
    y = x
    for i in range(steps):
        z = x * i
        z[1:-1] = y[1:-1] + 1
        y = z
    return y


@kept(*VECTORS)
def bounds_that_move(x: Vector, steps: int) -> Any:
    for i in range(steps):
        x[i:-1] = x[i:-1] * 0.5
    return x


@kept(*VECTORS)
def every_other(x: Vector, steps: int) -> Any:
    for i in range(steps):
        x[1:-1:2] = i
    return x


def slices(fn: Callable[..., Any]) -> int:
    """How many slices the rounds of a program's loops take."""
    return _slices(graph_program(fn).model().graph, False)


def _slices(graph: onnx.GraphProto, inside: bool) -> int:
    found = sum(inside and node.op_type == "Slice" for node in graph.node)
    for node in graph.node:
        graphs = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
        found += sum(_slices(inner, inside or node.op_type == "Loop") for inner in graphs)
    return found


@cut.each
def test_what_is_never_written_is_cut_out_once(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared(fn, inputs)
    found = slices(fn)
    without(monkeypatch, "borders")
    assert found < slices(fn)


@kept.each
def test_other_writes_stay(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(fn, *inputs)
    found = slices(fn)
    without(monkeypatch, "borders")
    assert found == slices(fn)


def of_another_size(x: Vector, y: Float64[Tensor, "m"], steps: int) -> Any:
    for i in range(steps):
        x[1:-1] = y * i
    return x


def test_other_sizes_still_fail() -> None:
    sizes = [(5, 3), (5, 1), (5, 4), (3, 1), (2, 0), (2, 1), (2, 2), (1, 0), (0, 1), (0, 3)]
    compared(of_another_size, tuple((np.ones(n), np.arange(float(m)), k) for n, m in sizes for k in (0, 2)))
