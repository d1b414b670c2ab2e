"""Iterators are empty after one pass; functions made in a comprehension see its variables."""
# ruff: noqa: B023, C417 -- late binding and `map` are what is tested

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


def test_functions_made_in_a_comprehension() -> None:
    def functions(x: Array) -> tuple[Any, ...]:
        i = 7
        late = [lambda: x[i] for i in range(3)]
        early = [lambda k=i: x[k] for i in range(3)]
        nested = [[lambda: i * 10 + j for j in range(2)] for i in range(2)]
        pairs = {k: (lambda v: v * k) for k in (1, 2)}
        now = [(lambda: i)() for i in range(3)]
        return (
            [f() for f in late],
            [f() for f in early],
            [f() for row in nested for f in row],
            [f(x[0]) for f in pairs.values()],
            now,
            i,
        )

    check(functions, (np.array([1.0, 2.0, 3.0]),))


def test_an_iterator_is_gone_through_once() -> None:
    def once(x: Array) -> Any:
        pairs = zip([1, 2], [x[0], x[1]], strict=True)
        return sum(a * b for a, b in pairs)

    def twice(x: Array) -> Any:
        pairs = map(lambda v: v * x[0], [1, 2])
        return sum(pairs), sum(pairs)

    def resumed(x: Array) -> Any:
        total = 0.0
        items = enumerate([10, 20, 30])
        for i, v in items:
            total += x[0] * i
            if v == 20:
                break
        for i, _ in items:
            total += 100 + i
        return total

    check(once, (np.array([1.0, 2.0]),))
    for program in (twice, resumed):
        with pytest.raises(GraphProgramError, match="already gone through"):
            graph_program(program)(np.array([1.0, 2.0]))


def test_a_generator_that_is_kept_is_refused() -> None:
    def kept(x: Array) -> Any:
        k = 1
        found = (v * k for v in (1, 2, 3))
        k = 10
        return sum(found) + x[0]

    with pytest.raises(GraphProgramError, match="a generator that is kept"):
        graph_program(kept)(np.array([1.0, 2.0]))
