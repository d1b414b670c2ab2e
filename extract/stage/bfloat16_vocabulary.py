"""Which of NumPy's functions are known to give for bfloat16 what they give in NumPy; others are refused.

NumPy does not count bfloat16 among the floats, and its functions make of that what they happen to: some compute in
float64, some raise, a few go wrong.  So each is tried against NumPy before it is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from graph_program.extract.stage.complex_vocabulary import HOME, LIBRARY, dtypes_in
from graph_program.extract.stage.values import Static, Value
from graph_program.extract.types.bfloat16 import is_bfloat16

if TYPE_CHECKING:
    from graph_program.extract.stage.machine import Machine

MODULES = frozenset(
    [
        "attributes",
        "broadcasting",
        "creation",
        "filling",
        "index_tricks",
        "joining",
        "masks",
        "movement",
        "reductions",
        "repeating",
        "splitting",
        "ufuncs",
        "writing",
    ]
)
"""Modules all of whose functions are right, but for those in `REFUSED`."""
REFUSED = frozenset(["np.nextafter", "np.spacing", "np.frexp"])
FUNCTIONS = frozenset(
    [
        "amax",
        "amin",
        "argmax",
        "argmin",
        "array_equal",
        "clip",
        "diff",
        "dot",
        "inner",
        "isneginf",
        "isposinf",
        "matmul",
        "max",
        "min",
        "outer",
        "real",
        "select",
        "take",
        "take_along_axis",
        "tensordot",
        "vdot",
        "where",
    ]
)
"""And functions of other modules."""


def require(m: Machine, name: str, run: Callable[..., Any], args: Iterable[Value]) -> None:
    """Refuse a function that is not known to be right, where an argument is bfloat16."""
    module = run.__module__
    known = name not in REFUSED and (module.removeprefix(HOME) in MODULES or name in FUNCTIONS)
    if known or not module.startswith((HOME, LIBRARY)):
        return
    given = list(args)
    if any(not isinstance(v, Static) for v in given) and any(is_bfloat16(d) for v in given for d in dtypes_in(m, v)):
        from graph_program.extract.stage.bfloat16_operations import refused

        raise refused(m, f"{name}()")


__all__ = ["require"]
