"""Numbers made of arrays of rank 0 cross to the host as numbers, also where the element type stays the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, host_function
from tests.programs.plain import outcome


@host_function
def show(*values: Any) -> None:
    print(*[(type(value).__name__, value) for value in values])


@dataclass
class Gain:
    level: Any


def arguments(i):
    show(int(i))
    show(i.item(), i)
    show(i.tolist(), [i.item()], {"i": float(i)})
    show(i, int(i), bool(i))
    return i


def computed(i):
    t = i + i
    show(t, t.item())
    show([t.item()], float(t), t)
    return t, t.item()


def in_rounds(i, x, n):
    t, s = i * 2, x.sum()
    for k in range(n):
        show(t, int(t))
        show(s, float(s))
        show(float(s), s, t, i, int(i), k)
        x = x + 1
    return x


def fields(g):
    show(float(g.level), g.level)
    g.level = g.level + 1.0
    show(float(g.level), g.level)
    return g


def keys(i):
    seen = {}
    seen[int(i)] = 1
    seen[float(i)] = 2
    chosen = {int(i), 3}
    return seen, len(chosen), int(i) in chosen


SCALARS = [(np.array(1),), (np.array(2.0),), (np.array(True),), (np.array(3, np.float32),), (np.float64(4),)]
ROUNDS = [(np.array(1), np.ones(2), 3), (np.array(1.0), np.ones(2), 2), (np.int64(3), np.ones(1), 0)]
CASES = [
    (arguments, SCALARS),
    (computed, SCALARS[:2] + SCALARS[3:]),
    (in_rounds, ROUNDS),
    (fields, [(Gain(np.array(1.0)),), (Gain(np.float64(2)),)]),
    (keys, SCALARS),
]


@pytest.mark.parametrize(("function", "inputs"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_classes_on_the_host(function, inputs, capsys):
    program = graph_program(function, copies="ignore")
    for args in inputs:
        expected, shown = outcome(function, args), capsys.readouterr()
        assert repr(outcome(program, args)) == repr(expected)
        assert capsys.readouterr() == shown
