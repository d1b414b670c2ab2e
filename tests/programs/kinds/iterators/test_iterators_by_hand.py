"""Iterators that a program steps itself: `next`, loops that go on where it is, classes with `__next__`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

LONG, THREE, ONE, NONE = np.array([1.0, 3.0, 2.0, 0.5]), np.array([2.5, 3.0, 2.0]), np.array([1.5]), np.zeros(0)


def first_and_rest(x):
    it = iter(x)
    best = next(it)
    for v in it:
        best = max(best, v)
    return best


def two_from_a_list(x):
    it = iter([x, x + 1, x + 2])
    return next(it) * next(it), len(list(it))


def until_it_ends(x):
    it = iter(range(len(x)))
    total = 0
    while True:
        try:
            total += next(it)
        except StopIteration:
            break
    return total


def skipping(x):
    it = iter(x)
    total = 0.0
    for v in it:
        total += v
        if v > 2:
            next(it, None)
    return total


def left_and_taken_up(x):
    it = iter(x)
    for v in it:
        if v > 2:
            break
    return list(it), next(it, -1)


def advanced_on_some_paths(x):
    it = iter(x)
    if len(x) > 1 and x[0] > 2:
        next(it)
    total = 0.0
    for v in it:
        total = total * 2 + v
    return total


def pairs(x):
    it = iter(x)
    total = 0.0
    for a, b in zip(it, it):  # noqa: B905
        total += a * b
    return total


def pairs_in_a_list(x):
    it = iter(x)
    return [a * b for a, b in zip(it, it)]  # noqa: B905


def counted(x):
    it = iter(x)
    total = 0.0
    for k, v in enumerate(it, 1):
        if k == 2:
            total += 10 * next(it, 0.0)
        total += k * v
    return total


def of_a_dict(x):
    levels = {"a": x, "b": x * 2}
    it = iter(levels.items())
    name, first = next(it)
    return name, first.sum(), [name for name, _ in it], next(iter(levels)), next(iter(levels.values())).sum()


def changed_meanwhile(x):
    levels = {"a": 1, "b": 2}
    it = iter(levels)
    next(it)
    levels["c"] = 3
    return next(it)


def a_longer_list(x):
    rows = [x, x * 2]
    it = iter(rows)
    next(it)
    rows.append(x * 3)
    return list(it)


def written_meanwhile(x):
    it = iter(x)
    next(it)
    x[1] = 9.0
    return next(it)


def of_what_gives_once(x):
    return next(zip(x, x * 2)), next(enumerate(x)), next(reversed(x)), next(map(lambda v: v + 1, x), None)  # noqa: B905, C417


def commands(x):
    words = iter(["add", "1", "scale", "2"])
    for command in words:
        amount = float(next(words))
        x = x + amount if command == "add" else x * amount
    return x


def names(x):
    it = iter(x)
    other = it
    return next(it), next(other), it is other, iter(it) is it


def helper(x):
    def take(it, n):
        return [next(it) for _ in range(n)]

    it = iter(x)
    return take(it, 1), take(it, 2)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Noise:
    def __init__(self, seed):
        self.seed = seed

    def __next__(self):
        self.seed = (1103515245 * self.seed + 12345) % 2**31
        return self.seed


class Ring:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


def of_a_class(x):
    total = 0
    for v in Countdown(len(x)):
        total += v * v
    return total, list(Countdown(3)), sum(Countdown(len(x)))


def noise(x):
    source = Noise(3)
    for i in range(len(x)):
        x[i] += next(source) % 7
    return x


def of_an_iterable(x):
    it = iter(Ring([1, 2, 3]))
    return next(it) + next(it), sum(Ring([1, 2]))


def text(x):
    it = iter("abc")
    return next(it) + next(it)


def pairs_after_the_first(x):
    it = iter(x)
    first = next(it, 0.0)
    for a, _ in zip(it, it):  # noqa: B905
        x += a
    return x, first


def pairs_of_a_class(x):
    it = Countdown(len(x))
    first = next(it, 0)
    for a, _ in zip(it, it):  # noqa: B905
        x += a + first
    return x


LEVELS = {"low": 0.5, "high": 2.0}


def of_a_captured_dict(x):
    return next(iter(LEVELS)), x * next(iter(LEVELS.values()))


PROGRAMS = [first_and_rest, two_from_a_list, until_it_ends, skipping, left_and_taken_up, advanced_on_some_paths]
PROGRAMS += [pairs, pairs_in_a_list, counted, of_a_dict, a_longer_list, written_meanwhile, of_what_gives_once]
PROGRAMS += [
    commands,
    names,
    helper,
    of_a_class,
    noise,
    of_an_iterable,
    text,
    of_a_captured_dict,
    pairs_after_the_first,
    pairs_of_a_class,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program):
    check(program, (LONG,), (THREE,))


@pytest.mark.parametrize("program", [first_and_rest, until_it_ends, pairs_in_a_list, names, helper, noise])
def test_of_few_elements(program):
    check(program, (ONE,), (NONE,))


def test_a_dict_that_grows_meanwhile():
    check(changed_meanwhile, (LONG,))


def test_the_iterator_itself_is_a_result():
    def program(x):
        it = iter([1, 2, 3])
        next(it)
        return it

    assert list(graph_program(program)(LONG)) == [2, 3]


def any_and_next(x):
    it = iter(x)
    return any(v > 1 for v in it), next(it, 0.0)


def a_sentinel(x):
    return [v for v in iter(lambda: 1, 2)]  # noqa: C416


def a_set(x):
    return next(iter({1, 2}))


def twice_through(x):
    rows = zip(x, x)  # noqa: B905
    first = next(rows)
    return first, list(rows)


@pytest.mark.parametrize(
    ("program", "code"),
    [(any_and_next, "GP339"), (a_sentinel, "GP332"), (a_set, "GP332"), (twice_through, "GP339")],
)
def test_refused(program: Any, code: str):
    with pytest.raises(GraphProgramError) as refused:
        graph_program(program)(LONG)
    assert refused.value.code == code


def not_an_iterator(x):
    return next(5)


def not_iterable(x):
    return iter(len(x))


@pytest.mark.parametrize("program", [not_an_iterator, not_iterable])
def test_what_python_refuses_as_well(program):
    with pytest.raises(TypeError, match="'int' object is not"):
        graph_program(program)(LONG)


def test_captured_objects_go_on_from_call_to_call():
    def programs(countdown, noise):
        def program(x):
            for v in countdown:
                x = x + v
                if v < 3:
                    break
            return x * (next(noise) % 5) + next(noise) % 3

        return program

    plain, compiled = programs(Countdown(5), Noise(3)), graph_program(programs(Countdown(5), Noise(3)))
    for _ in range(3):
        assert np.array_equal(plain(LONG), compiled(LONG))
