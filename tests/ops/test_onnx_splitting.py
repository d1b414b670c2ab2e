"""Slices that are pieces of an array are one Split."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int8, Int64, Tensor, graph_program
from tests.programs.plain import Cases, check
from tests.transform.sessions import run

Eight = Float64[Tensor, "8"]
EIGHT = ((np.arange(8.0),),)

split = Cases()
"""Programs with one Split, with arguments."""
sliced = Cases()


@split(*EIGHT)
def all_of_it(x: Eight) -> Any:
    return x[4:] * x[:4]


@split(*EIGHT)
def uneven(x: Eight) -> Any:
    return x[:1] + x[1:3], x[3:-1] * 2, x[-1:] + 1


@split(*EIGHT)
def with_a_gap(x: Eight) -> Any:
    return np.sin(x[:2]), np.cos(x[6:])


@split((np.arange(12).reshape(2, 6),), (np.zeros((2, 6), np.int64),))
def along_another_axis(x: Int64[Tensor, "2 6"]) -> Any:
    a, b, c = np.split(x, 3, axis=1)
    return a + b * c


@split(*EIGHT)
def in_a_loop(x: Eight) -> Any:
    for k in range(3):
        x = np.concatenate((x[4:] * k, x[:4] + 1))
    return x


@sliced(*EIGHT)
def overlapping(x: Eight) -> Any:
    return x[:5] + 1, x[4:] * 2


@sliced(*EIGHT)
def with_more_gaps(x: Eight) -> Any:
    return x[1:2] + 1, x[4:5] * 2


@sliced(*EIGHT)
def one(x: Eight) -> Any:
    return x[:4] + 1


@sliced(*EIGHT)
def with_steps(x: Eight) -> Any:
    return x[:4:2] + 1, x[4:] * 2, x[3::-1]


@sliced(*((np.arange(n, dtype=float),) for n in (8, 3, 0)))
def of_unknown_size(x: Float64[Tensor, "n"]) -> Any:
    return x[:4] + 1, x[4:] * 2


@sliced((np.arange(8, dtype=np.int8),))
def of_small_integers(x: Int8[Tensor, "8"]) -> Any:
    return x[:4] + x[4:]


def splits(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], opset: int) -> int:
    """How many there are in the model of a program that does what Python does."""
    check(fn, *inputs)
    model = graph_program(fn).model(opset=opset)
    for args in inputs:
        result = fn(*args)
        parts = result if isinstance(result, tuple) else (result,)
        for part, found in zip(parts, run(model, args), strict=False):
            np.testing.assert_allclose(found, part)
    graphs = [model.graph, *(a.g for node in model.graph.node for a in node.attribute if a.HasField("g"))]
    return sum(node.op_type == "Split" for graph in graphs for node in graph.node)


@split.each
@pytest.mark.parametrize("opset", [20, 17])
def test_pieces_are_one_split(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], opset: int) -> None:
    assert splits(fn, inputs, opset) == 1


@sliced.each
def test_other_slices_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert splits(fn, inputs, 20) == 0
