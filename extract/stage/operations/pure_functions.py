"""Functions without effects, evaluated at extraction."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.known_and_truth import static
from graph_program.extract.stage.values.values import Static, Value

PURE_FUNCTIONS: set[Any] = {
    np.finfo,
    np.iinfo,
    np.result_type,
    np.promote_types,
    np.can_cast,
    np.issubdtype,
}
"""Functions without effects, evaluated at extraction when their arguments are static."""


def is_pure(value: Any) -> bool:
    """Whether a builtin may be evaluated at extraction."""
    if value in PURE_FUNCTIONS if _hashable(value) else False:
        return True
    owner = getattr(value, "__self__", None)
    if isinstance(value, types.BuiltinMethodType | types.MethodWrapperType) and isinstance(
        owner, str | bytes | int | float | tuple | frozenset | np.dtype | np.generic
    ):
        return True
    return getattr(value, "__module__", None) in ("math", "operator", "_operator")


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def evaluate_now(m: Machine, function: Any, args: Sequence[Value], keywords: dict[str, Value]) -> Value:
    """A pure function of static arguments; what it raises, the program raises when it gets there."""
    name = getattr(function, "__name__", "this function")
    values = [static(m, a, f"an argument of {name}") for a in args]
    named = {k: static(m, v, f"an argument of {name}") for k, v in keywords.items()}
    try:
        return Static(function(*values, **named))
    except (ArithmeticError, ValueError, LookupError) as error:
        m.raise_(type(error), (str(error),))
    except TypeError as error:
        raise m.error("GP302", str(error)) from None
