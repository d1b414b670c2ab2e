"""Constants that are added to integers one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from graph_program import Int64, Tensor, graph_program
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.printer import print_graph
from graph_program.extract.transform.shifts import shifts
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType
from tests.programs.plain import check
from tests.transform.test_passes import Builder, ops


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        (("add", 2), ("subtract", 1), ["add"]),
        (("subtract", 2), ("add", 2), []),
        (("add", 2**62), ("add", 2**62), ["add", "add"]),  # the sum of the numbers is none of 64 bits
    ],
)
def test_numbers_added_one_after_the_other(first: tuple[str, int], second: tuple[str, int], left: list[str]) -> None:
    b = Builder()
    x = b.input(PY_INT)
    once = b.op(first[0], PY_INT, x, b.const(first[1]))
    program = b.finish(b.op(second[0], PY_INT, once, b.const(second[1])))
    assert ops(program) == left


def test_floats_round_where_they_are_added() -> None:
    b = Builder()
    float64 = TensorType(np.dtype(np.float64))
    once = b.op("add", float64, b.input(float64), b.const(1e30))
    assert ops(b.finish(b.op("subtract", float64, once, b.const(1e30)))) == ["add", "subtract"]


def test_what_is_taken_off_is_added_with_the_other_sign() -> None:
    b = Builder()
    x = b.input(PY_INT)
    less, more = b.op("subtract", PY_INT, x, b.const(3)), b.op("add", PY_INT, b.const(-3), x)
    assert ops(b.finish(b.op("multiply", PY_INT, less, more))).count("multiply") == 1
    assert len(ops(b.finish(b.op("multiply", PY_INT, less, more)))) == 2


def test_without_the_pass() -> None:
    def stepped(x: Int64[Tensor, "n"]) -> Int64[Tensor, "n"]:
        return x + 5 - 2

    check(stepped, (np.array([1, np.iinfo(np.int64).max, np.iinfo(np.int64).min]),), (np.array([], np.int64),))
    found = [graph_program(stepped, without=without).explain("optimized") for without in ((), ("shifts",))]
    assert [text.count("subtract(") + text.count("add(") for text in found] == [1, 2]


BEFORE = """\
f(n: int):
    two: int = 2
    one: int = 1
    i: int = subtract(n, two)
    j: int = add(one, i)
    return j=j
"""
AFTER = """\
f(n: int):
    constant: int64 [] = -1
    two: int = 2
    one: int = 1
    i: int = subtract(n, two)
    j: int = add(n, constant)
    return j=j
"""


def test_before_and_after() -> None:
    n, two, one, i, j = (Value(name, PY_INT) for name in ("n", "two", "one", "i", "j"))
    constants = [Node("constant", [], [v], {"value": np.array(k)}) for v, k in ((two, 2), (one, 1))]
    nodes = [*constants, Node("subtract", [n, two], [i]), Node("add", [one, i], [j])]
    program = GraphProgram("f", Graph([n], nodes, [j]), ["j"])
    assert print_graph(program).strip() == BEFORE.strip()
    shifts(program)
    assert print_graph(program).strip() == AFTER.strip()
