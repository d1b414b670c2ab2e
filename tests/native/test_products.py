"""Products of matrices in C: by a BLAS where there is one, and by the file's own kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.c import libraries
from tests.native.compilers import compiler_with, needs_compiler

SIZES = ((1, 1, 1), (3, 5, 7), (8, 8, 8), (37, 41, 29), (64, 1, 300), (1, 90, 120), (100, 100, 1), (0, 3, 4), (3, 4, 0))
SIZES += ((5, 130, 87), (2, 33, 3), (7, 16, 6))
"""Of these, all of the forms of a tile have some elements, and some are left over."""


@pytest.fixture(params=["BLAS", "own"])
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    if request.param == "own":
        monkeypatch.setattr(libraries, "_blas", lambda: ())
    elif not libraries._blas():
        pytest.skip("scipy-openblas32 is not installed")
    with compiler_with(tmp_path, ("-O1",)):
        yield


def product(a: Any, b: Any) -> Any:
    return a @ b


def turned(a: Any, b: Any) -> Any:
    return b.T @ a.T


def by_vectors(a: Any, b: Any) -> Any:
    return a @ b[:, 0], a[0] @ b, a[:, 0] * 2


def by_columns(a: Any, b: Any) -> Any:
    c = b.T.copy()
    return a @ c.T, c @ a[0], a[0] @ c.T, b.T @ a[0], a.T.copy().T @ b


def parts(a: Any, b: Any) -> Any:
    return a[::2, 1:] @ b[1:], a[:, ::-1] @ b


def letters(a: Any, b: Any) -> Any:
    return np.einsum("ik,kj->ji", a, b), np.einsum("ij,kj->ik", a, b.T)


def stacked(a: Any, b: Any) -> Any:
    c = np.stack((a, a + 1, a - 1))
    return c @ b, c @ np.stack((b, b, 2 * b)), np.einsum("bik,kj->ibj", c, b)


def joined(a: Any, b: Any) -> Any:
    c = np.stack((np.stack((a, a + 1)), np.stack((a - 1, a * 2))))
    d = np.stack((b, b + 1), axis=1)
    return (
        *(c @ b, c @ b.sum(1), b.T @ np.swapaxes(c[0], 1, 2), c[:, ::-1] @ b, c[:, :, ::2] @ b, c[..., 1:] @ b[1:]),
        *(np.swapaxes(c, 0, 1) @ b, np.swapaxes(c, 1, 2) @ b, np.tensordot(a, d, 1), np.tensordot(c, d, 1)),
        *(np.einsum("ik,kab->iab", a, d), np.einsum("ik,kab->abi", a, d), np.einsum("ik,kab->aib", a, d[:, :, ::-1])),
        *(np.einsum("xyik,kj->jxyi", c, b), np.einsum("xyik,kj->yjxi", c, b), np.einsum("xyik,k->yix", c, b.sum(1))),
    )


def read_once(a: Any, b: Any) -> Any:
    c, v, w, u = a * 2 + 1, a.sum(0) + 1, b.sum(1) * 3, a.sum(1)
    return (a * 2) @ w, v @ (b - 1), np.sqrt(abs(a[:, ::-1])) @ w, u @ (a + v), c @ w + c.sum(1), (a + u[:, None]) @ v


def added_to(a: Any, b: Any) -> Any:
    c = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for _ in range(3):
        c = c + a @ b
    return c


def with_itself(a: Any, b: Any) -> Any:
    return a @ a.T, b.T @ b, a[::2] @ a[::2].T, a[:, 1:].T @ a[:, 1:], a @ a.T[:, : a.shape[0]]


@needs_compiler
@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "function",
    [product, turned, by_vectors, by_columns, parts, letters, stacked, joined, read_once, added_to, with_itself],
)
def test_like_numpy(function: Any, dtype: Any) -> None:
    random = np.random.default_rng(0)
    program = graph_program(function)
    for rows, inner, columns in SIZES:
        if function in (by_vectors, by_columns) and 0 in (rows, inner, columns):
            continue
        a, b = random.normal(size=(rows, inner)).astype(dtype), random.normal(size=(inner, columns)).astype(dtype)
        expected, found = function(a, b), program(a, b)
        pairs = zip(expected, found, strict=True) if isinstance(expected, tuple) else [(expected, found)]
        for one, other in pairs:
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            tolerance = 1e-4 if dtype == np.float32 else 1e-12
            np.testing.assert_allclose(other, one, tolerance, tolerance * max(inner, 1))


@needs_compiler
@pytest.mark.usefixtures("native")
def test_what_is_not_finite_is_where_numpy_has_it() -> None:
    a, b = np.ones((30, 30)), np.ones((30, 30))
    a[3, 4], b[7, 9], b[4, 2] = np.nan, np.inf, 0
    np.testing.assert_array_equal(graph_program(product)(a, b), a @ b)
