"""Host code that says `-> bool` and gives NumPy's: taken where only the truth matters, refused where the class does."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program


class Gate:
    """An ordinary class of the user's, whose objects stay on the host."""

    def __init__(self) -> None:
        self.x = 0.0
        self.seen: set[Any] = set()  # what no graph has

    def passes(self, z: Any) -> bool:
        self.x += float(z)
        return z > 0


def into_an_array(gate, zs):
    ok = np.zeros(len(zs), bool)
    counts = np.zeros(len(zs), np.uint8)
    for i, z in enumerate(zs):
        ok[i] = not np.isnan(z) and gate.passes(z)
        counts[i] = gate.passes(z)
    return ok, counts


def decisions(gate, zs):
    n = 0
    for z in zs:
        if gate.passes(z) and z < 5:
            n += 1
        n += 10 if not gate.passes(-z) else 0
        while gate.passes(z):
            z = z - 1
        passed = gate.passes(z) or gate.passes(z + 2)
        if passed:
            n += 100
    return n, not gate.passes(zs[0])


def as_array(gate, zs):
    return np.array([gate.passes(zs[0]), gate.passes(zs[1])]), np.where(gate.passes(zs[0]), zs, -zs)


def printed_and_kept(gate, zs):
    first = gate.passes(zs[0])
    print(first, [first])
    if first:
        zs = zs + 1
    return zs, first


def computed_with(gate, zs):
    return gate.passes(zs[0]) + int(zs.sum())


def merged(gate, zs):
    found = False
    for z in zs:
        if gate.passes(z):
            found = gate.passes(z)
    return found


def run(function: Any) -> Any:
    gate = Gate()
    return function(gate, np.array([1.0, 2.5, -1.0, np.nan])), gate.x


@pytest.mark.parametrize("function", [into_an_array, decisions, as_array, printed_and_kept], ids=lambda f: f.__name__)
def test_the_truth_is_taken(function, capsys):
    expected, shown = run(function), capsys.readouterr()
    found = run(graph_program(function, copies="ignore"))
    assert repr(found) == repr(expected)
    assert capsys.readouterr() == shown


@pytest.mark.parametrize("function", [computed_with, merged], ids=lambda f: f.__name__)
def test_the_class_is_checked_where_it_matters(function):
    program = graph_program(function, copies="ignore")
    with pytest.raises(
        TypeError, match=r"gate.passes\(\.\.\.\) gave np.True_, which is not bool: say np.bool, or give"
    ):
        program(Gate(), np.ones(2))


def test_other_numbers_are_no_bools():
    class Odd(Gate):
        def passes(self, z: Any) -> bool:
            return np.int64(1)  # type: ignore[return-value]

    program = graph_program(decisions, copies="ignore")
    with pytest.raises(TypeError, match="which is not bool"):
        program(copy.copy(Odd()), np.ones(2))
