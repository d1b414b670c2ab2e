"""Shapes of results are known symbolically, whatever they were computed from; what only gives a shape is dead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jaxtyping import Float64

from graph_program import graph_program
from tests.programs.plain import check

Shapes = list[tuple[int, ...]]


def arrays(shapes: Shapes) -> tuple[Any, ...]:
    return tuple(np.arange(np.prod(shape, dtype=int), dtype=np.float64).reshape(shape) + 1 for shape in shapes)


def explained(function: Callable[..., Any], dims: list[str], *calls: Shapes) -> str:
    """The optimized program, with parameters of these dims, after calls that agree with Python's."""
    check(function, *map(arrays, calls))
    parameters = inspect.signature(function).parameters
    function.__annotations__ = {p: Float64[np.ndarray, d] for p, d in zip(parameters, dims, strict=True)}
    return graph_program(function).explain("optimized", arrays(calls[0]))


def result_types(text: str) -> str:
    """The types of what an explained program returns."""
    types = dict(re.findall(r"([\w.]+): (\w+ \[[^]]*\])", text))
    (returned,) = re.findall(r"^ *return (.*)$", text, re.MULTILINE)
    return ", ".join(types[name] for name in re.findall(r"result[\w.]*=([\w.]+)", returned))


def rotated(x):
    return np.concatenate([x[1:], x[:1]])


def interleaved(x):
    return np.concatenate([x[::2], x[1::2]])


def halves(x):
    half = len(x) // 2
    return np.concatenate([x[half:], x[:half]])


def first_plus_second_half(x):
    half = len(x) // 2
    return x[:half] + x[half : 2 * half]


