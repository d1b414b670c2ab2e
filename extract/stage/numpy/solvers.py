"""`np.linalg.solve`, `inv` and `det` of one matrix, by the programs of `solver_programs`."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.source.load import load_function
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.numpy import solver_programs
from graph_program.extract.stage.numpy.common import FLOAT64, array, dtype_error, numpy_function
from graph_program.extract.stage.numpy.size_checks import check, unequal
from graph_program.extract.stage.values import Tensor, Value

FLOAT32 = np.dtype(np.float32)


@numpy_function(np.linalg.solve)
def solve(m: Machine, a: Value, b: Value) -> Value:
    """`np.linalg.solve(a, b)` for one matrix `a`."""
    left, right = array(m, a), array(m, b)
    dtype = FLOAT32 if {left.type.dtype, right.type.dtype} == {FLOAT32} else FLOAT64
    if right.rank not in (1, 2):
        raise refusal(m, "solve")
    program = solver_programs.solve_vector if right.rank == 1 else solver_programs.solve_matrix
    return run(m, program, matrix(m, left, dtype, "solve"), converted(m, right, dtype))


@numpy_function(np.linalg.inv)
def inv(m: Machine, a: Value) -> Value:
    """`np.linalg.inv(a)` for one matrix."""
    x = array(m, a)
    return run(m, solver_programs.inverse, matrix(m, x, FLOAT32 if x.type.dtype == FLOAT32 else FLOAT64, "inv"))


@numpy_function(np.linalg.det)
def det(m: Machine, a: Value) -> Value:
    """`np.linalg.det(a)` for one matrix."""
    x = array(m, a)
    return run(m, solver_programs.determinant, matrix(m, x, FLOAT32 if x.type.dtype == FLOAT32 else FLOAT64, "det"))


def matrix(m: Machine, x: Tensor, dtype: np.dtype[Any], name: str) -> Tensor:
    """A matrix of floats; stacks of matrices are refused."""
    if x.rank < 2:
        text = f"{x.rank}-dimensional array given. Array must be at least two-dimensional"
        m.raise_(np.linalg.LinAlgError, (text,))
    if x.rank > 2:
        raise refusal(m, name)
    rows, columns = m.dimension(x, 0), m.dimension(x, 1)
    check(m, unequal(m, rows, columns), np.linalg.LinAlgError, "Last 2 dimensions of the array must be square")
    return converted(m, x, dtype)


def converted(m: Machine, x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """An array as floats that `np.linalg` computes with."""
    if x.type.dtype == np.float16:
        raise dtype_error(m, "array type float16 is unsupported in linalg")
    return m.cast(x, dtype)


def refusal(m: Machine, name: str) -> Exception:
    """A stack of matrices."""
    return m.error(
        "GP321", f"np.linalg.{name} has a graph form for one matrix only", hint="loop over the stack of matrices"
    )


def run(m: Machine, program: Any, *args: Value) -> Value:
    """Extract one of our programs in the user's."""
    from graph_program.extract.stage.inlining import inline

    return inline(m, load_function(program), program, None, {}, list(args), {})


__all__ = ["det", "inv", "solve"]
