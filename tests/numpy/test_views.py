"""Which results share memory: writes reach what they reach in NumPy, or the program is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(9.0).reshape(3, 3)
EXACT: dict[str, Callable[[Array], Any]] = {}
REFUSED: dict[str, Callable[[Array], Any]] = {}


def row(table: dict[str, Callable[[Array], Any]]) -> Callable[[Callable[[Array], Any]], Callable[[Array], Any]]:
    def add(function: Callable[[Array], Any]) -> Callable[[Array], Any]:
        table[function.__name__] = function
        return function

    return add


@row(EXACT)
def reshape_of_a_new_array(x: Array) -> Any:
    y = np.zeros((4, 6))
    v, w = y.reshape(-1), y.reshape(2, 12)
    v[3], w[1] = 5, 7
    y[1, 1] = x[0, 1]
    return y, v, w


@row(EXACT)
def transposes(x: Array) -> Any:
    y = x + 1
    v, s, t, r = y.T, np.swapaxes(y, 0, 1), np.moveaxis(y, 0, 1), np.rot90(y)
    v[0], s[1], t[2, 0], r[0, 1] = 7, 8, 9, 10
    y[1, 1] = 3
    return y, v, s, t, r


@row(EXACT)
def new_axes_and_squeezes(x: Array) -> Any:
    y = x * 2
    v, q, n = y[:, None], np.squeeze(y[None], 0), np.expand_dims(y, 1)
    v[0], q[1], n[2, 0, 0] = 1, 9, 5
    return y, v, q, n


@row(EXACT)
def reversals_and_parts(x: Array) -> Any:
    y = x.copy()
    v = np.flip(y, 0)
    a, b = np.split(y, [1], axis=1)
    v[0], a[0] = 1, 2
    b[1] += 3
    return y, v, a, b


@row(EXACT)
def broadcasts_see_later_writes(x: Array) -> Any:
    y = x.copy()
    b, d = np.broadcast_to(y, (2, *y.shape)), np.diagonal(y)
    y[0] = 3
    return b, d


@row(EXACT)
def the_same_array(x: Array) -> Any:
    y = x * 2
    a, b, c, d, e = np.asarray(y), np.atleast_2d(y), np.real(y), y.view(), np.float64(y)
    a[0, 0], b[0, 1], c[0, 2], d[1, 0], e[1, 1] = 11, 12, 13, 14, 15
    return y


@row(EXACT)
def copies(x: Array) -> Any:
    y = np.round(x * 10).astype(int)
    for z in (
        y.flatten(),
        y.copy(),
        np.array(y),
        np.positive(y),
        np.clip(y, None, None),
        np.roll(y, 0),
        np.round(y),
        np.tile(y, (1, 1)),
        np.pad(y, 0),
        np.concatenate([y]),
        np.repeat(y, 1, axis=0),
        y.astype(int),
    ):
        z[:] = -1
    return y


@row(EXACT)
def results_that_are_the_argument(x: Array) -> Any:
    y = x * 1
    d = np.diff(y, n=0)
    d[0] = 4
    m = np.nan_to_num(y)
    m[0] = 1
    return y


@row(EXACT)
def reshape_of_an_array_in_another_order(x: Array) -> Any:
    w = x.T + 0
    v = w.reshape(-1)
    v[1] = 9
    return w, v


@row(REFUSED)
def einsum_of_one_operand(x: Array) -> Any:
    y = x * 2
    d = np.einsum("ij->ji", y)
    d[0] = 3
    return y


@row(EXACT)
def write_to_a_broadcast(x: Array) -> Any:
    b = np.broadcast_to(x * 2, (2, 3, 3))
    b[0] = 3
    return b


@row(EXACT)
def write_to_a_diagonal(x: Array) -> Any:
    d = np.diagonal(x * 2)
    d[0] = 3
    return d


@pytest.mark.parametrize("name", EXACT)
def test_writes_reach_what_they_reach_in_numpy(name: str) -> None:
    check(EXACT[name], (X,))


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(GraphProgramError) as caught:
        graph_program(REFUSED[name])(X)
    assert caught.value.code == "GP351"
