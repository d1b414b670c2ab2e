"""Numbers in a row and patterns over axes: arange, linspace, eye, tri, diag, meshgrid."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import DTypeError
from graph_program.extract.stage import booleans, operators
from graph_program.extract.stage.array_contents import outside
from graph_program.extract.stage.conversions import as_element, may_not_fit
from graph_program.extract.stage.flow import branch
from graph_program.extract.stage.iteration import range_trips
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.numpy.common import (
    BOOL,
    FALSE,
    FLOAT64,
    INT64,
    MINUS_ONE,
    NONE,
    ONE,
    TRUE,
    ZERO,
    array,
    as_size,
    axis_of,
    dtype_of,
    flag,
    inexact,
    is_given,
    number,
    numpy_function,
    refuse_given,
    result_dtype,
    returned,
    shape_of,
    size_op,
    sizes_of,
    u,
    value_error,
)
from graph_program.extract.stage.numpy.layout import read_only
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.size_checks import check_not_negative
from graph_program.extract.stage.operators import is_python_int
from graph_program.extract.stage.python_numbers import python_text
from graph_program.extract.stage.registry import lowers
from graph_program.extract.stage.use import numeric, static, tensor
from graph_program.extract.stage.values import Range, Static, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.promotion import sum_dtype
from graph_program.extract.types.tensor_type import Kind

# ---------------------------------------------------------------- numbers in a row


@numpy_function(np.arange)
def arange(
    m: Machine,
    start: Value = NONE,
    stop: Value = NONE,
    step: Value = ONE,
    dtype: Value = NONE,
    *,
    device: Value = NONE,
    like: Value = NONE,
) -> Value:
    """`np.arange`: `ceil((stop - start) / step)` numbers, the i-th being `start + i * step`."""
    refuse_given(m, "np.arange", like=like)
    if not is_given(stop):
        start, stop = NONE, start
    first = start if is_given(start) else ZERO
    start, end, step = (scalar(m, v) for v in (first, stop, step if is_given(step) else ONE))
    natural = result_dtype(m, start, end, step, weak=False)
    target = dtype_of(m, dtype) or np.promote_types(natural, INT64)
    if natural.kind in "biu":
        require_step(m, start, end, step)
    if natural.kind in "biu" and not is_static(start, 0) and any(map(is_narrow, (start, end, step))):
        return narrow_integers(m, start, end, step, target)
    if natural.kind in "biu":
        return integers(m, start, end, step, target)
    return reals(m, start, end, step, target)


def scalar(m: Machine, value: Value) -> Value:
    """A number; an array of rank 0 counts as one."""
    value = numeric(m, value)
    if type_of(value).rank:
        raise m.error("GP302", "only 0-dimensional arrays can be converted to Python scalars", cls=DTypeError)
    return value


ENDLESS, UNKNOWN = "Maximum allowed size exceeded", "arange: cannot compute length"


def require_step(m: Machine, start: Value, stop: Value, step: Value) -> None:
    """What NumPy raises for a step of 0, by which it divides the numbers that it is given."""
    zero = operators.compare(m, "==", step, ZERO)
    if all(type_of(v).kind is Kind.PYTHON for v in (start, stop, step)):
        m.check(zero, *python_text(lambda: 1 / 0))
    else:
        m.check(booleans.both(m, zero, operators.compare(m, "==", start, stop)), ValueError, UNKNOWN)
        m.check(zero, ValueError, ENDLESS)


def integers(m: Machine, start: Value, stop: Value, step: Value, dtype: np.dtype[Any]) -> Tensor:
    """Integers from `start` to before `stop`."""
    bounds = [as_size(m, v) if type_of(v).dtype.kind in "iu" else m.cast(v, INT64) for v in (start, stop, step)]
    count = range_trips(m, Range(*bounds))
    if dtype != INT64:
        check_first(m, count, bounds[0], operators.arithmetic(m, "+", bounds[0], bounds[2]), dtype)
    positions = m.op("iota", count)
    first, by = bounds[0], bounds[2]
    if not is_static(by, 1):
        positions = m.op("multiply", positions, m.cast(by, INT64))
    if not is_static(first, 0):
        positions = m.op("add", positions, m.cast(first, INT64))
    return m.cast(positions, dtype)


def is_narrow(value: Value) -> bool:
    """Whether a number is one of NumPy's integers with less than 64 bits."""
    return is_numeric(value) and type_of(value).dtype.kind in "iu" and type_of(value).dtype.itemsize < INT64.itemsize


