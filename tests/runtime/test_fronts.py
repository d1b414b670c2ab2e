"""Programs are called with the user's parameters, of whatever kinds, also when the first signature is known."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program


def plain(a, b=2.0):  # type: ignore[no-untyped-def]
    return a + b


def by_place(a, b=2.0, /):  # type: ignore[no-untyped-def]
    return a - b


def by_name(a, *, scale=3.0, shift):  # type: ignore[no-untyped-def]
    return a * scale + shift


def names_of_fronts(_shim_1, _miss_2=1.0, _disable_0=2.0):  # type: ignore[no-untyped-def]
    return _shim_1 * _miss_2 - _disable_0


class Owner:
    def __init__(self) -> None:
        self.gain = 2.0

    def method(self, a, b=1.0):  # type: ignore[no-untyped-def]
        return a * self.gain + b

    @classmethod
    def of_class(cls, a):  # type: ignore[no-untyped-def]
        return a + 1.0

    @staticmethod
    def static(a):  # type: ignore[no-untyped-def]
        return a + 2.0


class Programs:
    """The methods of `Owner` as programs."""

    def __init__(self) -> None:
        self.gain = 2.0

    method = graph_program(Owner.method)
    of_class = graph_program(classmethod(Owner.__dict__["of_class"].__func__))
    static = graph_program(staticmethod(Owner.static))


class Text(str):
    def __add__(self, other: object) -> str:
        return f"{self} and {other:g}"


class Half:
    """What only Python takes."""

    def __mul__(self, other: object) -> str:
        return Text("half")


CALLS = [((1.0,), {}), ((1.0, 5.0), {}), ((), {"a": 2.0}), ((1.0,), {"b": 4.0}), ((1,), {}), ((1, 2), {})]
WRONG = [((), {}), ((1.0, 2.0, 3.0, 4.0), {}), ((1.0,), {"z": 1}), ((1.0,), {"a": 1.0})]


def outcome(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("function", [plain, by_place], ids=lambda f: f.__name__)
def test_functions(function: Any) -> None:
    program = graph_program(function)
    for args, kwargs in [*WRONG, *CALLS, *WRONG, *CALLS]:
        assert outcome(program, args, kwargs) == outcome(function, args, kwargs)


def test_keywords_only() -> None:
    program = graph_program(by_name)
    for args, kwargs in [
        ((1.0,), {"shift": 2.0}),
        ((1.0,), {"shift": 2.0, "scale": 4.0}),
        ((1.0, 2.0), {}),
        ((1.0,), {}),
    ] * 2:
        assert outcome(program, args, kwargs) == outcome(by_name, args, kwargs)


def test_parameters_may_have_any_name() -> None:
    program = graph_program(names_of_fronts)
    assert [program(3.0), program(3.0, _miss_2=2.0), program(3)] == [1.0, 4.0, 1.0]


def test_methods() -> None:
    expected, found = Owner(), Programs()
    for args, kwargs in [*WRONG, *CALLS, *WRONG, *CALLS]:
        told = outcome(expected.method, args, kwargs)
        assert outcome(found.method, args, kwargs) == told
    assert (found.of_class(1.0), found.of_class(2.0), Programs.of_class(3)) == (2.0, 3.0, 4)
    assert (found.static(1.0), found.static(2.0), Programs.static(3)) == (3.0, 4.0, 5)


def test_signatures_in_turn() -> None:
    program = graph_program(plain)
    given = [1.0, 1, np.arange(3.0), np.arange(3), np.float32(1.0), np.zeros((2, 2))]
    for value in given * 3:
        np.testing.assert_array_equal(program(value), plain(value))
    assert len(program.extractions) == len(given)


def test_python_once_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    program, bound = graph_program(lambda a: a * 2.0), Programs()
    assert (program(1.0), program(1.0), bound.method(1.0)) == (2.0, 2.0, 3.0)
    monkeypatch.setenv("GRAPH_PROGRAM_DISABLE", "1")
    assert (program(Half()), bound.method(Half())) == ("half", "half and 1")
    monkeypatch.setenv("GRAPH_PROGRAM_DISABLE", "0")
    assert (program(1.0), bound.method(1.0)) == (2.0, 3.0)


def test_programs_that_were_called_are_freed() -> None:
    program = graph_program(lambda a: a + 1.0)
    assert program(1.0) == 2.0
    told = weakref.ref(program)
    del program
    gc.collect()
    assert told() is None
