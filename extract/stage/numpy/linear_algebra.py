"""What the programs of `np.linalg` (`extract/library/linalg`) leave to the evaluator."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir import libraries
from graph_program.extract.ir.complex_parts import IMAG, REAL
from graph_program.extract.library.linalg import common, small
from graph_program.extract.stage.arrays.lowering_arguments import ZERO, array
from graph_program.extract.stage.machine import emission, registry
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import complex_operations
from graph_program.extract.stage.numbers.real_terms import Term
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import Static, Tensor, Value, type_of
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.tensors.tensor_type import BOOL, COMPLEX128, FLOAT64, INT64, Kind, TensorType

HINT = "library"
"""What is called so may be left out; names of other values do not depend on it."""


@registry.lowers(small.is_small)
def is_small(m: Machine, a: Value) -> Value:
    """Whether an array is one matrix whose size is known and small: no question for the graph."""
    sizes = [size.constant for size in type_of(a).shape]
    return Static(len(sizes) == 2 and all(size is not None and 0 < size <= small.LARGEST for size in sizes))


@registry.lowers(common.rows_at)
def rows_at(m: Machine, x: Value, places: Value, axis: Value = ZERO) -> Value:
    """Parts at places that an array has, whatever the elements of `places` are."""
    whole = array(m, x)
    return m.op("take", whole, m.cast(places, INT64), axis=known_value(axis) % whole.rank)


registry.lowers(common.begun)(lambda m: emission.emit_op(m, libraries.BEGUN, (), {}, TensorType(BOOL), HINT))


@registry.lowers(common.or_pivots)
def or_pivots(m: Machine, pivots: Value, a: Value, b: Value, since: Value) -> Value:
    """Those of a library are the last column of what it gives."""
    return _or_by_library(
        m, since, pivots, [m.op("take", x, Static(-1), axis=x.rank - 1, hint=HINT) for x in _solved(m, a, b)]
    )


@registry.lowers(common.or_solution)
def or_solution(m: Machine, x: Value, a: Value, b: Value, since: Value) -> Value:
    """That of a library are the other columns."""
    bounds = Static(0), Static(-1)
    found = [m.op("slice", part, *bounds, axes=(part.rank - 1,), steps=(1,), hint=HINT) for part in _solved(m, a, b)]
    return _or_by_library(m, since, x, found)


@registry.lowers(common.or_triangle)
def or_triangle(m: Machine, lower: Value, a: Value, since: Value) -> Value:
    shape = m.facts.resolve_type(type_of(a)).shape
    return _or_by_library(m, since, lower, _by_library(m, libraries.CHOLESKY, [a], shape))


def _solved(m: Machine, a: Value, b: Value) -> list[Tensor]:
    """The solution and a column with the pivots."""
    is_complex = type_of(a).is_complex or type_of(b).is_complex
    operands = [m.cast(array(m, x), COMPLEX128) if is_complex else x for x in (a, b)]
    *rows, columns = m.facts.resolve_type(type_of(b)).shape
    return _by_library(m, libraries.SOLVE, operands, (*rows, columns + 1))


def _by_library(m: Machine, name: str, operands: Sequence[Value], shape: Sequence[Dim]) -> list[Tensor]:
    """The parts of what a library gives for arrays, or for their parts."""
    parts = [part for x in operands for part in _parts(m, x)]
    count = len(parts) // len(operands)
    type_ = TensorType(FLOAT64, (dim(count), *map(m.plain_dim, shape)))
    found = emission.emit_op(m, name, tuple(map(m.operand, parts)), {}, type_, HINT)
    return [m.op("take", found, Static(k), axis=0, hint=HINT) for k in range(count)]


def _parts(m: Machine, x: Value) -> list[Value]:
    return [complex_operations.part(m, x, name) for name in (REAL, IMAG)] if type_of(x).is_complex else [x]


def _or_by_library(m: Machine, since: Value, found: Value, parts: Sequence[Value]) -> Value:
    """What has been found without a library, or by one."""
    results = []
    for own, part in zip(_parts(m, found), parts, strict=True):
        type_, operands = m.facts.resolve_type(type_of(own)), tuple(map(m.operand, (own, part, since)))
        results.append(emission.emit_op(m, libraries.RESULT, operands, {}, type_))
    if len(results) == 1:
        return results[0]
    re, im = (Term(m, part) for part in results)
    return complex_operations.put_together(m, re, im, Kind.ARRAY)
