"""Writes by position and by mask as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def put(a: Array, ind: Array, v: Array, mode: str) -> None:
    """`np.put`, for flat positions and values; values are repeated as often as needed."""
    if a.size == 0 and ind.size != 0:
        raise IndexError("cannot replace elements of an empty array")
    if v.size != 0 and ind.size != 0:
        contents = a.flatten()
        if mode == "clip":
            ind = np.clip(ind, 0, a.size - 1)
        if mode == "wrap":
            ind = ind % a.size
        if mode == "raise":
            outside = (ind < -a.size) | (ind >= a.size)
            if outside.any():
                first = np.argmax(outside)  # what is in front of it is written
                contents[ind[:first]] = v[np.arange(first) % v.size]
                a[...] = contents.reshape(a.shape)
                raise IndexError(f"index {ind[first]} is out of bounds for axis 0 with size {a.size}")
        contents[ind] = v[np.arange(ind.size) % v.size]
        a[...] = contents.reshape(a.shape)


def place(a: Array, mask: Array, v: Array) -> None:
    """`np.place`, for a flat mask and values: one value after the other."""
    if mask.size != a.size:
        raise ValueError("place: mask and data must be the same size")
    places = np.flatnonzero(mask)
    if v.size != 0:
        contents = a.flatten()
        contents[places] = v[np.arange(places.size) % v.size]
        a[...] = contents.reshape(a.shape)
    elif places.size != 0:
        raise ValueError("Cannot insert from an empty array!")


def putmask(a: Array, mask: Array, v: Array) -> None:
    """`np.putmask`, for a flat mask and values: each value stays at its place."""
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if v.size != 0:
        contents = np.where(mask, v[np.arange(a.size) % v.size], a.flatten())
        a[...] = contents.reshape(a.shape)


def put_along(a: Array, index: tuple[Array, ...], values: Array) -> None:
    """`np.put_along_axis`, for one index array per axis."""
    a[index] = values


def put_flat(a: Array, indices: Array, values: Array) -> None:
    """`np.put_along_axis` without an axis."""
    contents = a.flatten()
    contents[indices] = values
    a[...] = contents.reshape(a.shape)


def change_at(ufunc: Any, a: Array, indices: Any) -> None:
    """`ufunc.at(a, indices)`: once for each time that an element is named."""
    places = np.arange(a.size).reshape(a.shape)[indices].ravel()
    contents = a.flatten()
    for place in places:
        contents[place] = ufunc(contents[place]).astype(a.dtype)
    a[...] = contents.reshape(a.shape)


def combine_at(ufunc: Any, a: Array, indices: Any, b: Array) -> None:
    """`ufunc.at(a, indices, b)`: once for each time that an element is named."""
    places = np.arange(a.size).reshape(a.shape)[indices]
    values = spread(b, places)
    contents, flat = a.flatten(), places.ravel()
    for k in range(flat.size):
        contents[flat[k]] = ufunc(contents[flat[k]], values[k]).astype(a.dtype)
    a[...] = contents.reshape(a.shape)


def add_at(a: Array, indices: Any, b: Array) -> None:
    """`np.add.at(a, indices, b)`, where `b` can be cast to the elements of `a` first."""
    places = np.arange(a.size).reshape(a.shape)[indices]
    values = spread(b, places)
    a[...] = added(a.flatten(), places.ravel(), values).reshape(a.shape)


def added(x: Array, indices: Array, values: Array) -> Array:
    """A vector with values added at positions, repeated ones included; an operation of its own in programs."""
    result = x.copy()
    np.add.at(result, indices, values)
    return result


def folded(ufunc: Any, a: Array, axis: int | None, identity: Any) -> Any:
    """`ufunc.reduce(a, axis)`: the first part with the second, the result with the third."""
    parts = a.ravel() if axis is None else np.moveaxis(a, axis, 0)
    if identity is not None:
        found = np.full(parts.shape[1:], identity, a.dtype)[()]
        for part in parts:
            found = ufunc(found, part)
        return found
    if len(parts) == 0:
        raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    found = parts[0]
    for part in parts[1:]:
        found = ufunc(found, part)
    return found


def accumulated(ufunc: Any, a: Array, axis: int) -> Array:
    """`ufunc.accumulate(a, axis)`, one part of the axis after the other."""
    parts = np.moveaxis(a, axis, 0)
    found = np.empty_like(parts)
    if len(parts) > 0:
        latest = parts[0]
        for i in range(len(parts)):
            if i > 0:
                latest = ufunc(latest, parts[i])
            found[i] = latest
    return np.moveaxis(found, 0, axis)


def accumulated_by_doubling(ufunc: Any, a: Array, axis: int) -> Array:
    """The same in as many steps as the size has digits (Hillis and Steele, Data parallel algorithms, 1986)."""
    found = np.moveaxis(a, axis, 0).copy()
    shift = 1
    while shift < len(found):
        found = np.concatenate((found[:shift], ufunc(found[:-shift], found[shift:])))
        shift = 2 * shift
    return np.moveaxis(found, 0, axis)


def reduced_at(ufunc: Any, a: Array, indices: Array, axis: int) -> Array:
    """`ufunc.reduceat(a, indices, axis)`: from each index to the next one, alone where that is not behind it."""
    parts = np.moveaxis(a, axis, 0)
    size, count = len(parts), len(indices)
    found = np.empty((count, *parts.shape[1:]), a.dtype)
    for i in range(count):
        start = indices[i]
        if start < 0 or start >= size:
            raise IndexError(f"index {start} out-of-bounds in {ufunc.__name__}.reduceat [0, {size})")
        stop = indices[i + 1] if i + 1 < count else size
        found[i] = ufunc.reduce(parts[start : max(stop, start + 1)], axis=0)
    return np.moveaxis(found, 0, axis)


def spread(b: Array, places: Any) -> Array:
    """One value for each place."""
    try:
        return np.broadcast_to(b, places.shape).ravel()
    except ValueError:
        raise ValueError("array is not broadcastable to correct shape") from None


__all__ = [
    "accumulated",
    "accumulated_by_doubling",
    "add_at",
    "added",
    "change_at",
    "combine_at",
    "folded",
    "place",
    "put",
    "put_along",
    "put_flat",
    "putmask",
    "reduced_at",
]
