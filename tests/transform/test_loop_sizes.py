"""The pass that finds sizes which every round of a loop keeps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases, check

Square = Float64[Tensor, "n n"]
Vector = Float64[Tensor, "n"]
RNG = np.random.default_rng(1)
SQUARES = tuple((RNG.random((n, n)), k) for n in (4, 1, 2, 0) for k in (5, 1, 0))
VECTORS = tuple((RNG.random(n), k) for n in (5, 3, 2, 0) for k in (4, 1, 0))

kept = Cases()
"""Programs whose loop carries an array of 3 elements, with arguments."""
lost = Cases()
"""Near misses, in which it may have others."""


@kept(*SQUARES)
def best_of_rows(table: Square, rounds: int) -> Any:
    last = np.zeros(3, np.int64)
    for _ in range(rounds):
        flat = table[last].ravel()
        last = np.argsort(flat, kind="stable")[:3] % len(table)
    return last


@kept(*SQUARES)
def parents(table: Square, rounds: int) -> Any:
    last, tokens = np.zeros(3, np.int64), np.arange(3)
    for _ in range(rounds):
        best = np.argsort(-table[last].ravel(), kind="stable")[:3]
        last = best % len(table)
        tokens = tokens[best // len(table)]
    return tokens


@kept(*VECTORS)
def left_early(x: Vector, rounds: int) -> Any:
    y = np.ones(3)
    for k in range(rounds):
        if x[k] > 0.5:
            break
        y = y * x[0] + y[::-1]
    return y


@kept(*VECTORS)
def first_set_in_a_loop(x: Vector, rounds: int) -> Any:
    y = np.ones(3)
    for k in range(rounds):
        while True:
            z = y + x[k]
            if z.sum() > 4.0 * k:
                break
            y = z * 2
        while z[0] < k:
            z = z + 1
        y = z
    return y


@lost(*VECTORS)
def known_in_a_loop_only(x: Vector, rounds: int) -> Any:
    for k in range(rounds):
        large = x[x * 4 > k]
        z = large * 2
    for _ in range(rounds):
        z = z + large
    return z


@lost(*VECTORS)
def first_three(x: Vector, rounds: int) -> Any:
    y = np.zeros(3)
    for k in range(rounds):
        y = np.sort(x * (k + 1) + y.sum())[:3]
    return y


@lost(*SQUARES)
def rows_without_an_element(table: Square, rounds: int) -> Any:
    last = np.zeros(3, np.int64)
    for k in range(rounds):
        last = np.argsort(table.ravel() * k + last.sum(), kind="stable")[:3]
    return last


@lost(*VECTORS)
def growing(x: Vector, rounds: int) -> Any:
    y = np.zeros(3)
    for k in range(rounds):
        y = np.append(y * 0.5, y[0] + k)
    return y + x[:1].sum()


@lost(*VECTORS)
def swapped(x: Vector, rounds: int) -> Any:
    y, z = np.ones(3), x + 1
    for k in range(rounds):
        y, z = z * k, y + 1
    return y, z


def carried(fn: Callable[..., Any]) -> list[str]:
    """The shapes of arrays that the loops of a program carry."""
    lines = graph_program(fn).explain("optimized").splitlines()
    heads = [line.partition(" with ")[2] for line in lines if "= loop(" in line]
    return [shape for head in heads for shape in re.findall(r"\[(.+?)\] =", head)]


@kept.each
def test_a_size_that_is_kept_is_known(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    found = carried(fn)
    assert found and set(found) == {"3"}


@lost.each
def test_a_size_that_may_change_is_not(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert "3" not in carried(fn)


def test_quotients_of_places_are_inside() -> None:
    def program(x: Float64[Tensor, "n 4"], names: Int64[Tensor, "4"], k: int) -> Any:
        place = np.argsort(x.T.ravel(), kind="stable")[k]
        return names[place // len(x)]

    names = np.arange(4) * 10
    check(program, *((RNG.random((n, 4)), names, k) for n in (3, 1, 0) for k in (0, 3, -1, 12)))


def test_a_size_of_an_argument_is_known_behind_its_check_only() -> None:
    def program(x: Vector, k: int) -> None:
        x.fill(0)
        x[1] = x[2]
        x[np.array([False, True, True])] = 5.0
        for _ in range(k):
            x += 1

    check(program, *((np.ones(n), k) for n in (3, 0, 1, 2, 4) for k in (0, 2)))
