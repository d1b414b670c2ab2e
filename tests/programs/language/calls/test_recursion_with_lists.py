"""Tail recursion next to lists of computed length."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check


def gcd(a: int, b: int) -> int:
    return a if b == 0 else gcd(b, a % b)


def test_a_growing_list_is_in_scope() -> None:
    def program(x: Any, n: int) -> Any:
        found = []
        for k in range(n):
            found.append(x[k] * gcd(n, k + 1))
        return np.array(found), gcd(len(found), 4)

    check(program, (np.arange(4.0), 4), (np.arange(4.0), 0), (np.arange(4.0), 3))
