"""Arrays inside dicts, lists and objects that a loop carries, and rounds that write to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check

X = np.array([-2.5, 0.0, 3.0])


def an_element_of_a_dict(x: Any, n: int, d: dict[str, Any]) -> Any:
    for _ in range(n):
        try:
            d["a"][2] = d["a"][-1]
        except IndexError:
            d["a"] = x
        d["a"][:] += 1.0
    return d


def an_element_of_a_list(x: Any, n: int, values: list[Any]) -> Any:
    for _ in range(n):
        try:
            values[0][2] += 1
        except IndexError:
            values[0] = x.copy()
        values[0][0] *= 2
        values[1][0] += 1
    return values


def an_element_of_a_tuple(x: Any, n: int, a: Any) -> Any:
    pair = a, 0
    for k in range(n):
        if k > 3:
            pair = x, 1
        pair[0][0] += 1.0
    return pair


def one_of_two_types(x: Any, n: int) -> Any:
    y = x.copy()
    for k in range(n):
        if k == 5:
            y = x.astype(np.int64)
        y[0] = y[0] * 2
    return y


def test_what_a_round_writes_is_there_in_the_next() -> None:
    short, empty = np.array([-2.5]), np.zeros(0)
    check(an_element_of_a_dict, *((x, n, {"a": a}) for x in (X, short) for n in (0, 3) for a in (X * 2, short * 2)))
    check(an_element_of_a_list, *((x, n, [X * 2, a + 1]) for x in (X, empty) for n in (0, 3) for a in (X, short)))
    check(an_element_of_a_list, (X, 3, [short, X * 2]), (empty, 3, [short + 1, X * 2]))
    check(an_element_of_a_tuple, (X, 3, X * 2), (X, 6, X * 2), (X, 0, X * 2))
    check(one_of_two_types, (X, 3), (X, 8), (X, 0))


def a_dict_or_a_new_one(x: Any, d: dict[str, Any]) -> Any:
    for _ in enumerate(d["b"], start=-2):
        if d["a"]:
            d["b"] = np.cumsum(x[:3] + d["b"], axis=0)
    e = {"a": d["a"], "b": np.array([0.5, 4.0, 0.0])} if d["a"] else d
    e["b"][...] = d["b"] + 1
    return d


def test_an_array_carried_by_a_dict_that_may_be_another() -> None:
    check(a_dict_or_a_new_one, *((np.arange(4.0), {"a": a, "b": X.copy()}) for a in (0.0, 2.0)))
