"""The order of equal elements, which `TopK` of some runtimes leaves open; ONNX has the one of the lower place first.

v, i = TopK(x, k)    ->    found, order = TopK(x, n); i = Slice(places(found, order), 0, k)
                           v = GatherElements(x, i)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.onnx.portable import ALL

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Tensor

INT64 = np.dtype(np.int64)


def groups_of(found: Tensor, order: Tensor, axis: int) -> Tensor:
    """Of sorted elements, how many different ones there are before each, times how many elements there are at all.

    Added to their places, these are numbers in the order that is wanted, of which no two are equal.  OpenVINO sorts,
    multiplies and subtracts integers of 32 bits, but divides only those of 24.
    """
    b = found.builder
    axes = b.ints(axis)
    later, earlier = (found.op("Slice", b.ints(start), b.ints(end), axes) for start, end in ((1, ALL), (0, -1)))
    steps = (~later.op("Equal", earlier)).cast(INT64)
    first = order.op("Slice", b.ints(0), b.ints(1), axes) * 0
    groups = first.op("Concat", steps, axis=axis).op("CumSum", b.constant(np.array(axis)))
    return groups * _size(order, axis)


def top_k(x: Tensor, count: Tensor, attrs: Mapping[str, Any]) -> list[Tensor]:
    """The greatest or least elements of a learned model, and their places, equal ones in their order."""
    b, axis = x.builder, attrs.get("axis", -1)
    size, types = _size(x, axis), (x.dtype, INT64)
    found, order = b.ops("TopK", x, size, dtypes=types, axis=axis, largest=attrs.get("largest", 1))
    groups = groups_of(found, order, axis)
    numbers = b.ops("TopK", groups + order, size, dtypes=(INT64, INT64), axis=axis, largest=0)[0]
    places = (numbers - groups).op("Slice", b.ints(0), count, b.ints(axis))
    return [x.op("GatherElements", places, axis=axis), places]


def _size(x: Tensor, axis: int) -> Tensor:
    return x.shape(axis, None if axis == -1 else axis + 1)


__all__ = ["groups_of", "top_k"]
