"""The pass that asks less of integers that may outgrow 64 bits: nothing else is refused than before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Int64, IntegerLimitError, Tensor, graph_program
from tests.passes import without

LEAST, GREATEST = -(2**63), 2**63 - 1
EDGES = [GREATEST // d for d in (1, 2, 3, 2**40, 3037000499, 2**62)] + [LEAST // d for d in (1, 2, 3, 2**40, 2**62)]
NUMBERS = sorted({e for edge in EDGES for e in (edge - 5, edge - 1, edge, edge + 1, edge + 5, -edge, 0, 7, -7)})
NUMBERS = [number for number in NUMBERS if LEAST <= number <= GREATEST]


def plus_a_number(x: int) -> Any:
    return x + 5


def less_a_number(x: int) -> Any:
    return x - 5


def off_a_number(x: int) -> Any:
    return 5 - x


def off_a_negative_number(x: int) -> Any:
    return -7 - x


def negative(x: int) -> Any:
    return -x


def times_three(x: int) -> Any:
    return x * 3


def times_minus_two(x: int) -> Any:
    return -2 * x


def times_a_large_number(x: int) -> Any:
    return x * 2**40


def squared(x: int) -> Any:
    return x * x


def with_a_size(x: int, a: Int64[Tensor, "n"]) -> Any:
    return x + 2 * len(a)


def less_a_size(x: int, a: Int64[Tensor, "n"]) -> Any:
    return x - len(a)


def the_product(x: int, y: int) -> Any:
    return x * y


def the_sum(x: int, y: int) -> Any:
    return x + y


OF_ONE = (
    *(plus_a_number, less_a_number, off_a_number, off_a_negative_number, negative),
    *(times_three, times_minus_two, times_a_large_number, squared),
)
FEWER = {**dict.fromkeys(OF_ONE, 5), with_a_size: 5, less_a_size: 4, the_product: 9}
"""The operators that a program has at most."""


def fits(number: Any) -> bool:
    return bool(LEAST <= number <= GREATEST)


def same(fn: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> None:
    """Assert that a program gives what fits, and refuses what does not."""
    program = graph_program(fn)
    for given in arguments:
        expected = fn(*given)
        if fits(expected):
            assert program(*given) == expected, given
        else:
            with pytest.raises(IntegerLimitError):
                program(*given)


@pytest.mark.parametrize("fn", OF_ONE)
def test_one_number(fn: Callable[..., Any]) -> None:
    same(fn, [(x,) for x in NUMBERS])


@pytest.mark.parametrize("fn", [with_a_size, less_a_size])
def test_sizes(fn: Callable[..., Any]) -> None:
    same(fn, [(x, np.zeros(n, np.int64)) for x in NUMBERS for n in (0, 1, 3)])


@pytest.mark.parametrize("fn", [the_product, the_sum])
def test_two_numbers(fn: Callable[..., Any]) -> None:
    rng = np.random.default_rng(1)
    chosen = [int(rng.choice(NUMBERS)) for _ in range(200)] + [int(x) for x in rng.integers(-(2**33), 2**33, 40)]
    edges = [edge // x + k for x in chosen if x for edge in (LEAST, GREATEST) for k in (-1, 0, 1)]
    same(fn, list(zip(chosen, reversed(chosen), strict=True)))
    same(fn, [(x, y) for x, y in zip([x for x in chosen if x for _ in range(6)], edges, strict=True) if fits(y)])


@pytest.mark.parametrize("fn", FEWER)
def test_fewer_operators(fn: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    here = len(graph_program(fn).model().graph.node)
    assert here <= FEWER[fn]
    without(monkeypatch, "overflow_checks")
    assert len(graph_program(fn).model().graph.node) > here
