"""Arrays made of rows of numbers whose classes depend on the path taken, and of the classes of chosen objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

cases = Cases()


def carried(a: float, n: int) -> Any:
    x = 0
    for _ in range(n):
        x = x + a
    return x


@cases((1.0, 0), (1.5, 2))
def square(a: float, n: int) -> Any:
    x = carried(a, n)
    return np.array([[0.5, x], [x, 2.0]])


@cases((1.0, 0), (1.5, 2))
def element_type_of_the_run(a: float, n: int) -> Any:
    x = carried(a, n)
    m = np.array([[1, x], [x, 2]])
    return m, m.T @ np.array([1, 2]), np.array([[x], [x]]).sum()


@cases((1.0, 0), (1.5, 2))
def rows_of_tuples(a: float, n: int) -> Any:
    x = carried(a, n)
    row = (x, 1)
    return np.asarray([row, (2, x)]), np.array(([x, True],)), np.array([[[x, 1]], [[2, 3]]])


@cases((1.0, 0, np.ones(2, np.float32)), (1.5, 2, np.ones(2, np.float32)))
def beside_rows_of_arrays(a: float, n: int, r: Any) -> Any:
    x = carried(a, n)
    return np.array([[x, 0.5], r]), np.array([r, [x, 1]])


@cases((1.0, 0), (1.5, 2), (2.0, 1))
def with_a_type(a: float, n: int) -> Any:
    x = carried(a, n)
    return np.array([[1, x], [x, 2]], dtype=np.float32), np.array([[1, x]], np.int64)


@cases((1.0, 0), (1.5, 2))
def operand(a: float, n: int) -> Any:
    x = carried(a, n)
    return np.ones((2, 2)) * [[x, 1.0], [0.5, x]], np.linalg.det([[0.5, x], [x, 2.0]]), np.vstack([[0.5, x], [x, 1.0]])


@cases((1, 2, 0.0), (1, 2, 1.0))
def halved(x: int, y: int, a: float) -> Any:
    if a > 0:
        x, y = x / 2, y / 2  # type: ignore[assignment]
    return np.array([[-2 * x, 2 * y], [0.0, x]]), np.array([[x, y], [y, x]])


class Shape:
    def __init__(self, n: Any) -> None:
        self.n = n

    @classmethod
    def make(cls, n: Any) -> Any:
        return cls(n)

    def describe(self) -> str:
        return f"{type(self).__name__}({self.n})"

    def classes(self) -> Any:
        return type(self) is Round, isinstance(self, Round), self.__class__.__name__

    def next(self) -> Any:
        return type(self)(self.n + 1)

    def scaled(self, x: Any) -> Any:
        if type(self) is Round:
            return x * 2
        return x


class Round(Shape):
    sides = 0

    def describe(self) -> str:
        return super().describe() + "!"


@cases((1, True), (2, False))
def named_in_a_method(n: int, c: bool) -> Any:
    return (Round if c else Shape).make(n).describe()


@cases((1, True), (2, False))
def asked_in_methods(n: int, c: bool) -> Any:
    m = Round(n) if c else Shape(n)
    return m.classes(), m.next().n, m.scaled(np.ones(2)), f"{type(m).__name__}", m.next().describe()


@cases((1, True), (2, False))
def passed_on(n: int, c: bool) -> Any:
    def name(thing: Any) -> str:
        cls = type(thing)
        return cls.__name__.lower()

    m = Round(n) if c else Shape(n)
    return name(m), [name(one) for one in (m, Shape(n))], type(m)(3).n


@cases(
    (1, 2),
)
def mode_of_a_string(n: int, k: int) -> Any:
    word = "on" if n > k else "off"
    return type(word).__name__, type(word) is str


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
