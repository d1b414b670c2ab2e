"""`np.linalg.eig` and `eigvals` of complex matrices in programs: NumPy's values in some order, and its vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import graph_program.tensor_api as xp
from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)
REAL = RANDOM.normal(size=(5, 5))
COMPLEX = REAL + 1j * RANDOM.normal(size=(5, 5))
STACK = RANDOM.normal(size=(2, 3, 3)) + 1j * RANDOM.normal(size=(2, 3, 3))


def pairs(a: Array) -> Any:
    """Both in order of the values, and what is left of `A v = w v`."""
    found = np.linalg.eig(a)
    values, vectors = found
    order = np.argsort(np.round(values.real, 4) + 1j * np.round(values.imag, 4), axis=-1)
    left = a @ vectors - vectors * values[..., None, :]
    ordered = np.take_along_axis(found.eigenvalues, order, -1)
    size = np.abs(a).max(initial=1.0) * (1e-5 if a.dtype == np.complex64 else 1e-12)
    return ordered, np.take_along_axis(found.eigenvectors, order[..., None, :], -1), np.abs(left) < size


ROTATION = np.array([[0.8, -0.6], [0.6, 0.8]]).astype(complex)
CYCLE = np.roll(np.eye(4), 1, axis=0).astype(complex)


def test_eigenvectors() -> None:
    check(
        pairs,
        (COMPLEX,),
        (REAL.astype(complex),),
        (COMPLEX.astype(np.complex64),),
        (np.triu(COMPLEX),),
        (np.diag([3, 1j, -2]),),
        (np.array([[2 + 1j]]),),
        (np.zeros((0, 0), complex),),
        (np.array([[1, 1e10], [1e-10, 3]]).astype(complex),),
        (COMPLEX * 1e200,),
        (COMPLEX[:3],),
        (COMPLEX[0],),
        (np.array([[1, np.nan], [0, 1j]]),),
    )
    check(pairs, (STACK,), (STACK[:0],))


def test_eigenvalues() -> None:
    def distances(a: Array) -> Any:
        found = np.linalg.eigvals(a)
        return np.sort(np.abs(found - 0.3 + 0.1j), axis=-1), found.dtype

    check(
        distances,
        (COMPLEX,),
        (ROTATION,),
        (CYCLE,),
        (np.eye(3) + 0j,),
        (np.eye(4, k=-1) + 0j,),
        (np.eye(4, k=1) + np.eye(4) * 1j,),
        (np.zeros((3, 3), complex),),
        (np.array([[np.inf, 1], [0, 1j]]),),
        (COMPLEX[:, :3],),
    )
    check(distances, (np.stack([np.eye(4) * 1j, CYCLE, np.triu(COMPLEX[:4, :4]), COMPLEX[1:, 1:]]),))


def test_more_rows_than_a_panel() -> None:
    matrix = RANDOM.normal(size=(20, 20)) + 0j

    def sizes(a: Array) -> Any:
        w, v = np.linalg.eig(a)
        return np.sort(np.abs(w)), np.sum(w), np.abs(a @ v - v * w).max() < 1e-12, np.sqrt((np.abs(v) ** 2).sum(axis=0))

    check(sizes, (matrix,))


def test_roots_of_polynomials() -> None:
    def roots(p: Array) -> Any:
        n = len(p) - 1
        companion = np.zeros((n, n), complex)
        companion[0] = -p[1:] / p[0]
        for i in range(1, n):
            companion[i, i - 1] = 1
        return np.sort_complex(np.round(np.linalg.eigvals(companion), 6))

    check(roots, (np.array([1.0, -6.0, 11.0, -6.0]),), (np.array([2.0, 0.0, 0.5 + 1j]),))


def test_a_dominant_mode_in_control_flow() -> None:
    def growth(a: Array, steps: int) -> Any:
        count = 0
        for _ in range(steps):
            if np.abs(np.linalg.eigvals(a)).max() < 1:
                count += 1
                a = a * 1.5
            else:
                a = a / 2
        return a, count

    check(growth, (COMPLEX / 3, 4))


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_real_matrices_are_refused(name: str) -> None:
    function = getattr(np.linalg, name)

    def program(a: Array) -> Any:
        return function(a)

    for a in (REAL, REAL.astype(np.float32), np.eye(2, dtype=int)):
        with pytest.raises(GraphProgramError, match=r"astype\(complex\)") as raised:
            graph_program(program)(a)
        assert raised.value.code == "GP580"


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_of_the_array_api(dtype: Any) -> None:
    def program(x: xp.Array) -> Any:
        w, v = xp.linalg.eig(x)
        return w, v, xp.linalg.eigvals(x)

    def ordered(found: Any) -> Any:
        w, v, alone = (np.from_dlpack(x) for x in found)
        order = np.argsort(w.round(3))
        return w[order], v[:, order], alone[np.argsort(alone.round(3))]

    a = xp.asarray((COMPLEX if np.dtype(dtype).kind == "c" else REAL).astype(dtype))
    for x, y in zip(ordered(program(a)), ordered(graph_program(program)(a)), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_allclose(x, y, atol=1e-6)
