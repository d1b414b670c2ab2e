"""Which of NumPy's functions are known to mean for complex numbers what they do in NumPy; others are refused.

What a function is made of is right for complex numbers or refused, but a function may treat NaN, an order or the
conjugate in a way of its own; so each is tried against NumPy before it is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.elements import Growing
from graph_program.extract.stage.values import Ref, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensor_type import COMPLEX128

if TYPE_CHECKING:
    from graph_program.extract.stage.machine import Machine

HOME = "graph_program.extract.stage.numpy."
LIBRARY = "graph_program.extract.library."
PROGRAMS = (f"{LIBRARY}fourier", f"{LIBRARY}linalg")
MODULES = frozenset(
    [
        "attributes",
        "broadcasting",
        "creation",
        "elementwise",
        "extremes",
        "filling",
        "grids",
        "index_tricks",
        "iterators",
        "joining",
        "linear",
        "linear_algebra",
        "masks",
        "movement",
        "norms",
        "padding",
        "ranges",
        "reductions",
        "repeating",
        "splitting",
        "ufuncs",
        "writing",
    ]
)
"""Modules all of whose functions are right."""
FUNCTIONS = frozenset(
    [
        "apply_along_axis",
        "apply_over_axes",
        "argpartition",
        "argsort",
        "array_equiv",
        "asarray_chkfinite",
        "average",
        "choose",
        "convolve",
        "correlate",
        "cov",
        "cumulative_prod",
        "cumulative_sum",
        "delete",
        "diff",
        "ediff1d",
        "gradient",
        "insert",
        "intersect1d",
        "isin",
        "np.matvec",
        "np.unique_values",
        "np.vecmat",
        "partition",
        "piecewise",
        "polyadd",
        "polymul",
        "polysub",
        "result_type",
        "setdiff1d",
        "setxor1d",
        "sort",
        "sort_complex",
        "take",
        "take_along_axis",
        "trapezoid",
        "trim_zeros",
        "union1d",
        "unique",
        "unique_all",
        "unique_counts",
        "unique_inverse",
    ]
)
"""And functions of other modules."""
INSTEAD = {
    "median": "the order of complex numbers has no meaning for it",
    "interp": "interpolate z.real and z.imag",
    "nansum": "use np.sum(z, where=~np.isnan(z))",
    "nanmean": "use np.mean(z, where=~np.isnan(z))",
}


def require(m: Machine, name: str, run: Callable[..., Any], args: Iterable[Value]) -> None:
    """Refuse a function that is not known to be right, where an argument is complex."""
    module = run.__module__
    ours = module.startswith((HOME, LIBRARY)) and not module.startswith(PROGRAMS)
    if not ours or module.removeprefix(HOME) in MODULES or name in FUNCTIONS:
        return
    given = list(args)
    if any(not isinstance(v, Static) for v in given) and any(_is_complex(m, v) for v in given):
        raise m.error(
            "GP565",
            f"{name}() of complex numbers has no graph form",
            cls=diagnostics.DTypeError,
            hint=INSTEAD.get(name, "write it with z.real, z.imag and abs(z)"),
        )


def _is_complex(m: Machine, value: Value) -> bool:
    return any(dtype.kind == "c" for dtype in dtypes_in(m, value))


def dtypes_in(m: Machine, value: Value) -> Iterator[np.dtype[Any]]:
    """The element types of an argument: its own, or those of what a list or tuple holds."""
    match value:
        case Tensor():
            yield value.type.dtype
        case Static(obj) if isinstance(obj, complex):
            yield COMPLEX128
        case Static(obj) if isinstance(obj, np.ndarray | np.generic):
            yield obj.dtype
        case Tuple(elts):
            for v in elts:
                yield from dtypes_in(m, v)
        case Ref() if m.state is not None and isinstance(m.live.heap.get(value), tuple):
            for v in m.live.heap[value]:
                yield from dtypes_in(m, v)
        case Ref() if m.state is not None and isinstance(m.live.heap.get(value), Growing):
            from graph_program.extract.stage.layouts import leaves

            yield from (leaf.type.dtype for leaf in leaves(m.live.heap[value].layout))


__all__ = ["HOME", "LIBRARY", "dtypes_in", "require"]
