"""Dicts of known keys that are asked for computed numbers, and what goes with them in everyday code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

NUMBERS = [(np.array(v),) for v in ([3, 1, 3, 2], [1, 2], [7, 7, 7], [-4, 6], [0, 0])]
PRICES = {1: 10.0, 2: 20.0, 3: 30.0}


def test_reading() -> None:
    def program(x: Any) -> Any:
        k = int(x[0])
        return PRICES[k], k in PRICES, PRICES.get(k), PRICES.get(k, -1.0)

    check(program, *NUMBERS)


def test_reading_in_a_loop() -> None:
    def program(x: Any) -> Any:
        table = {1: x[0], 3: x[1], True + 1: x[0] * 2}
        total = 0
        for v in x:
            total += int(table.get(v, 0))
        return total

    check(program, *NUMBERS)


def test_a_missing_key_is_caught() -> None:
    def program(x: Any) -> Any:
        try:
            return {1: 5, 3: 6}[int(x[0])]
        except KeyError as error:
            return error.args[0]

    check(program, *NUMBERS)


def test_entries_of_different_kinds() -> None:
    def program(x: Any) -> Any:
        words = {1: "one", 3: "three"}
        rows = {1: x, 3: x + 1, 7: x * 2}
        return words.get(int(x[0]), "many"), rows.get(int(x[0]), x).sum()

    check(program, *NUMBERS)


def test_a_computed_key_is_not_written() -> None:
    def program(x: Any) -> Any:
        counts = {}
        for v in x:
            counts[int(v)] = counts.get(int(v), 0) + 1
        return counts

    with pytest.raises(GraphProgramError, match=r"GP309(.*\n)*.*in an array"):
        graph_program(program)(np.array([1, 2]))


def test_a_list_does_what_the_hint_says() -> None:
    def program(x: Any) -> Any:
        seen = []
        for v in x:
            if int(v) in seen:
                return int(v), len(seen)
            seen.append(int(v))
        return -1, len(seen)

    check(program, *NUMBERS)

    def with_a_set(x: Any) -> Any:
        seen = set()
        for v in x:
            seen.add(int(v))
        return len(seen)

    with pytest.raises(GraphProgramError, match="keep a list: `if v not in seen"):
        graph_program(with_a_set)(np.array([1, 2]))


def test_digits_of_computed_ints() -> None:
    def program(x: Any) -> Any:
        n = int(x[0])
        return bin(n), hex(x[1]), oct(n), format(n, "04x"), f"{n:#b}", bin(5)

    check(program, *NUMBERS)


def test_divisors() -> None:
    def program(x: Any) -> Any:
        a, b = int(x[0]), int(x[1])
        return math.gcd(a, b), math.lcm(a, b), math.gcd(a, b, 12), math.gcd(a), math.lcm(), math.gcd(x[0], 4)

    check(program, *NUMBERS)


def test_the_next_element_of_a_generator() -> None:
    def program(x: Any) -> Any:
        found = next((i for i, v in enumerate(x) if v == 2), -1)
        other = next((v * 1.5 for v in x if v > 5), None)
        first = next(2 * k for k in (x[0], x[1]))
        return found, other, first

    check(program, *NUMBERS)


def test_no_next_element() -> None:
    def program(x: Any) -> Any:
        try:
            return next(i for i, v in enumerate(x) if v == 2)
        except StopIteration:
            return -5

    check(program, *NUMBERS)


def test_a_generator_that_is_unpacked() -> None:
    def program(x: Any) -> Any:
        low, high = (float(q) for q in (x[0], x[1]))
        (a, *rest) = (v + 1 for v in (low, high, 3.0))
        return low - high, a, rest

    check(program, *NUMBERS)


def test_views_of_integers() -> None:
    def program(x: Any) -> Any:
        signed = x.view(np.int8)
        signed[0] = -1
        return signed, x, x[1:].view(np.int8).sum(), x[0].view(np.int8)

    check(program, (np.array([1, 200, 3], np.uint8),), (np.array([255, 128], np.uint8),))


def test_a_view_of_other_bytes_is_refused() -> None:
    def program(x: Any) -> Any:
        return x.view(np.uint64)

    with pytest.raises(GraphProgramError, match="looks at the bytes"):
        graph_program(program)(np.ones(3))


def test_a_bytearray_is_refused() -> None:
    def program(data: Any) -> Any:
        return data[0]

    with pytest.raises(GraphProgramError, match=r"np\.frombuffer"):
        graph_program(program)(bytearray(b"abc"))


def test_an_entry_is_changed() -> None:
    def program(x: Any) -> Any:
        counts = {1: 0, 2: 0, 3: 0, "other": 0}
        rows = {1: x * 0, 3: x}
        for v in x:
            if int(v) in counts:
                counts[int(v)] += 1
            else:
                counts["other"] += 1
        rows[int(x[0])] += 1
        return counts, rows, x

    check(program, *NUMBERS)


def test_an_entry_that_is_not_there() -> None:
    def program(x: Any, counts: dict[int, int]) -> Any:
        for v in x:
            counts[int(v)] += 1
        return counts

    check(program, *[(x, {1: 0, 3: 5, 2: 1}) for (x,) in NUMBERS])
