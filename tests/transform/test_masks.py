"""The pass that computes all elements instead of those where a mask holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases, outcome

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]
VECTORS = tuple((np.array(x), np.arange(len(x)) - 1.5) for x in ([0.5, -1.0, np.nan, 3.0, -0.0], [-1.0], []))
MATRICES = tuple((np.arange(12.0).reshape(shape) - 4.0,) for shape in ((3, 4), (12, 1)))
MATRICES += ((np.zeros((0, 3)),), (np.zeros((2, 0)),))
OTHERS = tuple((x, np.arange(float(n))) for x, _ in VECTORS for n in (3, 5, 1))

chosen = Cases()
"""Programs that write where a mask holds, with arguments: in the graph nothing is gathered or scattered."""
kept = Cases()
"""Near misses, which gather and scatter."""


@chosen(*VECTORS)
def of_two_arrays(x: Vector, y: Vector) -> Any:
    positive = x > 0.0
    x[positive] = x[positive] * 2.0 - y[positive]
    return x


@chosen(*VECTORS)
def in_place(x: Vector, y: Vector) -> Any:
    x[x < y] += 1.0
    y[~(x < y)] *= -x[~(x < y)]
    return x, y


@chosen(*MATRICES)
def of_a_matrix(x: Matrix) -> Any:
    x[x > 1.0] /= 4.0
    return x


@chosen(*MATRICES)
def of_rows(x: Matrix) -> Any:
    x[x.sum(axis=1) > 0.0] -= 3.0
    return x


@chosen(*VECTORS)
def complex_numbers(x: Vector, y: Vector) -> Any:
    c = x + y * 1j
    z = np.zeros(len(x), np.complex128)
    for _ in range(3):
        inside = abs(z) < 2.0
        z[inside] = z[inside] ** 2 + c[inside]
    return z


@kept(*OTHERS)
def of_another_array(x: Vector, y: Float64[Tensor, "m"]) -> Any:
    positive = x > 0.0
    x[positive] = x[positive] + y[positive]
    return x


@kept(*VECTORS)
def as_many_as_another_mask(x: Vector, y: Vector) -> Any:
    x[x > 0.0] = y[y > 0.0] * 2.0
    return x


@kept((np.array([4, 0, -3, 7]), np.array([2, 0, -2, 0])), (np.zeros(0, np.int64), np.zeros(0, np.int64)))
def divided_where_that_is_no_error(x: Int64[Tensor, "n"], y: Int64[Tensor, "n"]) -> Any:
    divides = y != 0
    x[divides] = x[divides] // y[divides]
    return x


@kept(*VECTORS)
def of_what_depends_on_how_many(x: Vector, y: Vector) -> Any:
    positive = x > 0.0
    x[positive] = np.cumsum(x[positive])
    return x


@kept(*VECTORS)
def by_other_places(x: Vector, y: Vector) -> Any:
    x[x > 0.0] = x[x > 0.0][::-1] + 1.0
    return x


@kept(*((x, y, x > -1.0) for x, y in VECTORS))
def much_work(x: Vector, y: Vector, mask: Bool[Tensor, "n"]) -> Any:
    x[mask] = np.exp(np.sin(x[mask]) * np.cos(y[mask]))
    return x


def same(fn: Any, inputs: tuple[tuple[Any, ...], ...], without: tuple[str, ...]) -> None:
    program = graph_program(fn, without=without)
    for args in inputs:
        expected, found = outcome(fn, args), outcome(program, args)
        np.testing.assert_equal(found[0], expected[0])
        for a, b in zip(found[-1], expected[-1], strict=True):
            np.testing.assert_array_equal(a, b)
            np.testing.assert_array_equal(np.signbit(a), np.signbit(b))


@pytest.mark.parametrize("without", [(), ("masks",), ("same_sizes",)])
@chosen.each
def test_chosen(fn: Any, inputs: tuple[tuple[Any, ...], ...], without: tuple[str, ...]) -> None:
    same(fn, inputs, without)


@pytest.mark.parametrize("without", [(), ("masks",)])
@kept.each
def test_kept(fn: Any, inputs: tuple[tuple[Any, ...], ...], without: tuple[str, ...]) -> None:
    same(fn, inputs, without)


@chosen.each
def test_nothing_is_scattered(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert {"nonzero", "scatter_nd"}.isdisjoint(operations(fn, inputs))
    assert {"nonzero", "scatter_nd"} <= operations(fn, inputs, ("masks",))


@kept.each
def test_what_is_scattered(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert "scatter_nd" in operations(fn, inputs)


def operations(fn: Any, inputs: tuple[tuple[Any, ...], ...], without: tuple[str, ...] = ()) -> set[str]:
    """The operations of the optimized graph."""
    program = graph_program(fn, without=without)
    outcome(program, inputs[0])
    lines = program.explain("optimized").splitlines()
    return {line.split(" = ")[1].split("(")[0] for line in lines if " = " in line}


GOLDEN = """\
    positive: bool [n] = greater(x, constant)
    t.3.all: float64 [n] = multiply(x, constant_1)
    t.14.all: float64 [n] = subtract(t.3.all, y)
    t.27: float64 [n] = where(positive, t.14.all, x)
"""


def test_before_and_after() -> None:
    program = graph_program(of_two_arrays)
    outcome(program, VECTORS[0])
    assert GOLDEN in program.explain("optimized")
