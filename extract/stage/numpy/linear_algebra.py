"""The functions of `np.linalg` that are programs, written in the language itself (`extract/library/linalg`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library.linalg import (
    cholesky,
    common,
    eigenvalues,
    elimination,
    householder,
    jacobi,
    least_squares,
    small,
    tensors,
)
from graph_program.extract.stage.arrays.lowering_arguments import array
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.programs import program_function
from graph_program.extract.stage.values.values import Static, Value, type_of

PROGRAMS: dict[Any, Callable[..., Any]] = {
    np.linalg.solve: elimination.solve,
    np.linalg.inv: elimination.inv,
    np.linalg.det: elimination.det,
    np.linalg.slogdet: elimination.slogdet,
    np.linalg.cholesky: cholesky.cholesky,
    np.linalg.qr: householder.qr,
    np.linalg.eigh: jacobi.eigh,
    np.linalg.eigvalsh: jacobi.eigvalsh,
    np.linalg.svd: jacobi.svd,
    np.linalg.svdvals: jacobi.svdvals,
    np.linalg.lstsq: least_squares.lstsq,
    np.linalg.pinv: least_squares.pinv,
    np.linalg.matrix_rank: least_squares.matrix_rank,
    np.linalg.cond: least_squares.cond,
    np.linalg.tensorsolve: tensors.tensorsolve,
    np.linalg.tensorinv: tensors.tensorinv,
}

COMPLEX_PROGRAMS: dict[Any, Callable[..., Any]] = {
    np.linalg.eig: eigenvalues.eig,
    np.linalg.eigvals: eigenvalues.eigvals,
}
"""Those of complex matrices only."""

NAMED_TUPLES = (np.linalg.eig, np.linalg.slogdet, np.linalg.qr, np.linalg.eigh, np.linalg.svd)
"""The functions whose results have fields."""


def require_complex(name: str) -> Callable[[Machine, dict[str, Value]], None]:
    """Refuse real matrices: whether NumPy gives real eigenvalues depends on what they are."""

    symmetric = "np.linalg.eigh" if name == "eig" else "np.linalg.eigvalsh"

    def require(m: Machine, given: dict[str, Value]) -> None:
        a = type_of(given["a"])
        if not a.is_complex:
            raise m.error(
                "GP580",
                f"np.linalg.{name} of a real matrix ({a.dtype.name}) is real or complex, depending on its elements",
                hint=f"write np.linalg.{name}(a.astype(complex)), which is always complex, or {symmetric} "
                "of symmetric matrices, which is real",
            )

    return require


for _function, _program in PROGRAMS.items():
    program_function(_function, _program, several=_function in NAMED_TUPLES)
for _function, _program in COMPLEX_PROGRAMS.items():
    program_function(_function, _program, _function in NAMED_TUPLES, require_complex(_function.__name__))


@registry.lowers(small.is_small)
def is_small(m: Machine, a: Value) -> Value:
    """Whether an array is one matrix whose size is known and small: no question for the graph."""
    sizes = [size.constant for size in type_of(a).shape]
    return Static(len(sizes) == 2 and all(size is not None and 0 < size <= small.LARGEST for size in sizes))


@registry.lowers(common.rows_at)
def rows_at(m: Machine, x: Value, places: Value) -> Value:
    """Rows at places that an array has, whatever the elements of `places` are."""
    return m.op("take", array(m, x), places, axis=0)
