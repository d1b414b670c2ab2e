"""Special methods of named tuples, and `is` between tuples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check


class Fit(NamedTuple):
    slope: float
    n: int

    def __bool__(self):
        return self.n >= 2

    def __call__(self, x):
        return self.slope * x

    def __repr__(self):
        return f"Fit<{self.n}>"

    def __format__(self, spec):
        return f"{self.slope:{spec}}x"


class Job(NamedTuple):
    cost: float
    size: float

    def __lt__(self, other):
        return self.size < other.size


class Near(NamedTuple):
    x: float
    y: float

    def __eq__(self, other):
        return abs(self.x - other.x) < 0.1

    __hash__ = tuple.__hash__


class Segment(NamedTuple):
    a: float
    b: float

    def __iter__(self):
        return iter((self.a, (self.a + self.b) / 2, self.b))

    def __len__(self):
        return 0

    def __reversed__(self):
        return iter((self.b, self.a))

    def __array__(self, dtype=None, copy=None):
        return np.array([self.b - self.a])


CAPTURED = Segment(1.0, 3.0)


def truth(x):
    fit = Fit(float(x[0]), len(x))
    n = 0
    while fit and n < 9:
        fit, n = fit._replace(n=fit.n - 1), n + 1
    return "good" if fit else "poor", (fit or Fit(0.0, 9)).n, not fit, bool(Fit(1.0, len(x))), n


def called_and_shown(x):
    fit = Fit(float(x[0]), 2)
    return fit(3.0), f"{fit!r}", repr(fit), str([fit]), f"{fit:.3f}"


def compared(x):
    a, b = Job(1.0, float(x[0])), Job(2.0, 0.0)
    c, d = Near(float(x[0]), 1.0), Near(float(x[0]), 2.0)
    return a > b, a < b, a >= b, min(a, b), max(a, b), sorted([a, b]), c == d, c != d


def gone_through(x):
    segment = Segment(float(x[0]), 4.0)
    a, b, c = segment
    empty = "some" if segment else "none"
    found = list(segment), sum(segment), (a, b, c), [v for v in CAPTURED], empty  # noqa: C416
    return found, list(reversed(segment)), np.array(segment), np.add(segment, 1.0)


@pytest.mark.parametrize("program", [truth, called_and_shown, compared, gone_through])
def test_as_in_python(program):
    check(program, (np.array([1.0]),), (np.array([2.0, 3.0, 1.0]),))


def test_a_parameter():
    check(lambda fit, x: 1 if fit else 0, (Fit(1.0, 0), np.ones(1)), (Fit(1.0, 3), np.ones(1)))


def best_of_several(x):
    jobs = [Job(float(v), 1.0) for v in x]
    best = min(jobs, key=lambda job: job.cost)
    return [job is best for job in jobs]


def one_of_two(x):
    a, b = (1, 2.0), (1, 3.0)
    chosen = a if x[0] > 1 else b
    return chosen is a


@pytest.mark.parametrize("program", [best_of_several, one_of_two])
def test_identity_of_tuples_is_not_decided(program: Any):
    with pytest.raises(GraphProgramError) as refused:
        graph_program(program)(np.array([2.0, 1.0]))
    assert refused.value.code == "GP325"


def test_identity_of_tuples_that_differ():
    def program(x):
        a, b = (1, x), (2, x)
        return a is b, a is a, a is not b, (1,) is a  # noqa: F632

    check(program, (np.ones(2),))
