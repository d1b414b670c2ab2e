"""Elements chosen by position or mask, and ordered: take, sort, searchsorted, nonzero, and shifted slices."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arrays import counting as counting_programs
from graph_program.extract.stage.arrays.indices import indexing
from graph_program.extract.stage.arrays.indices.advanced_indexing import mask_columns
from graph_program.extract.stage.arrays.lowering_arguments import (
    MINUS_ONE,
    ONE,
    ZERO,
    array,
    axis_of,
    call,
    call_tensor,
    element_count,
    flat,
    is_given,
    kind_of,
    known,
    number,
    numpy_function,
    refuse_given,
    require_kind,
    result_dtype,
    returned,
    size_op,
    sizes_of,
    takes,
    u,
    value_error,
)
from graph_program.extract.stage.arrays.operation_checks import require_inside
from graph_program.extract.stage.arrays.size_checks import broadcast_sizes
from graph_program.extract.stage.machine.checks.booleans import both
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.products.linear import along, product
from graph_program.extract.stage.operations.known_and_truth import static, tensor
from graph_program.extract.stage.paths import flow
from graph_program.extract.stage.paths.raising import check
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import BOOL, INT64

RAISE = Static("raise")

# ---------------------------------------------------------------- taking


def as_positions(m: Machine, indices: Value) -> Tensor:
    """An index array as int64."""
    x = tensor(m, indices)
    if x.type.dtype.kind not in "iub":
        start = f"Cannot cast array data from {x.type.dtype!r} to {INT64!r}"
        raise m.error("GP302", f"{start} according to the rule 'safe'")
    return m.cast(x, INT64)


@numpy_function(np.take, method="take")
@with_out("np.take", exact=True)
def take(m: Machine, a: Value, indices: Value, axis: Value = NONE, out: Value = NONE, mode: Value = RAISE) -> Value:
    """`np.take`; of the flattened array without an axis."""
    positions = as_positions(m, indices)
    x, i = along(m, array(m, a), axis)
    how = static(m, mode, "the mode of take")
    require_elements(m, x, i, positions)
    size = m.cast(m.dimension(x, i), INT64)
    if how == "wrap":
        positions = m.op("remainder", positions, size)
    elif how == "clip":
        last = m.op("subtract", size, number(m, 1, INT64))
        positions = m.op("minimum", m.op("maximum", positions, number(m, 0, INT64)), last)
    else:
        require_inside(m, x, i, positions)
    return m.op("take", x, positions, axis=i, kind=kind_of(x.rank - 1 + positions.rank))


def require_elements(m: Machine, x: Tensor, axis: int, positions: Tensor) -> None:
    """NumPy's error for elements of an axis that has none."""
    none = arithmetic.compare(m, "==", m.dimension(x, axis), ZERO)
    others = element_count(m, x, [i for i in range(x.rank) if i != axis])
    wanted = [arithmetic.compare(m, "!=", size, ZERO) for size in (element_count(m, positions), others)]
    bad = both(m, none, both(m, *wanted))
    check(m, bad, IndexError, "cannot do a non-empty take from an empty axes.")


@numpy_function(np.take_along_axis)
def take_along_axis(m: Machine, arr: Value, indices: Value, axis: Value = MINUS_ONE) -> Value:
    """`np.take_along_axis`: one position per element along an axis."""
    x, positions = array(m, arr), as_positions(m, indices)
    if static(m, axis, "an axis") is None:
        x, axis = flat(m, x), ZERO
    if x.rank != positions.rank:
        raise value_error(m, "`indices` and `arr` must have the same number of dimensions")
    i = axis_of(m, axis, x.rank)

    sizes = sizes_of(m, positions)
    others = [ONE if k == i else s for k, s in enumerate(sizes_of(m, x))]
    sizes = broadcast_sizes(m, [others, sizes])
    require_inside(m, x, i, positions)
    return m.op("gather_nd", x, *(m.op("broadcast_to", v, *sizes) for v in along_axes(m, x, positions, i)), axis=0)


def along_axes(m: Machine, target: Tensor, positions: Tensor, axis: int) -> list[Value]:
    """One index array per axis: the positions for one of them, all in turn for the others."""
    found: list[Value] = []
    for k in range(target.rank):
        others = tuple(j for j in range(target.rank) if j != k)
        found.append(positions if k == axis else m.op("expand_dims", m.op("iota", m.dimension(target, k)), axes=others))
    return found


