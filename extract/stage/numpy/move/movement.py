"""The same elements in another arrangement: reshape, transpose, new axes, broadcasting, windows.

Most results are views: `x.T[0] = 1` writes to `x`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.ir import memory
from graph_program.extract.stage.arrays.layout import (
    IN_C_ORDER,
    layout_of,
    needed,
    order_of,
    possible_view,
    read_only,
    reshaped,
    viewed,
)
from graph_program.extract.stage.arrays.lowering_arguments import (
    MINUS_ONE,
    ONE,
    ZERO,
    array,
    axes_of,
    axis_of,
    checked_axis,
    equal_sizes,
    is_given,
    listed_axes,
    numpy_function,
    refuse_given,
    shape_of,
    size_op,
    sizes_of,
    takes,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import broadcast_sizes, check_reshape, counted
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import size_needed, static, tensor
from graph_program.extract.stage.paths.raising import check
from graph_program.extract.stage.values.questions import is_false, one_or_tuple
from graph_program.extract.stage.values.sharing import ContiguousView, ReversedView
from graph_program.extract.stage.values.values import NONE, Tensor, Tuple, Value, View
from graph_program.extract.types.dims import maximum
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

as_array = array

# ---------------------------------------------------------------- reshape


def is_fortran(m: Machine, x: Tensor, order: Value, function: str) -> bool:
    """Whether the elements of an array are gone through in Fortran order: the first axis fastest."""
    given = order_of(m, order) or "C"
    if given not in ("C", "F", "A", "K"):
        raise value_error(m, f"order must be one of 'C', 'F', 'A', or 'K' (got '{given}')")
    if given in "CF" or x.rank < 2:
        return given == "F" and x.rank > 1
    layout = layout_of(m, x)
    if not layout or (given == "K" and layout == memory.STRIDED):
        text = f"{function} with `order={given!r}` depends on how the array lies in memory, which is not known here"
        raise needed(m, x, m.error("GP321", text, hint='say order="C" or order="F"'))
    return layout == memory.F


def whole_transpose(m: Machine, x: Tensor) -> Tensor:
    """The view `x.T`."""
    return permuted(m, x, range(x.rank)[::-1])


@numpy_function(np.reshape)
def reshape(m: Machine, a: Value, /, shape: Value = NONE, order: Value = NONE, *, copy: Value = NONE) -> Value:
    x, sizes = array(m, a), shape_of(m, shape)
    if order_of(m, order) == "K":
        raise value_error(m, "order 'K' is not permitted for reshaping")
    if order_of(m, order) == "F" or is_fortran(m, x, order, "np.reshape"):
        turned = reshape(m, whole_transpose(m, x), Tuple(tuple(sizes[::-1])), copy=copy)
        return whole_transpose(m, tensor(m, turned))
    if is_given(copy) and static(m, copy, "the copy flag"):
        check_reshape(m, x, sizes)
        return m.op("reshape", x, *sizes)
    return of_class(m, reshaped(m, x, sizes), a)


def of_class(m: Machine, result: Tensor, a: Value) -> Tensor:
    """What a function gives that calls a method of what it is given: NumPy's scalars stay scalars."""
    is_scalar = isinstance(a, Tensor) and a.type.kind is Kind.NUMPY and not result.rank
    return m.reclassed(result, Kind.NUMPY) if is_scalar else result


@lowers(method="reshape")
def reshape_method(m: Machine, a: Value, *shape: Value, order: Value = NONE, copy: Value = NONE) -> Value:
    """`x.reshape(2, 3)` or `x.reshape((2, 3))`."""
    return reshape(m, a, one_or_tuple(shape), order, copy=copy)


@numpy_function(np.ravel, method="ravel")
def ravel(m: Machine, a: Value, order: Value = NONE) -> Value:
    """`np.ravel`: one dim, a view where it can be."""
    x = array(m, a)
    if is_fortran(m, x, order, "np.ravel"):
        x = whole_transpose(m, x)
    layout = layout_of(m, x)
    if layout in IN_C_ORDER and x.rank == 1:
        return viewed(m, x, m.copied, lambda _, contents: contents, ContiguousView)
    if layout in ("", *IN_C_ORDER) and x.rank != 1:
        return reshaped(m, x, [MINUS_ONE])
    result = flattened(m, x)
    return result if layout else possible_view(m, result, x)


@lowers(method="flatten")
def flatten(m: Machine, a: Value, order: Value = NONE) -> Value:
    """`x.flatten()`: one dim, always a copy."""
    x = array(m, a)
    return flattened(m, whole_transpose(m, x) if is_fortran(m, x, order, "ndarray.flatten") else x)


def flattened(m: Machine, x: Tensor) -> Tensor:
    """A new array of one dim."""
    return m.copied(x) if x.rank == 1 else m.op("reshape", x, MINUS_ONE)


# ---------------------------------------------------------------- transposes


