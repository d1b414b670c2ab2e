"""f-strings and `format` where a value and its specification do not fit, and of what changes later."""

from __future__ import annotations

import json

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check, outcome

X = np.array([1.0, 2.0])


def a_number_of_another_class(x):
    try:
        return f"{x[0]:d}"
    except ValueError as error:
        return "no: " + str(error)


def an_array(x):
    try:
        return f"{x:.2f}"
    except TypeError as error:
        return str(error)


def an_array_of_rank_0(x):
    return f"{np.array(x[0]):.3f}"


def a_number_on_some_paths(x):
    v = None if x[0] > 0 else x[1]
    try:
        return f"{v:.1f}"
    except TypeError as error:
        return str(error)


def of_two_classes(n: int):
    u = 1.5 if n > 3 else n
    try:
        return f"{u:d}"
    except ValueError as error:
        return str(error)


def a_character(n: int):
    try:
        return f"{n:c}"
    except OverflowError as error:
        return str(error)


def a_tuple(n: int):
    t = (n, n)
    try:
        return f"{t:>10}"
    except TypeError as error:
        return str(error)


def views(x):
    d = {"a": x[0]}
    try:
        return f"{d.items():>3}"
    except TypeError as error:
        return str(error)


def sequences(n: int):
    t = (n, "é")
    return f"{t!r:>10}|{t!s:<12}|{t!a}|{t!s:^20}|{[n]!a:>9}|{[t]!s:>12}"


def of_the_host(n: int):
    v: float = json.loads("1.5")
    try:
        return f"{v:d}"
    except ValueError as error:
        return str(error)


def an_object_of_the_host(n: int):
    v: object = json.loads("[1]")
    try:
        return f"{v:d}"
    except TypeError as error:
        return str(error)


def the_method(n: int):
    try:
        return "{:d}".format(n * 0.5)  # noqa: UP032
    except ValueError as error:
        return str(error)


def the_operator(n: int):
    try:
        return "%d" % (str(n),)  # noqa: UP031
    except TypeError as error:
        return str(error)


def the_builtin(n: int):
    try:
        return format(n, "q")
    except ValueError as error:
        return str(error)


def a_text(n: int):
    try:
        return f"{n!s:d}"
    except ValueError as error:
        return str(error)


def nothing(n: int):
    try:
        return f"{None:d}" + str(n)
    except TypeError as error:
        return str(error)


def before_what_is_raised(n: int):
    try:
        raise KeyError(f"{n:z}")
    except ValueError as error:
        return str(error)


def uncaught(n: int):
    return f"{n / 2:d}"


def as_it_was(n: int):
    v: object = json.loads("[1]")
    texts = f"{v}", str(v), "%s" % (v,), "{}".format(v), repr(v)  # noqa: UP031, UP032
    v.append(2)
    return texts


def as_it_was_in_each_round(n: int):
    v: list[int] = json.loads("[1]")
    texts = []
    for k in range(n):
        texts.append(f"{v} {k}")
        v.append(k)
    return texts


CALLS = [
    *((f, X) for f in (a_number_of_another_class, an_array, an_array_of_rank_0, views)),
    *((a_number_on_some_paths, x) for x in (X, -X)),
    *((of_two_classes, n) for n in (2, 5)),
    *((a_character, n) for n in (65, -1, 1 << 40)),
    *((f, 3) for f in (a_tuple, sequences, of_the_host, an_object_of_the_host, the_method, the_operator, the_builtin)),
    *((f, 3) for f in (a_text, nothing, before_what_is_raised, as_it_was, as_it_was_in_each_round)),
]


@pytest.mark.parametrize(("function", "value"), CALLS)
def test_same_as_python(function, value):
    check(function, (value,))


@pytest.mark.filterwarnings("ignore")
def test_uncaught():
    assert outcome(graph_program(uncaught), (3,)) == outcome(uncaught, (3,))
