"""`np.bincount`, `np.digitize`, `np.histogram` and `np.unravel_index`, which are programs; `np.result_type`."""

from __future__ import annotations

import numpy as np

from graph_program.extract.library.arrays import counting as counting_programs
from graph_program.extract.stage.arrays.lowering_arguments import (
    ZERO,
    array,
    is_given,
    numpy_function,
    value_error,
)
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numpy.select.selection import as_positions
from graph_program.extract.stage.operations.known_and_truth import no_elements, settled, static
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Value, type_of
from graph_program.extract.types.tensors.promotion import weak_dtype
from graph_program.extract.types.tensors.tensor_type import FLOAT64

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
