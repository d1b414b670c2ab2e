"""Arrays that are put into a list or an object where there was None, and written in place afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

X = np.arange(12.0).reshape(4, 3)
ROWS = ((X,), (X - 7,), (X[:1],), (X[:0],))
case = Cases()


class Mean:
    def __init__(self):
        self.total, self.count = None, 0

    def add(self, row):
        if self.total is None:
            self.total = np.zeros(3)
        self.total += row
        self.count += 1


@case(*ROWS)
def at_a_computed_position(x):
    sums = [None, None]
    for i in range(len(x)):
        k = int(x[i, 0] > 4)
        if sums[k] is None:
            sums[k] = np.zeros(3)
        sums[k] += x[i]
    return sums


@case(*ROWS)
def in_a_list_of_computed_length(x):
    sums = [None] * len(x)
    for i in range(len(x)):
        if sums[i] is None:
            sums[i] = np.zeros(3)
        sums[i] += x[i]
        sums[i][0] = 1.0
    return sums


@case(*ROWS)
def in_objects(x):
    means = [Mean() for row in x if row[0] > 2]
    for row in x:
        for mean in means:
            mean.add(row)
    return [mean.total for mean in means], [mean.count for mean in means]


@case(*ROWS)
def in_one_of_two_objects(x):
    means = [Mean(), Mean()]
    for i, row in enumerate(x):
        means[i % 2].add(row)
    return [mean.total for mean in means]


@case((X,), (X[:0],))
def without_a_test(x):
    means = [Mean() for _ in x]
    for mean in means:
        mean.total += 1
    return len(means)


@case(*ROWS)
def under_the_keys_of_a_list(x):
    sums, counts = dict.fromkeys(["a", "b"]), dict.fromkeys("ab", 0)
    for row in x:
        for key in sums:
            if sums[key] is None:
                sums[key] = np.zeros(3)
            sums[key] += row
        counts["a" if row[0] > 4 else "b"] += 1
    return sums, counts, list(dict.fromkeys([int(v) for v in x[:, 0]]))


@case.each
def test_each_has_its_own(fn: Any, inputs: tuple[Any, ...]) -> None:
    check(fn, *inputs)
