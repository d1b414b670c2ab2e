"""How arrays lie in memory, as far as a program can depend on it: where `reshape` of one is a view of it."""

from __future__ import annotations

from typing import Any

import numpy as np

C, F, BOTH, STRIDED = "C", "F", "C and F", "strided"
"""Without gaps in C order only, in Fortran order only, in both (one row, say), in neither."""
LAYOUT_TEXTS = {C: "in C order", F: "in Fortran order", BOTH: "in C and Fortran order", STRIDED: "not contiguous"}
REVERSED = {C: F, F: C, BOTH: BOTH, STRIDED: STRIDED}
"""The layouts with the axes in reverse order."""


def layout_of(array: np.ndarray[Any, Any]) -> str:
    """The layout of an array."""
    flags = array.flags
    if flags.c_contiguous:
        return BOTH if flags.f_contiguous and array.ndim > 1 else C
    return F if flags.f_contiguous else STRIDED


def misfit_expression(variable: str, layout: str, rank: int) -> str:
    """The Python expression that is true where the array in a variable, of this rank, has another layout."""
    c, f = f"{variable}.flags.c_contiguous", f"{variable}.flags.f_contiguous"
    if rank < 2:
        return c if layout == STRIDED else f"not {c}"
    tests = {C: f"not {c} or {f}", F: f"{c} or not {f}", BOTH: f"not {c} or not {f}", STRIDED: f"{c} or {f}"}
    return tests[layout]
