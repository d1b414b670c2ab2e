"""Diagonals that are written, and windows that slide: `np.fill_diagonal`, `sliding_window_view`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graph_program.extract.library.arrays import counting as counting_programs
from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.arrays.array_writes import contents_for
from graph_program.extract.stage.arrays.layout import read_only
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    ONE,
    ZERO,
    array,
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
from graph_program.extract.stage.arrays.size_checks import counted
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import settled, tensor
from graph_program.extract.stage.paths.size_messages import check
from graph_program.extract.stage.values.questions import is_false
from graph_program.extract.stage.values.values import Tensor, Value
from graph_program.extract.types.tensors.tensor_type import INT64


@lowers(np.fill_diagonal)
def fill_diagonal(m: Machine, a: Value, val: Value, wrap: Value = FALSE) -> Value:
    """`np.fill_diagonal`: writes to the array."""
    x = tensor(m, settled(m, a))
    if x.rank < 2:
        raise value_error(m, "array must be at least 2-d")
    alias.require_writable(m, x, "underlying array is read-only")
    return entries.run(
        m, counting_programs.write_diagonal, x, array(m, contents_for(m, val, x.type.dtype, wraps=True)), wrap
    )


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
