"""Products of vectors and matrices, covariances, and the different elements of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import flat, of_sizes, one_axis, raise_where
from graph_program.extract.library.linalg.common import rows_at

Array = np.ndarray[Any, Any]
UniqueAllResult: Any = type(np.unique_all(np.zeros(1)))
UniqueCountsResult: Any = type(np.unique_counts(np.zeros(1)))
UniqueInverseResult: Any = type(np.unique_inverse(np.zeros(1)))


def vdot(a: Array, b: Array, /) -> Any:
    """`np.vdot`: the dot product of the flattened arrays, the first one conjugated."""
    dtype = np.result_type(a, b)
    x, y = conjugated(flat(a.astype(dtype))), flat(b.astype(dtype))
    wrong = "cannot reshape array of size ", len(y), " into shape (", len(x), ",)"
    raise_where(len(x) != len(y), ValueError, *wrong)
    return np.dot(x, y)


def conjugated(x: Array) -> Array:
    """The conjugates; real numbers as they are."""
    return np.conjugate(x) if np.iscomplexobj(x) else x


def outer(a: Array, b: Array, out: None = None) -> Any:
    """`np.outer`: all products of the elements of two vectors."""
    return np.multiply(flat(a)[:, np.newaxis], flat(b)[np.newaxis])


def kron(a: Array, b: Array) -> Any:
    """`np.kron`: each element of `a` times all of `b`, as blocks."""
    rank = max(a.ndim, b.ndim)
    if rank == 0:
        return np.multiply(a, b)
    x, y = np.expand_dims(a, tuple(range(rank - a.ndim))), np.expand_dims(b, tuple(range(rank - b.ndim)))
    sizes = [of_sizes("*", p, q) for p, q in zip(x.shape, y.shape, strict=True)]
    left, right = np.expand_dims(x, tuple(range(1, 2 * rank, 2))), np.expand_dims(y, tuple(range(0, 2 * rank, 2)))
    return np.multiply(left, right).reshape(sizes)


def cross(a: Array, b: Array, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    """`np.cross` of vectors with two or three components, how many of which is to be known."""
    axes = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    x, y = at_the_end(a, axes[0], "axisa"), at_the_end(b, axes[1], "axisb")
    for size in (x.shape[-1], y.shape[-1]):
        text = "incompatible dimensions for cross product\n(dimension must be 2 or 3)"
        raise_where((size != 3, size != 2), ValueError, text)
    if components_of(x) == 2 and components_of(y) == 2:
        return np.asarray(component(x, y, 0, 1))
    x, y = with_third(x), with_third(y)
    found = [component(x, y, i, j) for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(found, one_axis(axes[2], found[0].ndim + 1, "axisc"))


def components_of(x: Array) -> int:
    """How many components vectors have, by what is known; three where only the run tells."""
    count: int = x.shape[-1]
    return count


def with_third(x: Array) -> Array:
    """Vectors with a third component, which is 0 where there are two."""
    return x if components_of(x) == 3 else np.concatenate((x, np.zeros((*x.shape[:-1], 1), x.dtype)), axis=-1)


def component(x: Array, y: Array, i: int, j: int) -> Any:
    """The component of a cross product that has components i and j of its factors."""
    first = np.multiply(rows_at(x, i, -1), rows_at(y, j, -1))
    return np.subtract(first, np.multiply(rows_at(x, j, -1), rows_at(y, i, -1)))


def at_the_end(x: Array, axis: int, name: str = "axis") -> Array:
    """An array with one axis moved to the end."""
    place = one_axis(axis, x.ndim, name)
    return np.transpose(x, (*[k for k in range(x.ndim) if k != place], place))


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Any:
    """`np.vecdot`: dot products of vectors along an axis."""
    dtype = np.result_type(x1, x2)
    x, y = at_the_end(conjugated(x1.astype(dtype)), axis), at_the_end(x2.astype(dtype), axis)
    found = np.squeeze(np.matmul(x[..., np.newaxis, :], y[..., np.newaxis]), (-2, -1))
    return found if found.ndim else found[()]


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
    "components_of",
    "corrcoef",
    "cross",
    "kron",
    "matvec",
    "outer",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "variables",
    "vdot",
    "vecdot",
    "vecmat",
    "weighted_cov",
]