def narrow_integers(m: Machine, start: Value, stop: Value, step: Value, dtype: np.dtype[Any]) -> Tensor:
    """Integers between NumPy's own numbers, whose differences NumPy takes in their type, where they may wrap."""
    first, by = m.cast(start, INT64, Kind.PYTHON), as_size(m, step)
    count = range_trips(m, Range(ZERO, in_their_type(m, "-", stop, start, TRUE), by))
    second = in_their_type(m, "+", start, step, operators.compare(m, ">", count, ZERO))
    if dtype != INT64:
        check_first(m, count, first, second, dtype)
    delta = m.op("subtract", second, first)
    return m.cast(m.op("add", m.op("multiply", m.op("iota", count), delta), first), dtype)


def in_their_type(m: Machine, op: str, a: Value, b: Value, used: Value) -> Tensor:
    """`a op b` as NumPy computes it; a Python int that does not fit is an error where the result is `used`."""
    pair = [a, b]
    for i, other in ((0, b), (1, a)):
        dtype = type_of(other).dtype
        if is_python_int(pair[i]) and not is_python_int(other) and may_not_fit(pair[i], dtype):
            bad = m.reclassed(outside(m, tensor(m, pair[i]), dtype), Kind.PYTHON)
            m.check(booleans.both(m, used, bad), ValueError, ENDLESS)
            pair[i] = m.cast(pair[i], dtype, Kind.NUMPY)
    return m.cast(operators.arithmetic(m, op, *pair), INT64, Kind.PYTHON)


def check_first(m: Machine, count: Value, first: Value, second: Value, dtype: np.dtype[Any]) -> None:
    """NumPy writes the first two numbers of a range as Python's, which have to fit; the others may wrap."""
    for place, value in enumerate((first, second)):
        if may_not_fit(value, dtype):
            wanted = operators.compare(m, ">", count, Static(place))
            branch(m, wanted, functools.partial(_fit, m, value, dtype), lambda: None)


def _fit(m: Machine, value: Value, dtype: np.dtype[Any]) -> None:
    as_element(m, value, dtype)


def is_static(value: Value, number_: int) -> bool:
    return isinstance(value, Static) and bool(value.value == number_)


def real_count(m: Machine, gap: Value, quotient: Tensor) -> Tensor:
    """How many numbers a gap has: the quotient by the step rounded up, or one where that is too small for a float."""
    unknown, limit = m.op("isnan", quotient, kind=Kind.PYTHON), number(m, 2.0**63, FLOAT64)
    m.check(unknown, ValueError, UNKNOWN)
    length = m.op("ceil", quotient)
    endless = m.op("greater_equal", m.op("absolute", length), limit, kind=Kind.PYTHON)
    m.check(endless, ValueError, ENDLESS)
    zero = number(m, 0, FLOAT64)
    lost = m.op("bitwise_and", m.op("equal", quotient, zero), m.cast(operators.compare(m, "!=", gap, ZERO), BOOL))
    one = m.op("bitwise_and", lost, m.op("invert", m.op("signbit", quotient)))
    length = m.op("where", one, number(m, 1, FLOAT64), length)
    return m.cast(m.op("where", booleans.either(m, unknown, endless), zero, length), INT64, Kind.PYTHON)


def reals(m: Machine, start: Value, stop: Value, step: Value, dtype: np.dtype[Any]) -> Tensor:
    """Floats from `start` to before `stop`, computed in `dtype` as NumPy fills an arange."""
    gap = operators.arithmetic(m, "-", stop, start)
    count = real_count(m, gap, m.cast(operators.arithmetic(m, "/", gap, step), FLOAT64, Kind.PYTHON))
    x, after = (m.cast(v, FLOAT64) for v in (start, operators.arithmetic(m, "+", start, step)))
    positions = m.op("iota", count)
    check_first(m, count, m.reclassed(x, Kind.PYTHON), m.reclassed(after, Kind.PYTHON), dtype)
    first, second = m.cast(x, dtype), m.cast(after, dtype)
    delta = m.op("subtract", second, first)
    if not isinstance(step, Static) or not np.isfinite(step.value):  # there is one number then, and no second
        several = m.op("greater", count, number(m, 1, INT64))
        delta = m.op("where", several, delta, number(m, 0, dtype))
    return m.op("add", first, m.op("multiply", m.cast(positions, dtype), delta))


FIFTY = Static(50)


