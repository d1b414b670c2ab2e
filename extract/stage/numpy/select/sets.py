"""`np.unique`, `np.isin` and sets of elements, by the programs of `extract/library/arrays/sets`."""

from __future__ import annotations

import numpy as np

from graph_program.extract.library.arrays import sets as set_programs
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    array,
    axis_of,
    flag,
    flat,
    in_common_type,
    is_given,
    numpy_function,
    result_dtype,
    sequence,
    sizes_of,
    takes,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.operations.known_and_truth import numeric, static, tensor
from graph_program.extract.stage.values.values import Static, Tensor, Tuple, Value

TRUE = Static(True)
SHAPED_INVERSE = np.unique(np.zeros((1, 1)), return_inverse=True)[1].ndim == 2
SHAPED_INVERSE_ALONG = np.unique(np.zeros((1, 1)), return_inverse=True, axis=0)[1].ndim == 2
"""Whether the numbers of elements, or of parts along an axis, have as many axes as the array (by NumPy's version)."""


@numpy_function(np.unique)
@takes("ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True")
def unique(
    m: Machine,
    ar: Value,
    return_index: Value,
    return_inverse: Value,
    return_counts: Value,
    axis: Value,
    equal_nan: Value,
    sorted: Value,
) -> Value:
    """`np.unique` of the elements; without a promise of order the result is in order too."""
    x = array(m, ar)
    along = axis_of(m, axis, x.rank) if static(m, axis, "the axis") is not None else None
    flag(m, sorted, "sorted")
    nans = Static(flag(m, equal_nan, "equal_nan") and x.type.dtype.kind in "fc")
    wanted = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    parts = [Static(flag(m, v, name)) for name, v in wanted.items()]
    if along is not None and x.rank != 1:
        found = entries.run(m, set_programs.unique_along, x, Static(along), *parts, Static(SHAPED_INVERSE_ALONG))
        items = sequence(m, found, "the parts")
        return found if len(items) > 1 else items[0]
    if not any(p.value for p in parts):
        return entries.run(m, set_programs.unique, flat(m, x), nans)
    shape = Tuple(tuple(sizes_of(m, x))) if SHAPED_INVERSE else Tuple((Static(-1),))
    return entries.run(m, set_programs.unique_parts, flat(m, x), nans, *parts, shape)


@lowers(np.unique_values, name="np.unique_values")
def unique_values(m: Machine, x: Value) -> Value:
    """`np.unique_values`: here in order, which NumPy does not promise."""
    return unique(m, x, equal_nan=FALSE)


@numpy_function(np.union1d)
def union1d(m: Machine, ar1: Value, ar2: Value) -> Value:
    """`np.union1d`: the elements of both."""
    dtype = result_dtype(m, numeric(m, ar1), numeric(m, ar2))
    parts = [flat(m, m.cast(array(m, x), dtype)) for x in (ar1, ar2)]
    return unique(m, m.op("concatenate", *parts, axis=0))


@numpy_function(np.intersect1d)
def intersect1d(
    m: Machine, ar1: Value, ar2: Value, assume_unique: Value = FALSE, return_indices: Value = FALSE
) -> Value:
    """`np.intersect1d`: the elements that are in both."""
    if flag(m, return_indices, "return_indices"):
        unlike = Static(flag(m, assume_unique, "assume_unique"))
        return entries.run(
            m, set_programs.intersection_with_places, *(flat(m, x) for x in in_common_type(m, ar1, ar2)), unlike
        )
    return entries.run(m, set_programs.intersection, *_sets(m, ar1, ar2, assume_unique))


@numpy_function(np.setxor1d)
def setxor1d(m: Machine, ar1: Value, ar2: Value, assume_unique: Value = FALSE) -> Value:
    """`np.setxor1d`: the elements that are in one of both."""
    return entries.run(m, set_programs.symmetric_difference, *_sets(m, ar1, ar2, assume_unique))


@numpy_function(np.setdiff1d)
def setdiff1d(m: Machine, ar1: Value, ar2: Value, assume_unique: Value = FALSE) -> Value:
    """`np.setdiff1d`: the elements of the first that are not in the second."""
    x = array(m, ar1)
    first = flat(m, x) if flag(m, assume_unique, "assume_unique") else tensor(m, unique(m, x))
    found = m.op("nonzero", m.op("invert", _contained(m, first, array(m, ar2))))
    return m.op("take", first, m.op("squeeze", found, axes=(0,)), axis=0)


@numpy_function(np.isin)
@takes("element, test_elements, assume_unique=False, invert=False, *, kind=None")
def isin(m: Machine, element: Value, test_elements: Value, assume_unique: Value, invert: Value, kind: Value) -> Value:
    """`np.isin`: each element against all of the second array."""
    flag(m, assume_unique, "assume_unique")
    if is_given(kind):
        static(m, kind, "the kind")
    found = _contained(m, array(m, element), array(m, test_elements))
    return m.op("invert", found) if flag(m, invert, "invert") else found


def _contained(m: Machine, x: Tensor, others: Tensor) -> Tensor:
    dtype = result_dtype(m, x, others)
    points = m.op("expand_dims", m.cast(x, dtype), axes=(x.rank,))
    return m.op("any", m.op("equal", points, flat(m, m.cast(others, dtype))), axes=(x.rank,), keepdims=False)


def _sets(m: Machine, ar1: Value, ar2: Value, assume_unique: Value) -> list[Value]:
    arrays = in_common_type(m, ar1, ar2)
    if flag(m, assume_unique, "assume_unique"):
        return [flat(m, x) for x in arrays]
    return [unique(m, x) for x in arrays]