def permuted(m: Machine, x: Tensor, perm: Sequence[int]) -> Tensor:
    """A view with axes in another order."""
    order = tuple(perm)
    if order == tuple(range(x.rank)):
        return viewed(m, x, m.copied, lambda _, contents: contents, ContiguousView) if x.is_array else x
    inverse = tuple(int(i) for i in np.argsort(order))
    return viewed(
        m,
        x,
        lambda base: m.op("transpose", base, perm=order),
        lambda _, contents: m.op("transpose", contents, perm=inverse),
        ReversedView if order == tuple(range(x.rank))[::-1] else View,
    )


@numpy_function(np.transpose, np.permute_dims)
def transpose(m: Machine, a: Value, axes: Value = NONE) -> Value:
    """`np.transpose`: axes reversed, or in a given order."""
    return of_class(m, transposed(m, array(m, a), axes), a)


def transposed(m: Machine, x: Tensor, axes: Value) -> Tensor:
    given = static(m, axes, "an axis")
    if given is None:
        return permuted(m, x, range(x.rank)[::-1])
    listed = given if isinstance(given, tuple | list) else (given,)
    if len(listed) != x.rank:
        raise value_error(m, "axes don't match array")
    perm = [checked_axis(m, a, x.rank) for a in listed]
    if len(set(perm)) != len(perm):
        raise value_error(m, "repeated axis in transpose")
    return permuted(m, x, perm)


@lowers(method="transpose")
def transpose_method(m: Machine, a: Value, *axes: Value) -> Value:
    """`x.transpose()`, `x.transpose(1, 0)` or `x.transpose((1, 0))`."""
    x = tensor(m, a)
    order = one_or_tuple(axes) if axes else NONE
    return transposed(m, x, order) if x.is_array else a


@numpy_function(np.swapaxes, method="swapaxes")
def swapaxes(m: Machine, a: Value, axis1: Value, axis2: Value) -> Value:
    x = array(m, a)
    i, j = axis_of(m, axis1, x.rank, "axis1"), axis_of(m, axis2, x.rank, "axis2")
    perm = list(range(x.rank))
    perm[i], perm[j] = j, i
    return permuted(m, x, perm)


