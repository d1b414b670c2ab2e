"""Dicts made of pairs in an order that is computed: they are the host's."""

from __future__ import annotations

from typing import Any

from tests.programs.plain import Cases, check

cases = Cases()

NUMBERS: tuple[tuple[Any, ...], ...] = ((1.0, 1.0), (2.0, 1.0), (0.5, 3.0))


@cases(*NUMBERS)
def sorted_items(a: Any, b: Any) -> Any:
    costs = {"u": a, "v": b, "w": a * b}
    return dict(sorted(costs.items(), key=lambda item: item[1]))


@cases(*NUMBERS)
def the_best(a: Any, b: Any) -> Any:
    costs = {"u": a, "v": b, "w": a * b}
    best = sorted(costs, key=lambda k: costs[k], reverse=True)[:2]
    return {k: costs[k] for k in best}, dict(zip(best, (1, 2), strict=True))


@cases(*NUMBERS)
def ranks(a: Any, b: Any) -> Any:
    found: dict[str, int] = {}
    for rank, (name, _) in enumerate(sorted({"u": a, "v": b}.items(), key=lambda item: item[1])):
        found[name] = rank
    return found["u"]


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
