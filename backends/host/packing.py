"""How the values of one exchange travel: small ones side by side in two vectors, others apart.

    sent: i int64, x float32[2], image uint8[h,w]     ->      ints [3, i, env], floats [x0, x1], image

One operator then does for all small values, whatever their types: whole numbers and booleans are exact as int64,
floats as float64.  The vector of ints begins with the number of the step and ends with the numbers of its objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Place:
    """Where a value travels: in a vector, from `start` on, or apart as the `start`-th."""

    vector: str
    start: int
    size: int


class Packing:
    """Where values of these types travel; `first` ints come before theirs.

    Attributes
    ----------
    places : list of Place
        One for each value.
    lengths : dict of str to int
        How many elements or values there are in "ints", in "floats" and "apart".
    """

    def __init__(self, types: Sequence[Any], first: int = 0):
        self.types = types
        self.places: list[Place] = []
        self.lengths = {"ints": first, "floats": 0, "apart": 0}
        for type_ in types:
            vector, size = travels(type_)
            self.places.append(Place(vector, self.lengths[vector], size))
            self.lengths[vector] += size

    def packed(self, values: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Ints, floats, and what travels apart."""
        found: dict[str, list[Any]] = {"ints": [], "floats": [], "apart": []}
        for value, type_, place in zip(values, self.types, self.places, strict=True):
            if type(value) in (float, int, bool) and not type_.shape:
                found[place.vector].append(value)
            elif place.vector == "apart":
                found["apart"].append(np.asarray(value, type_.dtype))
            else:
                found[place.vector] += np.asarray(value, type_.dtype).ravel().tolist()
        return found["ints"], found["floats"], found["apart"]

    def unpacked(self, ints: Any, floats: Any, apart: Sequence[Any]) -> list[Any]:
        """The values; the host may keep arrays, but not write to them."""
        vectors, values = {"ints": ints, "floats": floats}, []
        for type_, place in zip(self.types, self.places, strict=True):
            if not type_.shape and place.vector != "apart":
                values.append(np.array(vectors[place.vector][place.start], type_.dtype))
                continue
            if place.vector == "apart":
                value = apart[place.start]
            else:
                part = vectors[place.vector][place.start : place.start + place.size].astype(type_.dtype)
                value = part.reshape([size.constant for size in type_.shape])
            value.flags.writeable = False
            values.append(value)
        return values


def travels(type_: Any) -> tuple[str, int]:
    """The vector in which values of a type travel, and how many elements they have in it."""
    sizes = [size.constant for size in type_.shape]
    if type_.dtype.name == "uint64" or None in sizes or prod(sizes) > 64:
        return "apart", 1
    return "floats" if type_.dtype.kind == "f" else "ints", prod(sizes)
