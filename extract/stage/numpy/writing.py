"""NumPy functions that write to their first argument: `np.copyto`, `put`, `place`, `putmask`, `fill_diagonal`, ..."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arrays import counting
from graph_program.extract.library.arrays import writing as programs
from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.arrays.array_writes import contents_for
from graph_program.extract.stage.arrays.indices.index_writes import filled
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    TRUE,
    array,
    as_bool,
    axis_of,
    dtype_error,
    flat,
    require_cast,
    require_clip_mode,
    value_error,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.outputs import target_of
from graph_program.extract.stage.numpy.select.selection import along_axes
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value, type_of
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType

SAME_KIND, RAISE = Static("same_kind"), Static("raise")


@lowers(np.copyto, name="np.copyto")
def copyto(m: Machine, dst: Value, src: Value, casting: Value = SAME_KIND, where: Value = TRUE) -> Value:
    """`np.copyto`: the elements of one array, where a condition holds."""
    target = target_of(m, dst, "copyto() argument 1 must be numpy.ndarray")
    alias.require_writable(m, target)
    value, rule = numeric(m, src), static(m, casting, "the casting rule")
    require_copyable(m, type_of(value), target.type.dtype, rule)
    new = filled(m, target, m.reclassed(arithmetic.convert(m, value, target.type.dtype), Kind.ARRAY))
    if where is not TRUE:
        new = m.op("where", filled(m, target, m.reclassed(as_bool(m, where), Kind.ARRAY)), new, target)
    alias.write(m, target, new)
    return NONE


def require_copyable(m: Machine, source: TensorType, dtype: np.dtype[Any], rule: str) -> None:
    """Refuse what `np.copyto` does not copy by a casting rule; Python's numbers go into wider kinds by any but one."""
    whole = source.dtype.kind == "i" and dtype.kind in "iuf"
    if source.kind is Kind.PYTHON and (whole or source.dtype.kind == dtype.kind == "f"):
        if rule == "equiv":
            name = source.python_class.__name__
            raise dtype_error(m, f"cannot cast Python {name} to {dtype.name} under the casting rule 'equiv'")
    else:
        require_cast(m, source.dtype, dtype, rule, "array data" if source.rank else "scalar")


def values_for(m: Machine, target: Tensor, value: Value, safe: bool) -> Tensor:
    """Values that go into an array, as a vector of its element type; arrays may have to fit it safely."""
    given = settled(m, value)
    arrays = is_array_of_graph(given)
    dtype = target.type.dtype
    if not arrays:
        return flat(m, array(m, contents_for(m, given, dtype, wraps=True)))
    found = tensor(m, given)
    if safe:
        require_cast(m, found.type.dtype, dtype, what="array data" if found.rank else "scalar")
    return flat(m, m.cast(found, dtype))


@lowers(np.put, name="np.put")
def put(m: Machine, a: Value, ind: Value, v: Value, mode: Value = RAISE) -> Value:
    """`np.put`: elements by their flat positions."""
    target = target_of(m, a, "argument 1 must be numpy.ndarray")
    alias.require_writable(m, target, "put: output array is read-only")
    require_clip_mode(m, mode, "np.put")
    positions = array(m, ind)
    if [d.constant for d in positions.type.shape] != [0]:
        require_cast(m, positions.type.dtype, INT64)
    return entries.run(
        m, programs.put, target, flat(m, m.cast(positions, INT64)), values_for(m, target, v, False), mode
    )


lowers(method="put")(lambda m, self, indices, values, mode=RAISE: put(m, self, indices, values, mode))


@lowers(np.place, name="np.place")
def place(m: Machine, arr: Value, mask: Value, vals: Value) -> Value:
    """`np.place`: the first values, where a mask holds."""
    target = target_of(m, arr, "place() argument 1 must be numpy.ndarray")
    alias.require_writable(m, target, "WRITEBACKIFCOPY base is read-only")
    chosen = flat(m, m.reclassed(as_bool(m, mask), Kind.ARRAY))
    return entries.run(m, programs.place, target, chosen, values_for(m, target, vals, True))


@lowers(np.putmask, name="np.putmask")
def putmask(m: Machine, a: Value, mask: Value, values: Value) -> Value:
    """`np.putmask`: the values of the same places, where a mask holds."""
    target = target_of(m, a, "putmask: first argument must be an array")
    alias.require_writable(m, target, "putmask: output array is read-only")
    chosen = flat(m, m.reclassed(as_bool(m, mask), Kind.ARRAY))
    return entries.run(m, programs.putmask, target, chosen, values_for(m, target, values, True))


@lowers(np.put_along_axis, name="np.put_along_axis")
def put_along_axis(m: Machine, arr: Value, indices: Value, values: Value, axis: Value) -> Value:
    """`np.put_along_axis`: one position per element along an axis."""
    target = target_of(m, arr, "put_along_axis() argument 1 must be numpy.ndarray")
    positions, new = array(m, indices), contents_for(m, values, target.type.dtype, wraps=True)
    flattened = static(m, axis, "an axis") is None
    i = 0 if flattened else axis_of(m, axis, target.rank)
    if flattened and positions.rank != 1:
        raise value_error(m, "when axis=None, `indices` must have a single dimension.")
    if positions.type.dtype.kind not in "iu":
        m.raise_(IndexError, ("`indices` must be an integer array",))
    alias.require_writable(m, target)
    if flattened:
        return entries.run(m, programs.put_flat, target, positions, new)
    if positions.rank != target.rank:
        raise value_error(m, "`indices` and `arr` must have the same number of dimensions")
    return entries.run(m, programs.put_along, target, Tuple(tuple(along_axes(m, target, positions, i))), new)


@lowers(np.fill_diagonal)
def fill_diagonal(m: Machine, a: Value, val: Value, wrap: Value = FALSE) -> Value:
    """`np.fill_diagonal`: writes to the array."""
    x = tensor(m, settled(m, a))
    if x.rank < 2:
        raise value_error(m, "array must be at least 2-d")
    alias.require_writable(m, x, "underlying array is read-only")
    return entries.run(m, counting.write_diagonal, x, array(m, contents_for(m, val, x.type.dtype, wraps=True)), wrap)
