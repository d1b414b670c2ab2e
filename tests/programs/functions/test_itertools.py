"""`itertools` and `filter` over lists, arrays and ranges whose length is computed when the program runs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

LONG, THREE, ONE, NONE = np.array([0.5, 1.5, 3.0, 2.5]), np.array([2.5, 3.0, 0.0]), np.array([1.5]), np.zeros(0)
ALL = ((LONG, 3), (THREE, 2), (ONE, 1), (NONE, 0))


def some_of(x):
    return [v for v in x if v > 1]


def chains(x, k):
    c = some_of(x)
    return list(itertools.chain(c, range(k), [1.0])), [2 * v for v in itertools.chain.from_iterable([c, x])]


def flattened(x, k):
    rows = []
    for i in range(k):
        row = []
        for j in range(i):
            row.append(x[j] * i)
        rows.append(row)
    return list(itertools.chain.from_iterable(rows)), sum(1 for _ in itertools.chain.from_iterable(rows))


def pairs(x, k):
    c = some_of(x)
    steps = [b - a for a, b in itertools.pairwise(c)]
    return steps, any(a > b for a, b in itertools.pairwise(x)), list(zip(itertools.pairwise(x), range(k)))  # noqa: B905


def products(x, k):
    found = np.float64(0.0)
    for i, v in itertools.product(range(k), x):
        if i == 2 and v > 1:
            break
        found += i * v
    return found, list(itertools.product(some_of(x), [1, 2])), len(list(itertools.product(range(k), repeat=3)))


def chosen(x, k):
    c = some_of(x)
    two, three = list(itertools.combinations(x, 2)), list(itertools.combinations(range(k), 3))
    return two, three, list(itertools.combinations_with_replacement(c, 2)), list(itertools.permutations(range(k), 2))


def none_or_all(x, k):
    return (
        list(itertools.combinations(x, 0)),
        list(itertools.permutations(range(k))),
        list(itertools.product(x, repeat=0)),
    )


def closest(x, k):
    best = (np.float64(np.inf), -1, -1)
    for i, j in itertools.combinations(range(len(x)), 2):
        d = abs(x[i] - x[j])
        if d < best[0]:
            best = (d, i, j)
    return best


def running(x, k):
    c = some_of(x)
    sums = list(itertools.accumulate(c)), list(itertools.accumulate(x, max))
    return sums, list(itertools.accumulate(x, lambda a, b: 0.5 * a + b, initial=np.float64(1.0)))


def parts(x, k):
    low = list(itertools.takewhile(lambda v: v < 2, x)), list(itertools.dropwhile(lambda v: v < 2, x))
    return low, list(itertools.filterfalse(lambda v: v < k, x)), list(itertools.compress(x, x > 1))


def slices(x, k):
    c = some_of(x)
    return list(itertools.islice(c, 1, None)), list(itertools.islice(x, k)), list(itertools.islice(c, 0, None, 2))


def side_by_side(x, k):
    rows = list(itertools.zip_longest(x, x[1:], fillvalue=np.float64(-1.0)))
    return rows, list(map(lambda a, b: a * b, x, range(k)))


def filtered(x, k):
    return list(filter(lambda v: v > 1, x)), next(filter(lambda v: v > 100, x), None), sum(filter(None, range(k)))


PROGRAMS = [chains, flattened, pairs, products, chosen, none_or_all, closest, running, parts, slices]
PROGRAMS += [side_by_side, filtered]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program):
    check(program, *ALL)


@pytest.mark.parametrize("program", [pairs, products, closest, running, parts])
def test_one_model_does_for_all_lengths(program):
    compiled = graph_program(program)
    found = []
    for x, k in ALL[:3]:
        compiled(x.copy(), k)
        found.append(compiled.model())
    assert len({model.SerializeToString() for model in found}) == 1


def test_a_negative_number_of_elements():
    def program(x):
        try:
            return list(itertools.combinations(x, -1))
        except ValueError as error:
            return str(error)

    check(program, (LONG,))


def said(v):
    print("asked", v)
    return v < 2


def added(a, b):
    print("adds", a, b)
    return a + b


@pytest.mark.parametrize(
    "make",
    [
        lambda x: itertools.takewhile(said, x),
        lambda x: filter(said, x),
        lambda x: itertools.accumulate(x, added),
        lambda x: itertools.starmap(added, zip(x, x, strict=True)),
    ],
)
def test_functions_of_the_host_are_called_when_an_element_is_asked_for(make: Any, capfd: Any):
    def program(x):
        for v in make(x):
            print("got", v)

    program(LONG)
    plain = capfd.readouterr().out
    graph_program(program)(LONG)
    assert capfd.readouterr().out == plain


def written_in_a_chain(x, k):
    for v in itertools.chain(x, x):
        x[-1] += v


def written_in_pairs(x, k):
    for i, (a, b) in enumerate(itertools.pairwise(x)):
        x[i + 1] = a + b


def longer_in_a_chain(x, k):
    c = [1.0, 2.0, x[0]]
    for v in itertools.chain(c, c):
        c[-1] += v


def written_in_a_filter(x, k):
    for v in filter(lambda v: v > 1, x):
        x[-1] = v + 1


@pytest.mark.parametrize("program", [written_in_a_chain, written_in_pairs, longer_in_a_chain, written_in_a_filter])
def test_what_is_read_ahead_must_not_change(program):
    with pytest.raises(GraphProgramError) as refused:
        graph_program(program)(LONG, 3)
    assert refused.value.code == "GP319"


def test_arrays_in_chained_lists_are_written_in_place():
    def program(x):
        weights, biases = [x * 1.0, x * 2.0], [x[:2] * 3.0, np.ones(3)]
        for p in itertools.chain(weights, biases):
            p -= 0.1 * p
        return weights, biases

    check(program, (LONG,))


def test_a_product_has_the_elements_that_were_there():
    def program(x):
        for a, b in itertools.product(x, range(len(x))):
            x[-1] += a * b
        return x

    check(program, (LONG,))


def test_an_iterator_gives_its_elements_once():
    def program(x):
        found = filter(lambda v: v > 1, x)
        return list(found), list(found)

    with pytest.raises(GraphProgramError, match="already gone through") as refused:
        graph_program(program)(LONG)
    assert refused.value.code == "GP339"
