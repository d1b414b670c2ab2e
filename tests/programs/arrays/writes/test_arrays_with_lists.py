"""`+` and `*` of arrays with lists, also in place: NumPy's, whichever of them stands first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import Cases, check, differs

cases = Cases()
ONES = np.ones(2)
TWO, THREE = (np.array([1.0, 3.0]), 2), (np.array([1.0, 3.0, 4.0]), 3)


@cases(TWO, THREE)
def lists_of_computed_length(x: Any, n: int) -> Any:
    grown = []
    for k in range(n):
        grown.append(k)
    return x * grown, grown * x, x + grown, grown + x, grown + x[0], x * tuple(grown), grown * np.int64(2)


@cases(TWO, THREE, (np.ones(1), 2))
def arrays_in_place(x: Any, n: int) -> Any:
    grown = list(range(n))
    x += grown
    x *= tuple(grown)
    return x


@cases(TWO, THREE)
def lists_that_become_arrays(x: Any, n: int) -> Any:
    known, grown, repeated = [1, 2], list(range(n)), [n, 1]
    kept = known
    known += x[:2]
    known *= np.array(2)
    grown += x
    repeated += ONES
    return known, kept, grown, repeated


@cases(TWO)
def lists_that_stay_lists(x: Any, n: int) -> Any:
    known, kept = [1, 2], []
    kept += known
    known += (3,)
    known *= np.int64(2)
    known += range(n)
    return known, kept


@cases(TWO)
def a_number_of_numpy(x: Any, n: int) -> Any:
    known = [1, n]
    known += x[1]
    grown = list(range(n))
    grown += np.float32(2)
    return known, grown


@cases.each
def test_arrays_and_lists(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


class Store:
    items: Any


def test_an_attribute_that_becomes_an_array() -> None:
    store = Store()

    def program(x: Any) -> Any:
        store.items += x
        return store.items

    found = []
    for run in (program, graph_program(program)):
        store.items = [1.0, 2.0]
        found.append((run(ONES), store.items))
    assert not differs(*found), found


def products_in_place(a: Any, b: Any, wanted: int) -> Any:
    if wanted:
        a @= b
    return a


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (2, 2),
        (2, (2, 2)),
        ((2, 2), 2),
        ((2, 3), (3, 2)),
        (2, (3, 2, 2)),
        ((3, 2, 2), (2, 2)),
        ((2, 2), (3, 2, 2)),
        ((2, 2), (1, 2, 2)),
        ((3, 2), 2),
        ((2, 2), (2, 1)),
        ((), 2),
    ],
)
def test_products_in_place(left: Any, right: Any) -> None:
    check(products_in_place, (np.ones(left), np.ones(right), 1))
