"""The pass that gives sizes one name: checks of sizes that are the same are decided."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Bool, Float64, Int64, Tensor, graph_program
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.transform.same_sizes import same_sizes
from graph_program.extract.types.dims import symbol
from graph_program.extract.types.tensors.tensor_type import BOOL, PY_INT, TensorType
from tests.programs.plain import Cases, check

Vector, Mask = Float64[Tensor, "n"], Bool[Tensor, "n"]
PAIRS = tuple((np.array(x), np.arange(len(x)) - 1.0) for x in ([1.0, -2, 3], [-1.0], [2.0], []))
NUMBERS = ((3,), (1,), (0,))

same = Cases()
"""Programs whose sizes are the same, with arguments."""
other = Cases()
"""Programs whose sizes may be others."""


@same(*PAIRS)
def by_one_mask(x: Vector, y: Vector) -> Any:
    return x[x > 0] * y[x > 0]


@same(*PAIRS)
def by_places_found_twice(x: Vector, y: Vector) -> Any:
    (i,) = np.nonzero(x > 0)
    (j,) = np.nonzero(x > 0)
    return x[i] + y[j]


@same(*PAIRS)
def what_is_made_of_them(x: Vector, y: Vector) -> Any:
    a, b = np.sqrt(np.abs(x[x > 0])), y[x > 0].cumsum()
    return a @ b


@same(*NUMBERS)
def by_one_number(k: int) -> Any:
    return np.ones((k, k)) @ np.arange(k)


@same(*PAIRS)
def in_a_branch(x: Vector, y: Vector) -> Any:
    total = np.float64(0)
    if y.sum() > 0:
        total = np.sum(x[x > 0] * y[x > 0])
    return total


@other(*PAIRS)
def by_two_masks(x: Vector, y: Vector) -> Any:
    return x[x > 0] * y[y > 0]


@other(*((x, x > 0, np.flip(x > 1)) for x, _ in PAIRS))
def by_a_mask_that_changes(x: Vector, first: Mask, then: Mask) -> Any:
    a = x[first]
    first = first & then
    return a * x[first]


@other((3, 3), (1, 4), (2, 0))
def by_two_numbers(k: int, m: int) -> Any:
    return np.ones((k, k)) @ np.arange(m)


def checks(fn: Any, inputs: Any, without: tuple[str, ...] = ()) -> int:
    """How many comparisons of sizes are left in a program that does what Python does."""
    check(fn, *inputs)
    return graph_program(fn, without=without).explain("optimized").count("not_equal(")


@same.each
def test_checks_of_the_same_size_are_decided(fn: Any, inputs: Any) -> None:
    assert not checks(fn, inputs)
    assert checks(fn, inputs, ("same_sizes",))


@other.each
def test_others_stay(fn: Any, inputs: Any) -> None:
    assert checks(fn, inputs)


@same.each
def test_without_the_pass(fn: Any, inputs: Any) -> None:
    program = graph_program(fn, without=("same_sizes",))
    for args in inputs:
        np.testing.assert_array_equal(program(*args), fn(*args))


def vector(size: str) -> TensorType:
    return TensorType(np.dtype(np.float64), (symbol(size),))


def test_a_size_that_an_inner_graph_meets_is_no_name_outside() -> None:
    """What a branch makes of a number is not there behind it, so that the number has no name from it."""
    number, test, fill = Value("k", PY_INT), Value("test", TensorType(BOOL)), Value("fill", TensorType(np.dtype(float)))
    inner, size, outer = Value("inner", vector("d1")), Value("size", PY_INT), Value("outer", vector("d2"))
    nodes = [Node("full", [fill, number], [inner]), Node("dim", [inner], [size], {"axis": 0})]
    sides = [Graph([], nodes, [size]), Graph([], [], [number])]
    given = Value("given", PY_INT)
    chosen = Node("if", [test], [given], regions=sides)
    graph = Graph([number, test, fill], [chosen, Node("full", [fill, number], [outer])], [given, outer])
    program = GraphProgram("f", graph, ["given", "outer"])
    same_sizes(program)
    verify_graph(program)
    assert graph.outputs[1].type.shape == (symbol("d2"),)


BEFORE = """\
    t.3: float64 [d1] = take(x, t.2, axis=0)
    t.7: float64 [d2] = take(y, t.2, axis=0)
    t.8: int = dim(t.3, axis=0)
    t.9: int = dim(t.7, axis=0)
"""
AFTER = """\
    t.3: float64 [d1] = take(x, t.2, axis=0)
    t.7: float64 [d1] = take(y, t.2, axis=0)
    t.15: float64 [d1] = multiply(t.3, t.7)
"""


def test_before_and_after() -> None:
    assert BEFORE in graph_program(by_one_mask, without=("same_sizes",)).explain("optimized")
    assert AFTER in graph_program(by_one_mask).explain("optimized")


def test_a_program_by_its_indices() -> None:
    """Indices that are given are of a size that has its name already."""

    def taken(x: Vector, i: Int64[Tensor, "k"]) -> Any:
        return x[i] * np.cumsum(x[i])

    check(taken, (np.arange(4.0), np.array([3, 0, 0])), (np.arange(4.0), np.array([], np.int64)))
    assert "[k] = take" in graph_program(taken).explain("optimized")
