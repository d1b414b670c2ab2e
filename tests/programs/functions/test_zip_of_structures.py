"""`zip` of a list or tuple with an array whose length is only known when the program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

Array = np.ndarray[Any, Any]
X = np.arange(6.0).reshape(2, 3)


def names(x: Array) -> float:
    total = x.sum() * 0
    for name, row in zip(("x", "y"), x, strict=False):
        if name == "x":
            total += row.sum()
        else:
            total -= row.max()
    return total


def early_exits(x: Array) -> Any:
    for i, (weight, row) in enumerate(zip((2.0, 3.0, 4.0), x, strict=False)):
        row *= weight
        if row.sum() > 100:
            break
        if i == 1:
            continue
        row += 1
    else:
        x[0] -= 5
    return x


def functions(x: Array) -> Any:
    for f, row in zip([np.sin, np.cos, lambda v: v * 2], x, strict=False):
        row[:] = f(row)
    return x


def three(x: Array) -> Any:
    total = 0.0
    for letter, row, number in zip("abc", x, x[:, 0], strict=False):
        total = total * 10 + row[0] * number
        if total > 1e6:
            return letter, total
    return letter, total


def best(x: Array) -> Any:
    found = None
    for k, row in zip([1, 2, 3], x[1:], strict=False):
        if found is None or row.sum() > found:
            found = row.sum() * k
    return found


@pytest.mark.parametrize("program", [names, early_exits, functions, three, best])
def test_the_shorter_one_decides(program: Callable[[Array], Any]) -> None:
    inputs = [X, X[:1], X + 7, np.ones((7, 2)), X + 1e7]
    check(program, *((x,) for x in inputs))
    if program is not names and program is not early_exits:
        check(program, (X[:0],))


def test_a_list_parameter() -> None:
    def weighted(x: Array, weights: list[float]) -> Any:
        found = []
        for row, weight in zip(x, weights, strict=False):
            found.append(row * weight)
        return found, [w + row[0] for row, w in zip(x, weights, strict=False)]

    check(weighted, (X, [1.0, 2.0, 3.0]), (X, [1.0]), (X[:0], [1.0, 2.0]))


def test_layers_and_scales() -> None:
    def forward(layers: list[tuple[Array, Array]], x: Array, scales: Array) -> Array:
        for (w, b), scale in zip(layers, scales, strict=False):
            x = np.tanh(x @ w + b) * scale
        return x

    layers = [(np.ones((3, 4)), np.ones(4)), (np.ones((4, 4)), np.ones(4))]
    check(forward, (layers, X, np.arange(1.0, 3)), (layers, X, np.arange(1.0, 5)))


def test_a_dict_with_keys_of_some_paths_leaves() -> None:
    def keyed(x: Array) -> Any:
        result = {}
        if x[0] > 1:
            result["a"] = x
        return result

    check(keyed, (np.ones(1),), (np.full(1, 2.0),))


def test_a_loop_whose_body_ends_by_leaving() -> None:
    def once(x: Array) -> Any:
        total = 0.0
        while True:
            if x[0] < 1:
                break
            total += x[0]
            if x[0] < 2:
                break
            total += x[1]
            break
        return total + 0.0

    def found(x: Array, n: int) -> Any:
        while n > 0:
            n -= 1
            if x[n] < 0:
                continue
            return x[n], n
        return x[0], -1

    check(once, (np.full(3, 3.0),), (np.ones(2),))
    check(found, (X[0] - 1, 1), (X[0], 3), (X[0], 0))


@pytest.mark.parametrize("names", [(), [], ("a",)])
def test_of_nothing(names: Any) -> None:
    def program(names: Any, x: Array) -> Any:
        rows = list(zip(names, x, strict=False))
        pairs = enumerate(zip(x, names, strict=False))
        best = {n: float(p.max()) for n, p in zip(names, x, strict=False)}
        return best, len(rows), [k for k, _ in pairs], {n for n, _ in zip(names, x, strict=False)}

    check(program, (names, np.ones((2, 2))), (names, np.ones((0, 2))))


def test_strict_of_nothing() -> None:
    def program(x: Any) -> Any:
        return [p for _, p in zip((), x, strict=True)]

    check(program, (np.ones((0, 2)),), (np.ones((2, 2)),))
