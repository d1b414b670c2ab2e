"""Numbers in a row and patterns over axes: linspace, eye, tri, diag; `np.r_`, `mgrid` and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library.arrays import index_tricks as programs
from graph_program.extract.stage.arrays.layout import read_only
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    MINUS_ONE,
    ONE,
    ZERO,
    array,
    as_size,
    axis_of,
    dtype_error,
    dtype_of,
    flag,
    inexact,
    is_given,
    is_sequence,
    number,
    numpy_function,
    result_dtype,
    returned,
    size_op,
    takes,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_not_negative
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import items
from graph_program.extract.stage.operations.known_and_truth import numeric, settled
from graph_program.extract.stage.values.questions import is_known_as, known_value, one_or_many
from graph_program.extract.stage.values.structure import number_bits
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value, size_of
from graph_program.extract.types.tensors.tensor_type import FLOAT64, INT64

# ---------------------------------------------------------------- numbers in a row


@numpy_function(np.linspace)
@takes("start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None")
def linspace(
    m: Machine, start: Value, stop: Value, num: Value, endpoint: Value, retstep: Value, dtype: Value, axis: Value
) -> Value:
    """`np.linspace`: `start + i * step`, the last being `stop` itself."""
    count = as_size(m, num)
    check_not_negative(m, count, "Number of samples, ", count, ", must be non-negative.")
    low, high = numeric(m, start), numeric(m, stop)
    natural = inexact(result_dtype(m, low, high))
    target = dtype_of(m, dtype) or natural
    closed = flag(m, endpoint, "endpoint")
    gaps = size_op(m, "-", count, ONE) if closed else count
    x, y = m.cast(low, natural), m.cast(high, natural)
    delta = m.op("subtract", y, x)
    positions = m.op("iota", count)
    for _ in range(delta.rank):
        positions = m.op("expand_dims", positions, axes=(positions.rank,))
    # No gaps: the step is not defined, and the only number is `start`.
    divisor = m.op("maximum", m.cast(gaps, natural), number(m, 1, natural))
    step = m.op("divide", delta, divisor)
    values = m.op("add", multiples(m, m.cast(positions, natural), step, delta, divisor), x)
    if closed:
        last = m.op("equal", positions, m.cast(gaps, INT64))
        ends = m.op("bitwise_and", last, m.op("greater", positions, number(m, 0, INT64)))
        values = m.op("where", ends, y, values)
    if axis_of(m, axis, values.rank):
        i = axis_of(m, axis, values.rank)
        rest = list(range(1, values.rank))
        values = m.op("transpose", values, perm=(*rest[:i], 0, *rest[i:]))
    result = m.cast(m.op("floor", values) if target.kind in "iu" else values, target)
    if not flag(m, retstep, "retstep"):
        return result
    return Tuple((result, known_step(m, step, gaps)))


def multiples(m: Machine, positions: Tensor, step: Tensor, delta: Tensor, divisor: Tensor) -> Tensor:
    """`positions * step`; NumPy rounds otherwise where one of several steps is zero."""
    found = m.op("multiply", positions, step)
    if not step.rank:
        return found
    axes = tuple(range(step.rank))
    still = m.op("any", m.op("equal", step, number(m, 0, step.type.dtype)), axes=axes, keepdims=False)
    return m.op("where", still, m.op("multiply", m.op("divide", positions, divisor), delta), found)


def known_step(m: Machine, step: Tensor, gaps: Value) -> Value:
    """The step that `retstep` gives; NaN where there are no gaps."""
    none = arithmetic.compare(m, "<=", gaps, ZERO)
    missing = number(m, np.nan, step.type.dtype)
    return returned(m, arithmetic.select_array(m, none, missing, step))


# ---------------------------------------------------------------- patterns over two axes


FAR = 2**62
"""No array has so many rows or columns: diagonals beyond are all outside."""


def shifted(m: Machine, x: Tensor, k: Value) -> Tensor:
    """Numbers of rows or columns, plus that of a diagonal, which may be any int64."""
    return x if known_value(k) == 0 else m.op("add", x, near(m, k))


def near(m: Machine, k: Value) -> Tensor:
    """The number of a diagonal, or of another one that is outside on the same side: added to, it does not wrap."""
    given = m.cast(k, INT64)
    if number_bits(k) < 63:
        return given
    return m.op("maximum", m.op("minimum", given, number(m, FAR, INT64)), number(m, -FAR, INT64))


def by_diagonals(m: Machine, op: str, rows: Value, columns: Value, k: Value, dtype: Value) -> Tensor:
    """Ones where the number of the row, plus that of a diagonal, compares with that of the column."""
    i, j = m.op("iota", rows), m.op("iota", columns)
    column, row = m.op("expand_dims", i, axes=(1,)), m.op("expand_dims", j, axes=(0,))
    return m.cast(m.op(op, shifted(m, column, k), row), dtype_of(m, dtype) or FLOAT64)


@numpy_function(np.eye)
@takes("N, M=None, k=0, dtype=None, order=None, *, device=None, like=None")
def eye(m: Machine, N: Value, M: Value, k: Value, dtype: Value) -> Value:
    """`np.eye`: ones on a diagonal."""
    rows = as_size(m, N)
    columns = as_size(m, M) if is_given(M) else rows
    for size in (rows, columns):
        check_not_negative(m, size)
    return by_diagonals(m, "equal", rows, columns, as_size(m, k), dtype)


numpy_function(np.identity)(lambda m, n, dtype=NONE, *, like=NONE: eye(m, n, dtype=dtype))


@numpy_function(np.tri)
@takes("N, M=None, k=0, dtype=None, *, like=None")
def tri(m: Machine, N: Value, M: Value, k: Value, dtype: Value) -> Value:
    """`np.tri`: ones on and below a diagonal."""
    rows = as_size(m, N)
    columns = as_size(m, M) if is_given(M) else rows
    return by_diagonals(m, "greater_equal", rows, columns, as_size(m, k), dtype)


def diagonal_first(m: Machine, x: Tensor, offset: Value, axis1: int, axis2: int) -> Tensor:
    """The diagonal over two axes, as the first axis of the result."""
    rest = [i for i in range(x.rank) if i not in (axis1, axis2)]
    perm = (axis1, axis2, *rest)
    if perm != tuple(range(x.rank)):
        x = m.op("transpose", x, perm=perm)
    below = size_op(m, "max", size_op(m, "-", ZERO, offset), ZERO)
    right = size_op(m, "max", offset, ZERO)
    rows = size_op(m, "-", m.dimension(x, 0), below)
    columns = size_op(m, "-", m.dimension(x, 1), right)
    length = rows if is_same(rows, columns) else size_op(m, "max", size_op(m, "min", rows, columns), ZERO)
    positions = m.op("iota", length)
    return m.op("gather_nd", x, shifted(m, positions, below), shifted(m, positions, right), axis=0)


def is_same(a: Value, b: Value) -> bool:
    size = size_of(a)
    return size is not None and size == size_of(b) and (size.lower or -1) >= 0


@numpy_function(np.diagonal, method="diagonal")
def diagonal(m: Machine, a: Value, offset: Value = ZERO, axis1: Value = ZERO, axis2: Value = ONE) -> Value:
    """`np.diagonal`: the diagonal as the last axis of the result, a view that cannot be written."""
    x = array(m, a)
    if x.rank < 2:
        raise value_error(m, "diag requires an array of at least two dimensions")
    i, j = axis_of(m, axis1, x.rank, "axis1"), axis_of(m, axis2, x.rank, "axis2")
    if i == j:
        raise value_error(m, "axis1 and axis2 cannot be the same")
    place = as_size(m, offset)

    def read(base: Tensor) -> Tensor:
        first = diagonal_first(m, base, place, i, j)
        return first if first.rank == 1 else m.op("transpose", first, perm=(*range(1, first.rank), 0))

    return read_only(m, x, read)


numpy_function(np.linalg.diagonal)(lambda m, x, /, *, offset=ZERO: diagonal(m, x, offset, Static(-2), MINUS_ONE))


@numpy_function(np.vander)
def vander(m: Machine, x: Value, N: Value = NONE, increasing: Value = FALSE) -> Value:
    """`np.vander`: powers of a vector as columns."""
    v = array(m, x)
    if v.rank != 1:
        raise value_error(m, "x must be a one-dimensional array or sequence.")
    columns = as_size(m, N) if is_given(N) else m.dimension(v, 0)
    check_not_negative(m, columns)
    base = m.cast(v, result_dtype(m, v, ZERO) if v.type.dtype.kind != "b" else INT64)
    base = m.cast(base, np.promote_types(base.type.dtype, np.int64))
    exponents: Tensor = m.op("iota", columns)
    if not flag(m, increasing, "increasing"):
        exponents = m.op("subtract", m.cast(size_op(m, "-", columns, ONE), INT64), exponents)
    powers = m.cast(m.op("expand_dims", exponents, axes=(0,)), base.type.dtype)
    return m.op("power", m.op("expand_dims", base, axes=(1,)), powers)


ITEMS: dict[str, Callable[[Machine, Value], Value]] = {
    "s_": lambda m, key: key,
    "index_exp": lambda m, key: Tuple(one_or_many(key)),
    "mgrid": lambda m, key: grid(m, programs.dense, key),
    "ogrid": lambda m, key: grid(m, programs.sparse, key),
    "r_": lambda m, key: entries.run(m, programs.joined, pieces(m, key)),
    "c_": lambda m, key: entries.run(m, programs.columns, pieces(m, key)),
}
"""What `np.name[key]` is, by the name."""

KNOWN = {id(getattr(np, name)): lowering for name, lowering in ITEMS.items()}


def item(m: Machine, value: Static, key: Value) -> Value:
    """`np.r_[key]` and the like."""
    lowering = KNOWN.get(id(value.value))
    if lowering is None:
        raise items.not_subscriptable(m, value)
    return lowering(m, key)


for _cls in {type(getattr(np, name)) for name in ITEMS}:
    items.item.of(Static, holding=_cls)(item)


def grid(m: Machine, program: Callable[..., Any], key: Value) -> Value:
    """The grid of several slices, or the line of one."""
    return entries.run(m, program if isinstance(key, Tuple) else programs.line, key)


def pieces(m: Machine, key: Value) -> Tuple:
    """The parts of a subscript, lists as arrays; a first one that is a text says how to join, which is refused."""
    parts = one_or_many(key)
    first = settled(m, parts[0]) if parts else NONE
    if is_known_as(first, str):
        raise m.error("GP321", "a text in np.r_ or np.c_ has no graph form", hint="use np.concatenate or np.stack")
    return Tuple(tuple(array(m, part) if is_sequence(m, part) else part for part in parts))


@lowers(np.fromfunction)
def fromfunction(
    m: Machine, function: Value, shape: Value, *, dtype: Value = NONE, like: Value = NONE, **kwargs: Value
) -> Value:
    """`np.fromfunction`: the function of the positions along each axis."""
    if is_given(like):
        raise dtype_error(m, "The `like` argument has no graph form")
    target: Any = dtype if is_given(dtype) else Static(np.dtype(np.float64))
    places = entries.run(m, programs.places, shape, target)
    return entries.call(m, function, list(one_or_many(places)), kwargs)
