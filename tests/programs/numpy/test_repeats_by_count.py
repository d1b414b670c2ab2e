"""`np.repeat` where each element has a count of its own, which is computed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.plain import check, check_or_refused


def by_counts(x, counts):
    return np.repeat(x, counts), x.repeat(counts), np.repeat(x, repeats=counts, axis=0)


def along_columns(x, counts):
    return np.repeat(x, counts, axis=1), np.repeat(x, counts, -1)


@pytest.mark.parametrize("counts", [[1, 2, 0], [0, 0, 0], [1, 2], [1, -1, 2], [3], [-3]])
def test_counts(counts):
    check(by_counts, (np.arange(3.0), np.array(counts)))


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.bool_, np.float64, np.uint64])
def test_types_of_counts(dtype):
    check_or_refused(by_counts, (np.arange(3), np.array([1, 0, 3], dtype)))


def test_sizes():
    none, one, three = np.arange(0.0), np.arange(1.0), np.arange(3.0)
    check(by_counts, (none, np.zeros(0, int)), (one, np.array([2])), (one, np.array([-2])), (none, np.array([3])))
    check(by_counts, (three, np.array([1, 2, 3])), (three, np.array([2])), (one, np.array([1, 2])))
    rows = np.arange(6).reshape(2, 3)
    check(along_columns, (rows, np.array([1, 2, 0])), (rows[:, :2], np.array([1, 1])), (rows, np.array([1, 1])))


def by_known_counts(x):
    return np.repeat(x, [1, 2, 0]), np.repeat(x, [2]), np.repeat(np.arange(3), [1, 0, 2]), np.repeat([1.5, 2], (1, 2))


def test_known_counts():
    check(by_known_counts, (np.arange(3.0),), (np.arange(2),), (np.arange(4),))


def run_lengths(values, lengths):
    kept, counts = [], []
    for v, n in zip(values, lengths, strict=True):
        if n > 0:
            kept.append(v)
            counts.append(int(n))
    y = np.repeat(np.array(kept), counts)
    edge = np.flatnonzero(np.r_[True, y[1:] != y[:-1]])
    return y, np.repeat(y[edge], np.diff(np.append(edge, y.size)))


def rows_of_compressed(starts, v):
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    out = np.zeros(len(starts) - 1)
    np.add.at(out, rows, v)
    return rows, out


def test_run_lengths_and_compressed_rows():
    check(run_lengths, (np.array([5, 6, 7]), np.array([2, 0, 3])), (np.array([5, 6]), np.array([0, 1])))
    check(rows_of_compressed, (np.array([0, 2, 2, 5]), np.arange(5.0)), (np.array([0]), np.zeros(0)))