# ---------------------------------------------------------------- order


def order_form(function: Any, method: str = "", of_scalars: bool = False) -> None:
    """Register `np.sort` or `np.argsort`, of the flattened array without an axis; equal elements keep their order."""
    op = function.__name__

    @numpy_function(function, method=method)
    @takes("a, axis=-1, kind=None, order=None, *, stable=None")
    def run(m: Machine, a: Value, axis: Value, kind: Value, order: Value, stable: Value) -> Value:
        refuse_given(m, f"np.{op}", order=order)
        require_kind(m, function, kind, stable)
        x = array(m, a)
        if static(m, axis, "an axis") is None or (of_scalars and not x.rank):
            x, axis = flat(m, x), ZERO
        return m.op(op, x, axis=axis_of(m, axis, x.rank))


order_form(np.sort)
order_form(np.argsort, method="argsort", of_scalars=True)


LEFT = Static("left")


@numpy_function(np.searchsorted, method="searchsorted")
def searchsorted(m: Machine, a: Value, v: Value, side: Value = LEFT, sorter: Value = NONE) -> Value:
    """`np.searchsorted`: how many elements come before each value; NaN comes last."""
    x, values = array(m, a), array(m, v)
    if x.rank != 1:
        raise value_error(m, "object of too small depth for desired array")
    if is_given(sorter):
        x = m.op("take", x, as_positions(m, sorter), axis=0)
    dtype = result_dtype(m, x, values)
    x, values = m.cast(x, dtype), m.cast(values, dtype)
    side_ = static(m, side, "the side")
    if side_ not in ("left", "right"):
        raise value_error(m, f"search side must be 'left' or 'right' (got '{side_}')")
    if values.rank:
        return entries.run(m, counting_programs.searched, x, values, Static(side_ == "left"))
    points = m.op("expand_dims", values, axes=(values.rank,))
    before = m.op("less" if side_ == "left" else "less_equal", x, points)
    if dtype.kind == "f":
        last = m.op("isnan", points)
        if side_ == "left":
            last = m.op("bitwise_and", last, m.op("invert", m.op("isnan", x)))
        before = m.op("bitwise_or", before, last)
    counts = m.op("sum", m.cast(before, INT64), axes=(values.rank,), keepdims=False)
    return returned(m, counts)


# ---------------------------------------------------------------- convolution

UNROLLED_KERNEL = 64
"""A full convolution with up to this many known coefficients becomes a sum of shifted slices."""


def convolution(m: Machine, a: Value, v: Value, mode: Value) -> Value:
    """`full`, `same` or `valid`: the whole convolution, and of that a part in the middle."""
    how = static(m, mode, "the mode")
    if how not in ("full", "same", "valid"):
        raise value_error(m, f"mode must be one of 'full', 'same', or 'valid' (got {how!r})")
    dtype = result_dtype(m, array(m, a), array(m, v))
    x, kernel = m.cast(array(m, a), dtype), m.cast(array(m, v), dtype)
    if x.rank > 1 or kernel.rank > 1:
        raise value_error(m, "object too deep for desired array")
    x, kernel = flat(m, x), flat(m, kernel)
    lengths = [m.dimension(t, 0) for t in (x, kernel)]
    for length, name in zip(lengths, "av", strict=True):
        check(m, arithmetic.compare(m, "==", length, ZERO), ValueError, f"{name} cannot be empty")
    result = full_convolution(m, x, kernel)
    if how == "full":
        return result
    longer, shorter = size_op(m, "max", *lengths), size_op(m, "min", *lengths)
    margin = size_op(m, "-", shorter, ONE)
    if how == "valid":
        return middle(m, result, margin, size_op(m, "-", longer, margin))
    return middle(m, result, size_op(m, "//", margin, Static(2)), longer)


def middle(m: Machine, x: Tensor, start: Value, length: Value) -> Tensor:
    """`x[start : start + length]`."""
    return m.op("take", x, m.op("add", m.op("iota", length), m.cast(start, INT64)), axis=0)


