"""`itertools.islice` and `repeat` of iterators that a program steps, and iterators that are given away."""

from __future__ import annotations

import heapq
import itertools
import statistics

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

X = np.array([0.5, 1.5, 3.0, 2.5, 4.0])


def head_and_rest(x, k):
    it = iter(x)
    return list(itertools.islice(it, k)), list(it)


def every_other(x, k):
    it = iter(x)
    return list(itertools.islice(it, 1, None, 2)), list(it)


def in_chunks(x, k):
    it = iter(x.tolist())
    sums = []
    while chunk := list(itertools.islice(it, k)):
        sums.append(sum(chunk))
    return sums


def left_in_the_middle(x, k):
    it = iter(x)
    total = 0.0
    for v in itertools.islice(it, 1, k + 2):
        if v > 2:
            break
        total += v
    return total, next(it, -1.0), list(it)


def shared_with_its_iterator(x, k):
    it = iter(x)
    window = itertools.islice(it, k)
    first = next(it)
    return next(window), first, list(window), list(it)


def header_of_lines(x, k):
    lines = iter(["# a", "# b", "1", "2"])
    header = list(itertools.islice(lines, 2))
    return header, [line + "!" for line in lines], x.sum()


def numbers_that_never_end(x, k):
    total = 0
    for i, v in enumerate(itertools.islice(itertools.count(k, 3), 4)):
        total += i * v
    return total, [a * b for a, b in zip(x, itertools.repeat(k))]


def until_it_is_enough(x, k):
    total = x[0]
    for _ in itertools.repeat(None):
        total *= 2
        if total > 40:
            return total
    return None


def what_they_are(x, k):
    it = iter(x)
    window = itertools.islice(it, 1, k)
    return type(window), type(it), type(iter([x, x])), isinstance(it, list), type(iter(range(k)))


CHUNKS = [head_and_rest, every_other, in_chunks, left_in_the_middle, shared_with_its_iterator, header_of_lines]
CHUNKS += [numbers_that_never_end, until_it_is_enough, what_they_are]


@pytest.mark.parametrize("program", CHUNKS)
def test_as_in_python(program):
    check(program, (X, 2), (X, 1), (X, 9))


@pytest.mark.parametrize("bound", [-1, -2])
def test_bounds_below_zero(bound):
    check(head_and_rest, (X, bound))


def test_a_slice_is_a_result():
    def program(x):
        it = iter(x)
        next(it)
        return itertools.islice(it, 1, 3)

    assert list(graph_program(program)(X)) == list(program(X)) == [3.0, 2.5]


def test_functions_that_take_all_that_is_left():
    def program(x):
        one, two, three = iter(x), iter(x), iter(x)
        next(one)
        found = statistics.median(one), statistics.pvariance(two), heapq.nlargest(2, three)
        return found, list(one), list(two), list(three)

    check(program, (X,))


def asked_again(x):
    it = iter(x)
    return statistics.median_low(it), list(it)


def asked_twice(x):
    it = iter(x)
    return statistics.quantiles(it), statistics.quantiles(it)


def some_of_it(x):
    it = iter(x)
    return np.fromiter(it, float, 2), list(it)


def in_a_list(x):
    it = iter(x)
    return list(heapq.merge(*[it, [1.0]])), next(it)


def in_each_round(x):
    it = iter(x)
    total = 0.0
    for _ in range(len(x)):
        total += statistics.median_low(it)
    return total


@pytest.mark.parametrize("program", [asked_again, asked_twice, some_of_it, in_a_list, in_each_round])
def test_what_the_host_took_of_an_iterator_is_not_known(program):
    with pytest.raises(GraphProgramError) as refused:
        graph_program(program)(X)
    assert refused.value.code == "GP339"
