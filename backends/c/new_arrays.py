"""Results whose sizes only a call knows are made in arrays of NumPy's from the beginning, where Python calls.

    double *y = gp_take(&memory, ...);               double *y = gp_new_array(..., result + 1);
    for (i ...) y[i] = ...                           for (i ...) y[i] = ...
    double *y_given = malloc(...);            to     result[0] = result[1];
    memcpy(y_given, y, ...);                         result[1] = NULL;
    *result = y_given;

A result has two slots, as what is made for it may be exchanged with another array on the way: the first one is what is
given, the second one what was made beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graph_program.backends.c.arrays import Array, Place
from graph_program.backends.c.c_types import kept_type
from graph_program.backends.c.expression import Expr

if TYPE_CHECKING:
    import numpy as np

    from graph_program.backends.c.function import Function
    from graph_program.extract.ir.graph import Value

SLOTS = 2
TEXT = """
/* A new array in a slot, and its elements; NULL where there is no memory. */
static void *gp_new_array(gp_object *dtype, int rank, const int64_t *sizes, gp_object **slot) {
    const int thread = gp_py.enter();
    gp_array *array = gp_output(dtype, rank, sizes, slot);
    if (!array) gp_py.clear();
    void *data = array ? array->data : NULL;
    gp_py.exit(thread);
    return data;
}
"""


def new_array(fn: Function, dtype: np.dtype[Any], shape: Sequence[Expr], name: str, slot: str) -> Place:
    """Memory for an array that a slot gets."""
    variable, c_type = fn.fresh(name), kept_type(dtype)
    sizes = ", ".join(size.text for size in shape)
    fn.line(f"{c_type} *{variable} = gp_new_array({fn.dtype(dtype)}, {len(shape)}, (int64_t[]){{{sizes}}}, {slot});")
    fn.line(f"if (!{variable}) goto no_memory;")
    return Place(variable, frozenset([variable]))


def is_made_beforehand(fn: Function, value: Value) -> bool:
    """Whether what a result becomes of is made in its memory: once, on all paths."""
    return value in fn.new_arrays and fn.new_arrays[value] not in fn.begun and len(fn.graphs) == 1 and not fn.branches


def made_beforehand(fn: Function, dtype: np.dtype[Any], shape: Sequence[Expr], name: str, value: Value) -> Place:
    """That memory."""
    parameter = fn.new_arrays[value]
    place = new_array(fn, dtype, shape, name, f"{parameter} + 1")
    fn.begun[parameter] = place.name, _texts(shape)
    return place


def give(fn: Function, parameter: str, name: str, array: Array) -> None:
    """Put a result into its first slot."""
    if array.place is not None and fn.begun.get(parameter) == (array.place.name, _texts(array.shape)):
        fn.line(f"{parameter}[0] = {parameter}[1];")
        fn.line(f"{parameter}[1] = NULL;")
    else:
        fn.fill(new_array(fn, array.dtype, array.shape, name, parameter), array)


def _texts(shape: Sequence[Expr]) -> tuple[str, ...]:
    return tuple(size.text for size in shape)


__all__ = ["SLOTS", "TEXT", "give", "is_made_beforehand", "made_beforehand"]
