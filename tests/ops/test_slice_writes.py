"""Writes to slices between known bounds: for each size, also those that the bounds go beyond."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.command_line.commands.demo import all_nodes
from tests.programs.plain import check

BOUNDS = (None, 0, 1, 2, -1, -2)
PARTS = [slice(*bounds) for bounds in product(BOUNDS, BOUNDS)]


def writes(rows: slice, columns: slice) -> Callable[..., Any]:
    def program(x, m):
        y, z, w = x.copy(), m.copy(), m.copy()
        y[rows] = x[rows] * 2
        z[rows, columns] = m[rows, columns] + 1
        w[:, columns] = 7
        return y, z, w

    return program


@pytest.mark.parametrize(("rows", "columns"), zip(PARTS, PARTS[7:] + PARTS[:7], strict=True), ids=str)
def test_each_size(rows: slice, columns: slice) -> None:
    sizes = [(n, m) for n in range(5) for m in (n, 4 - n)]
    check(writes(rows, columns), *((np.arange(n) + 1.0, np.arange(n * m).reshape(n, m) * 1.0) for n, m in sizes))


def stencil(x: Float64[Tensor, "n m"]):
    x[1:-1, 1:-1] = x[:-2, 1:-1] + x[2:, 1:-1]


def long_enough(x: Float64[Tensor, "n+2"]):
    x[1:-1] = x[:-2] + x[2:]


@pytest.mark.parametrize(("program", "slices", "others"), [(stencil, 2 + 6, 1 + 2), (long_enough, 2 + 2, 1 + 1)])
def test_what_lies_around_is_known_slices(program: Callable[..., Any], slices: int, others: int) -> None:
    """No sizes are computed, and no value is stretched to a shape that it has."""
    model = graph_program(program).model(include_errors=False)
    found = [node.op_type for node in all_nodes(onnx.load_from_string(model.SerializeToString()).graph.node)]
    assert found.count("Slice") == slices and len(found) == slices + others, found
