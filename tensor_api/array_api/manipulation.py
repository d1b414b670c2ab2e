"""Functions that move, join, repeat and take elements."""

from __future__ import annotations

import numpy as np

from graph_program.tensor_api.array_api import dtypes
from graph_program.tensor_api.array_api.array import Array, elements
from graph_program.tensor_api.array_api.dtypes import INTEGER

Axes = int | tuple[int, ...]


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """The arrays repeated to one shape."""
    return tuple([Array(a.copy()) for a in np.broadcast_arrays(*[elements("broadcast_arrays", a) for a in arrays])])


def broadcast_shapes(*shapes: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The shape that arrays of these shapes have together; None is a size that is not known.

    Raises
    ------
    ValueError
        Two sizes of an axis differ and none of them is 1.
    """
    rank = 0
    for shape in shapes:
        rank = max(rank, len(shape))
    result: list[int | None] = []
    for i in range(rank):
        size: int | None = 1
        for shape in shapes:
            missing = rank - len(shape)
            if i >= missing:
                size = _common(size, shape[i - missing])
        result.append(size)
    return tuple(result)


def _common(a: int | None, b: int | None) -> int | None:
    if a == 1:
        return b
    if b == 1 or a == b:
        return a
    if a is None:
        return b
    if b is None:
        return a
    raise ValueError(f"shapes cannot be broadcast to one: an axis has the sizes {a} and {b}")


def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """The array repeated to a shape."""
    return Array(np.broadcast_to(elements("broadcast_to", x), shape).copy())


def concat(arrays: tuple[Array, ...] | list[Array], /, *, axis: int | None = 0) -> Array:
    """The arrays one after the other along an axis; with None their elements in one row."""
    _common_type(arrays)
    return Array(np.concatenate([elements("concat", a) for a in arrays], axis=axis))


def _common_type(arrays: tuple[Array, ...] | list[Array]) -> None:
    dtype = arrays[0].dtype
    for a in arrays:
        dtype = dtypes.promoted(dtype, a.dtype)


def expand_dims(x: Array, /, axis: Axes) -> Array:
    """New axes of size 1 at these places of the result."""
    return Array(np.expand_dims(elements("expand_dims", x), axis))


def flip(x: Array, /, *, axis: Axes | None = None) -> Array:
    """The elements in reverse order along these axes, or all."""
    return Array(np.flip(elements("flip", x), axis=axis))


def matrix_transpose(x: Array, /) -> Array:
    """The last two axes exchanged."""
    return Array(np.swapaxes(elements("matrix_transpose", x), -1, -2))


def moveaxis(x: Array, source: Axes, destination: Axes, /) -> Array:
    """Axes at other places; the others stay in order."""
    return Array(np.moveaxis(elements("moveaxis", x), source, destination))


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """The axes in another order."""
    return Array(np.transpose(elements("permute_dims", x), axes))


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element several times, along an axis or in one row."""
    array = elements("repeat", x)
    if isinstance(repeats, Array):
        counts = elements("repeat", repeats, INTEGER)
        return Array(np.repeat(array, counts.astype(np.int64), axis=axis))
    return Array(np.repeat(array, repeats, axis=axis))


def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    """The elements in another shape; one size may be -1."""
    return Array(np.reshape(elements("reshape", x), shape))


def roll(x: Array, /, shift: Axes, *, axis: Axes | None = None) -> Array:
    """The elements moved along axes; those that leave at one end come in at the other."""
    return Array(np.roll(elements("roll", x), shift, axis=axis))


def squeeze(x: Array, /, axis: Axes) -> Array:
    """The array without these axes, which have size 1."""
    return Array(np.squeeze(elements("squeeze", x), axis=axis))


def stack(arrays: tuple[Array, ...] | list[Array], /, *, axis: int = 0) -> Array:
    """The arrays side by side along a new axis."""
    _common_type(arrays)
    return Array(np.stack([elements("stack", a) for a in arrays], axis=axis))


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """The whole array several times along each axis."""
    return Array(np.tile(elements("tile", x), repetitions))


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts along an axis, whose size is known."""
    array = np.moveaxis(elements("unstack", x), axis, 0)
    return tuple([Array(np.asarray(array[i])) for i in range(array.shape[0])])


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """The parts at these indices along an axis; it may be left out for an array with one."""
    array, at = elements("take", x), elements("take", indices, INTEGER)
    if at.ndim != 1:
        raise ValueError("take() takes one-dimensional indices")
    if axis is None and array.ndim != 1:
        raise ValueError("take() takes an axis for an array with several")
    return Array(np.take(array, at, axis=0 if axis is None else axis))


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """The elements at these indices along an axis, other ones for each row."""
    at = elements("take_along_axis", indices, INTEGER)
    return Array(np.take_along_axis(elements("take_along_axis", x), at, axis=axis))


__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "take",
    "take_along_axis",
    "tile",
    "unstack",
]
