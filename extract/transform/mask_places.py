"""Which mask it is at whose places elements of an array are gathered.

i = nonzero(m); a = gather_nd(x, take(i, 0), take(i, 1))            a is x[m]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.tensors.tensor_type import BOOL

GATHERS = frozenset({"take", "gather_nd"})


def mask_at(
    indices: Iterable[Value], producer: Mapping[Value, Node], constant_of: Callable[[Value], np.ndarray | None]
) -> Value | None:
    """The mask whose places indices are, one for each of its axes; None if they are others."""
    found: list[Value] = []
    for axis, index in enumerate(indices):
        row = producer.get(index)
        if row is None or row.op != "take" or row.attrs["axis"] != 0:
            return None
        number, nonzero = constant_of(row.inputs[1]), producer.get(row.inputs[0])
        if number is None or number.ndim or int(number) != axis or nonzero is None or nonzero.op != "nonzero":
            return None
        found.append(nonzero.inputs[0])
    is_one = bool(found) and len(set(found)) == 1 and found[0].type.rank == len(found)
    return found[0] if is_one and found[0].type.dtype == BOOL else None


def mask_of(
    gather: Node, producer: Mapping[Value, Node], constant_of: Callable[[Value], np.ndarray | None]
) -> Value | None:
    """The mask where elements are gathered along the first axes of an array, which is as large there."""
    array, *indices = gather.inputs
    mask = None if gather.attrs.get("axis", 0) else mask_at(indices, producer, constant_of)
    return mask if mask is not None and mask.type.shape == array.type.shape[: mask.type.rank] else None


__all__ = ["GATHERS", "mask_at", "mask_of"]
