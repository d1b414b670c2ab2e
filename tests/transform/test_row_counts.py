"""How many rows loops collect, and what lies between the same two places."""

from __future__ import annotations

import numpy as np
import pytest

from graph_program.backends.reference.interpreter import run
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.ranges import ranges
from graph_program.extract.transform.simplify import simplify
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType
from tests.transform.test_passes import VECTOR, Builder, ops

INTS = np.dtype(np.int64)


def vector(size: int | str) -> TensorType:
    return TensorType(INTS, (symbol(size) if isinstance(size, str) else dim(size),))


def zeros(b: Builder, count: int) -> Value:
    return b.op("constant", vector(count), value=np.zeros(count, np.int64))


def collecting(of_size: bool, forever: bool, rows: int, begins: int | str) -> GraphProgram:
    """By how many the rows that a loop gives differ from twice its rounds; the rounds are a size, or any number."""
    b = Builder()
    array, number, test = b.input(VECTOR), b.input(PY_INT), b.input(PY_BOOL)
    start = b.input(vector("m")) if isinstance(begins, str) else zeros(b, begins)
    trips = b.op("dim", PY_INT, array, axis=0) if of_size else number
    row, true = zeros(b, rows), b.const(True)
    counter, before, after = Value("k", PY_INT), Value("before", vector("r")), Value("after", vector("r2"))
    body = Graph(
        [counter, before],
        [Node("concatenate", [before, row], [after], {"axis": 0})],
        [true if forever else test, after],
    )
    found = b.add("loop", vector("found"), [trips, true, start], {}, [body])
    twice = b.op("add", PY_INT, trips, trips)
    return b.finish(b.op("subtract", PY_INT, b.op("dim", PY_INT, found, axis=0), twice))


@pytest.mark.parametrize(
    ("of_size", "forever", "rows", "begins", "difference"),
    [
        (True, True, 2, 0, 0),
        (True, True, 2, 3, 3),
        (True, True, 1, 0, None),  # the number of rounds less
        (False, True, 2, 0, None),  # the number may be negative
        (True, False, 2, 0, None),  # the loop may end early
        (True, True, 2, "m", None),  # it begins with any number of rows
    ],
)
def test_rows_of_loops(of_size: bool, forever: bool, rows: int, begins: int | str, difference: int | None) -> None:
    program = collecting(of_size, forever, rows, begins)
    ranges(program)
    made = {node.outputs[0]: node for node in program.graph.nodes}
    result = made[program.graph.outputs[0]]
    assert (int(result.attrs["value"]) if result.op == "constant" else None) == difference


@pytest.mark.parametrize(
    ("start", "stop", "parts"), [(0, 0, 1), (3, 3, 1), (-1, -1, 1), (0, 1, 2), (1, 0, 2), (-1, 0, 2)]
)
def test_nothing_lies_between_a_place_and_itself(start: int, stop: int, parts: int) -> None:
    b = Builder()
    x = b.input(VECTOR)
    piece = b.op(
        "slice", TensorType(VECTOR.dtype, (symbol("p"),)), x, b.const(start), b.const(stop), axes=(0,), steps=(1,)
    )
    whole = TensorType(VECTOR.dtype, (symbol("q"),))
    program = b.finish(b.op("concatenate", whole, piece, x, axis=0))
    given = np.arange(4.0).astype(VECTOR.dtype)
    (expected,) = run(program, [given])
    simplify(program)
    names = [node.op for node in program.graph.nodes]
    assert names.count("concatenate") == parts - 1
    np.testing.assert_array_equal(run(program, [given])[0], expected)


def test_comparisons_in_the_other_order() -> None:
    b = Builder()
    x, y = b.input(PY_INT), b.input(PY_INT)
    first, second = b.op("less", PY_BOOL, x, y), b.op("greater", PY_BOOL, y, x)
    other = b.op("less_equal", PY_BOOL, x, y)
    program = b.finish(b.op("bitwise_xor", PY_BOOL, first, second), b.op("bitwise_xor", PY_BOOL, second, other))
    assert sorted(ops(program)) == ["bitwise_xor", "bitwise_xor", "less", "less_equal"]
