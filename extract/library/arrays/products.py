"""Products of vectors and matrices, covariances, and the different elements of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
UniqueAllResult: Any = type(np.unique_all(np.zeros(1)))
UniqueCountsResult: Any = type(np.unique_counts(np.zeros(1)))
UniqueInverseResult: Any = type(np.unique_inverse(np.zeros(1)))


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """`np.linalg.cross`."""
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, "
            f"but they are {x1.shape[axis]} and {x2.shape[axis]} dimensional instead."
        )
    return np.cross(x1, x2, axis=axis)


def matvec(x1: Array, x2: Array) -> Any:
    """`np.matvec`: matrices times vectors."""
    require_ranks("matvec", "(m,n),(n)->(m)", x1, x2, 2, 1)
    require_same("matvec", "(m,n),(n)->(m)", x2.shape[-1], x1.shape[-1])
    result: Array = np.matmul(x1, x2[..., np.newaxis])[..., 0]
    return result


def vecmat(x1: Array, x2: Array) -> Any:
    """`np.vecmat`: vectors, conjugated, times matrices."""
    require_ranks("vecmat", "(n),(n,m)->(m)", x1, x2, 1, 2)
    require_same("vecmat", "(n),(n,m)->(m)", x2.shape[-2], x1.shape[-1])
    left = np.conjugate(x1) if x1.dtype.kind == "c" else x1
    result: Array = np.matmul(left[..., np.newaxis, :], x2)[..., 0, :]
    return result


def require_ranks(name: str, signature: str, x1: Array, x2: Array, first: int, second: int) -> None:
    """NumPy's errors for operands with too few axes."""
    text = f"with signature {signature} requires"
    if x1.ndim < first:
        raise ValueError(
            f"{name}: Input operand 0 does not have enough dimensions (has {x1.ndim}, gufunc core {text} {first})"
        )
    if x2.ndim < second:
        raise ValueError(
            f"{name}: Input operand 1 does not have enough dimensions (has {x2.ndim}, gufunc core {text} {second})"
        )


def require_same(name: str, signature: str, size: Any, other: Any) -> None:
    """NumPy's error for axes of different sizes."""
    if size != other:
        raise ValueError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {signature} "
            f"(size {size} is different from {other})"
        )


def corrcoef(x: Array, y: Array | None = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """`np.corrcoef`: covariances divided by both standard deviations."""
    c = np.cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviations = np.sqrt(np.diag(c))
    return np.clip(c / deviations[:, np.newaxis] / deviations[np.newaxis, :], -1, 1)


def variables(x: Array, y: Array, rowvar: bool) -> Array:
    """The variables of two arrays, one a row."""
    if y.ndim > 2:
        raise ValueError("y has more than 2 dimensions")
    first, second = np.atleast_2d(x), np.atleast_2d(y)
    if not rowvar and x.ndim != 1:
        first = first.T
    if not rowvar and second.shape[0] != 1:
        second = second.T
    return np.concatenate((first, second), axis=0)


def weighted_cov(x: Array, ddof: Any, fweights: Array | None, aweights: Array | None) -> Any:
    """The covariances of variables in rows whose observations have frequencies or weights."""
    weights = np.ones(x.shape[1])
    if fweights is not None:
        frequencies = fweights.astype(np.float64)
        if not np.all(frequencies == np.around(frequencies)):
            raise TypeError("fweights must be integer")
        require_weights(x, frequencies, "fweights")
        weights = weights * frequencies
    if aweights is not None:
        importances = aweights.astype(np.float64)
        require_weights(x, importances, "aweights")
        weights = weights * importances
    total = weights.sum()
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    mean = (x * weights).sum(axis=1) / total
    if ddof == 0:
        factor = total
    elif aweights is None:
        factor = total - ddof
    else:
        factor = total - ddof * (weights * aweights.astype(np.float64)).sum() / total
    centred = x - mean[:, np.newaxis]
    return np.dot(centred, (centred * weights).T) * (1 / np.maximum(factor, 0.0))


def require_weights(x: Array, weights: Array, name: str) -> None:
    """NumPy's errors for weights of observations."""
    if weights.ndim > 1:
        raise RuntimeError(f"cannot handle multidimensional {name}")
    if weights.shape[0] != x.shape[1]:
        raise RuntimeError(f"incompatible numbers of samples and {name}")
    if (weights < 0).any():
        raise ValueError(f"{name} cannot be negative")


def unique_all(x: Array) -> Any:
    """`np.unique_all`."""
    return UniqueAllResult(*np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False))


def unique_counts(x: Array) -> Any:
    """`np.unique_counts`."""
    return UniqueCountsResult(*np.unique(x, return_counts=True, equal_nan=False))


def unique_inverse(x: Array) -> Any:
    """`np.unique_inverse`."""
    return UniqueInverseResult(*np.unique(x, return_inverse=True, equal_nan=False))


__all__ = [
    "corrcoef",
    "cross",
    "matvec",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "variables",
    "vecmat",
    "weighted_cov",
]
