"""The discrete Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.backends.c.arrays import Array, Place, in_memory
from graph_program.backends.c.c_types import FLOAT16, SHORT, local_type
from graph_program.backends.c.expression import ONE, ZERO, Expr, plus
from graph_program.backends.c.function import Function, rule
from graph_program.backends.c.readers import READS_ONCE
from graph_program.extract.ir.graph import Node

READS_ONCE |= {"dft"}
PARTS = Expr("2")


@rule("dft")
def _dft(fn: Function, node: Node) -> Array:
    """One row after the other, of which the parts are copied."""
    fn.place_of(node.loc)
    value = node.outputs[0]
    parts = [fn.array(part) for part in node.inputs]
    dtype = np.dtype(np.float32) if value.type.dtype == FLOAT16 else value.type.dtype
    *rows, n = (fn.size(size) for size in parts[0].shape)
    points, spare = (fn.allocate(dtype, [PARTS, n], name) for name in ("points", "spare"))
    shape = [*rows, n, PARTS]
    made = in_memory(fn.allocate(value.type.dtype, shape, value.name, value), value.type.dtype, shape)
    c_type, kind, found = local_type(dtype), SHORT[dtype.name], Place(fn.fresh("found"), points.memory | spare.memory)
    turns = _turns(fn, dtype, n)
    with fn.indices(rows) as at:
        with fn.count(n) as k:
            fn.line(f"{_at(points, k)} = {parts[0].at([*at, k]).text};")
            fn.line(f"{_at(points, plus(n, k))} = {parts[1].at([*at, k]).text if parts[1:] else '0'};")
        called = f"gp_dft_{kind}({n.text}, {points.name}, {spare.name}, {turns})"
        fn.line(f"const {c_type} *{found.name} = {called};")
        with fn.count(n) as k:
            fn.store(made, [*at, k, ZERO], Expr(_at(found, k)))
            fn.store(made, [*at, k, ONE], Expr(_at(found, plus(n, k))))
    return made


def _turns(fn: Function, dtype: np.dtype[Any], n: Expr) -> str:
    """The roots of 1, which are the same for all rows: a constant of the file for a known number of points."""
    if n.text.isdigit():
        name, angles = f"turns_{SHORT[dtype.name]}_{n.text}", -2 * np.pi * np.arange(int(n.text)) / max(int(n.text), 1)
        fn.constants[name] = np.concatenate((np.cos(angles), np.sin(angles))).astype(dtype)
        return name
    turns = fn.allocate(dtype, [PARTS, n], "turns")
    fn.line(f"gp_turns_{SHORT[dtype.name]}({n.text}, {turns.name});")
    return turns.name


def _at(place: Place, where: Expr) -> str:
    return f"{place.name}[{where.text}]"
