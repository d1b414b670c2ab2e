"""Exceptions whose arguments may be None, or are named tuples."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import Cases, check

Array = np.ndarray[Any, Any]
INPUTS = ((np.array([1.0, 2.5]),), (np.array([0.0]),), (np.array([]),))
cases = Cases()


class Fit(NamedTuple):
    slope: float
    order: Any = 0


class Own(NamedTuple):
    value: float

    def __repr__(self) -> str:
        return f"<{self.value}>"


class Failure(Exception):
    """With whatever is known."""


class Valued(Exception):
    def __init__(self, text: str, value: Any = None) -> None:
        self.value = value
        super().__init__(text)


def found(x: Array) -> Any:
    last = None
    for v in x:
        if v > 1:
            last = float(v)
    return last


@cases(*INPUTS)
def a_number(x: Array) -> Any:
    raise RuntimeError("gave up", found(x))


@cases(*INPUTS)
def several(x: Array) -> Any:
    raise Failure("gave up", found(x), found(2 * x), (found(x), 1), f"{found(x)} of")


@cases(*INPUTS)
def by_keyword(x: Array) -> Any:
    raise Valued("gave up", value=found(x))


@cases(*INPUTS)
def of_a_key(x: Array) -> Any:
    raise KeyError((found(x), 2))


@cases(*INPUTS)
def in_a_tuple(x: Array) -> Any:
    raise AssertionError((found(x), Fit(2.0, found(x))))


@cases(*INPUTS)
def caught(x: Array) -> Any:
    try:
        raise Valued("gave up", found(x))
    except Valued as error:
        return error.value, str(error), error.args, error.value is None


@cases(*INPUTS)
def caught_and_again(x: Array) -> Any:
    try:
        raise Failure("a", found(x))
    except Failure as error:
        raise Valued("b", found(x)) from error


@cases(*INPUTS)
def an_array(x: Array) -> Any:
    last = None
    for v in x:
        if v > 1:
            last = v * x
    raise Failure("gave up", last)


@cases(*INPUTS)
def a_named_tuple(x: Array) -> Any:
    if x.sum() > 2:
        raise Failure("a", Fit(float(x[0]), "text"), [Fit(1.0, x[0])], Own(float(x[0])))
    raise Failure(Fit(1, (float(x.sum()),)))


@cases(*INPUTS)
def a_named_tuple_or_nothing(x: Array) -> Any:
    last = None
    for v in x:
        if v > 1:
            last = Fit(float(v), int(v))
    raise Failure("gave up", last)


@cases(*INPUTS)
def a_named_tuple_caught(x: Array) -> Any:
    try:
        raise Failure(Fit(float(x.sum()), "text"), Own(float(x.sum())))
    except Failure as error:
        return error.args, error.args[0].slope, str(error), repr(error)


@cases.each
def test_arguments(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


@cases.each
def test_arguments_are_of_the_same_classes(fn: Any, inputs: Any) -> None:
    def raised(function: Any, x: Array) -> Any:
        try:
            function(x)
        except Exception as error:
            return [(type(v), v) for v in error.args], getattr(error, "value", 0)
        return None

    program = graph_program(fn)
    for (x,) in inputs:
        assert repr(raised(program, x)) == repr(raised(fn, x))


def test_behind_host_code(capsys: pytest.CaptureFixture[str]) -> None:
    def run(x: Array) -> Any:
        try:
            print("here")
            raise Failure("gave up", found(x), Fit(float(x.sum()), None))
        finally:
            print("done")

    check(run, *INPUTS)
    assert capsys.readouterr().out == "here\ndone\n" * 6
