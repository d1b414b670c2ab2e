"""Texts of objects and exceptions whose own methods make them with strings of the host."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check


class Polynomial:
    def __init__(self, coefficients):
        self.coefficients = coefficients

    def __str__(self):
        return " + ".join(f"{c:.1f}x^{k}" for k, c in enumerate(self.coefficients)).rjust(30)


class ParseError(ValueError):
    def __init__(self, place):
        super().__init__("bad")
        self.place = place

    def __repr__(self):
        return f"ParseError@{self.place}"


@dataclass
class DataError(Exception):
    place: int
    why: str = "bad"


def texts(x):
    p = Polynomial(list(x))
    return str(p), f"<{p}>", f"{p!s:>40}", len(str(p))


def raised_with_a_text(x):
    raise ValueError(str(Polynomial(x)))


def shown(x):
    found = []
    for place in range(2):
        try:
            if x[place] > 0:
                raise ParseError(place) if place else DataError(place, why="neg")
        except (ParseError, DataError) as e:
            found.append(repr(e))
            print(f"{e!r}", e)
    return found


@pytest.mark.parametrize("program", [texts, raised_with_a_text, shown])
def test_as_in_python(program):
    check(program, (np.array([1.0, 2.5]),), (np.array([-1.0, 0.5, 2.0]),))


def test_an_exception_of_such_an_object_is_refused():
    def program(x):
        raise ValueError(Polynomial(x))

    with pytest.raises(GraphProgramError, match="text is made on the host") as refused:
        graph_program(program)(np.ones(2))
    assert refused.value.code == "GP343"