def full_convolution(m: Machine, x: Tensor, kernel: Tensor) -> Tensor:
    """All sums of products of one vector with the other reversed and shifted."""
    lengths = [known(m.dimension(t, 0)) for t in (x, kernel)]
    if lengths[1] is None or (lengths[0] is not None and lengths[1] > lengths[0]):
        x, kernel, lengths = kernel, x, lengths[::-1]
    if lengths[1] is None or lengths[1] > UNROLLED_KERNEL:
        return products_of_windows(m, x, kernel)
    total: Value | None = None
    for k in range(lengths[1]):
        product_ = tensor(m, u(m, np.multiply, x, m.op("take", kernel, number(m, k, INT64), axis=0)))
        before, behind = (
            m.op("full", number(m, 0, x.type.dtype), number(m, n, INT64)) for n in (k, lengths[1] - 1 - k)
        )
        part = m.op("concatenate", before, product_, behind, axis=0)
        total = part if total is None else u(m, np.add, total, part)
    return x if total is None else tensor(m, total)


def products_of_windows(m: Machine, x: Tensor, kernel: Tensor) -> Tensor:
    """The convolution with a kernel of any length, whose ends reach over those of the other vector.

    What lies outside is 0, which a coefficient that is infinite or NaN must not meet.
    """
    zero = number(m, 0, x.type.dtype)
    length = m.dimension(kernel, 0)
    margin = m.op("full", zero, size_op(m, "-", length, ONE))
    rows = size_op(m, "-", size_op(m, "+", m.dimension(x, 0), length), ONE)
    first = m.op("expand_dims", m.op("iota", rows), axes=(1,))
    places = m.op("add", first, m.op("iota", length))
    windows = m.op("take", m.op("concatenate", margin, x, margin, axis=0), places, axis=0)
    backwards = indexing.turned(m, kernel)
    if x.type.dtype.kind != "f":
        return product(m, windows, backwards)
    inside = tensor(m, m.op("full", number(m, True, BOOL), m.dimension(x, 0)))
    outside = m.op("full", number(m, False, BOOL), size_op(m, "-", length, ONE))
    is_inside = m.op("take", m.op("concatenate", outside, inside, outside, axis=0), places, axis=0)
    finite = call_tensor(m, np.all, call_tensor(m, np.isfinite, kernel))

    def apart() -> Value:
        return call_tensor(m, np.sum, m.op("where", is_inside, m.op("multiply", windows, backwards), zero), Static(1))

    found = tensor(m, flow.choose(m, finite, lambda: product(m, windows, backwards), apart))
    return m.op("reshape", found, rows)


numpy_function(np.convolve)(lambda m, a, v, mode=Static("full"): convolution(m, a, v, mode))  # noqa: B008


ZERO_DIMENSIONAL = "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."


def mask_of(m: Machine, a: Value) -> Tensor:
    """Which elements are not zero."""
    x = array(m, a)
    return x if x.type.dtype == BOOL else m.op("not_equal", x, number(m, 0, x.type.dtype))


@numpy_function(np.nonzero, method="nonzero")
def nonzero(m: Machine, a: Value) -> Value:
    """`np.nonzero`: one index array per axis."""
    mask = mask_of(m, a)
    if not mask.rank:
        raise value_error(m, ZERO_DIMENSIONAL)
    return Tuple(tuple(mask_columns(m, mask)))


@numpy_function(np.flatnonzero)
def flatnonzero(m: Machine, a: Value) -> Value:
    """`np.flatnonzero`: positions in row-major order."""
    return mask_columns(m, flat(m, mask_of(m, a)))[0]


@numpy_function(np.argwhere)
def argwhere(m: Machine, a: Value) -> Value:
    """`np.argwhere`: one row of indices per element."""
    mask = mask_of(m, a)
    if not mask.rank:
        found = m.op("nonzero", m.op("expand_dims", mask, axes=(0,)))
        return m.op("broadcast_to", number(m, 0, INT64), m.dimension(found, 1), ZERO)
    return m.op("transpose", m.op("nonzero", mask), perm=(1, 0))


lowers(method="compress")(
    lambda m, self, condition, axis=NONE, out=NONE: call(m, np.compress, condition, self, axis, out)
)
