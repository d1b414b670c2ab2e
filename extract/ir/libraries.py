"""What a library of linear algebra computes in process, and what stands for it anywhere else.

    t = library_begun()
    x = ...                                           x = ...
    found = library_solve(a, b)              to       y = x        or      found = library_solve(a, b)
    part = take(found, 0, axis=0)                                          part = take(found, 0, axis=0)
    y = library_result(x, part, t)                                         y = part

A library takes real arrays, or the real and the imaginary parts of complex ones, and gives one array with as many
parts.  `slice/libraries` says which of both a graph has: only one for a compiler in process has the library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

SOLVE, CHOLESKY = "library_solve", "library_cholesky"
"""The solution of `a @ x == b`, with a column of pivots, of which one is 0 where `a` is singular; the lower triangle of
a Cholesky factorization, with 0 on its diagonal where there is none."""
BEGUN, RESULT = "library_begun", "library_result"
"""Where that begins which nobody needs with a library; what has been found without one, or with it, since that."""

FUNCTIONS = frozenset({SOLVE, CHOLESKY})

Array = np.ndarray[Any, Any]


def _complex(arrays: tuple[Array, ...], count: int) -> list[Array]:
    """The arrays whose parts are given."""
    if len(arrays) == count:
        return list(arrays)
    return [arrays[k] + 1j * arrays[k + 1] for k in range(0, 2 * count, 2)]


def _parts(found: Array) -> Array:
    return np.stack((found.real, found.imag)) if np.iscomplexobj(found) else found[np.newaxis]


def _solve(*arrays: Array) -> Array:
    """The pivots are 1 where a matrix is not singular: NumPy does not tell them."""
    a, b = _complex(arrays, 2)
    try:
        return _parts(np.concatenate((np.linalg.solve(a, b), np.ones((*b.shape[:-1], 1))), axis=-1))
    except np.linalg.LinAlgError:
        return _parts(np.zeros((*b.shape[:-1], b.shape[-1] + 1), b.dtype))


def _cholesky(*arrays: Array) -> Array:
    (a,) = _complex(arrays, 1)
    try:
        return _parts(np.linalg.cholesky(a))
    except np.linalg.LinAlgError:
        return _parts(np.zeros_like(a))


def _begun() -> Array:
    return np.asarray(True)


def _result(found: Array, by_library: Array, since: Array) -> Array:
    return found


OPERATIONS: Mapping[str, Callable[..., Array]] = {
    SOLVE: _solve,
    CHOLESKY: _cholesky,
    BEGUN: _begun,
    RESULT: _result,
}
"""The operations in NumPy."""

__all__ = ["BEGUN", "CHOLESKY", "FUNCTIONS", "OPERATIONS", "RESULT", "SOLVE"]
