"""How far a model of fewer bits is from the one that it was made from: its outputs, and its branches and loops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Deviation:
    """How far an output is from the wider model's, for the example arguments.

    Attributes
    ----------
    name : str
    largest : float
        The largest difference of a number; infinite where one has other sizes, or NaN or infinity at other places.
    scale : float
        The largest number of the output in the wider model.
    """

    name: str
    largest: float
    scale: float

    def __str__(self) -> str:
        if math.isinf(self.largest):
            return "other sizes, or not finite at other places"
        return "the same" if self.largest == 0 else f"{self.largest:.1e}, where the largest number is {self.scale:.3g}"


@dataclass(frozen=True)
class Decision:
    """A branch or loop that goes another way than in the wider model.

    Attributes
    ----------
    place : str
        As in `filter.py:12`.
    text : str
    """

    place: str
    text: str


def deviation(name: str, wide: Any, narrow: Any) -> Deviation:
    """How far two arrays are from each other, or whether two lists, or arrays of other things, are the same."""
    return Deviation(name, *_apart(wide, narrow))


def _apart(wide: Any, narrow: Any) -> tuple[float, float]:
    if isinstance(wide, list) or wide.dtype.kind not in "biuf":
        return (0.0, 0.0) if np.array_equal(wide, narrow) else (math.inf, 0.0)
    a, b = np.asarray(wide, np.float64), np.asarray(narrow, np.float64)
    finite = np.isfinite(a)
    scale = float(np.abs(a[finite]).max(initial=0.0))
    if a.shape != b.shape or not np.array_equal(finite, np.isfinite(b)):
        return math.inf, scale
    return float(np.abs(a[finite] - b[finite]).max(initial=0.0)), scale


__all__ = ["Decision", "Deviation", "deviation"]
