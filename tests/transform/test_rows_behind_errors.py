"""Rows that an error leaves unset, in loops that collect or write rows and check something in each round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import outcome
from tests.transform.sessions import run

pytestmark = pytest.mark.usefixtures("loops_stay")

Matrix = Float64[Tensor, "n m"]


def part_of_length(v: Matrix) -> Any:
    out = np.zeros_like(v)
    for i in range(len(v)):
        row = v[i]
        n = row[0] * row[0] + row[1] * row[1] + row[2] * row[2]
        out[i] = row / np.sqrt(n) if n > 0 else row
    return out


def lower_and_upper(a: Matrix) -> Any:
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / (1 + a[j, j] ** 2)
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def up_to_a_negative_one(v: Matrix) -> Any:
    out = np.zeros_like(v)
    for i in range(len(v)):
        if v[i, 0] < 0:
            raise ValueError(f"row {i}")
        n = np.sqrt(v[i, 0])
        out[i] = v[i] / n if n > 0.1 else v[i]
    return out


@pytest.mark.parametrize("passes", [(), ("if_conversion",), ("columns",), ("rows",)])
@pytest.mark.parametrize("program", [part_of_length, lower_and_upper, up_to_a_negative_one])
def test_a_row_that_an_error_leaves_unset_is_as_large_as_others(
    program: Callable[..., Any], passes: tuple[str, ...]
) -> None:
    """Rows are put together before anybody looks at the error: a file ended in an error of the runtime."""
    fits, fails = np.arange(9.0).reshape(3, 3) + 1, (np.ones((3, 2)), np.array([[1.0, 2.0], [3.0, 4.0], [-1.0, 5.0]]))
    model = graph_program(program, without=passes).model((fits,))
    names = [output.name for output in model.graph.output]
    for args in (fits, *fails):
        result, error = outcome(program, (args,))[0], run(model, (args,))[names.index("error")]
        if isinstance(result, type):
            assert error > 0
        else:
            assert error == 0
            np.testing.assert_allclose(run(model, (args,))[0], result)
