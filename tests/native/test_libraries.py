"""Linear algebra in process: by LAPACK where there is one, and by the programs that stand for it anywhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from graph_program.backends.c import libraries
from graph_program.backends.reference.interpreter import run
from graph_program.extract.arguments.argument_specs import spec_from_value
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.libraries import BEGUN, CHOLESKY, OPERATIONS, RESULT, SOLVE
from graph_program.extract.ir.verifier import verify_graph, verify_residual
from graph_program.extract.pipeline import extract
from tests.native.compilers import compiler_with, needs_compiler, noted_texts
from tests.programs.plain import check

RANDOM = np.random.default_rng(23)
MATRIX = RANDOM.normal(size=(7, 7))
COMPLEX = MATRIX + 1j * RANDOM.normal(size=(7, 7))
RIGHT = RANDOM.normal(size=(7, 3))
STACK = RANDOM.normal(size=(2, 3, 5, 5))
DEFINITE = MATRIX @ MATRIX.T + np.eye(7)
HERMITIAN = COMPLEX @ COMPLEX.conj().T + np.eye(7)
DEFINITE_STACK = STACK @ np.swapaxes(STACK, -1, -2) + np.eye(5)


@pytest.fixture(params=["LAPACK", "own"])
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    if request.param == "own":
        monkeypatch.setattr(libraries, "_blas", lambda: ())
    elif not libraries.has_lapack():
        pytest.skip("scipy-openblas32 is not installed")
    with compiler_with(tmp_path, ("-O1",)):
        yield


def solve(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b)


def inverse(a: Any) -> Any:
    return np.linalg.inv(a)


def lower(a: Any) -> Any:
    return np.linalg.cholesky(a)


def upper(a: Any) -> Any:
    return np.linalg.cholesky(a, upper=True)


@needs_compiler
def test_solve(native: None) -> None:
    check(
        solve,
        (MATRIX, RIGHT),
        (MATRIX, RIGHT[:, 0]),
        (MATRIX.T, RIGHT[::-1]),
        (COMPLEX, RIGHT),
        (MATRIX, RIGHT * 1j),
        (COMPLEX, RIGHT[:, 0] + 2j),
        (STACK, RIGHT[:5]),
        (STACK[0, 0], STACK),
        (STACK + 1j, STACK),
        (MATRIX.astype(np.float32), RIGHT.astype(np.float32)),
        ((9 * MATRIX).astype(np.int64), RIGHT),
        (np.zeros((0, 0)), np.zeros((0, 2))),
        (MATRIX, RIGHT[:, :0]),
        (STACK[:0], RIGHT[:5]),
        (np.full((1, 1), 4.0), np.ones((1, 2))),
        (np.ones((6, 6)), np.ones(6)),
        (np.zeros((6, 6), complex), np.ones(6)),
        (STACK * np.array([1.0, 0.0, 1.0])[:, None, None], RIGHT[:5]),
        (MATRIX, RIGHT[:6]),
        (MATRIX[:6], RIGHT),
    )


@needs_compiler
def test_inverse(native: None) -> None:
    check(inverse, (MATRIX,), (COMPLEX,), (STACK,), (np.ones((5, 5)),), (np.zeros((0, 0)),), (np.diag([1e300] * 6),))


@needs_compiler
@pytest.mark.parametrize("program", [lower, upper])
def test_cholesky(native: None, program: Callable[..., Any]) -> None:
    check(
        program,
        (DEFINITE,),
        (DEFINITE[::-1, ::-1],),
        (HERMITIAN,),
        (DEFINITE_STACK,),
        (DEFINITE_STACK + 0j,),
        (DEFINITE + np.triu(np.ones((7, 7)), 1),),
        (DEFINITE.astype(np.float32),),
        (np.zeros((0, 0)),),
        (-DEFINITE,),
        (DEFINITE - 2 * DEFINITE[-1, -1] * np.diag([0.0] * 6 + [1.0]),),
        (-HERMITIAN,),
        (DEFINITE_STACK * np.array([1.0, -1.0])[:, None, None, None],),
    )


@needs_compiler
def test_in_a_loop_that_goes_on_where_there_is_no_solution(native: None) -> None:
    def total(matrices: Any, b: Any) -> Any:
        found, failed = np.zeros_like(b), 0
        for a in matrices:
            try:
                found += np.linalg.solve(a, b)
            except np.linalg.LinAlgError:
                failed += 1
        return found, failed, np.linalg.cholesky(matrices[0] @ matrices[0].T)

    check(total, (np.stack([MATRIX, np.ones((7, 7)), MATRIX.T]), RIGHT))


@needs_compiler
def test_written_in_place(native: None) -> None:
    def kernel(a: Any, b: Any) -> None:
        b[:] = np.linalg.solve(a, b)
        a[:] = np.linalg.cholesky(a) + np.triu(a, k=1)

    check(kernel, (DEFINITE.copy(), RIGHT.copy()))


@needs_compiler
def test_only_in_process(native: None, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = noted_texts(monkeypatch)
    program = graph_program(solve)
    program(MATRIX, RIGHT)
    has_it = libraries.has_lapack()
    assert [("dgesv_" in text, "gp_product_f64(" in text) for text in texts] == [(has_it, not has_it)]
    assert "gesv" not in program.c_source((MATRIX, RIGHT))
    assert not any("library" in node.op_type for node in program.model((MATRIX, RIGHT)).graph.node)


@needs_compiler
def test_small_matrices_are_written_out(native: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def small(a: Float64[Tensor, "3 3"], b: Float64[Tensor, "3"]) -> Any:
        return np.linalg.solve(a, b), np.linalg.cholesky(a)

    texts = noted_texts(monkeypatch)
    graph_program(small)(DEFINITE[:3, :3], RIGHT[:3, 0])
    assert "dgesv_" not in texts[0] and "dpotrf_" not in texts[0]


def operations(graph: GraphProgram) -> set[str]:
    return {node.op for node in graph.graph.walk()}


@pytest.mark.parametrize("part", [1, 1j])
def test_what_stands_for_a_library_is_left_out_where_there_is_one(part: complex) -> None:
    def both(a: Any, b: Any) -> Any:
        total = np.zeros_like(b)
        for k in range(len(a)):
            if k > 2:
                total += np.linalg.solve(a, b)
            else:
                total += np.linalg.inv(a) @ b
        return total, np.linalg.cholesky(a @ a.conj().T)

    args = {"a": MATRIX * part, "b": RIGHT * part}
    found = extract(both, {name: spec_from_value(value, None, name) for name, value in args.items()})
    assert found.linked_residual is not None
    verify_residual(found.linked_residual)
    for graph in (found.native, found.linked):
        verify_graph(graph)
    asked = operations(found.linked)
    assert {SOLVE, CHOLESKY} <= asked and not asked & {"argmax", "scatter_nd", BEGUN, RESULT}
    assert not operations(found.native) & OPERATIONS.keys() and "argmax" in operations(found.native)
    feed = [part for x in args.values() for part in ((x.real, x.imag) if x.dtype.kind == "c" else (x,))]
    for graph in (found.native, found.linked):
        results = run(graph, feed)[: len(found.residual.output_names)]
        expected = both(*args.values())
        wanted = [part for x in expected for part in ((x.real, x.imag) if x.dtype.kind == "c" else (x,))]
        for ours, theirs in zip(results, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_programs_without_linear_algebra_are_made_once() -> None:
    def doubled(a: Any) -> Any:
        return a * 2

    found = extract(doubled, {"a": spec_from_value(MATRIX, None, "a")})
    assert found.linked_residual is None and found.linked is found.native
