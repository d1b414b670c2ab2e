"""Lengths of slices that end some elements before the end of an axis which may be shorter than that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import check
from tests.transform.sessions import module

Vector = Float64[Tensor, "n"]
VECTORS = [(np.arange(float(n)),) for n in range(8)]


def neighbours(x: Vector) -> Any:
    n = x.shape[0]
    return x[0 : n - 2] - 2.0 * x[1 : n - 1] + x[2:n]


def further_apart(x: Vector) -> Any:
    n = x.shape[0]
    return x[0 : n - 3] - x[3:n]


def by_a_number(x: Vector, n: int) -> Any:
    y = np.sqrt(x)
    return x[1 : n - 1] + y[1 : n - 1]


def test_neighbours_are_equally_many() -> None:
    check(neighbours, *VECTORS)
    assert "error" not in graph_program(neighbours).explain("optimized")


def test_those_further_apart_may_not_be() -> None:
    check(further_apart, *VECTORS)


def test_the_same_bounds_make_the_same_length() -> None:
    check(by_a_number, *[(x, n) for (x,) in VECTORS for n in (-9, -2, 0, 1, 2, 4, 9)])
    assert "not_equal(" not in graph_program(by_a_number).explain("optimized")


@pytest.mark.parametrize("begin", [0, 1, 3])
@pytest.mark.parametrize("end", [0, 1, 2, 3, 5])
def test_of_any_length(begin: int, end: int, tmp_path: Any, monkeypatch: Any) -> None:
    source = f"""\
import numpy as np
from graph_program import Float64, Tensor

def part(x: Float64[Tensor, "n"]):
    n = x.shape[0]
    y = np.sqrt(x)
    a, b = x[{begin} : n - {end}], y[{begin} : n - {end}]
    return a.shape[0], a + b
"""
    check(module(tmp_path / f"part_{begin}_{end}.py", source, monkeypatch).part, *VECTORS)
