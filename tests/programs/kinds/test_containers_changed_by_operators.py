"""`|=` and its like on dicts and sets change the container itself, which other names have, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import ImplicitCopyWarning
from tests.programs.plain import Cases, check

case = Cases()
sets = Cases()


@case((3,), (1,))
def dict_of_two_names(n: int) -> Any:
    d: Any = {"a": n}
    e = d
    d |= {"b": 2}
    return e, len(e)


@case((np.ones(3),))
def dict_in_a_function(x: Any) -> Any:
    def put(q: Any) -> None:
        q |= {"k": x.sum()}

    d: Any = {"a": 1.0}
    put(d)
    return d


@case((3,), (1,))
def dict_on_one_path(n: int) -> Any:
    d = {"a": n}
    e = d
    if n > 2:
        d |= {"a": 5}
    return e["a"]


@case((1,))
def dict_in_rounds(n: int) -> Any:
    d = {"a": n}
    e = d
    for k in range(3):
        d |= {"a": d["a"] + k}
    return e["a"]


@case((1,))
def dict_and_pairs(n: int) -> Any:
    d = {"a": n}
    d |= [("b", 3)]
    return d


@case((1,))
def sets_of_one_name(n: int) -> Any:
    s = {1, 2, 3}
    s |= {7}
    s &= {1, 7, 9}
    t = frozenset({1})
    u = t
    t |= {2}
    return len(s), 7 in s, 2 in t, 2 in u, n


@sets((5,), (1,))
def union(n: int) -> Any:
    s = {1}
    t = s
    s |= {n}
    return len(t), n in t


@sets((5,))
def intersection(n: int) -> Any:
    s = {1, 2, 3}
    t = s
    s &= {n, 2}
    return len(t)


@sets((5,))
def difference(n: int) -> Any:
    s = {1, 2, 3}
    t = (s, n)
    s -= {2}
    return len(t[0]), 2 in t[0]


@sets((5,))
def in_a_function(n: int) -> Any:
    def put(q: Any) -> None:
        q ^= {9, 1}

    s = {1, 2, 3}
    put(s)
    return 9 in s, 1 in s, n


@case.each
def test_same_as_python(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


@sets.each
def test_sets_of_several_names(fn: Any, inputs: Any, recwarn: pytest.WarningsRecorder) -> None:
    """Such a set is the host's, which has one."""
    check(fn, *inputs)
    assert all(issubclass(one.category, ImplicitCopyWarning) for one in recwarn)
