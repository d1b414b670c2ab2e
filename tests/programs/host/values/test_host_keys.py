"""Dicts and sets with computed keys and elements, which are made on the host."""

from __future__ import annotations

import collections
import heapq
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program, host_function
from tests.programs.plain import check_shown

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
RATES = {"r0": 0.5, "r1": 2.0, "r2": 4.0}
GRID = {(0, "a"): 1, (1, "b"): 2}


@host_function
def word(k: int) -> str:
    return "cab"[k % 3]


def counts(x):
    found = {}
    for k in range(len(x)):
        found[k] = found.get(k, 0) + 1
        found[k % 2] += 2
    print(found, len(found), 1 in found)
    return found


def names(x):
    found = {}
    for k, v in enumerate(x):
        found[f"row{k}"] = float(v)
        found[str(k)] = v * 2
    first = f"{x[0]}"
    found[first + "-x"] = 1
    found[f"{first}-x"] += 1
    for key, value in found.items():
        print(key, value)
    return found, "row1" in found, f"row{len(x)}" in found, list(found)


def grouped(x):
    found, others = {}, collections.defaultdict(list)
    for v in x:
        found.setdefault(int(v) % 2, []).append(float(v))
        others[int(v) % 2].append(float(v))
    return found, dict(others)


def comprehensions(x):
    pairs = {f"r{k}": float(v) for k, v in enumerate(x)}
    return pairs, {k: x[k] for k in range(len(x)) if x[k] > 1}, {int(x[0]): 1, "a": x}


def captured(x):
    total = 0.0
    for k in range(len(x)):
        total += RATES[f"r{k}"] * x[k]
        if (k, "ab"[k % 2]) in GRID:
            total += GRID[k, f"{'ab'[k % 2]}"]
    return total


def arrays(x):
    found = {}
    for k in range(len(x)):
        found[word(k)] = x * k
    found[word(0)] += 1
    found[word(1)][0] = 7
    return found


def deleted(x):
    found = {}
    for k in range(len(x)):
        found[k] = k
    for k in range(len(x) - 1):
        del found[k]
    try:
        print(found[7 + len(x)])
    except KeyError as error:
        print("missing", error)
    return found.pop(len(x) - 1), found


def pairs_as_keys(x):
    found = {}
    for i in range(len(x)):
        for j in range(2):
            found[i, j] = float(x[i]) * j
        found[(i, f"k{i}")] = 1
    return found


class Totals:
    def __init__(self):
        self.found = {"all": {}}

    def add(self, key, value):
        self.found["all"][key] = self.found["all"].get(key, 0.0) + value


def methods(x):
    totals = Totals()
    for k in range(len(x)):
        totals.add(k // 2, float(x[k]))
    return totals.found, sum(totals.found["all"].values())


def copies(x):
    first = dict(a=1)  # noqa: C408
    second = first.copy()
    second[int(x[0])] = 2
    first.update(b=2)
    second.update(first)
    return first, second, sorted(second.values())


def heap(x):
    waiting = []
    for k in range(len(x)):
        heapq.heappush(waiting, (float(x[k]), f"r{k}"))
    return heapq.heappop(waiting), waiting


def missing(x):
    found = {}
    for k in range(len(x)):
        found[k] = x[k]
    return found[len(x)]


PROGRAMS = [counts, names, grouped, comprehensions, captured, arrays, deleted, pairs_as_keys, methods, copies, heap]
PROGRAMS += [missing]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.array([3.0, 1.0, 2.0])
    check_shown(function, (x,), capsys)


def test_known_keys_stay_in_the_graph() -> None:
    def unrolled(x):
        found = {}
        for k in range(3):
            found[f"a{k}"] = x[k]
        return found["a1"] + x

    program = graph_program(unrolled)
    assert np.array_equal(program(np.arange(3.0)), unrolled(np.arange(3.0)))
    assert program.host_source == ""


def test_writes_behind_a_dict_are_refused() -> None:
    def array(x):
        found, y = {}, x * 2
        found[word(0)] = y
        y += 1
        return found

    def items(x):
        found, rows = {}, [1]
        found[int(x[0])] = rows
        rows.append(2)
        return found

    for program in (array, items):
        with pytest.raises(GraphProgramError, match="GP585"):
            graph_program(program)(np.ones(2))
