"""Ranges whose bounds are computed, up to the ends of what 64 bits hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.arguments.argument_specs import spec_from_value
from graph_program.extract.pipeline import extract
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
LARGEST = 2**63 - 1


def totals(start: int, stop: int, step: int) -> tuple[int, int, int]:
    last = count = 0
    low = start
    for i in range(start, stop, step):
        last = i
        count += 1
        low = min(low, i)
    return last, count, low


def test_at_the_ends() -> None:
    check(
        totals,
        (LARGEST - 5, LARGEST, 2),
        (-LARGEST, -LARGEST + 7, 3),
        (-LARGEST + 3, -LARGEST, -1),
        (LARGEST, LARGEST - 4, -3),
        (3, 3, 1),
        (-3, 9, 4),
        (9, -3, -5),
    )


def test_backwards_from_a_number() -> None:
    def table(n: int, x: Array) -> Array:
        best = np.zeros((n, n), x.dtype)
        for i in range(n - 1, -1, -1):
            for j in range(i + 1, n):
                best[i, j] = max(best[i, j - 1], best[i + 1, j])
                for k in range(i, j):
                    best[i, j] = max(best[i, j], best[i, k] + best[k + 1, j] + x[k] * x[j])
        return best

    values = np.array([3, -1, 4, 1, -5])
    check(table, *((n, values[:n]) for n in range(6)), (4, values.astype(np.float32)), (6, values))


def test_numbers_of_a_range_do_not_overflow() -> None:
    def total(n: int, k: int) -> int:
        found = 0
        for i in range(n - 1, k, -1):
            found = i
        return found

    found = extract(total, {name: spec_from_value(3, None, name) for name in ("n", "k")})
    overflows = [error for error in found.program.errors if issubclass(error.exception, OverflowError)]
    assert len(overflows) == 1  # n - 1 itself
    check(total, (5, 2), (0, 3), (-LARGEST, 0))
