"""`np.shares_memory`: what a program knows of its own arrays; arrays of known bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import UnsupportedError, graph_program
from tests.programs.plain import Cases, check

W = np.arange(4.0)
cases, refused = Cases(), Cases()


@cases((np.arange(3.0),), (np.zeros(1),), (np.zeros(0),))
def views(x):
    return np.shares_memory(x, x[1:]), np.may_share_memory(x[1:], x), np.shares_memory(x, x), x is x


@cases((np.arange(6.0).reshape(2, 3),), (np.zeros((0, 2)),))
def others(x):
    y = x.T
    return (
        np.shares_memory(x, x + 1),
        np.may_share_memory(x.copy(), x),
        np.shares_memory(y[1:], x),
        np.shares_memory(W, x + 1),
    )


@cases((np.arange(3.0),))
def decides(x):
    row = x[1:]
    if np.may_share_memory(row, x):
        row = row.copy()
    row[0] = 7
    return x, row


@cases((np.arange(3),))
def from_bytes(x):
    codes = np.frombuffer(b"abc", np.uint8)
    return x + codes, codes, np.fromiter([1, 2, 3], np.int16) + x, codes.flags.writeable if False else 0


@cases((3,))
def writes_to_bytes(n):
    codes = np.frombuffer(b"abc", np.uint8)
    try:
        codes[0] = n
    except ValueError as error:
        return str(error)
    return codes


@cases.each
def test_like_numpy(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


@refused((np.zeros(3), np.zeros(3)))
def arguments(x, y):
    return np.shares_memory(x, y)


@refused((np.zeros(3),))
def captured(x):
    return np.shares_memory(x, W)


@refused((np.zeros(3),))
def siblings(x):
    return np.may_share_memory(x[::2], x[1::2])


@refused((np.zeros(3), True))
def chosen(x, c):
    y = x if c else x + 1
    return np.shares_memory(x, y)


@refused.each
def test_what_depends_on_the_call_is_refused(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    with pytest.raises(UnsupportedError, match="GP325"):
        graph_program(fn)(*inputs[0])


def test_no_elements_are_counted_as_ints() -> None:
    check(lambda: np.bincount(np.zeros(0, int), weights=np.zeros(0), minlength=3))
    check(lambda x: np.bincount(x[:0], weights=x[:0] * 0.5), (np.arange(3),))


def seen(a: Any) -> Any:
    return a.T, a[::2], a.reshape(-1), a.copy(order="F"), a


def test_views_come_as_copies_in_c_order() -> None:
    a = np.arange(12.0).reshape(3, 4)
    *others, same = check(seen, (a,))(a)
    assert same is a
    assert all(y.flags.c_contiguous and not np.shares_memory(y, a) for y in others)
