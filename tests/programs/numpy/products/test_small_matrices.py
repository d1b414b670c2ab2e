"""`np.linalg` of one matrix of known size up to 4x4: no loops, exchanges of rows, singular matrices, element types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, Int64, Tensor, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
SIZES = [1, 2, 3, 4]
RANDOM = np.random.default_rng(3)


def inverse(a: Any) -> Any:
    return np.linalg.inv(a)


def of_a_vector(a: Any) -> Any:
    return np.linalg.solve(a, a[0] + 1)


def of_columns(a: Any) -> Any:
    return np.linalg.solve(a, a[:, :1] + np.arange(3))


def determinant(a: Any) -> Any:
    return np.linalg.det(a)


def with_sign(a: Any) -> Any:
    return np.linalg.slogdet(a)


def lower(a: Any) -> Any:
    return np.linalg.cholesky(a)


def upper(a: Any) -> Any:
    return np.linalg.cholesky(a, upper=True)


ELIMINATING = [inverse, of_a_vector, of_columns, determinant, with_sign]
FACTORING = [lower, upper]


def sized(function: Callable[..., Any], n: int, element: Any = Float64) -> Callable[..., Any]:
    """The function for matrices of one size."""

    def program(a: Any) -> Any:
        return function(a)

    program.__annotations__ = {"a": element[Tensor, f"{n} {n}"]}
    return program


def nodes_of(graph: Any) -> Iterator[Any]:
    """The nodes of an ONNX graph, with those of its branches and bodies."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes_of(attribute.g)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("function", [*ELIMINATING, *FACTORING])
def test_neither_loops_nor_branches(function: Any, n: int) -> None:
    model = graph_program(sized(function, n)).model()
    kinds = {node.op_type for node in nodes_of(model.graph)}
    kinds |= {node.op_type for local in model.functions for node in local.node}
    assert not kinds & {"Loop", "If", "Scan"}


def test_an_inverse_of_two_by_two_is_few_nodes() -> None:
    assert len(list(nodes_of(graph_program(sized(inverse, 2)).model().graph))) <= 30


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("function", ELIMINATING)
def test_regular_matrices(function: Any, n: int) -> None:
    matrix = RANDOM.normal(size=(n, n))
    orders = [np.roll(np.eye(n), k, axis=0) for k in range(n)]
    check(
        sized(function, n),
        (matrix,),
        (matrix[::-1] * 10.0 ** np.arange(n)[:, None],),
        (matrix * 1e150,),
        (matrix * 1e-150,),
        (np.eye(n)[::-1] * -2.0,),
        *((order * np.arange(1.0, n + 1),) for order in orders),
        *((order @ np.triu(matrix),) for order in orders),
        (1.0 / (np.arange(n)[:, None] + np.arange(1.0, n + 1)),),  # ill-conditioned
        (np.tril(np.ones((n, n))) - 2 * np.eye(n),),
        (np.diag(np.append(np.full(n - 1, 2.0), np.inf)),),
        (matrix * np.nan,),
        (np.full((n, n), np.inf),),
    )


@pytest.mark.parametrize("function", ELIMINATING)
@pytest.mark.parametrize("n", SIZES)
def test_other_element_types(function: Any, n: int) -> None:
    matrix = RANDOM.normal(size=(n, n)).astype(np.float32)
    whole = RANDOM.integers(-9, 10, (n, n)) + 20 * np.eye(n, dtype=np.int64)[::-1]
    check(sized(function, n, Float32), (matrix,), (np.zeros((n, n), np.float32),), (matrix[::-1] * np.float32(1e30),))
    check(sized(function, n, Int64), (whole,), (whole * 0,))


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("function", ELIMINATING)
def test_singular_matrices(function: Any, n: int) -> None:
    matrix = RANDOM.integers(-4, 5, (n, n)) / 2.0 + 4.0 * np.eye(n)
    double, column = matrix.copy(), matrix.copy()
    double[-1], column[:, 0] = 2 * double[0], 0.0
    check(
        sized(function, n),
        (np.zeros((n, n)),),
        (np.ones((n, n)),),
        (double,),
        (double[::-1].copy(),),
        (column,),
        (column[:, ::-1].copy(),),
        (np.eye(n, k=1),),
        (np.eye(n, k=-1),),
        (np.diag([0.0] + [np.inf] * (n - 1)),),
    )


def test_which_small_integers_are_singular() -> None:
    check(sized(inverse, 3), (np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),))
    program = sized(inverse, 2)
    check(program, *((np.array([[k, k], [1.0, 1.0]]),) for k in range(1, 60)))
    check(program, *((np.array([[1.0, k / 10], [3.0, 3 * k / 10]]),) for k in range(1, 60)))


