"""What programs of the library ask of their arguments (`library/arguments`), answered where the user calls NumPy.

Those of `np.linalg` leave to the evaluator what a library may do instead (`library/linalg/common`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from graph_program.extract.ir import libraries
from graph_program.extract.ir.complex_parts import IMAG, REAL
from graph_program.extract.library import arguments, fourier
from graph_program.extract.library.linalg import common, small
from graph_program.extract.stage.arrays import lowering_arguments as given
from graph_program.extract.stage.arrays.lowering_arguments import ZERO, array
from graph_program.extract.stage.arrays.size_checks import check_same_shapes
from graph_program.extract.stage.machine import emission, registry
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_other
from graph_program.extract.stage.numbers import arithmetic, complex_operations
from graph_program.extract.stage.numbers.real_terms import Term
from graph_program.extract.stage.operations.known_and_truth import no_elements, static, tensor
from graph_program.extract.stage.paths.raising import check
from graph_program.extract.stage.values.questions import known_value, one_or_many
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Value, type_of
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.tensors.tensor_type import BOOL, COMPLEX128, FLOAT64, INT64, Kind, TensorType

NOTHING = Static("")


def answers(question: Callable[..., Any]) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register what a question of a program gives; refusals and errors are at the call in the user's code."""

    def register(answer: Callable[..., Value]) -> Callable[..., Value]:
        @lowers_other(question)
        @functools.wraps(answer)
        def at_the_call(m: Machine, *args: Value, **keywords: Value) -> Value:
            place, frame = m.loc.in_program, m.current_frame
            here = m.node_loc, frame.call
            m.node_loc, frame.call = place, place.call
            try:
                return answer(m, *args, **keywords)
            finally:
                m.node_loc, frame.call = here

        return at_the_call

    return register


@answers(arguments.refuse)
def refuse(m: Machine, error: Value, text: Value) -> Value:
    refused = given.dtype_error if known_value(error) is TypeError else given.value_error
    raise refused(m, known_value(text))


@answers(arguments.without_form)
def without_form(m: Machine, code: Value, text: Value, hint: Value = NOTHING) -> Value:
    raise m.error(known_value(code), known_value(text), hint=known_value(hint))


@answers(arguments.raise_where)
def raise_where(m: Machine, bad: Value, error: Value, *text: Value) -> Value:
    all_of_them = functools.reduce(functools.partial(booleans.both, m), one_or_many(bad))
    check(m, all_of_them, known_value(error), *(known_value(part, part) for part in text))
    return NONE


@answers(arguments.check)
def check_elements(m: Machine, bad: Value, error: Value, *text: Value) -> Value:
    m.check(bad, known_value(error), *(known_value(part, part) for part in text))
    return NONE


@answers(arguments.require_same_shapes)
def require_same_shapes(m: Machine, x: Value, y: Value, error: Value, text: Value) -> Value:
    check_same_shapes(m, [tensor(m, x), tensor(m, y)], known_value(text), known_value(error))
    return NONE


@answers(arguments.limited)
def limited(m: Machine, bad: Value, code: Value, text: Value, hint: Value = NOTHING) -> Value:
    m.limit(bad, known_value(code), known_value(text), hint=known_value(hint))
    return NONE


answers(arguments.known)(lambda m, value, what: Static(static(m, value, known_value(what))))
answers(arguments.known_int)(lambda m, value, what: Static(given.as_index(m, static(m, value, known_value(what)))))
answers(arguments.of_sizes)(lambda m, op, a, b: given.size_op(m, known_value(op), a, b))
answers(arguments.selected)(arithmetic.select_array)
answers(arguments.known_size)(lambda m, size: Static(given.known(size)))


@answers(arguments.last_place)
def last_place(m: Machine, x: Value) -> Value:
    return m.op("subtract", m.cast(m.dimension(given.array(m, x), 0), INT64), given.number(m, 1, INT64))


@answers(arguments.may_be_empty)
def may_be_empty(m: Machine, x: Value, axes: Value) -> Value:
    return Static(any(type_of(x).shape[i].lower in (None, 0) for i in known_value(axes)))


@answers(arguments.is_empty)
def is_empty(m: Machine, x: Value) -> Value:
    """Whether an array has no elements; None where only the run tells."""
    found = [no_elements(m, tensor(m, x), axis) for axis in range(type_of(x).rank)]
    return Static(True if True in found else None if None in found else False)


@answers(arguments.reduced_axes)
def reduced_axes(
    m: Machine, axis: Value, rank: Value, of_scalars: Value = given.TRUE, lists: Value = given.FALSE
) -> Value:
    return Static(given.axes_of(m, axis, known_value(rank), known_value(of_scalars), known_value(lists)))


@answers(arguments.listed_axes)
def listed_axes(m: Machine, axis: Value, rank: Value, name: Value = NOTHING, repeats: Value = given.FALSE) -> Value:
    return Static(given.listed_axes(m, axis, known_value(rank), known_value(name), known_value(repeats)))


@answers(arguments.one_axis)
def one_axis(m: Machine, axis: Value, rank: Value, name: Value = NOTHING) -> Value:
    return Static(given.axis_of(m, axis, known_value(rank), known_value(name)))


HINT = "library"
"""What is called so may be left out; names of other values do not depend on it."""


@registry.lowers(small.is_small)
def is_small(m: Machine, a: Value) -> Value:
    """Whether an array is one matrix whose size is known and small: no question for the graph."""
    sizes = [size.constant for size in type_of(a).shape]
    return Static(len(sizes) == 2 and all(size is not None and 0 < size <= small.LARGEST for size in sizes))


@lowers_other(fourier.dft)
def dft(m: Machine, x: Value) -> Value:
    """The operation takes parts, one of real numbers, and gives both side by side."""
    whole = array(m, x)
    parts = complex_operations.taken_apart(m, whole) if type_of(whole).is_complex else (Term(m, whole),)
    pairs = m.op("dft", *(part.tensor for part in parts))
    return of_parts(m, *(m.op("take", pairs, Static(k), axis=pairs.rank - 1) for k in range(2)))


@lowers_other(fourier.of_parts)
def of_parts(m: Machine, re: Value, im: Value) -> Value:
    return complex_operations.put_together(m, Term(m, array(m, re)), Term(m, array(m, im)), Kind.ARRAY)


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
