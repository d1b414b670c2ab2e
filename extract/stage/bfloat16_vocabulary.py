"""Which of NumPy's functions are known to give for bfloat16 what they give in NumPy; others are refused.

NumPy does not count bfloat16 among the floats, and its functions make of that what they happen to: some compute in
float64, some raise, a few go wrong.  So each is tried against NumPy before it is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract.stage.complex_vocabulary import HOME, LIBRARY, dtypes_in
from graph_program.extract.stage.values import Static, Value
from graph_program.extract.types.bfloat16 import is_bfloat16, is_bfloat16_class

if TYPE_CHECKING:
    from graph_program.extract.stage.machine import Machine

MODULES = frozenset(
    [
        "attributes",
        "broadcasting",
        "creation",
        "filling",
        "grids",
        "index_tricks",
        "joining",
        "linear_algebra",
        "masks",
        "movement",
        "padding",
        "ranges",
        "reductions",
        "repeating",
        "splitting",
        "ufuncs",
        "windows",
        "writing",
    ]
)
"""Modules all of whose functions are right, but for those in `REFUSED`."""
PROGRAMS = f"{LIBRARY}linalg"
"""Computed in float64, as in NumPy."""
REFUSED = frozenset(["logspace", "np.frexp", "np.nextafter", "np.spacing"])
FUNCTIONS = frozenset(
    [
        "allclose",
        "amax",
        "amin",
        "angle",
        "apply_along_axis",
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "array_equal",
        "array_equiv",
        "average",
        "choose",
        "clip",
        "convolve",
        "corrcoef",
        "correlate",
        "cov",
        "cross",
        "delete",
        "diff",
        "digitize",
        "dot",
        "ediff1d",
        "fix",
        "imag",
        "inner",
        "insert",
        "interp",
        "intersect1d",
        "isclose",
        "iscomplex",
        "iscomplexobj",
        "isin",
        "isneginf",
        "isposinf",
        "isreal",
        "isrealobj",
        "kron",
        "matmul",
        "max",
        "median",
        "min",
        "nan_to_num",
        "nancumsum",
        "nanmean",
        "nanprod",
        "nanstd",
        "nansum",
        "nanvar",
        "norm",
        "outer",
        "partition",
        "piecewise",
        "ptp",
        "real",
        "result_type",
        "round",
        "searchsorted",
        "select",
        "setdiff1d",
        "setxor1d",
        "sort",
        "take",
        "take_along_axis",
        "tensordot",
        "trapezoid",
        "trim_zeros",
        "union1d",
        "unique",
        "vdot",
        "where",
    ]
)
"""And functions of other modules."""


def require(m: Machine, name: str, run: Callable[..., Any], args: Iterable[Value]) -> None:
    """Refuse a function that is not known to be right, where an argument is bfloat16."""
    module = run.__module__
    known = module.removeprefix(HOME) in MODULES or module.startswith(PROGRAMS) or name in FUNCTIONS
    if (known and name not in REFUSED) or not module.startswith((HOME, LIBRARY)):
        return
    given = list(args)
    if any(not isinstance(v, Static) for v in given) and any(_is_bfloat16(m, v) for v in given):
        from graph_program.extract.stage.bfloat16_operations import refused

        raise refused(m, f"{name}()")


def _is_bfloat16(m: Machine, value: Value) -> bool:
    """Whether an argument has bfloat16 elements, or names the type."""
    if isinstance(value, Static) and isinstance(value.value, type):
        return is_bfloat16_class(value.value)
    if isinstance(value, Static) and isinstance(value.value, np.dtype):
        return is_bfloat16(value.value)
    return any(is_bfloat16(dtype) for dtype in dtypes_in(m, value))


__all__ = ["require"]
