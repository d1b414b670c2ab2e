"""Dicts under a key that is one of a few strings, chosen as the program runs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

X = np.array([1.0, -2.0, 3.0, -0.5])
NUMBERS = tuple((x,) for x in (X, -X, X[:0], np.abs(X)))
case = Cases()


class Sums:
    def __init__(self):
        self.total, self.count, self.seen = None, 0, []

    def add(self, v):
        if self.total is None:
            self.total = np.zeros(1)
        self.total += v
        self.count += 1


@case(*NUMBERS)
def counted(x):
    c = {}
    for v in x:
        k = "a" if v > 0 else "b"
        c[k] = c.get(k, 0) + 1
    return c, max(c, key=c.get, default=None), Counter(c)["a"]


@case(*NUMBERS)
def last_of_each(x):
    c = {}
    for i, v in enumerate(x):
        k = ("a", 1) if v > 0 else ("b", 2)
        c.setdefault(k, 0)
        c[k] = i
    return c


@case(*NUMBERS)
def missing_key(x):
    c = {"a": 0}
    for v in x:
        c["a" if v > -1 else "b"] += 1
    return c


@case(*NUMBERS)
def labels_of_a_list(x):
    labels = ["a" if v > 0 else "b" for v in x]
    c, groups = {}, {}
    for label, v in zip(labels, x):  # noqa: B905
        c[label] = c.get(label, 0) + 1
        groups.setdefault(label, []).append(v)
    return c, groups, labels


@case(*NUMBERS)
def lists(x):
    d = {}
    for v in x:
        k = "a" if v > 0 else "b"
        if k not in d:
            d[k] = []
        d[k].append(v)
    return d


@case(*NUMBERS)
def arrays_where_none_was(x):
    d = dict.fromkeys(("a", "b"))
    for i in range(len(x)):
        k = ("a", "b")[i % 2]
        if d[k] is None:
            d[k] = np.zeros(2)
        d[k] += x[i]
        d[k][0] = 1.0
    return d


@case(*NUMBERS)
def written_where_there(x):
    d = {"a": None, "b": None}
    for v in x:
        k = "a" if v > 0 else "b"
        if d[k] is not None and v < 2:
            d[k] += 1.0
        elif d[k] is None:
            d[k] = np.ones(2)
    return d


@case(*NUMBERS)
def objects(x):
    d = {}
    for v in x:
        k = "a" if v > 0 else "b"
        if k not in d:
            d[k] = Sums()
        d[k].add(v)
        d[k].seen.append(v)
    return [d[k].total for k in ("a", "b") if k in d], d["b"].seen if "b" in d else None


@case(*NUMBERS)
def two_keys(x):
    d = {"a": None, "b": None}
    for v in x:
        for w in x:
            k, j = ("a" if v > w else "b"), ("a" if v > 0 else "b")
            if d[k] is None:
                d[k] = np.zeros(1)
            if d[j] is None:
                d[j] = np.ones(1)
            d[k] += d[j]
    return d


@case.each
def test_each_key_has_its_own(fn: Any, inputs: tuple[Any, ...]) -> None:
    check(fn, *inputs)
