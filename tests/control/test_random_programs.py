"""Random residual programs: the graph computes what the direct interpreter computes."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from residual_programs import INPUTS, programs

from graph_program.backends.reference.interpreter import run
from graph_program.backends.reference.residual import OutOfFuel, interpret
from graph_program.extract.control import residual_to_graph
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.residual import Program
from graph_program.extract.ir.verifier import verify_graph, verify_residual
from graph_program.extract.transform import optimize


def agree(program: Program, graph: GraphProgram, inputs: list[np.ndarray]) -> None:
    """Assert that both run to the same outputs, bit for bit, or to the same error."""
    expected = interpret(program, inputs, fuel=20_000)
    results = run(graph, inputs)
    error = int(results[len(program.outputs)]) if graph.errors else 0
    if expected.error is not None:
        assert error == expected.error + 1
        want, got = expected.error_args, [results[i] for i in graph.error_args[expected.error]]
    else:
        assert error == 0
        want, got = expected.outputs, results[: len(program.outputs)]
    assert len(want) == len(got)
    for a, b in zip(want, got, strict=True):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(programs(), st.lists(INPUTS, min_size=1, max_size=3))
def test_graph_equals_residual(program: Program, inputs: list[list[np.ndarray]]) -> None:
    try:
        for values in inputs:
            interpret(program, values, fuel=20_000)
    except OutOfFuel:
        assume(False)
    verify_residual(program)
    graph = residual_to_graph(program)
    verify_graph(graph, unread=True)
    for values in inputs:
        agree(program, graph, values)
    optimized = optimize(graph)
    verify_graph(optimized)
    for values in inputs:
        agree(program, optimized, values)