def blocks(x):
    n, m = x.shape
    return x[: n // 2 * 2, : m // 2 * 2].reshape(n // 2, 2, m // 2, 2).mean(axis=(1, 3))


def whole_pairs(x):
    return x[: len(x) - len(x) % 2].reshape(-1, 2)


def windows(x, k):
    n, m = len(x), len(k)
    result = np.zeros(n - m + 1)
    for i in range(n - m + 1):
        result[i] = (x[i : i + m] * k).sum()
    return result


def shortest(x, y):
    k = min(len(x), len(y))
    return x[:k] + y[:k]


def sum_of_open_dims(x, y):
    z = x + y
    w = z + y
    return w * z


V, W, M = ["n"], ["n", "m"], ["n m"]
LONG: Shapes = [(7,)]


@pytest.mark.parametrize(
    ("function", "dims", "calls", "types"),
    [
        (rotated, V, [[(5,)], [(1,)], [(0,)]], "float64 [n]"),
        (interleaved, V, [[(5,)], [(4,)], [(0,)]], "float64 [n]"),
        (halves, V, [[(5,)], [(1,)]], "float64 [n]"),
        (first_plus_second_half, V, [[(5,)], [(4,)]], "float64 [n//2]"),
        (blocks, M, [[(5, 4)], [(2, 3)]], "float64 [n//2, m//2]"),
        (whole_pairs, V, [[(5,)], [(4,)]], "float64 [n//2, 2]"),
        (windows, W, [[(7,), (3,)]], "float64 [max(0,n+1-m)]"),
        (shortest, W, [[(7,), (3,)], [(2,), (2,)]], "float64 [min(m,n)]"),
        (sum_of_open_dims, W, [[(7,), (1,)], [(1,), (3,)], [(4,), (4,)], [(1,), (0,)]], "float64 [m&n]"),
        (lambda x: x.reshape(x.shape[0] // 2, 2, -1), M, [[(4, 6)]], "float64 [n//2, 2, (m*n)//(2*(n//2))]"),
        (lambda x: np.zeros((x.shape[0], x.shape[1] + 1)), M, [[(4, 6)]], "float64 [n, m+1]"),
        (lambda x: x[1::2], V, [LONG], "float64 [n//2]"),
        (lambda x: x[::-2], V, [LONG], "float64 [(n+1)//2]"),
        (lambda x: x[3:0:-1], V, [LONG, [(2,)]], "float64 [max(0,min(3,n-1))]"),
        (lambda x: x[: len(x) // 2 + 1], V, [LONG, [(0,)]], "float64 [min(n,n//2+1)]"),
        (lambda x: x[1:-1][::2], V, [LONG, [(2,)]], "float64 [max(0,(n-1)//2)]"),
        (lambda x: np.repeat(x, 3), V, [LONG], "float64 [3*n]"),
        (lambda x: np.tile(x, (2, 3)), M, [[(4, 6)]], "float64 [2*n, 3*m]"),
        (lambda x: np.arange(1, len(x) + 1), V, [LONG], "int64 [n]"),
        (lambda x: np.arange(0, len(x), 2), V, [LONG], "int64 [(n+1)//2]"),
        (lambda x: np.arange(len(x) - 1, -1, -1), V, [LONG], "int64 [n]"),
        (lambda x: np.linspace(0, 1, len(x) + 1), V, [LONG], "float64 [n+1]"),
        (lambda x: np.diff(x), V, [LONG], "float64 [max(0,n-1)]"),
        (lambda x: np.full(len(x) - 1, 0.0), V, [LONG], "float64 [max(0,n-1)]"),
        (lambda x: np.pad(x, ((1, 2), (0, 3))), M, [[(4, 6)]], "float64 [n+3, m+3]"),
        (lambda x, y: np.convolve(x, y), W, [[(7,), (3,)]], "float64 [max(0,m+n-1)]"),
        (lambda x: np.zeros(len(x) % 2), V, [LONG, [(4,)]], "float64 [n%2]"),
        (lambda x: np.zeros(len(x) >> 1), V, [LONG], "float64 [n//2]"),
        (lambda x: np.zeros(len(x) ** 2), V, [LONG], "float64 [n*n]"),
        (lambda x: np.zeros(x.size // x.shape[0]), M, [[(4, 6)]], "float64 [m]"),
        (lambda x, y: np.zeros(max(len(x), len(y))), W, [[(7,), (3,)]], "float64 [max(m,n)]"),
        (lambda x, y: np.zeros(abs(len(x) - len(y))), W, [[(7,), (3,)]], "float64 [max(m-n,n-m)]"),
        (lambda x: np.stack([x[:-1], x[1:]], axis=1), V, [LONG], "float64 [max(0,n-1), 2]"),
        (lambda x: x[1:-1] + x[2:] + x[:-2], V, [LONG], "float64 [max(0,n-2)]"),
        (lambda x: np.split(x, 2, axis=1)[0], M, [[(4, 6)]], "float64 [n, m//2]"),
        (lambda x: np.vstack([x, x[:1]]), M, [[(4, 6)], [(0, 6)]], "float64 [min(1,n)+n, m]"),
    ],
)
def test_shapes_are_known(function: Callable[..., Any], dims: list[str], calls: list[Shapes], types: str) -> None:
    assert result_types(explained(function, dims, *calls)) == types


def known_shape(x):
    y = np.exp(x) @ x.T
    return np.ones(y.shape)


def known_slice(x):
    y = np.exp(x[1:, ::2])
    return np.zeros_like(y)


def known_broadcast(x, y):
    z = np.exp(x + y)
    return np.ones(z.shape)


def known_in_loop(x):
    total = 0
    for i in range(len(x)):
        total += len(np.exp(x[i, 1:]))
    return np.full(total, 1.0)


@pytest.mark.parametrize(
    ("function", "dims", "calls"),
    [
        (known_shape, M, [[(4, 6)]]),
        (known_slice, M, [[(4, 6)], [(1, 0)]]),
        (known_broadcast, W, [[(3,), (1,)], [(1,), (3,)], [(3,), (3,)], [(0,), (1,)], [(3,), (2,)]]),
        (known_in_loop, M, [[(4, 6)], [(0, 2)]]),
    ],
)
def test_what_only_gives_a_shape_is_not_computed(
    function: Callable[..., Any], dims: list[str], calls: list[Shapes]
) -> None:
    assert not re.search(r"\b(exp|matmul|slice|add\(x)\b", explained(function, dims, *calls))


def grown(x):
    a = v = x
    for _ in range(3):
        v = a
        a = np.concatenate([a, x[:1]])
    return np.zeros(len(a)), np.zeros(len(v)), a[: len(v)] + v


def masked_twice(x, y):
    some = x[x > 2]
    for _ in range(2):
        some = x[x > len(some)]
    return np.zeros(len(some)), some


def test_sizes_of_rounds_are_not_mixed_up() -> None:
    check(grown, arrays([(4,)]), arrays([(1,)]))
    check(masked_twice, arrays([(4,), (2,)]), arrays([(9,), (2,)]))
