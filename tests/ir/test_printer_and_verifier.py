"""The text of residual programs and graphs, and what the verifier refuses."""

from __future__ import annotations

import numpy as np
import pytest

from graph_program.extract.diagnostics import UNKNOWN
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.printer import print_graph, print_residual
from graph_program.extract.ir.residual import Block, Const, Copy, If, Leave, Loop, Op, Program, Stmt
from graph_program.extract.ir.verifier import VerificationError, verify_graph, verify_residual
from graph_program.extract.types.tensors.tensor_type import FLOAT64, PY_BOOL, PY_FLOAT, PY_INT, TensorType

ONE = Const(np.array(1))


def op(target: str, name: str, *args: str | Const) -> Op:
    return Op(target, name, args, {}, loc=UNKNOWN)


def program(*body: Stmt, output: str = "x") -> Program:
    types = {"n": PY_INT, "x": PY_INT, "y": PY_INT, "t": PY_BOOL, "f": PY_FLOAT}
    return Program("f", ["n"], list(body), [output], ["x"], types, [], UNKNOWN)


COUNT = program(
    Copy(["x"], [Const(np.array(0))], loc=UNKNOWN),
    Block(
        "L1",
        [
            Loop(
                [
                    op("t", "less", "x", "n"),
                    If("t", [], [Leave("L1", loc=UNKNOWN)], loc=UNKNOWN),
                    op("y", "add", "x", ONE),
                    Copy(["x"], ["y"], loc=UNKNOWN),
                ],
                loc=UNKNOWN,
            )
        ],
        loc=UNKNOWN,
    ),
)


def test_residual_text() -> None:
    assert print_residual(COUNT) == "\n".join(
        [
            "def f(n: int):",
            "    x = 0",
            "    block L1:",
            "        loop:",
            "            t = less(x, n)",
            "            if not t:",
            "                leave L1",
            "            y = add(x, 1)",
            "            x = y",
            "    return x=x",
        ]
    )


def test_graph_text() -> None:
    n, t = Value("n", PY_INT), Value("t", PY_BOOL)
    y, z = Value("y", PY_INT), Value("z", PY_INT)
    arms = [Graph([], [Node("negative", [n], [y])], [y]), Graph([], [], [n])]
    graph = Graph([n], [Node("equal", [n, n], [t]), Node("if", [t], [z], regions=arms)], [z])
    whole = GraphProgram("f", graph, ["z"])
    verify_graph(whole)
    assert print_graph(whole) == "\n".join(
        [
            "f(n: int):",
            "    t: bool = equal(n, n)",
            "    z: int = if t:",
            "        y: int = negative(n)",
            "        give y",
            "    else:",
            "        give n",
            "    return z=z",
        ]
    )


BAD = {
    "may be read before": program(op("x", "add", "y", "n")),
    "no operation is called": program(op("x", "plus", "n", "n")),
    "takes x y": program(op("x", "add", "n")),
    "assigned by 2 operations": program(op("x", "add", "n", "n"), op("x", "add", "n", "n")),
    "differ in dtype": program(Copy(["x"], [Const(np.array(1.0))], loc=UNKNOWN)),
    "no enclosing block": program(Leave("L1", loc=UNKNOWN)),
    "not a scalar bool": program(If("n", [], [], loc=UNKNOWN), output="n"),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_residual_programs_are_refused(message: str) -> None:
    with pytest.raises(VerificationError, match=message):
        verify_residual(BAD[message])


def test_good_residual_program_passes() -> None:
    verify_residual(COUNT)


def test_bad_graphs_are_refused() -> None:
    n, other = Value("n", PY_INT), Value("other", PY_INT)
    unset = Value("unset", PY_INT)
    same, fraction = Value("n", PY_INT), Value("r", TensorType(FLOAT64))
    t = Value("t", PY_BOOL)
    bad = {
        "not defined here": Graph([n], [], [other]),
        "defined twice": Graph([n], [Node("negative", [n], [same])], [same]),
        "reads the placeholder": Graph([], [Node("placeholder", [], [unset]), Node("negative", [unset], [n])], [n]),
        "is expected": Graph(
            [n, t], [Node("if", [t], [fraction], regions=[Graph([], [], [n]) for _ in "ab"])], [fraction]
        ),
    }
    for message, graph in bad.items():
        with pytest.raises(VerificationError, match=message):
            verify_graph(GraphProgram("f", graph, ["x"]), unread=True)
