"""What is documented is told apart from what is wrong."""

from __future__ import annotations

from tests.fuzz.check import Verdict, argument_makers, run_fresh, same_as_documented
from tests.fuzz.compare import load
from tests.fuzz.documented import Accepted, Deviation
from tests.fuzz.generator import Program
from tests.fuzz.report import check_source

EMPTY = """
import numpy as np


def program(x, n):
    rows = []
    for k in range(n):
        rows.append(np.full(3, 1.0))
    try:
        total = np.cumsum(np.array(rows), axis=1).shape[0]
    except np.exceptions.AxisError:
        total = {otherwise}
    return x + total


def arguments_0():
    return (np.ones(2), 2), ()


def arguments_1():
    return (np.ones(2), 0), ()
"""


def test_an_exception_that_empty_arrays_do_not_raise():
    found = check_source(EMPTY.format(otherwise=7))
    assert found.verdict is Verdict.DOCUMENTED
    assert found.deviations == {Deviation.EMPTY_ARRAY}


def test_nothing_else_is_taken_for_it():
    source = EMPTY.format(otherwise=7)
    fn, accepted = load(source), Accepted(source)
    got = run_fresh(lambda x, n: x + 5, argument_makers(fn)[1])
    assert not same_as_documented(fn, Program(source), Deviation.EMPTY_ARRAY, 1, got, accepted)
    assert not accepted.found
