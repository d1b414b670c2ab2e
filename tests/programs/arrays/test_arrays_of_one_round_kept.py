"""An array that a round makes and puts into an object, where a name outside the loop still has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import differs, outcome


@dataclass
class Body:
    position: np.ndarray


def replaced_and_scaled(p, u: float):
    for _ in range(2):
        x = np.sign(p.position)
        if u < 0.5:
            p.position = x
            p.position *= 1.5
    x -= x
    return p


def replaced_and_set(p, u: float):
    x = np.zeros(3)
    for _ in range(2):
        x = np.sign(p.position)
        if u < 0.5:
            p.position = x
            p.position[0] = 7.0
    x -= x
    return p


def replaced(p, u: float):
    x = np.sign(p.position)
    if u < 0.5:
        p.position = x
        p.position *= 1.5
    x -= x
    return p


def replaced_by_a_copy(p, u: float):
    for _ in range(2):
        x = np.sign(p.position)
        if u < 0.5:
            p.position = x.copy()
            p.position *= 1.5
    x -= x
    return p


CALLS = [(Body(np.array([-1.0, 0.0, 2.0])), u) for u in (0.0, 0.9)]


@pytest.mark.parametrize("function", [replaced, replaced_by_a_copy])
def test_same_as_python(function):
    program = graph_program(function)
    assert not any(differs(outcome(function, args), outcome(program, args)) for args in CALLS)


@pytest.mark.parametrize("function", [replaced_and_scaled, replaced_and_set])
def test_what_cannot_be_told_is_refused(function):
    with pytest.raises(GraphProgramError, match="GP440"):
        graph_program(function)(*CALLS[0])
