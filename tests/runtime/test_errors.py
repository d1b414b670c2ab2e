"""Exceptions of programs: Python's class, Python's text, the user's line; and nothing of onnxruntime's."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.runtime.failing import outer


def check_positive(x):
    if x < 0:
        raise ValueError(f"{x:.2f} is negative, {x!r}")
    return x + 1


def index(xs, i):
    return xs[i]


def divide(a, b):
    return a // b


def add(x, y):
    return x + y


def key(n):
    if n > 0:
        raise KeyError(n)
    return n


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (check_positive, (-2.5,)),
    (check_positive, (np.float32(-2.5),)),
    (outer, (1,)),
    (index, (np.arange(3.0), 7)),
    (index, (np.arange(3.0), -4)),
    (divide, (1, 0)),
    (divide, (1.0, 0.0)),
    (add, (np.ones(3), np.ones(4))),
    (key, (3,)),
]


@pytest.mark.parametrize("fn, args", CASES, ids=lambda v: getattr(v, "__name__", None))
def test_same_exception(fn: Any, args: Any) -> None:
    program = graph_program(fn)
    with pytest.raises(Exception) as expected:
        fn(*args)
    for _ in range(2):
        with pytest.raises(type(expected.value)) as found:
            program(*args)
        assert type(found.value) is type(expected.value)
        assert found.value.args == expected.value.args


def test_traceback_ends_at_the_users_line() -> None:
    program = graph_program(outer)
    with pytest.raises(AssertionError) as expected:
        outer(1)
    with pytest.raises(AssertionError) as found:
        program(1)
    ours = traceback.extract_tb(found.value.__traceback__)[-2:]
    pythons = traceback.extract_tb(expected.value.__traceback__)[-2:]
    assert [(f.filename, f.lineno, f.name) for f in ours] == [(f.filename, f.lineno, f.name) for f in pythons]


def test_what_was_written_before_an_error_stays() -> None:
    @graph_program
    def fill(x, n):
        x[0] = 5.0
        if n > 1:
            raise ValueError("no")

    x = np.zeros(2)
    with pytest.raises(ValueError, match=r"^no$"):
        fill(x, 2)
    assert x.tolist() == [5, 0]
    x[0] = 0
    fill(x, 0)
    assert x.tolist() == [5, 0]


def test_effects_happen_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    @graph_program
    def report(x):
        print("x is", x)
        if x > 2:
            print("large", sep="-")
            raise ValueError("too large")
        return x

    assert report(1.5) == 1.5
    assert capsys.readouterr().out == "x is 1.5\n"
    with pytest.raises(ValueError, match="too large"):
        report(3.0)
    assert capsys.readouterr().out == "x is 3.0\nlarge\n"