@numpy_function(np.linspace)
def linspace(
    m: Machine,
    start: Value,
    stop: Value,
    num: Value = FIFTY,
    endpoint: Value = TRUE,
    retstep: Value = FALSE,
    dtype: Value = NONE,
    axis: Value = ZERO,
    *,
    device: Value = NONE,
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
    none = operators.compare(m, "<=", gaps, ZERO)
    missing = number(m, np.nan, step.type.dtype)
    if isinstance(none, Static):
        return returned(m, missing if none.value else step)
    return returned(m, m.op("where", none, missing, step))


@numpy_function(np.logspace)
def logspace(
    m: Machine,
    start: Value,
    stop: Value,
    num: Value = FIFTY,
    endpoint: Value = TRUE,
    base: Value = Static(10.0),  # noqa: B008
    dtype: Value = NONE,
    axis: Value = ZERO,
) -> Value:
    """`np.logspace`: `base ** linspace(start, stop)`."""
    exponents = linspace(m, start, stop, num, endpoint, axis=axis)
    result = tensor(m, u(m, np.power, base, exponents))
    target = dtype_of(m, dtype)
    return result if target is None else m.cast(result, target)


# ---------------------------------------------------------------- patterns over two axes


def column_and_row(m: Machine, rows: Value, columns: Value) -> tuple[Tensor, Tensor]:
    """Row numbers as a column, and column numbers as a row."""
    i, j = m.op("iota", rows), m.op("iota", columns)
    return m.op("expand_dims", i, axes=(1,)), m.op("expand_dims", j, axes=(0,))


def shifted(m: Machine, x: Tensor, k: Value) -> Tensor:
    return x if is_static(k, 0) else m.op("add", x, m.cast(k, INT64))


@numpy_function(np.eye)
def eye(
    m: Machine,
    N: Value,
    M: Value = NONE,
    k: Value = ZERO,
    dtype: Value = NONE,
    order: Value = NONE,
    *,
    device: Value = NONE,
    like: Value = NONE,
) -> Value:
    """`np.eye`: ones on a diagonal."""
    rows = as_size(m, N)
    columns = as_size(m, M) if is_given(M) else rows
    for size in (rows, columns):
        check_not_negative(m, size)
    i, j = column_and_row(m, rows, columns)
    return m.cast(m.op("equal", shifted(m, i, as_size(m, k)), j), dtype_of(m, dtype) or FLOAT64)


@numpy_function(np.identity)
def identity(m: Machine, n: Value, dtype: Value = NONE, *, like: Value = NONE) -> Value:
    """`np.identity`."""
    return eye(m, n, dtype=dtype)


def triangle(m: Machine, rows: Value, columns: Value, k: Value) -> Tensor:
    """True on and below a diagonal."""
    i, j = column_and_row(m, rows, columns)
    return m.op("greater_equal", shifted(m, i, k), j)


@numpy_function(np.tri)
def tri(
    m: Machine,
    N: Value,
    M: Value = NONE,
    k: Value = ZERO,
    dtype: Value = NONE,
    *,
    like: Value = NONE,
) -> Value:
    """`np.tri`: ones on and below a diagonal."""
    rows = as_size(m, N)
    columns = as_size(m, M) if is_given(M) else rows
    return m.cast(triangle(m, rows, columns, as_size(m, k)), dtype_of(m, dtype) or FLOAT64)


def triangle_of(m: Machine, value: Value, k: Value) -> tuple[Tensor, Tensor]:
    """An array and the lower triangle of its last two axes."""
    x = array(m, value)
    if not x.rank:
        raise m.error("GP302", "tri() missing 1 required positional argument: 'N'", cls=DTypeError)
    sizes = sizes_of(m, x)
    return x, triangle(m, sizes[-2] if x.rank > 1 else sizes[0], sizes[-1], k)


@numpy_function(np.tril)
def tril(m: Machine, m_: Value, k: Value = ZERO) -> Value:
    """`np.tril`: zeros above a diagonal."""
    x, lower = triangle_of(m, m_, as_size(m, k))
    return m.op("where", lower, x, number(m, 0, x.type.dtype))


@numpy_function(np.triu)
def triu(m: Machine, m_: Value, k: Value = ZERO) -> Value:
    """`np.triu`: zeros below a diagonal."""
    x, lower = triangle_of(m, m_, size_op(m, "-", as_size(m, k), ONE))
    return m.op("where", lower, number(m, 0, x.type.dtype), x)


@numpy_function(np.diag)
def diag(m: Machine, v: Value, k: Value = ZERO) -> Value:
    """`np.diag`: the matrix with a diagonal, or the diagonal of a matrix."""
    x = array(m, v)
    if x.rank == 2:
        return diagonal(m, x, k)
    if x.rank != 1:
        raise value_error(m, "Input must be 1- or 2-d.")
    offset = static(m, k, "the diagonal")
    pad = m.op("full", number(m, 0, x.type.dtype), Static(abs(offset)))
    padded = m.op("concatenate", x, pad, axis=0) if offset else x
    side = m.dimension(padded, 0)
    i, j = column_and_row(m, side, side)
    on = m.op("equal", shifted(m, i, Static(max(offset, 0))), shifted(m, j, Static(max(-offset, 0))))
    values = m.op("expand_dims", padded, axes=(1,) if offset >= 0 else (0,))
    return m.op("where", on, values, number(m, 0, x.type.dtype))


@numpy_function(np.diagflat)
def diagflat(m: Machine, v: Value, k: Value = ZERO) -> Value:
    """`np.diagflat`: the matrix with the flattened input on a diagonal."""
    return diag(m, m.op("reshape", array(m, v), MINUS_ONE), k)


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
    from graph_program.extract.stage.values import size_of

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


@numpy_function(np.linalg.diagonal)
def linalg_diagonal(m: Machine, x: Value, /, *, offset: Value = ZERO) -> Value:
    """`np.linalg.diagonal`: of the last two axes."""
    return diagonal(m, x, offset, Static(-2), MINUS_ONE)


@numpy_function(np.trace, method="trace")
@with_out("np.trace", casting="unsafe")
def trace(
    m: Machine,
    a: Value,
    offset: Value = ZERO,
    axis1: Value = ZERO,
    axis2: Value = ONE,
    dtype: Value = NONE,
    out: Value = NONE,
) -> Value:
    """`np.trace`: the sum of a diagonal."""
    x = tensor(m, diagonal(m, a, offset, axis1, axis2))
    x = m.cast(x, dtype_of(m, dtype) or sum_dtype(x.type.dtype))
    kind = Kind.ARRAY if x.rank > 1 else Kind.NUMPY
    return m.op("sum", x, axes=(x.rank - 1,), keepdims=False, kind=kind)


@numpy_function(np.linalg.trace)
def linalg_trace(m: Machine, x: Value, /, *, offset: Value = ZERO, dtype: Value = NONE) -> Value:
    """`np.linalg.trace`: over the last two axes."""
    return trace(m, x, offset, Static(-2), MINUS_ONE, dtype)


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


# ---------------------------------------------------------------- coordinates


@lowers(np.meshgrid)
def meshgrid(
    m: Machine,
    *xi: Value,
    copy: Value = TRUE,
    sparse: Value = FALSE,
    indexing: Value = Static("xy"),  # noqa: B008
) -> Value:
    """`np.meshgrid`: coordinate arrays over a grid."""
    order = static(m, indexing, "the indexing of meshgrid")
    if order not in ("xy", "ij"):
        raise value_error(m, "Valid values for `indexing` are 'xy' and 'ij'.")
    vectors = [m.op("reshape", array(m, x), MINUS_ONE) for x in xi]
    rank = len(vectors)
    places = list(range(rank))
    if order == "xy" and rank > 1:
        places[:2] = [1, 0]
    sizes: list[Value] = [ONE] * rank
    for vector, place in zip(vectors, places, strict=True):
        sizes[place] = m.dimension(vector, 0)
    open_grid = [
        m.op("expand_dims", v, axes=tuple(i for i in range(rank) if i != p)) if rank > 1 else v
        for v, p in zip(vectors, places, strict=True)
    ]
    if flag(m, sparse, "sparse"):
        return Tuple(tuple(open_grid))
    return Tuple(tuple(m.op("broadcast_to", v, *sizes) for v in open_grid))


@lowers(np.indices)
def indices(m: Machine, dimensions: Value, dtype: Value = NONE, sparse: Value = FALSE) -> Value:
    """`np.indices`: the position of each element along each axis."""
    sizes = shape_of(m, dimensions)
    target = dtype_of(m, dtype) or INT64
    vectors = [m.cast(m.op("iota", size), target) for size in sizes]
    grid = meshgrid(m, *vectors, sparse=sparse, indexing=Static("ij"))
    assert isinstance(grid, Tuple)
    if flag(m, sparse, "sparse"):
        return grid
    if not vectors:
        return m.op("full", number(m, 0, target), ZERO)
    parts = [m.op("expand_dims", tensor(m, v), axes=(0,)) for v in grid.elts]
    return m.op("concatenate", *parts, axis=0) if len(parts) > 1 else parts[0]
