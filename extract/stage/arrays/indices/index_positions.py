"""Integer indices: as positions, and whether they are inside."""

from __future__ import annotations

from graph_program.extract.stage.arrays.operation_checks import require_inside
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.checks.size_facts import require, require_before_the_run
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.values.questions import is_known
from graph_program.extract.stage.values.values import Static, Tensor, Value, size_of
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.rules.facts import Clause, condition
from graph_program.extract.types.tensors.tensor_type import INT64


def index_scalar(m: Machine, array: Tensor, axis: int, entry: Value) -> Tensor:
    """An integer index as int64; one that is provably outside raises IndexError."""
    size, position = m.facts.resolve(array.type.shape[axis]), size_of(entry)
    if position is not None:
        clauses: list[Clause] = []
        if not provably_less_equal(position + 1, 0):
            clauses.append((condition("<", position, size),))
        if not provably_less_equal(0, position):
            clauses.append((condition("<=", -size, position),))
        text = ("index ", position, f" is out of bounds for axis {axis} with size ", size)
        require_before_the_run(m, clauses, IndexError, text, [array, entry])
    index = m.cast(entry, INT64)
    require_inside(m, array, axis, index)
    return index


def check_inside(m: Machine, array: Tensor, axis: int, entry: Value) -> None:
    """IndexError where an integer index is outside, also where nothing is read at it."""
    if is_known(entry):
        k, length = int(entry.value), array.type.shape[axis]
        clause = (condition("<", k, length) if k >= 0 else condition("<=", -k, length),)
        text = f"index {k} is out of bounds for axis {axis} with size "
        require(m, [clause], IndexError, (text, length), operands=(array,))
        return
    size = m.dimension(array, axis)
    high = arithmetic.compare(m, ">=", entry, size)
    low = arithmetic.compare(m, "<", entry, arithmetic.arithmetic(m, "-", Static(0), size))
    message = ("index ", entry, f" is out of bounds for axis {axis} with size ", size)
    m.check(booleans.either(m, low, high), IndexError, *message)


def spread(m: Machine, index: Tensor, behind: int) -> Tensor:
    """An index array with dims of 1 behind its own."""
    axes = tuple(range(index.rank, index.rank + behind))
    return m.op("expand_dims", index, axes=axes) if axes else index
