"""Arithmetic on captured arrays does not move to the host unannounced."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, ImplicitCopyWarning, graph_program, to_device, to_host

W = np.ones((3, 2))
B = np.ones(2)
V = np.ones((2, 3))


decode = json.JSONDecoder().decode
TEXT = "[[1.0, 2.0, 3.0], {}]"


def matmul(x: Any) -> Any:
    obs, _ = decode(TEXT)
    return np.argmax(obs @ W)


def reflected(x: Any) -> Any:
    obs, _ = decode(TEXT)
    return (V @ obs).tolist()


def twice(x: Any) -> Any:
    obs, _ = decode(TEXT)
    hidden = obs @ W
    return np.argmax(hidden + B)


def in_place(x: Any) -> Any:
    total = decode("2.0")
    total *= B
    return total


def compared(x: Any) -> Any:
    obs = decode("1.0")
    return (obs == B).all()


LINES = {matmul: [2], reflected: [2], twice: [2, 3], in_place: [2], compared: [2]}


def warned(function: Any) -> list[Any]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = graph_program(function)(np.ones(3))
    assert np.array_equal(result, function(np.ones(3)))
    return [w for w in found if "is computed on the host" in str(w.message)]


@pytest.mark.parametrize("function", LINES)
def test_it_is_told_at_the_line(function: Any) -> None:
    found = warned(function)
    assert [w.lineno - function.__code__.co_firstlineno for w in found] == LINES[function]
    assert all(w.category is ImplicitCopyWarning and w.filename == __file__ for w in found)


def test_the_expression_and_what_to_write() -> None:
    (found,) = warned(matmul)
    assert str(found.message).startswith("`obs @ W` is computed on the host, as the type of an operand from there")
    assert "to_device(..., type)" in str(found.message) and "to_host(...)" in str(found.message)


def annotated(x: Any) -> Any:
    obs, _ = decode(TEXT)
    known = to_device(np.asarray(obs), Float64[np.ndarray, "3"])
    return np.argmax(known @ W)


def asked_for(x: Any) -> Any:
    obs, _ = decode(TEXT)
    return np.argmax(obs @ to_host(W))


def given_to_the_host(x: Any) -> Any:
    return decode(json.dumps(W.tolist()))


def numbers(x: Any) -> Any:
    return decode("2.0") * 3


@pytest.mark.parametrize("function", [annotated, asked_for, given_to_the_host, numbers])
def test_nothing_is_told_of(function: Any) -> None:
    assert warned(function) == []


def test_where_copies_are_errors() -> None:
    with pytest.raises(GraphProgramError, match="`obs @ W` is computed on the host") as error:
        graph_program(copies="error")(matmul)(np.ones(3))
    assert error.value.code == "GP523"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert graph_program(copies="ignore")(matmul)(np.ones(3)) == 0
