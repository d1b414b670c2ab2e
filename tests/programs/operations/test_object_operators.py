"""Operators of the user's classes: who is asked, in which order, and what dataclasses write themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


@dataclass
class Near:
    """A dataclass with an equality of its own, which `!=` inverts."""

    v: Any

    def __eq__(self, other: object) -> Any:
        return abs(self.v - other.v) < 0.5  # type: ignore[attr-defined]


@dataclass(eq=False)
class Identity:
    v: Any

    def __gt__(self, other: Any) -> Any:
        return self.v * 2


@dataclass(order=True)
class Ordered:
    a: Any
    b: Any
    note: Any = field(default=0, compare=False)


@dataclass
class Point:
    x: Any

    def __add__(self, other: Any) -> Any:
        return Point(self.x + other.x) if isinstance(other, Point) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Point(other - self.x)

    def __iadd__(self, other: Any) -> Any:
        return NotImplemented

    def __sub__(self, other: Any) -> Any:
        return Point(1.0)

    def __lt__(self, other: Any) -> Any:
        return self.x < other.x if isinstance(other, Point) else NotImplemented


class Reflecting(Point):
    def __rsub__(self, other: Any) -> Any:
        return 2.5


@dataclass
class Truth:
    v: Any

    def __bool__(self) -> bool:
        return self.v > 0  # type: ignore[no-any-return]


def test_equality() -> None:
    def equal(x: Array) -> tuple[Any, ...]:
        near = Near(x[0])
        return (
            near == Near(x[0] + 0.1),
            near != Near(x[0] + 0.1),
            near == Near(x[0] + 1),
            near != Near(x[0] + 1),
            Identity(1) == Identity(1),
            Identity(x[0]) != Identity(x[0]),
            Near(x[0]) in [Near(x[1])],
        )

    check(equal, (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),))


def test_order() -> None:
    def order(a: float, b: float) -> tuple[Any, ...]:
        first, second = Ordered(a, b, 1), Ordered(b, a, 2)
        return first < second, first >= second, first > Ordered(a, b), first == Ordered(a, b), max(first, second).a

    check(order, (1.0, 2.0), (2.0, 1.0), (2.0, 2.0))


def test_not_implemented_asks_the_other_side() -> None:
    def sums(a: float, b: float) -> tuple[Any, ...]:
        p = Point(a)
        p += Point(b)
        return p.x, (5 + p).x, (p - Reflecting(a)), (Reflecting(a) - p).x, p < Identity(3), p < Point(b)

    check(sums, (1.0, 2.0), (-1.0, 2.0))


def test_truth_is_a_python_bool() -> None:
    def truth(v: Any) -> int:
        return 1 if Truth(v) else 2

    check(truth, (1.0,), (-1,))
    with pytest.raises(GraphProgramError, match=r"__bool__ should return bool, returned numpy\.bool"):
        graph_program(truth)(np.float32(1))


def test_true_and_false_exist_once() -> None:
    def same(x: Array, flag: bool, n: int) -> tuple[bool, ...]:
        big, bigger = n > 1, x[0] > 1
        return big is True, big is False, big is flag, bigger is True, flag is not True, big is n, big is None

    check(same, (np.ones(2), True, 2), (np.full(2, 2.0), False, 1))


def test_displays_are_evaluated_from_left_to_right() -> None:
    def display(x: Array) -> tuple[Any, ...]:
        log: list[int] = []

        def note(value: Any, number: int) -> Any:
            log.append(number)
            return value

        made = {note("a", 1): note(x, 2), **note({"b": 3}, 3), note("c", 4): note(5, 5)}
        return made["a"], made["b"], log

    check(display, (np.ones(2),))


@dataclass
class Row:
    n: int

    def __index__(self) -> int:
        return self.n


def positions_of_a_class(x: Any, k: int) -> Any:
    i, items, total = Row(k), [1.0, 2.0, 3.0, 4.0], 0
    for j in range(i):
        total += j
    x[i] = 9.0
    return x[i], x[i:], x[:i], items[i], items[i:], total, np.zeros(i), x.reshape(1, -1)[0, i]


def test_objects_with_an_index_are_positions() -> None:
    check(positions_of_a_class, (np.arange(4.0), 2), (np.arange(4.0), 0), (np.arange(4.0), 7))
