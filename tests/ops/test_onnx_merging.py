"""Branches on one condition are one in the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Matrix = Float64[Tensor, "n 300"]
NUMBERS = ((1.0, -3.0), (-0.0, 2.0), (0.0, -0.0), (np.nan, 1.0))
MATRICES = tuple((x,) for x in (np.arange(600.0).reshape(2, 300) % 7, np.full((2, 300), np.nan), np.eye(2, 300)))

merged = Cases()
"""Programs with one branch, with arguments."""
apart = Cases()
"""Programs that keep two."""


@merged(*NUMBERS)
def two_numbers_are_chosen(x: float, y: float) -> Any:
    low, high = x, y
    if x > y:
        low, high = y, x
    return low, high


@merged(*MATRICES)
def two_that_look_for_nan(x: Matrix) -> Any:
    return np.argmax(x, axis=1), np.max(x, axis=1)


@merged(*NUMBERS)
def what_is_between_is_for_the_second(x: float, y: float) -> Any:
    above = x > y
    a = x if above else y
    b = x * 3.0
    return a, b if above else x


@apart(*NUMBERS)
def the_second_reads_the_first(x: float, y: float) -> Any:
    above = x > y
    a = x if above else y
    return a, a * 3.0 if above else x


@apart(*NUMBERS)
def other_conditions(x: float, y: float) -> Any:
    return x if x > y else y, y if x > 2 * y else x


def branches(model: onnx.ModelProto) -> list[int]:
    """The numbers of outputs of all branches."""

    def inside(graph: onnx.GraphProto) -> Iterator[int]:
        for node in graph.node:
            if node.op_type == "If":
                yield len(node.output)
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    yield from inside(attribute.g)

    return list(inside(model.graph))


@merged.each
def test_branches_on_one_condition_are_one(fn: Any, inputs: Any) -> None:
    assert branches(compared(fn, inputs)) == [2]


@apart.each
def test_others_stay(fn: Any, inputs: Any) -> None:
    assert branches(compared(fn, inputs)) == [1, 1]


def test_what_both_sides_compute_is_computed_once() -> None:
    model = graph_program(two_that_look_for_nan).model(include_errors=False)
    (branch,) = (node for node in model.graph.node if node.op_type == "If")
    operators = [node.op_type for side in branch.attribute for node in side.g.node]
    assert operators.count("IsNaN") == 1


@pytest.mark.parametrize("portable", [False, True])
def test_other_runtimes_have_one_output_a_branch(portable: bool) -> None:
    found = branches(graph_program(two_numbers_are_chosen).model(portable=portable))
    assert found == ([1, 1] if portable else [2])
