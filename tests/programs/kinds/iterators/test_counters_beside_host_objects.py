"""The counters of `enumerate`, `range` and `count` are ints, whatever is gone through beside them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
x = np.arange(4.0) + 1


class Motor:
    def __init__(self, power: int):
        self.power = power
        self.users: set[str] = set()  # what no graph has: it stays on the host


@dataclass
class Wheel:
    power: float


def enumerated(x: Any, parts: Any) -> Any:
    x = x.copy()
    for i, _ in enumerate(parts):
        x[i] = x[i] * 2
    return x


def from_one(x: Any, parts: Any) -> Any:
    x = x.copy()
    for i, _ in enumerate(parts, 1):
        x[i - 1] = x[i - 1] * i
    return x


def beside_a_range(x: Any, parts: Any) -> Any:
    total = 0.0
    for i, _ in zip(range(len(x)), parts):  # noqa: B905 - of different lengths
        total += x[i] * i
    return total


def beside_a_count(x: Any, parts: Any) -> Any:
    total = 0.0
    for i, _ in zip(count(), parts):
        total += x[i] * i
    return total


def in_others(x: Any, parts: Any) -> Any:
    total = 0.0
    for k, (i, _) in enumerate(enumerate(parts)):
        total += x[k] * i
    return total, [x[i] for i, _ in enumerate(parts)]


@pytest.mark.parametrize("fn", [enumerated, from_one, beside_a_range, beside_a_count, in_others])
@pytest.mark.parametrize("parts", [(Wheel(1.0), Motor(2)), [Wheel(1.0), Motor(2)], (Motor(1), Motor(2), Motor(3))])
def test_like_python(fn: Any, parts: Any) -> None:
    found, expected = graph_program(fn)(x, parts), fn(x, parts)
    assert repr(found) == repr(expected)
