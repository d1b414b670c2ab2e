"""Branches that the one before them has decided go on in its sides, so that sides which do not write copy nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int64, Tensor, graph_program
from graph_program.backends.c.joined_branches import joined_branches
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.printer import print_graph
from graph_program.extract.transform.dce import dce
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT
from tests.benchmarks.native_searches import lz_packed, lz_unpacked
from tests.native.compilers import compiler_with, needs_compiler
from tests.programs.plain import Cases, check

joined = Cases()
"""Programs in which a side that fails or leaves hands on a number, with arguments."""
apart = Cases()
"""Near misses: the first branch does not decide the second one."""
WHOLE = np.array([3, -4, 0, 7, 2])

joined((np.array([0, 5, 1, 4], np.uint8), 5), (np.array([0, 5, 9, 4], np.uint8), 5), (np.array([0, 5], np.uint8), 0))(
    lz_unpacked
)
joined((np.tile(np.arange(9, dtype=np.uint8), 5),), (np.zeros(0, np.uint8),), (np.zeros(300, np.uint8),))(lz_packed)


@joined((WHOLE, 3), (WHOLE, 9), (WHOLE, 0), (WHOLE[:0], 1))
def one_or_the_other(x: Int64[Tensor, "n"], most: int) -> Any:
    """Both sides write, and either may fail."""
    y = x.copy()
    for k in range(most):
        if x[k] > 0:
            y[k - 1] = y[k] * 2
        else:
            for j in range(k):
                y[j] = y[j] + int(x[j]) // (most - 3)
    return y


@joined((WHOLE, 2), (WHOLE, 5), (WHOLE, -1))
def left_from_two_sides(x: Int64[Tensor, "n"], limit: int) -> Any:
    y, found = x.copy(), -1
    for k in range(len(x)):
        if x[k] == 7:
            found = k
            break
        if x[k] > limit:
            y[k] = limit
            continue
        y[k] = y[k] - int(x[limit])
    return y, found


@apart((np.arange(4.0), 1.5), (np.arange(4.0), 9.0), (np.zeros(0), 0.0))
def asked_twice(x: Float64[Tensor, "n"], limit: float) -> Any:
    """What the second branch asks for, the first one has changed."""
    total, y = np.float64(0.0), x.copy()
    for k in range(len(x)):
        if y[k] > limit:
            y[k] = y[k] - limit
            total = total + 1.0
        if y[k] > limit:
            y[k] = 0.0
        total = total + y[k]
    return y, total


@apart((WHOLE, 3), (WHOLE, 1), (WHOLE, 0))
def a_number_of_three(x: Int64[Tensor, "n"], limit: int) -> Any:
    """A side that leaves the way open, twice."""
    y, way = x.copy(), 0
    for k in range(len(x)):
        if x[k] > 0:
            way = 1 if x[k] > limit else 2
            y[k] = way
        else:
            way = 2 if x[k] < -limit else 3
        if way == 2:
            y = y * 2 + k
    return y, way


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    with compiler_with(tmp_path, ("-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all")):
        yield


@needs_compiler
@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("is_on", [True, False], ids=["with", "without"])
@pytest.mark.parametrize(
    ("function", "inputs"), [*joined.found, *apart.found], ids=[f.__name__ for f, _ in [*joined.found, *apart.found]]
)
def test_like_python(function: Any, inputs: Any, is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_on:
        monkeypatch.setattr("graph_program.backends.c.early_ends.joined_branches", lambda program: None)
    check(function, *inputs)


def copies(function: Any, args: tuple[Any, ...]) -> int:
    """How many copies of arrays there are in the loops of a program in C."""
    lines = graph_program(function).c_source(args).splitlines()
    return sum("memcpy(" in line for line in lines if line.startswith(" " * 12))


def test_what_one_side_writes_is_not_copied_for_the_other_one(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = np.array([0, 5, 1, 4], np.uint8), 5
    assert copies(lz_unpacked, arguments) == 0
    monkeypatch.setattr("graph_program.backends.c.early_ends.joined_branches", lambda program: None)
    assert copies(lz_unpacked, arguments) > 0


def program_of(ways: tuple[int, int], wanted: int, *, is_large: bool = True) -> GraphProgram:
    """A branch that gives one of two ways, and one that asks for one of them."""
    c, x = Value("c", PY_BOOL), Value("x", PY_INT)
    numbers = {n: Value(f"int_{n}", PY_INT) for n in sorted({*ways, wanted})}
    nodes = [Node("constant", [], [v], {"value": np.array(n)}) for n, v in numbers.items()]
    way, y, here, z = Value("way", PY_INT), Value("y", PY_INT), Value("here", PY_BOOL), Value("z", PY_INT)
    sides = []
    for name, number in zip("ab", ways, strict=True):
        made = Value(name, PY_INT)
        sides.append(Graph([], [Node("multiply", [x, numbers[number]], [made])], [numbers[number], made]))
    nodes += [Node("if", [c], [way, y], {}, sides), Node("equal", [way, numbers[wanted]], [here])]
    chain = [y, *(Value(f"d{k}", PY_INT) for k in range(6 if is_large else 1))]
    work = [Node("add", [chain[k], x], [chain[k + 1]]) for k in range(len(chain) - 1)]
    nodes.append(Node("if", [here], [z], {}, [Graph([], work, [chain[-1]]), Graph([], [], [y])]))
    return GraphProgram("f", Graph([c, x], nodes, [z]), ["z"])


JOINED = """
f(c: bool, x: int):
    int_1: int = 1
    int_2: int = 2
    z: int = if c:
        a: int = multiply(x, int_1)
        d0_2: int = add(a, x)
        give d0_2
    else:
        b: int = multiply(x, int_2)
        give b
    return z=z
"""


def test_before_and_after() -> None:
    program = program_of((1, 2), 1, is_large=False)
    joined_branches(program)
    dce(program)
    assert print_graph(program).strip() == JOINED.strip()


@pytest.mark.parametrize(("ways", "wanted"), [((1, 1), 1), ((2, 3), 1)], ids=["both", "neither"])
def test_what_both_sides_decide_alike_stays(ways: tuple[int, int], wanted: int) -> None:
    program = program_of(ways, wanted)
    before = print_graph(program)
    joined_branches(program)
    assert print_graph(program) == before
