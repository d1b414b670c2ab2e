"""`max` and `min` of known elements by a key that is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check


@dataclass
class Part:
    size: float
    number: int


def nearest(a: float, b: float, c: float) -> Any:
    return max([a, b, c], key=lambda q: -abs(q))


def objects(a: float, b: float, c: float) -> Any:
    return min(Part(a, 1), Part(b, 2), Part(c, 3), key=lambda q: q.size)


def first_of_equals(a: float, b: float, c: float) -> Any:
    return max([(a, 1), (b, 2), (c, 3)], key=lambda q: q[0] < 1)


def by_several(a: float, b: float, c: float) -> Any:
    return min([a, b, c], key=lambda q: (q > 1, q))


def arrays(a: float, b: float, c: float) -> Any:
    return min([np.array([a, b]), np.array([b, c])], key=lambda v: v.sum())


def of_several_classes(a: float, b: float, c: float) -> Any:
    return max([a, 1, b], key=lambda q: q * q)


def names(a: float, b: float, c: float) -> Any:
    given = {"x": a, "y": b}
    return max(given, key=lambda k: given[k]), max(given.items(), key=lambda pair: pair[1])


@pytest.mark.parametrize("function", [nearest, objects, first_of_equals, by_several, arrays, of_several_classes, names])
def test_computed_keys(function: Any) -> None:
    check(function, (1.0, 2.0, 3.0), (3.0, -1.0, 0.5), (0.5, 0.5, -0.5))
