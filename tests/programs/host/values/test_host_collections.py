"""Sets with elements of the host, lists of host objects in order, and arrays that NumPy makes of them there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import host_function, to_device
from tests.programs.plain import check_shown

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]


@host_function
def word(k: int) -> str:
    return "cab"[k % 3]


@host_function
def words(n: int) -> Any:
    return ["b", "a", "c"][:n]


@host_function
def rows(n: int) -> Any:
    return iter([(k, 1.0 * k, 2.0) for k in range(n)])


@host_function
def ragged(n: int) -> Any:
    return [[1.0] * k for k in range(n)]


def added(x):
    seen = set()
    for k in range(len(x) + 2):
        if word(k) in seen:
            print("again", word(k))
        seen.add(word(k))
        seen.add(f"{k % 2}")
        seen.add(k)
    seen.discard("c")
    print(len(seen), sorted(map(str, seen)))
    return seen


def forms(x):
    first = {word(0), "a"}
    names = {f"r{k}" for k in range(len(x))}
    some = {w for w in words(3) if w != "a"}
    others, frozen = set(words(2)), frozenset([word(0)])
    numbers = {int(v) for v in x} | set(x.tolist())
    first |= {"q"}
    return first, names, some, others, frozen, numbers, first & others, len(names | some), names <= some


def known_sets(x):
    small = {1}
    small.add(2)
    small.update([3, len(x)])
    fixed = {1, 2}
    return small, fixed.union([int(x[0])]), {"a", "b"} & set(words(2)), 2 in fixed, len(fixed)


def set_of_a_path(x):
    seen = set()
    if x[0] > 1:
        seen.add("big")
    else:
        seen.add("small")
    same = seen
    same.add("t")
    return seen


def unhashable(x):
    seen = set()
    seen.add(x)
    return seen


def in_order(x):
    bad: list[str] = []
    for w in words(3):
        if w != "c":
            bad.append(w)
    found = sorted(bad), max(bad), sorted(bad, key=lambda w: -ord(w)), bad.index("a"), "a" in bad
    bad.sort(reverse=True)
    return x, found, bad, sorted([f"{v}" for v in x] + bad), sorted(words(3), reverse=True)


def pairs_in_order(x):
    found = []
    for k, v in enumerate(x):
        found.append((word(k), float(v)))
    return sorted(found), min(found), sorted(found, key=lambda pair: pair[1]), sorted(found, key=lambda pair: -pair[1])


def unordered(x):
    mixed = []
    for row in rows(3):
        mixed.append(row)
    mixed.append(word(0))
    return sorted(mixed)


def array_of_rows(x):
    found = []
    for row in rows(3):
        found.append(row[1:])
    first: Float64[np.ndarray, "n d"] = np.array(found, dtype=np.float64)
    second = to_device(np.array([row[1:] for row in rows(2)], dtype=np.float64), Float64[np.ndarray, "n d"])
    third: Float64[np.ndarray, "n d"] = np.vstack(found)
    return first @ x[:2] + second.sum() + third.sum()


def array_of_known_rows(x):
    iterator = rows(2)
    found = [next(iterator)[1:], next(iterator)[1:]]
    first: Float64[np.ndarray, "n d"] = np.asarray(found)
    return first @ x[:2]


def ragged_array(x):
    found = []
    for row in ragged(3):
        found.append(row)
    first: Float64[np.ndarray, "n d"] = np.array(found, dtype=np.float64)
    return first @ x


PROGRAMS = [added, forms, known_sets, set_of_a_path, unhashable, in_order, pairs_in_order, unordered, array_of_rows]
PROGRAMS += [array_of_known_rows, ragged_array]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any, capsys: pytest.CaptureFixture[str]) -> None:
    x = np.array([3.0, 1.0, 2.0])
    check_shown(function, (x,), capsys)
