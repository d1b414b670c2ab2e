"""`np.histogram`, its edges, and searches of many values at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check, check_or_refused

Array = np.ndarray[Any, Any]
RANDOM = np.random.default_rng(0)
FLOATS = RANDOM.normal(size=200)
INTS = RANDOM.integers(-5, 9, 50)
WEIGHTS = RANDOM.random(200)


def test_numbers_of_bins() -> None:
    def ten(a: Any) -> Any:
        return np.histogram(a)

    def some(a: Array, n: int) -> Any:
        return np.histogram(a, n)

    check(ten, (FLOATS,), (np.zeros(0),), (np.ones(3),), (np.array([1.0, np.nan]),))
    check(ten, (FLOATS.astype(np.float32),))
    check(ten, (FLOATS.reshape(20, 10),))
    check(ten, (INTS,), (np.arange(11),))
    check(ten, (INTS.astype(np.int8),))
    check(some, (FLOATS, 3), (FLOATS, 0), (FLOATS, -2), (np.arange(1000) / 1000, 1000))
    check(some, (INTS, 14))


@pytest.mark.filterwarnings("ignore:Converting input from bool")
def test_truths() -> None:
    def two(a: Array) -> Any:
        return np.histogram(a, 2)

    check(two, (FLOATS > 0,))


def test_weights() -> None:
    def weighted(a: Array, w: Array) -> Any:
        return np.histogram(a, 5, weights=w)

    check(weighted, (FLOATS, WEIGHTS), (FLOATS, WEIGHTS[:3]))
    check(weighted, (FLOATS, WEIGHTS.astype(np.float32)))
    check(weighted, (INTS, np.arange(50)))


def test_given_edges() -> None:
    def counted(a: Array, edges: Array) -> Any:
        return np.histogram(a, bins=edges)

    def weighted(a: Array, edges: Array, w: Array) -> Any:
        return np.histogram(a, bins=edges, weights=w)

    def listed(a: Array) -> Any:
        return np.histogram(a, (0, 1, 2)), np.histogram([1, 2, 1], bins=[0, 1, 2, 3]), np.histogram(a, np.int64(3))[0]

    check(counted, (FLOATS, np.array([-1.0, 0, 2])), (FLOATS, np.array([2.0, 1])), (FLOATS, np.array([1.0])))
    check(counted, (INTS, np.array([0, 1, 1, 5])))
    check(weighted, (FLOATS, np.array([-1.0, 0, 2]), WEIGHTS))
    check(weighted, (INTS, np.array([0, 1, 1, 5]), np.arange(50)))
    check(listed, (FLOATS,))


def test_ranges_and_densities() -> None:
    def density(a: Array) -> Any:
        return np.histogram(a, bins=7, range=(-1, 1.5), density=True)

    def weighted(a: Array, w: Array) -> Any:
        return np.histogram(a, [0, 1, 2.5, 3], density=True, weights=w)

    def between(a: Array, low: float, high: float) -> Any:
        return np.histogram(a, 4, range=(low, high))

    check(density, (FLOATS,))
    check(density, (INTS,))
    check(weighted, (FLOATS, WEIGHTS))
    check(between, (FLOATS, -1.0, 1.0), (FLOATS, 1.0, -1.0), (FLOATS, 0.0, 0.0), (FLOATS, 0.0, np.inf))


def test_edges() -> None:
    def edges(a: Array) -> Any:
        given, between = np.histogram_bin_edges(a, [1, 2, 3]), np.histogram_bin_edges(a, 3, (0, 2))
        return np.histogram_bin_edges(a, 4), given, between

    check(edges, (FLOATS,))
    check(edges, (INTS,))


def test_bins_that_are_none() -> None:
    def fraction(a: Array) -> Any:
        return np.histogram(a, 3.0)

    def square(a: Array, edges: Array) -> Any:
        return np.histogram(a, edges)

    check_or_refused(fraction, (FLOATS,))
    check_or_refused(square, (FLOATS, np.zeros((2, 2))))


def test_searches() -> None:
    def both(a: Array, v: Array) -> Any:
        return np.searchsorted(a, v), np.searchsorted(a, v, side="right"), a.searchsorted(v)

    check(
        both,
        (np.sort(FLOATS), WEIGHTS),
        (np.zeros(0), np.ones(3)),
        (np.array([2.0]), np.array([1.0, 2.0, 3.0])),
        (np.array([1.0, 2.0, np.nan, np.nan]), np.array([np.nan, 3.0, 1.5, 2.0])),
    )
    check(both, (np.sort(INTS), np.arange(-8, 12).reshape(4, 5)))
    check(both, (np.array([1.0, 1.0, 1.0, 2.0]), np.zeros((0, 3))))


def test_sums_at_places() -> None:
    def added(x: Array, places: Array, values: Array) -> Any:
        np.add.at(x, places, values)
        np.add.at(x, places[:2], 1)
        return x, np.bincount(places), np.bincount(places, values, minlength=9)

    places = np.array([1, 3, 1, 0, 1])
    check(added, (np.zeros(5), places, np.arange(5.0)), (np.zeros(5), np.array([1, 7, 0]), np.ones(3)))
    check(added, (np.zeros(5, np.int8), places, np.array([100, 1, 100, 2, 3])))
    check(added, (np.zeros(5, np.float32), places, np.arange(5, dtype=np.float32)))
    check(added, (np.zeros(5, np.float16), places, np.arange(5, dtype=np.float16)))


RULES = ["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"]


@pytest.mark.parametrize("rule", RULES)
def test_rules(rule: str) -> None:
    def counted(a: Array) -> Any:
        return np.histogram(a, rule)

    def edges(a: Array, low: float) -> Any:
        return np.histogram_bin_edges(a, bins=rule, range=(low, 2)), np.histogram(a, rule, (0.0, 1.5), density=True)

    half = FLOATS.astype(np.float32)
    check(counted, (FLOATS,), (half,), (FLOATS[:1],), (np.zeros(0),), (np.ones(4),), (np.append(FLOATS, np.inf),))
    check(counted, (INTS,), (INTS[:3],), (np.array([7, 7]),))
    check(counted, (INTS.astype(np.uint8),), (INTS.astype(np.int8).reshape(5, 10),))
    check(edges, (FLOATS, -1.0), (half, 0.5), (INTS, -3.0), (FLOATS, 1.9999), (FLOATS, 3.0))


def test_rules_with_few_between_the_quartiles() -> None:
    def program(a: Array) -> Any:
        counts, edges = np.histogram(a, "auto")
        return counts, edges, edges[np.argmax(counts)], len(np.histogram_bin_edges(a, "fd"))

    check(program, (np.repeat([0.0, 1.0], [99, 1]),), (np.repeat([0, 9], [99, 1]),), (FLOATS,))


def test_rules_that_are_none() -> None:
    check_or_refused(lambda a: np.histogram(a, "square"), (FLOATS,))
    check_or_refused(lambda a: np.histogram(a, None), (FLOATS,))
    check_or_refused(lambda a, w: np.histogram(a, "auto", weights=w), (FLOATS, WEIGHTS))
    check_or_refused(lambda a, w: np.histogram_bin_edges(a, "fd", weights=w), (FLOATS, WEIGHTS[:3]))
