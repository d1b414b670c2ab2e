"""`np.partition` and `np.argpartition`.

NumPy leaves the order on both sides of element `kth` open; here everything is in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arrays.positions import counted_axis

Array = np.ndarray[Any, Any]


def partition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Array:
    """`np.partition`, in sorted order."""
    require_method(kind, order)
    x = a.ravel() if axis is None else a
    place = counted_axis(-1 if axis is None else axis, x.ndim)
    require_inside(kth, x, place)
    return np.sort(x, axis=place)


def argpartition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Array:
    """`np.argpartition`, in sorted order; equal elements keep theirs."""
    require_method(kind, order)
    x = a.ravel() if axis is None or (a.ndim == 0 and axis in (0, -1)) else a
    place = 0 if axis is None else counted_axis(axis, x.ndim)
    require_inside(kth, x, place)
    return np.argsort(x, axis=place, kind="stable")


def require_method(kind: str, order: Any) -> None:
    """NumPy's errors for other ways to select, and for fields."""
    if kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {kind!r})")
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")


def require_inside(kth: Any, x: Array, axis: int) -> None:
    """NumPy's errors for places of elements that there are not."""
    if kth is None or isinstance(kth, str):
        raise TypeError("Partition index must be integer")
    places = np.asarray(kth)
    if places.dtype == np.bool_:
        raise ValueError("Booleans unacceptable as partition index")
    if places.dtype.kind not in "iu":
        raise TypeError("Partition index must be integer")
    if places.ndim > 1:
        raise ValueError("object too deep for desired array")
    size = x.shape[axis]
    for given in kth if isinstance(kth, tuple | list) else places.astype(np.int64).ravel():
        place = given + size if given < 0 else given
        if (place < 0 or place >= size) and x.size != 0:
            raise ValueError(f"kth(={place}) out of bounds ({size})")


__all__ = ["argpartition", "partition"]
