"""Arithmetic on arrays of the program that the host does, as the type of an operand is not known.

    obs, _ = env.reset()
    return np.argmax(obs @ W)       # W is a captured array: nothing is left for the graph

Nobody has asked for that, and it may have been all that the program is about; so it is told as a copy is.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from graph_program.extract.diagnostics import Loc, source_text
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.results import CapturedResult, Result
from graph_program.extract.records import dataclass

OPERATORS = frozenset({"binary", "compare", "in_place", "unary"})


@dataclass(frozen=True)
class Moved:
    """One operation on an array that is done on the host."""

    loc: Loc
    text: str
    to: str = "host"
    explicit: bool = False

    @property
    def message(self) -> str:
        """What a warning says."""
        return (
            f"{self.text} is computed on the host, as the type of an operand from there is not known: annotate the "
            "variable, write to_device(..., type) for the operand, or to_host(...) for the array where that is meant"
        )


def moved(steps: Iterable[HostStep]) -> tuple[Moved, ...]:
    """The operations on captured arrays among the steps of a program, in its order."""
    found: dict[Loc, Moved] = {}
    for step in steps:
        if any(map(_is_array, step.args)) and (step.kind in OPERATORS or _is_numpy(step)):
            place = step.loc.in_program
            found.setdefault(place, Moved(place, f"`{source_text(place) or step.text}`"))
    return tuple(found.values())


def _is_array(result: Result) -> bool:
    return isinstance(result, CapturedResult) and isinstance(result.value, np.ndarray) and result.value.ndim > 0


def _is_numpy(step: HostStep) -> bool:
    """Whether a step calls a function of NumPy that computes with arrays."""
    first = step.args[0]
    if step.kind != "call" or not isinstance(first, CapturedResult):
        return False
    module = getattr(first.value, "__module__", None) or ""
    return isinstance(first.value, np.ufunc) or module in ("numpy", "numpy.linalg", "numpy.fft")


__all__ = ["Moved", "moved"]
