"""Numbers that are Python's on one path and NumPy's on another, as elements, operands and arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

INTEGERS = [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.uint64]
TARGETS = [*INTEGERS, np.int64, np.float32, np.float64, np.bool_]
ELEMENT: Any = np.int64
"""The element type that the programs write to: one of TARGETS."""


def assigned(x, n: int):
    best = n
    if x[0] > 3:
        best = x[0]
    out = np.zeros(2, ELEMENT)
    out[0] = best
    return out


def added_in_place(x, n: int):
    best = n
    if x[0] > 3:
        best = x[0]
    out = np.ones(2, ELEMENT)
    out[0] += best
    return out


def carried(x, n: int):
    best = -1
    where = -1
    for i in range(len(x)):
        if x[i] > n:
            best = x[i]
            where = i
    out = np.zeros(3, ELEMENT)
    if best != -1:
        out[1] = best
        out[where] += best
    return out, where


def labelled(x, n: int):
    labels = np.zeros((3, 3), ELEMENT)
    free = 1
    for i in range(3):
        for j in range(3):
            best = 0
            if i > 0 and labels[i - 1, j] != 0:
                best = labels[i - 1, j]
            if j > 0 and labels[i, j - 1] != 0:
                best = labels[i, j - 1] if best == 0 else min(best, labels[i, j - 1])
            if best == 0:
                best = free
                free += 1
            if (i + j) % len(x) == 0 or i == n % 3:
                labels[i, j] = best
    return labels, free


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", INTEGERS)
def test_elements_of_every_type(monkeypatch, source, target):
    monkeypatch.setitem(globals(), "ELEMENT", target)
    inputs = [(np.array(x, source), n) for x, n in (([1, 2], 5), ([5, 2], 7), ([1, 3], 300), ([], 3))]
    check(assigned, *inputs)


@pytest.mark.parametrize("target", [np.uint8, np.int16, np.float32])
@pytest.mark.parametrize("program", [added_in_place, carried, labelled])
def test_programs_of_numbers_found_so_far(monkeypatch, program, target):
    monkeypatch.setitem(globals(), "ELEMENT", target)
    for source in (np.uint8, np.int32, np.float32):
        check(program, *[(np.array(x, source), n) for x, n in (([1, 2], 0), ([5, 2], 7), ([7, 0, 9], 2))])


def relied_on(x, n: int):
    """What `step` may be decides what `best` is; in the last loop it is none of that in the second round."""
    best, found, step = np.float32(0), 0.0, 1
    for v in x:
        best = step if v > n else np.float32(v)
        step = 5 if v > 1 else 1
        found += float(best)
    for v in x:
        best = step if v > n else np.float32(v)
        step *= 3
        found += float(best)
    return found, step


@pytest.mark.parametrize("n", [0, 2])
def test_numbers_that_rounds_keep_to_or_not(n):
    check(relied_on, *[(np.array(x, float), n) for x in ([], [1], [1, 2, 3, 4], [3, 3, -1, 3])])


def operands(x, n: int):
    best = n
    if x[0] > 3:
        best = x[0]
    ones = np.ones(2, x.dtype)
    tests = bool(best > 2), bool(3 <= best < 9), ones < best
    return ones + best, best - ones, tests, np.array([best, 1], np.int16), float(max(best, 4))


@pytest.mark.parametrize("source", INTEGERS)
def test_as_operands(source):
    check(operands, *[(np.array(x, source), n) for x, n in (([1, 2], 5), ([5, 2], 7), ([7, 0], 300))])


def filled(x, n: int):
    best = n
    if x[0] > 3:
        best = x[0]
    out = np.zeros(4, np.uint8)
    out.fill(best)
    out[np.array([0])] = 1
    out[1:3] = best
    out[out == 1] = best
    return out


def test_whole_regions():
    check(filled, (np.array([1, 2], np.int32), 5), (np.array([5, 2], np.int32), 300), (np.array([1, 2], np.int32), 300))


def by_value(a, b):
    small, large = np.int64(-1), np.uint64(3)
    return a < b, a[0] < b[0], b[0] >= a, a == b[0], a[0] != b[1], small < b, a > large, np.less_equal.outer(b, a)


def test_comparisons_of_both_64_bit_integers_are_by_value():
    signed, unsigned = np.array([-1, 2, 3, 2**62]), np.array([2**63, 2, 1, 2**64 - 1], np.uint64)
    check(by_value, (signed, unsigned))
    check(by_value, (unsigned, signed))
