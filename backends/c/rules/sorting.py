"""Sorting along an axis, stable, NaN last.  Where Python is there, NumPy sorts what is long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.backends.c.arrays import Array, in_memory, position
from graph_program.backends.c.c_types import FLOAT16, HALVES, SHORT
from graph_program.backends.c.expression import ORDER, Expr, times
from graph_program.backends.c.function import Function, rule
from graph_program.extract.ir.graph import Node

WORTH = 512
"""So many elements are worth a call of NumPy."""


@rule("sort", "argsort")
def _sort(fn: Function, node: Node) -> Array:
    value, axis = node.outputs[0], node.attrs["axis"]
    x = node.inputs[0]
    fn.place_of(node.loc)
    array = fn.array(x)
    last = array.rank - 1
    order = [k for k in range(array.rank) if k != axis] + [axis]
    rows = array if axis == last else array.view([array.shape[k] for k in order], lambda at: _back(at, order))
    size, kind = rows.shape[-1], "f16" if array.dtype == FLOAT16 else SHORT[array.dtype.name]
    outer = rows.shape[:-1]
    if node.op == "sort":
        made = fn.materialized(rows, value if axis == last else None, value.name)
        spare = fn.allocate(array.dtype, [size], "spare")
        with fn.indices(outer) as at:
            row = _row(made, at, size)
            own = f"gp_sort_{kind}({row}, {size.text}, {spare.name});"
            fn.line(_by_numpy(fn, array.dtype, "false", row, "NULL", size) + own)
    else:
        keys = rows if rows.place is not None else fn.materialized(rows, None, "keys")
        place = fn.allocate(value.type.dtype, rows.shape, value.name, value if axis == last else None)
        made = in_memory(place, value.type.dtype, rows.shape)
        spare = fn.allocate(value.type.dtype, [size], "spare")
        with fn.indices(outer) as at:
            row, order_row = _row(keys, at, size), _row(made, at, size)
            own = f"gp_argsort_{kind}({row}, {order_row}, {size.text}, {spare.name});"
            fn.line(_by_numpy(fn, array.dtype, "true", row, order_row, size) + own)
    if axis == last:
        return made
    back = [order.index(k) for k in range(len(order))]
    return made.view([made.shape[k] for k in back], lambda at: _back(at, back))


def _by_numpy(fn: Function, dtype: np.dtype[Any], order: str, row: str, to: str, size: Expr) -> str:
    """The test before our own sort: whether NumPy has not done it."""
    is_short = size.text.isdigit() and int(size.text) < WORTH
    if not fn.interruptible or is_short or dtype.name in HALVES:
        return ""
    given = f"{fn.dtype(dtype)}, {order}, {row}, sizeof *({row}), {to}, {size.text}"
    return f"if ({size.within(ORDER)} < {WORTH} || !gp_numpy_sort({given})) "


def _back(at: Sequence[Expr], order: list[int]) -> list[Expr]:
    """The indices of an element by those in an array with another order of axes."""
    found: list[Expr] = [Expr("0")] * len(order)
    for place, axis in enumerate(order):
        found[axis] = at[place]
    return found


def _row(array: Array, outer: list[Expr], size: Expr) -> str:
    assert array.place is not None
    if not outer:
        return array.place.name
    where = times(position(outer, array.shape[:-1]), size)
    return f"{array.place.name} + {where.text}"