@numpy_function(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(m: Machine, x: Value, /) -> Value:
    """`np.matrix_transpose`: the last two axes swapped."""
    value = array(m, x)
    if value.rank < 2:
        raise value_error(m, f"Input array must be at least 2-dimensional, but it is {value.rank}")
    return permuted(m, value, (*range(value.rank - 2), value.rank - 1, value.rank - 2))


@numpy_function(np.moveaxis)
def moveaxis(m: Machine, a: Value, source: Value, destination: Value) -> Value:
    x = array(m, a)
    sources = listed_axes(m, source, x.rank, "source")
    targets = listed_axes(m, destination, x.rank, "destination")
    if len(sources) != len(targets):
        raise value_error(m, "`source` and `destination` arguments must have the same number of elements")
    perm = [i for i in range(x.rank) if i not in sources]
    for target, moved in sorted(zip(targets, sources, strict=True)):
        perm.insert(target, moved)
    return of_class(m, permuted(m, x, perm), a)


# ---------------------------------------------------------------- axes of size 1


def expanded(m: Machine, x: Tensor, axes: Sequence[int]) -> Tensor:
    """A view with dims of size 1 inserted; axes count in the result."""
    places = tuple(sorted(axes))
    if not places:
        return x
    return viewed(
        m,
        x,
        lambda base: m.op("expand_dims", base, axes=places),
        lambda _, contents: m.op("squeeze", contents, axes=places),
        ContiguousView,
    )


@numpy_function(np.expand_dims)
def expand_dims(m: Machine, a: Value, axis: Value) -> Value:
    x, given = array(m, a), static(m, axis, "an axis")
    count = len(given) if isinstance(given, tuple | list) else 1
    return expanded(m, x, listed_axes(m, axis, x.rank + count))


@numpy_function(np.squeeze, method="squeeze")
def squeeze(m: Machine, a: Value, axis: Value = NONE) -> Value:
    """`np.squeeze`: dims of size 1 removed; without an axis all sizes must be known."""
    x = tensor(m, a)
    if is_given(axis):
        axes = axes_of(m, axis, x.rank)
    else:
        for i, d in enumerate(x.type.shape):
            if d.constant is None and (maximum(d, 2) != d):
                error = m.error(
                    "GP309",
                    f"squeeze without an axis needs to know whether dim {i} (of size {d}) is 1",
                    hint="name the axis: squeeze(axis=...)",
                )
                raise size_needed(m.dimension(x, i), error)
        axes = tuple(i for i, d in enumerate(x.type.shape) if d.constant == 1)
    if not axes:
        return m.alias_of(x) if x.is_array else a
    return viewed(
        m,
        x,
        lambda base: m.op("squeeze", base, axes=axes),
        lambda _, contents: m.op("expand_dims", contents, axes=axes),
        ContiguousView,
    )


def at_least(m: Machine, arrays: Sequence[Value], place: object) -> Value:
    """`np.atleast_1d` and relatives; `place(rank)` gives the axes to insert."""
    results = [expanded(m, x, place(x.rank)) for x in (array(m, a) for a in arrays)]  # type: ignore[operator]
    return one_or_tuple(results)


numpy_function(np.atleast_1d)(lambda m, *arys: at_least(m, arys, lambda rank: () if rank else (0,)))
numpy_function(np.atleast_2d)(lambda m, *arys: at_least(m, arys, lambda rank: tuple(range(2 - rank))))


@numpy_function(np.atleast_3d)
def atleast_3d(m: Machine, *arys: Value) -> Value:
    """`np.atleast_3d`: a vector becomes the middle axis."""
    return at_least(m, arys, lambda rank: {0: (0, 1, 2), 1: (0, 2), 2: (2,)}.get(rank, ()))


# ---------------------------------------------------------------- broadcasting and windows


@numpy_function(np.broadcast_to)
def broadcast_to(m: Machine, array: Value, shape: Value, subok: Value = NONE) -> Value:
    """`np.broadcast_to`: a view that cannot be written."""
    x = as_array(m, array)
    sizes = [counted(m, size, "all elements of broadcast shape must be non-negative") for size in shape_of(m, shape)]
    return read_only(m, x, lambda base: m.op("broadcast_to", base, *sizes))


@numpy_function(np.broadcast_arrays)
def broadcast_arrays(m: Machine, *args: Value, subok: Value = NONE) -> Value:
    arrays = [as_array(m, a) for a in args]
    sizes = broadcast_sizes(m, [sizes_of(m, x) for x in arrays])
    return Tuple(tuple(stretched(m, x, sizes) for x in arrays))


def stretched(m: Machine, x: Tensor, sizes: Sequence[Value]) -> Tensor:
    """An array itself if it has the shape, or a view that cannot be written."""
    own = sizes_of(m, x)
    if len(own) == len(sizes) and all(equal_sizes(m, a, b) for a, b in zip(own, sizes, strict=True)):
        return x
    return viewed(m, x, lambda base: m.op("broadcast_to", base, *sizes), None)


@lowers(np.broadcast_shapes)
def broadcast_shapes(m: Machine, *args: Value) -> Value:
    shapes = [[counted(m, size) for size in shape_of(m, a)] for a in args]
    return Tuple(tuple(broadcast_sizes(m, shapes)))


@numpy_function(np.lib.stride_tricks.sliding_window_view, name="np.lib.stride_tricks.sliding_window_view")
@takes("x, window_shape, axis=None, *, subok=False, writeable=False")
def sliding_window_view(m: Machine, x: Value, window_shape: Value, axis: Value, writeable: Value) -> Value:
    """`sliding_window_view`: each window as the last axes of the result, a view that cannot be written."""
    if not is_false(writeable):
        refuse_given(m, "sliding_window_view", writeable=writeable)
    base = array(m, x)
    sizes = shape_of(m, window_shape)
    for size in sizes:
        negative = arithmetic.compare(m, "<", size, ZERO)
        check(m, negative, ValueError, "`window_shape` cannot contain negative values")
    if not is_given(axis):
        axes: tuple[int, ...] = tuple(range(base.rank))
        text = "Since axis is None, must provide window_shape for all dimensions of `x`; "
        text += f"got {len(sizes)} window_shape elements and `x.ndim` is {base.rank}."
    else:
        axes = listed_axes(m, axis, base.rank, repeats=True)
        text = "Must provide matching length window_shape and axis; "
        text += f"got {len(sizes)} window_shape elements and {len(axes)} axes elements."
    if len(sizes) != len(axes):
        raise value_error(m, text)
    counts, present = [], dict(enumerate(sizes_of(m, base)))
    for i, size in zip(axes, sizes, strict=True):
        left = size_op(m, "-", present[i], size)
        short = arithmetic.compare(m, "<", left, ZERO)
        check(m, short, ValueError, "window shape cannot be larger than input array shape")
        present[i] = counted(m, size_op(m, "+", left, ONE))
        counts.append(present[i])
    return read_only(m, base, lambda contents: windows(m, contents, axes, sizes, counts))


def windows(m: Machine, x: Tensor, axes: Sequence[int], sizes: Sequence[Value], counts: Sequence[Value]) -> Tensor:
    """The windows, gathered one axis after the other; the window's own axes go to the end."""
    rank = x.rank
    for i, size, count in zip(axes, sizes, counts, strict=True):
        starts = m.op("expand_dims", m.op("iota", m.cast(count, INT64)), axes=(1,))
        offsets = m.op("expand_dims", m.op("iota", m.cast(size, INT64)), axes=(0,))
        x = m.op("take", x, m.op("add", starts, offsets), axis=i)
        x = m.op("transpose", x, perm=(*(k for k in range(x.rank) if k != i + 1), i + 1))
    assert x.rank == rank + len(axes)
    return x