def test_a_nan_is_not_the_largest_of_a_column() -> None:
    nan = np.nan
    for function in (inverse, determinant, with_sign):
        check(sized(function, 2), (np.array([[1.0, 1.0], [nan, 2.0]]),), (np.array([[2.0, nan], [1.0, 1.0]]),))
        check(sized(function, 2), (np.array([[2.0, 1.0], [1.0, nan]]),), (np.array([[1.0, 1.0], [2.0, nan]]),))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("function", FACTORING)
def test_cholesky(function: Any, n: int) -> None:
    matrix = RANDOM.normal(size=(n, n))
    definite = matrix @ matrix.T + np.eye(n)
    partial = definite.copy()
    partial[-1, -1] = -1.0
    check(
        sized(function, n),
        (definite,),
        (definite * 1e200,),
        (definite + np.triu(np.ones((n, n)), 1) * 1e-3,),  # one triangle is read
        (-definite,),
        (partial,),
        (np.zeros((n, n)),),
        (np.diag(np.append(np.ones(n - 1), np.nan)),),
        (np.diag(np.append(np.ones(n - 1), np.inf)),),
    )
    check(sized(function, n, Float32), (definite.astype(np.float32),), (-definite.astype(np.float32),))
    check(sized(function, n, Int64), ((3 * definite).round().astype(np.int64),))


def eigenvalues(a: Any) -> Any:
    return np.linalg.eigvalsh(a), np.linalg.eigvalsh(a, "U")


@pytest.mark.parametrize("n", [1, 2])
def test_eigenvalues_of_symmetric_matrices(n: int) -> None:
    matrix, ones = RANDOM.normal(size=(n, n)), np.ones((n, n))
    symmetric = [matrix, -matrix @ matrix.T, matrix @ matrix.T, ones, -ones, np.eye(n), np.eye(n)[::-1], 0 * ones]
    extreme = [np.diag([1e-9, 1.0][:n]), np.diag([3.0, -3.0][:n]), ones * 1e200, matrix * 1e-200, ones * np.nan]
    program = check(sized(eigenvalues, n), *((a,) for a in (*symmetric, *extreme)))
    assert not {node.op_type for node in nodes_of(program.model().graph)} & {"Loop", "If"}
    check(sized(eigenvalues, n, Float32), (matrix.astype(np.float32),))
    check(sized(eigenvalues, n, Int64), ((5 * matrix).astype(np.int64),))


def test_eigenvalues_are_exact_for_their_own_size() -> None:
    program = graph_program(sized(eigenvalues, 2))
    for small in (1e-12, 1e-30, 3e-100):
        found, _ = program(np.array([[1.0, np.sqrt(small) / 2], [np.sqrt(small) / 2, small]]))
        np.testing.assert_allclose(found, [0.75 * small, 1.0], rtol=1e-11)
    assert program(np.array([[1.0, 1e-17], [1e-17, 1.0]]))[0].tolist() == [1.0, 1.0]


def test_stacks_and_sizes_that_are_not_known() -> None:
    def stacked(a: Any) -> Any:
        small = a.reshape(2, 3, 3)
        return np.linalg.inv(small), np.linalg.det(small), np.linalg.solve(small[0], small[1])

    def chosen(a: Any, n: int) -> Any:
        return np.linalg.inv(a[:n, :n]), np.linalg.det(a[:n, :n])

    check(stacked, (RANDOM.normal(size=18),))
    check(chosen, *((RANDOM.normal(size=(5, 5)), n) for n in range(6)))


def test_complex_matrices() -> None:
    def several(x: Any) -> Any:
        a = x[:, :, 0] + 1j * x[:, :, 1]
        definite = a @ a.conj().T + np.eye(len(a))
        lower, energies = np.linalg.cholesky(definite), np.linalg.eigvalsh(definite)
        return np.linalg.inv(a), np.linalg.solve(a, a[0]), np.linalg.det(a), np.linalg.slogdet(a), lower, energies

    for n in SIZES:

        def program(x: Any) -> Any:
            return several(x)

        program.__annotations__ = {"x": Float64[Tensor, f"{n} {n} 2"]}
        parts = RANDOM.normal(size=(n, n, 2))
        check(program, (parts,), (parts[::-1].copy(),), (np.zeros((n, n, 2)),))


def test_errors_that_are_caught_in_a_loop() -> None:
    def tracked(zs: Float64[Tensor, "t 2"], r: Float64[Tensor, "2 2"]) -> Any:
        p, x, lost = np.eye(2), np.zeros(2), 0
        for z in zs:
            try:
                gain = p @ np.linalg.inv(p + r)
            except np.linalg.LinAlgError:
                lost += 1
                continue
            x = x + gain @ (z - x)
            p = (np.eye(2) - gain) @ p
        return x, lost

    check(tracked, (RANDOM.normal(size=(5, 2)), np.eye(2)), (np.ones((3, 2)), -np.eye(2)), (np.ones((0, 2)), np.eye(2)))
