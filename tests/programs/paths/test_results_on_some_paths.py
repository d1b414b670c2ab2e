"""Lists of computed length that are the result on some paths only: on the others, nothing is read of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check

X = np.arange(4.0)


def grown(x, n):
    rows = [x[1:4] * 2]
    for _ in range(n):
        rows.append(np.zeros(3))
    return rows


@dataclass
class Found:
    rows: Any
    name: str


def of_several_lengths(x, n):
    if n > 3:
        rows = grown(x, n)
        if n != 5:
            return n, rows
    return x, x, n


def of_one_length(x, n):
    if n > 3:
        return n, grown(x, n)
    return x, x


def perhaps(x, n):
    rows = grown(x, n) if n > 3 else None
    return rows, n


def twice(x, n):
    if n > 3:
        rows = grown(x, n)
        return rows, rows
    return {"x": x}


def inside(x, n):
    if n > 3:
        return Found(grown(x, n), "rows")
    return [x, Found(None, "none")]


def or_none(x, n):
    if n > 6:
        return x[:1], x[1:]
    if n > 4:
        return "several", x, n
    return None


@pytest.mark.parametrize("program", [of_several_lengths, of_one_length, perhaps, twice, inside, or_none])
def test_only_what_is_chosen_is_read(program):
    check(program, (X, 7), (X, 5), (X, 0), (X[:1], 1))


def test_it_is_one_list():
    one, other = graph_program(twice)(X, 4)
    assert one is other
