"""Functions that there are for vectors stand in no choice: compilers make vectors of calls that are made in any case.

    y[i] = x[i] > 0.0 ? log(x[i]) : 0.0;          to          t[i] = log(x[i]);
                                                              ...
                                                              y[i] = x[i] > 0.0 ? t[i] : 0.0;

They are operations on arrays, of which NumPy computes all elements, too.  A variable in the loop does not do: GCC moves
what makes it to where it is read.  Where there are none for vectors, and in what is for others to compile, a call is
made where it is asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graph_program.backends.c import libraries
from graph_program.backends.c.expression import Expr
from graph_program.backends.c.loop_texts import VECTORS

if TYPE_CHECKING:
    from graph_program.backends.c.arrays import Array
    from graph_program.backends.c.function import Function

CALL = re.compile(rf"\b({'|'.join(VECTORS)})\(")
FEW = 16
"""So many elements are no work for vectors."""


def is_for_vectors(fn: Function, array: Array) -> bool:
    """Whether elements that are computed where they are read call such a function."""
    if array.place is not None or not array.work or not fn.interruptible or not libraries.has_vector_functions():
        return False
    if array.size.text.isdigit() and int(array.size.text) <= FEW:
        return False
    with fn.apart():
        element = array.at([Expr(f"at_{axis}") for axis in range(array.rank)])
    return CALL.search(element.text) is not None


__all__ = ["is_for_vectors"]
