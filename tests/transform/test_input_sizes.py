"""The pass that computes sizes from the inputs' shapes."""

from __future__ import annotations

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.reference.interpreter import run
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.transform.dce import dce
from graph_program.extract.transform.sizes import sizes
from graph_program.extract.types.dims.parsing import parse_dim
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType
from tests.programs.plain import check

F8 = np.dtype(np.float64)


def vector(*dims: str) -> TensorType:
    return TensorType(F8, tuple(map(parse_dim, dims)))


def size_of_computed(inputs: list[str], size: str, read: bool = False) -> GraphProgram:
    """A program that gives the size of a computed vector, and the vector itself if it is `read`."""
    values = [Value(f"in{i}", vector(d)) for i, d in enumerate(inputs)]
    computed, asked = Value("y", vector(size)), Value("n", PY_INT)
    nodes = [
        Node("opaque", list(values), [computed]),
        Node("dim", [computed], [asked], {"axis": 0}),
    ]
    outputs = [asked, computed] if read else [asked]
    return GraphProgram("f", Graph(values, nodes, outputs), [v.name for v in outputs])


@pytest.mark.parametrize(
    ("size", "value"),
    [
        ("n", 5),
        ("m", 1),
        ("n-1", 4),
        ("3-m", 2),
        ("2*n+3", 13),
        ("m*n", 5),
        ("n//2", 2),
        ("(n+1)//2", 3),
        ("max(0,n-7)", 0),
        ("min(3,n)", 3),
        ("m&n", 5),
        ("4", 4),
        ("n%3", 2),
    ],
)
def test_sizes_are_computed_from_inputs(size: str, value: int) -> None:
    program = size_of_computed(["n", "m"], size)
    sizes(program)
    dce(program)
    verify_graph(program)
    assert "opaque" not in [node.op for node in program.graph.walk()]
    assert run(program, [np.zeros(5), np.zeros(1)])[0] == value


@pytest.mark.parametrize(("size", "stays"), [("n", False), ("n-1", True), ("k", True), ("4", False)])
def test_what_is_read_anyway_gives_its_own_size(size: str, stays: bool) -> None:
    program = size_of_computed(["n"], size, read=True)
    sizes(program)
    dce(program)
    reads = [node.inputs[0].name for node in program.graph.walk() if node.op == "dim"]
    assert ("y" in reads) is stays


def test_unknown_and_long_sizes_are_read() -> None:
    for size in ("k", "k+n", "(n+m)//(n+1)*max(n,m)*min(n,m+3)*(n//7)"):
        program = size_of_computed(["n", "m"], size)
        sizes(program)
        assert [node.op for node in program.graph.walk()] == ["opaque", "dim"]


def smoothed(x, y, rounds):
    for _ in range(rounds):
        y[1:-1] = (x[:-2] + x[2:]) / 2
    return y


def test_sizes_of_what_rounds_compute_are_computed_before_the_loop() -> None:
    program = graph_program(smoothed)
    check(smoothed, (np.ones(5), np.ones(5), 2), (np.ones(3), np.ones(4), 0), (np.ones(3), np.ones(4), 1))
    program(np.ones(5), np.ones(5), 2)
    special, general = program.explain("optimized").split("= loop(")[1:]  # of arrays of one size, and of others
    for body in (special.partition("\n    else:")[0], general):
        assert "concatenate(" in body and "dim(" not in body and "not_equal(" not in body
