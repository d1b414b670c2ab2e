"""`np.bincount`, `np.digitize`, `np.histogram` and `np.unravel_index`, which are programs; `np.result_type`."""

from __future__ import annotations

import numpy as np

from graph_program.extract.library import bin_rules, histograms
from graph_program.extract.library.arrays import counting as counting_programs
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    ZERO,
    array,
    dtype_error,
    flag,
    is_given,
    is_sequence,
    numpy_function,
    value_error,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.select.selection import as_positions
from graph_program.extract.stage.operations.known_and_truth import no_elements, settled, static
from graph_program.extract.stage.values.questions import is_known_as
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.tensors.promotion import weak_dtype
from graph_program.extract.types.tensors.tensor_type import FLOAT64, INT64, Kind

TEN, ROWS = Static(10), Static("C")


@numpy_function(np.bincount)
def bincount(m: Machine, x: Value, /, weights: Value = NONE, minlength: Value = ZERO) -> Value:
    """`np.bincount`, one element after the other; of no elements it has ints, whatever the weights."""
    numbers = as_positions(m, array(m, x))
    if numbers.rank != 1:
        text = "object too deep for desired array" if numbers.rank else "object of too small depth for desired array"
        raise value_error(m, text)
    none = True if not is_given(weights) else no_elements(m, numbers, 0)
    if none:
        return entries.run(m, counting_programs.counts, numbers, minlength)
    program = counting_programs.weighted_counts if none is False else counting_programs.weighted_counts_if_any
    return entries.run(m, program, numbers, m.cast(array(m, weights), FLOAT64), minlength)


@numpy_function(np.digitize)
def digitize(m: Machine, x: Value, bins: Value, right: Value = FALSE) -> Value:
    """`np.digitize`: the interval of each value."""
    edges = array(m, bins)
    if edges.rank != 1:
        raise value_error(m, f"object {'too deep' if edges.rank else 'of too small depth'} for desired array")
    side = Static("left" if flag(m, right, "right") else "right")
    return entries.run(m, counting_programs.digitized, array(m, x), edges, side)


@numpy_function(np.unravel_index)
def unravel_index(m: Machine, indices: Value, shape: Value, order: Value = ROWS) -> Value:
    """`np.unravel_index`: the indices of one element, or of several."""
    position = array(m, indices)
    if position.type.dtype.kind not in "iu":
        raise dtype_error(m, "only int indices permitted")
    if not is_sequence(m, shape):
        shape = Tuple((shape,))
    places = m.cast(position, INT64)
    places = places if places.rank else m.reclassed(places, Kind.NUMPY)
    return entries.run(m, counting_programs.unravelled, places, shape, order)


@numpy_function(np.result_type)
def result_type(m: Machine, *arrays_and_dtypes: Value) -> Value:
    """`np.result_type`: known, whatever the elements are."""
    operands = []
    for value in arrays_and_dtypes:
        value = settled(m, value)
        if isinstance(value, Tensor):
            weak = weak_dtype(type_of(value))
            operands.append(weak if isinstance(weak, np.dtype) else weak(0))
        else:
            operands.append(static(m, value, "an argument of np.result_type"))
    return Static(m.by_python(np.result_type, *operands))


@numpy_function(np.histogram)
def histogram(
    m: Machine, a: Value, bins: Value = TEN, range: Value = NONE, density: Value = NONE, weights: Value = NONE
) -> Value:
    values, factors = array(m, a), array(m, weights) if is_given(weights) else NONE
    return entries.run(
        m, histograms.histogram, values, bins_of(m, values, bins, range, factors), range, density, factors
    )


@numpy_function(np.histogram_bin_edges)
def histogram_bin_edges(m: Machine, a: Value, bins: Value = TEN, range: Value = NONE, weights: Value = NONE) -> Value:
    values, factors = array(m, a), array(m, weights) if is_given(weights) else NONE
    return entries.run(
        m, histograms.histogram_bin_edges, values, bins_of(m, values, bins, range, factors), range, factors
    )


def bins_of(m: Machine, values: Tensor, bins: Value, limits: Value, weights: Value) -> Value:
    """A number of bins, which may be that of a rule, or their edges as an array."""
    bins = settled(m, bins)
    if is_known_as(bins, str):
        return entries.run(m, bin_rules.number_of_bins, values, bins, limits, weights)
    is_number = is_numeric(bins) and not type_of(bins).rank
    if not is_given(bins) or (is_number and type_of(bins).dtype.kind not in "iub"):
        raise dtype_error(m, "`bins` must be an integer, a string, or an array")
    return bins if is_number else array(m, bins)
