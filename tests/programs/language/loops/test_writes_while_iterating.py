"""Loops over lists and dicts whose body writes to them: an item is what is there when its turn comes."""

from __future__ import annotations

from typing import Any

import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check


def test_views_of_a_dict() -> None:
    def items(d: dict[str, int], n: int) -> list[int]:
        seen = []
        for position, (_, value) in enumerate(d.items()):
            d["b"] = n + position
            seen.append(value)
        return seen

    def values(d: dict[str, int], n: int) -> tuple[Any, ...]:
        view = d.values()
        d["a"] = n
        return sum(view), list(view), len(view), n in view, tuple(d.items())

    check(items, ({"a": 1, "b": 2}, 5))
    check(values, ({"a": 1, "b": 2}, 5))


def test_iterators_over_a_list() -> None:
    def zipped(xs: list[int], n: int) -> Any:
        seen = []
        for x, k in zip(xs, (1, 2, 3)):  # noqa: B905
            xs[2] = 10 * x + n
            seen.append(x * k)
        return seen

    def mapped(xs: list[int], n: int) -> Any:
        def change(x: int) -> int:
            xs[2] += x
            return x + n

        seen = []
        for x in map(change, xs):
            seen.append(x)
            xs[1] += 100
        return seen

    check(zipped, ([1, 2, 3], 5))
    check(mapped, ([1, 2, 3], 5))


def test_what_changes_its_length_is_refused() -> None:
    def program(xs: list[int]) -> list[int]:
        xs = list(xs)
        for _, x in enumerate(xs):
            xs.append(x)
        return xs

    with pytest.raises(GraphProgramError, match="changes its length"):
        graph_program(program)([1, 2])


def test_a_view_of_a_dict_cannot_be_returned() -> None:
    def program(d: dict[str, int]) -> Any:
        return d.values()

    with pytest.raises(GraphProgramError, match="dict_values"):
        graph_program(program)({"a": 1})
