"""Empty lists that are changed, read and searched at computed places."""

from __future__ import annotations

import bisect
import heapq
import warnings

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check


def at_place(x, k: int):
    s = []
    s.insert(int(x[0]), 5.0)
    s.insert(k, x[0])
    return s


def in_order(x, k: int):
    s, t = [], []
    for v in x:
        bisect.insort(s, v)
        t.insert(bisect.bisect(t, v), v)
    return s, t, bisect.bisect(s, k)


def searched(x, k: int):
    s = []
    for v in x:
        i = 0
        while i < len(s) and s[i] < v:
            i += 1
        s.insert(i, v)
    return s


def sliding_median(x, k: int):
    s = []
    out = np.zeros(len(x))
    for i in range(len(x)):
        bisect.insort(s, x[i])
        if i >= k:
            del s[bisect.bisect_left(s, x[i - k])]
        out[i] = s[len(s) // 2]
    return out


def emptied_in_rounds(x, k: int):
    s = []
    for v in x:
        if len(s) > k:
            del s[bisect.bisect_left(s, v) :]
        s.insert(k, (v, k))
        s[1:] = []
        s.pop()
    return s


def cut(x, k: int):
    s = []
    del s[k:]
    s[k : k + 1] = []
    return s, s[k:], k in s, s * k


@pytest.mark.parametrize("program", [at_place, in_order, searched, sliding_median, emptied_in_rounds, cut])
def test_at_computed_places(program):
    x = np.array([3.0, 1, 2, 5, 4])
    check(program, (x, 2), (x, 0), (x[:1], 1))


def removed(x, k: int):
    s = []
    del s[k]
    return s


@pytest.mark.filterwarnings("ignore::graph_program.ShapeWarning")
def test_there_is_nothing_to_delete():
    check(removed, (np.zeros(2), 0), (np.zeros(2), -1))


def beside_a_known_key(x, k: int):
    s = list(x[:0])
    bisect.insort(s, k)
    return s, bisect.bisect_left([], k)


def test_no_warning_is_about_what_never_runs():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(beside_a_known_key, (np.zeros(2), 3))


def pushed(x):
    s = []
    for v in x:
        heapq.heappush(s, {"a": v} if v > 1 else (v, 2))
    return s


def test_a_refusal_is_told_of_the_users_call():
    with pytest.raises(GraphProgramError) as refused:
        graph_program(pushed)(np.ones(3))
    assert refused.value.loc.file == __file__
    assert "heapq.heappush(s," in str(refused.value)
    assert "heaps.py" not in str(refused.value)
