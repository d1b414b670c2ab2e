"""A second object of a class has the graphs of the first one, where it is like it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.given_lists import counted


class Layer:
    def __init__(self, n: int, seed: int) -> None:
        self.w = np.random.default_rng(seed).normal(size=(n, n))
        self.steps = 0


class Model:
    """Captured arrays in a list of objects, a number that is known, an array and a list in the state."""

    def __init__(self, seed: int, gain: float = 0.5, n: int = 3) -> None:
        self.layers = [Layer(n, seed), Layer(n, seed + 1)]
        self.gain = gain
        self.total = np.zeros(n)
        self.log = [0.0]
        self.inner = Layer(n, seed + 2)

    def plain(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer.w @ x * self.gain
        self.total += x
        self.log.append(float(x[0]))
        self.inner.steps += 1
        return x, self.inner.w.sum() if len(self.log) > 2 else 0.0

    step = graph_program(plain)


@pytest.fixture(autouse=True)
def _no_objects_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "step", graph_program(Model.plain))


def check(objects: list[tuple[Any, Any]], extractions: int, rounds: int = 3) -> None:
    """Assert that objects do what their twins do in plain Python, and how many extractions that takes."""
    x = np.arange(1.0, 4.0)
    with counted() as names:
        for _ in range(rounds):
            for one, twin in objects:
                for found, expected in zip(one.step(x), twin.plain(x), strict=True):
                    np.testing.assert_allclose(found, expected)
                np.testing.assert_allclose(one.total, twin.total)
                assert one.log == twin.log or np.allclose(one.log, twin.log)
                assert one.inner.steps == twin.inner.steps
    assert len(names) == extractions


def test_the_second_object_costs_no_extraction() -> None:
    check([(Model(seed), Model(seed)) for seed in range(4)], 1)


def test_another_number_does() -> None:
    check([(Model(0, gain), Model(0, gain)) for gain in (0.5, 0.25, 0.5)], 2)


def test_what_is_one_object_in_one_of_them_only() -> None:
    def shared() -> Model:
        model = Model(0)
        model.layers[1].w = model.layers[0].w
        model.inner.w = model.layers[0].w
        return model

    check([(Model(0), Model(0)), (shared(), shared()), (Model(1), Model(1))], 2)


def test_arrays_that_the_second_object_has_replaced() -> None:
    one, other = Model(0), Model(1)
    check([(one, Model(0)), (other, Model(1))], 1, rounds=1)
    other.layers[0].w *= 2
    twin = Model(1)
    x = np.arange(1.0, 4.0)
    twin.plain(x)
    twin.layers[0].w *= 2
    np.testing.assert_allclose(other.step(x)[0], twin.plain(x)[0])


class Counted:
    """A class method is bound to the class."""

    base = 1.0

    @graph_program
    @classmethod
    def scaled(cls, x: Any) -> Any:
        return x * cls.base


class Doubled(Counted):
    base = 2.0


def test_classes_are_told_apart() -> None:
    assert (Counted.scaled(3.0), Doubled.scaled(3.0), Counted.scaled(4.0)) == (3.0, 6.0, 4.0)


class Failing:
    def __init__(self) -> None:
        self.seen = [1]

    @graph_program
    def step(self, k: int) -> Any:
        self.seen.append(k)
        if k < 0:
            raise ValueError(f"{k} of {len(self.seen)}")
        return len(self.seen)


def test_exceptions() -> None:
    first, second = Failing(), Failing()
    assert first.step(1) == 2
    for one in first, second, second:
        try:
            one.step(-1)
        except ValueError as error:
            assert str(error) == f"-1 of {len(one.seen)}"
    assert (first.seen, second.seen) == ([1, 1, -1], [1, -1, -1])
