"""What a library of linear algebra computes in process: LAPACK's functions take the columns of a matrix one behind the
other, and of complex matrices both parts of each element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.backends.c.arrays import Array, Place, in_memory, position
from graph_program.backends.c.expression import ONE, ZERO, Expr, plus, times
from graph_program.backends.c.function import Function, rule
from graph_program.extract.ir.graph import Node
from graph_program.extract.ir.libraries import CHOLESKY, SOLVE

FLOAT64, INT32 = np.dtype(np.float64), np.dtype(np.int32)
KINDS = {1: "f64", 2: "c128"}


@rule(SOLVE)
def _solve(fn: Function, node: Node) -> Array:
    """The matrix and the right side are copied column by column, as NumPy does it."""
    fn.place_of(node.loc)
    arrays = [fn.array(value) for value in node.inputs]
    count = len(arrays) // 2
    *batch, rows, columns = (fn.size(size) for size in arrays[-1].shape)
    made = _made(fn, node, [Expr(str(count)), *batch, rows, fn.size(plus(columns, ONE))])
    parts = [ONE] if count == 1 else [Expr("2")]
    matrix = fn.allocate(FLOAT64, [*parts, rows, rows], "matrix")
    right = fn.allocate(FLOAT64, [*parts, rows, columns], "right")
    pivots = fn.allocate(INT32, [rows], "pivots")
    with fn.indices(batch) as at:
        for operands, place, width in ((arrays[:count], matrix, rows), (arrays[count:], right, columns)):
            with fn.indices([width, rows]) as (j, i):
                where = _position(j, i, rows, count)
                for part, operand in enumerate(operands):
                    fn.line(f"{_at(place, where, part)} = {operand.at([*at, i, j]).text};")
        arguments = f"{rows.text}, {columns.text}, {matrix.name}, {right.name}, {pivots.name}"
        fn.line(f"gp_solve_{KINDS[count]}({arguments});")
        with fn.indices([rows]) as (i,):
            for part in range(count):
                own = [Expr(str(part)), *at, i]
                with fn.indices([columns]) as (j,):
                    fn.store(made, [*own, j], Expr(_at(right, _position(j, i, rows, count), part)))
                fn.store(made, [*own, columns], Expr(_at(matrix, _position(i, i, rows, count), part)))
    return made


@rule(CHOLESKY)
def _cholesky(fn: Function, node: Node) -> Array:
    """The rows of the lower triangle are the columns of the upper one of the transpose, which need not be turned."""
    fn.place_of(node.loc)
    arrays = [fn.array(value) for value in node.inputs]
    count = len(arrays)
    *batch, n, _ = (fn.size(size) for size in arrays[0].shape)
    made = _made(fn, node, [Expr(str(count)), *batch, n, n])
    both = fn.allocate(FLOAT64, [Expr("2"), n, n], "both") if count == 2 else None
    with fn.indices(batch) as at:
        start = position([ZERO, *at, ZERO, ZERO], made.shape)
        with fn.indices([n]) as (i,), fn.indices([n]) as (j,):
            for part, operand in enumerate(arrays):
                target = made.at([ZERO, *at, i, j]).text if both is None else _at(both, _position(i, j, n, 2), part)
                fn.line(f"{target} = {j.text} > {i.text} ? 0.0 : {operand.at([*at, i, j]).text};")
        assert made.place is not None
        memory = both.name if both is not None else f"{made.place.name} + {start.text}"
        fn.line(f"gp_cholesky_{KINDS[count]}({n.text}, {memory});")
        if both is not None:
            with fn.indices([n, n]) as (i, j):
                for part in range(count):
                    own = [Expr(str(part)), *at, i, j]
                    fn.store(made, own, Expr(_at(both, _position(i, j, n, 2), part)))
    return made


def _made(fn: Function, node: Node, shape: Sequence[Expr]) -> Array:
    value = node.outputs[0]
    return in_memory(fn.allocate(FLOAT64, shape, value.name, value), FLOAT64, shape)


def _position(row: Expr, column: Expr, size: Expr, count: int) -> Expr:
    """Where an element is that has `count` numbers."""
    return times(Expr(str(count)), plus(times(row, size), column))


def _at(place: Place, where: Expr, part: int) -> str:
    return f"{place.name}[{plus(where, Expr(str(part))).text}]"
