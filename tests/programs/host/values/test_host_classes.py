"""Objects of classes whose constructor is a library's are made on the host, also of subclasses of yours."""

from __future__ import annotations

import warnings
from collections import UserDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import ImplicitCopyWarning
from tests.programs.plain import Cases, check

cases = Cases()


class Line(np.polynomial.Polynomial):
    def __init__(self, slope):
        super().__init__([0.0, slope])
        self.name = "line"

    def twice(self, x):
        return 2 * self(x)


class Named(np.polynomial.Polynomial):
    pass


class Table(UserDict):
    def first(self):
        return self["first"]


class Counter:
    def __init__(self):
        self.n = 0

    def add(self, k):
        self.n += k


class Loud(Counter):
    pass


@cases((2.0,))
def coefficients(x):
    p = np.polynomial.Polynomial([1, x])
    return p.coef, p(3.0)


@cases((2.0,))
def own_subclass(x):
    p = Line(x)
    return p.coef, p.name, p.twice(3.0), Named([1.0, 2.0])(2.0)


@cases((2.0,))
def own_dict(x):
    t = Table()
    t["first"] = x
    return t.first(), len(t)


@cases((2,))
def inlined(k):
    c = Loud()
    c.add(k)
    c.add(3)
    return c.n


@cases.each
def test_like_python(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImplicitCopyWarning)
        check(fn, *inputs)


@pytest.mark.parametrize("cls", [Loud, Counter])
def test_own_classes_stay_in_the_graph(cls: type) -> None:
    from graph_program import graph_program

    program = graph_program(inlined)
    assert program(2) == 5 and not program.host_source
