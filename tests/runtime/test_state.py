"""In-out parameters, captured values, methods."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from graph_program import CallError, graph_program

WEIGHTS = np.array([1.0, 2.0, 3.0])
SCALE = 2.0
SIZES = [1, 2]


@graph_program
def clear_negative(x):
    x[x < 0] = 0


@graph_program
def weighted(x):
    return x * WEIGHTS * SCALE


@graph_program
def add_into(x, y):
    x += y
    return x


def test_write_back() -> None:
    x = np.array([1.0, -2.0, 3.0])
    for _ in range(2):
        x[1] = -2
        assert clear_negative(x) is None
        assert x.tolist() == [1, 0, 3]


def test_write_back_to_a_view() -> None:
    base = -np.ones((3, 4))
    clear_negative(base[:, ::2][0])
    expected = -np.ones((3, 4))
    expected[0, ::2] = 0
    assert (base == expected).all()


def test_write_back_to_read_only() -> None:
    x = np.array([-1.0, 2.0])
    x.flags.writeable = False
    for _ in range(2):
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            clear_negative(x)
    assert x.tolist() == [-1, 2]


def test_returned_parameter_is_the_callers() -> None:
    x, y = np.zeros(3), np.ones(3)
    for _ in range(2):
        assert add_into(x, y) is x
    assert x.tolist() == [2, 2, 2]


def test_overlapping_arguments_are_refused() -> None:
    x = np.zeros(4)
    add_into(np.zeros(3), np.zeros(3))
    for pair in ((x, x), (x[:3], x[1:])):
        with pytest.raises(CallError) as error:
            add_into(*pair)
        assert error.value.code == "GP405"
    add_into(x[:2], x[2:])


def test_elements_in_one_place_are_refused() -> None:
    windows = np.lib.stride_tricks.as_strided(np.zeros(4), (3, 2), (8, 8))
    with pytest.raises(CallError, match="share memory with one another") as error:
        add_into(windows, np.zeros((3, 2)))
    assert error.value.code == "GP405"
    x = np.zeros((4, 6))
    add_into(x[::2, ::-3].T, np.ones((2, 2)))
    assert x.sum() == 4


def test_captured_array_is_current() -> None:
    x = np.ones(3)
    assert weighted(x).tolist() == [2, 4, 6]
    WEIGHTS[0] = 10
    try:
        assert weighted(x).tolist() == [20, 4, 6]
    finally:
        WEIGHTS[0] = 1
    assert weighted(x).tolist() == [2, 4, 6]


def test_captured_names_are_rechecked(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(3)
    assert weighted(x).tolist() == [2, 4, 6]
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert weighted(x).tolist() == [3, 6, 9]
    monkeypatch.setitem(globals(), "WEIGHTS", np.zeros(3))
    assert weighted(x).tolist() == [0, 0, 0]
    monkeypatch.undo()
    assert weighted(x).tolist() == [2, 4, 6]


def test_captured_list_is_rechecked() -> None:
    @graph_program
    def repeat(x):
        for s in SIZES:
            x = x * s
        return x

    assert repeat(3.0) == 6
    SIZES.append(5)
    try:
        assert repeat(3.0) == 30
    finally:
        SIZES.pop()
    assert repeat(3.0) == 6


def test_frozen_captures() -> None:
    weights = np.ones(3)

    @graph_program(freeze=True)
    def scaled(x):
        return x * weights

    assert scaled(np.ones(3)).tolist() == [1, 1, 1]
    assert not scaled.model((np.ones(3),)).graph.input[1:]


@dataclasses.dataclass(eq=False)
class Filter:
    gain: float
    state: Any

    @graph_program
    def step(self, x):
        self.state = self.state + self.gain * (x - self.state)
        return self.state

    @graph_program
    def peek(self, x):
        return self.state * x

    @graph_program
    @staticmethod
    def twice(x):
        return x * 2

    @graph_program
    @classmethod
    def name_length(cls, x):
        return x * len(cls.__name__)


def test_methods() -> None:
    a, b = Filter(0.5, np.zeros(2)), Filter(0.25, np.ones(2))
    for _ in range(2):
        assert a.peek(np.ones(2)).tolist() == [0, 0]
        assert b.peek(np.ones(2)).tolist() == [1, 1]
    assert a.peek.python(np.ones(2)).tolist() == [0, 0]
    assert a.peek is a.peek
    assert Filter.twice(3) == a.twice(3) == 6
    assert Filter.name_length(2) == a.name_length(2) == 12


def test_bound_method_errors_count_self() -> None:
    a = Filter(0.5, np.zeros(2))
    with pytest.raises(TypeError) as expected:
        Filter.__dict__["peek"].python(a)
    with pytest.raises(TypeError) as found:
        a.peek()
    assert str(found.value) == str(expected.value)


def test_callable_object_and_bound_method() -> None:
    class Scale:
        def __init__(self, k: float):
            self.k = k

        def __call__(self, x: Any) -> Any:
            return x * self.k

        def shift(self, x: Any) -> Any:
            return x + self.k

    s = Scale(3.0)
    assert graph_program(s)(2.0) == 6
    assert graph_program(s.shift)(2.0) == 5


@dataclasses.dataclass
class Counter:
    total: Any
    calls: int = 0


def test_fields_are_set_back() -> None:
    @graph_program
    def count(c, x):
        c.total = c.total + x
        c.calls += 1

    c = Counter(0.0)
    for i in range(3):
        count(c, 2.0)
        assert (c.total, c.calls) == (2.0 * (i + 1), i + 1)
        assert type(c.calls) is int


def test_list_elements_are_set_back() -> None:
    @graph_program
    def bump(xs):
        xs[0] = xs[0] + 1

    xs = [1.0, 2.0]
    for _ in range(2):
        bump(xs)
    assert xs == [3.0, 2.0]
    assert type(xs[0]) is float
