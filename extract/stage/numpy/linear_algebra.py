"""The functions of `np.linalg` that are programs, written in the language itself (`extract/library/linalg`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library.linalg import cholesky, elimination, householder, jacobi, least_squares, tensors
from graph_program.extract.stage.numpy.programs import program_function

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

NAMED_TUPLES = (np.linalg.slogdet, np.linalg.qr, np.linalg.eigh, np.linalg.svd)
"""The functions whose results have fields."""

for _function, _program in PROGRAMS.items():
    program_function(_function, _program, several=_function in NAMED_TUPLES)

__all__ = ["PROGRAMS"]
