"""Exceptions of Python's own classes, which keep other arguments than they are given, or are of another class."""

from __future__ import annotations

import json

import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check


def with_a_file(n: int):
    try:
        raise OSError(5, "disk", "f")
    except OSError as error:
        return error.args, repr(error), str(error)


def of_a_subclass(n: int):
    try:
        raise OSError(2, "nope", "p")
    except FileNotFoundError as error:
        return repr(error), type(error).__name__, error.args, str(error)
    except OSError:
        return "another"


def of_a_library(n: int):
    try:
        raise json.JSONDecodeError("m", "doc", 1)
    except ValueError as error:
        return str(error), error.args, repr(error)


def with_computed_text(n: int):
    try:
        raise OSError(5, f"x{n}", "f")
    except OSError as error:
        return error.args


def with_a_keyword(n: int):
    try:
        raise ImportError("m", name="z")
    except ImportError as error:
        return error.args, str(error), repr(error)


def uncaught(n: int):
    raise OSError(n, "nope", "p")


@pytest.mark.parametrize(
    "function", [with_a_file, of_a_subclass, of_a_library, with_computed_text, with_a_keyword, uncaught]
)
def test_same_as_python(function):
    check(function, (2,), (5,))


def test_a_computed_number_of_what_is_caught_is_refused():
    def computed(n: int):
        try:
            raise OSError(n, "x")
        except OSError as error:
            return str(error)

    with pytest.raises(GraphProgramError, match=r"GP430.*number is computed"):
        graph_program(computed)(2)
