"""Builtins that go through an object whose `__iter__` is a generator."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.plain import check

X, NONE = np.array([1.0, 3.0, 2.0]), np.zeros(0)


class Stack:
    def __init__(self, size):
        self.data = np.zeros(size)
        self.count = 0

    def push(self, v):
        self.data[self.count] = v
        self.count += 1

    def __iter__(self):
        for i in range(self.count):
            yield self.data[i]


def filled(x):
    stack = Stack(10)
    for v in x:
        stack.push(v)
    return stack


def extremes(x):
    return max(filled(x)), min(filled(x)), max(filled(x), key=lambda v: -v)


def with_a_default(x):
    return min(filled(x), default=-1.0)


def membership(x):
    return 2.0 in filled(x), 7.0 in filled(x), 3.0 not in filled(x)


def lists(x):
    stack = filled(x)
    return list(stack), tuple(stack), sorted(stack), [2 * v for v in stack], sum(stack)


@pytest.mark.parametrize("function", [extremes, with_a_default, membership, lists])
def test_builtins(function):
    check(function, (X,), (NONE,))
