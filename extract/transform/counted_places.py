"""Indices that count the places of an axis: 0, 1, ... up to its size, along one of their own axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import Dim

Maker = Callable[[Value], Node | None]
"""Says which node makes a value."""


def counts_along(maker: Maker, index: Value, size: Dim, axis: int) -> bool:
    """Whether an index counts along one of its axes, the `axis`-th from the last one, and is the same along others."""
    node = maker(index)
    if node is not None and node.op == "broadcast_to":
        return counts_along(maker, node.inputs[0], size, axis)
    if node is None or node.op != "constant":
        return counted_axis(maker, index, size) == axis
    known = node.attrs["value"]
    if known.ndim < -axis or known.shape[axis] != size.constant:
        return False
    return bool((np.moveaxis(known, axis, -1) == np.arange(known.shape[axis])).all())


def counted_axis(maker: Maker, index: Value, size: Dim) -> int | None:
    """The axis, from the last one, along which an index is 0, 1, ... up to a size; None if it is something else."""
    node, axis = maker(index), -1
    if node is not None and node.op == "expand_dims" and node.inputs[0].type.rank == 1:
        (place,) = set(range(index.type.rank)) - set(node.attrs["axes"])
        index, axis = node.inputs[0], place - index.type.rank
    return axis if is_each_place(maker, index, size) else None


def is_each_place(maker: Maker, index: Value, size: Dim) -> bool:
    """Whether an index is 0, 1, ... up to a size."""
    node = maker(index)
    if node is None or index.type.rank != 1 or index.type.shape[0] != size:
        return False
    if node.op == "constant":
        return np.array_equal(node.attrs["value"], np.arange(node.attrs["value"].size))
    return node.op == "iota"


__all__ = ["counted_axis", "counts_along", "is_each_place"]
