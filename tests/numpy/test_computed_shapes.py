"""Shapes that a program computes: what NumPy refuses is refused, and nothing else, for all small sizes."""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Tensor, graph_program

Vector = Float32[Tensor, "n"]
Other = Float32[Tensor, "m"]


def rows_of_four(x: Vector, k: int) -> Any:
    return x.reshape(k, 4)


def two_sizes(x: Vector, k: int, l: int) -> Any:  # noqa: E741
    return x.reshape(k, l)


def the_rest(x: Vector, k: int) -> Any:
    return x.reshape(k, -1)


def flat(x: Vector, k: int) -> Any:
    return x.reshape(k)


def in_the_middle(x: Float32[Tensor, "n m"], k: int) -> Any:
    return x.reshape(x.shape[0], k, 2)


def three_rows(x: Vector, k: int) -> Any:
    return x.reshape(3, k)


def no_rows(x: Vector, k: int) -> Any:
    return x.reshape(0, k)


def a_difference(x: Vector, k: int) -> Any:
    return x.reshape(x.shape[0] - k, -1)


def stretched(x: Vector, k: int) -> Any:
    return np.broadcast_to(x, (k,)).copy()


def stretched_rows(x: Vector, k: int) -> Any:
    return np.broadcast_to(x, (2, k)).copy()


def rows_to_four(x: Vector, k: int) -> Any:
    return np.broadcast_to(x, (k, 4)).copy()


def like_another(x: Vector, y: Other) -> Any:
    return np.broadcast_to(x, y.shape).copy()


def four_stretched(x: Float32[Tensor, "4"], k: int) -> Any:
    return np.broadcast_to(x, (k,)).copy()


def one_stretched(x: Float32[Tensor, "1"], k: int) -> Any:
    return np.broadcast_to(x, (k,)).copy()


def added_in_place(x: Vector, y: Other) -> Any:
    z = y * 2
    z += x
    return z


def copied_in(x: Vector, y: Other) -> Any:
    z = y * 2
    z[:] = x
    return z


def zeros(k: int) -> Any:
    return np.zeros((k, 2))


def filled(k: int) -> Any:
    return np.full((3, k), 2.0)


PROGRAMS = [
    rows_of_four, two_sizes, the_rest, flat, in_the_middle, three_rows, no_rows, a_difference, stretched,
    stretched_rows, rows_to_four, like_another, four_stretched, one_stretched, added_in_place, copied_in, zeros, filled,
]  # fmt: skip
NUMBERS = [-3, -2, -1, 0, 1, 2, 3, 4]
SIZES = {"n": [0, 1, 2, 4, 6], "m": [0, 1, 2, 4], "1": [1], "4": [4]}


def arguments(program: Callable[..., Any]) -> Iterator[tuple[Any, ...]]:
    choices: list[list[Any]] = []
    for parameter in inspect.signature(program, eval_str=True).parameters.values():
        if parameter.annotation is int:
            choices.append(NUMBERS)
            continue
        shapes = itertools.product(*(SIZES[name] for name in parameter.annotation.dim_str.split()))
        choices.append([np.arange(np.prod(shape), dtype=np.float32).reshape(shape) for shape in shapes])
    return itertools.product(*choices)


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*args)
    except ValueError as error:
        return type(error).__name__
    return result.shape, result.tolist()


@pytest.mark.parametrize("function", PROGRAMS)
def test_same_as_numpy(function: Callable[..., Any]) -> None:
    program = graph_program(function)
    different = []
    for args in arguments(function):
        want, got = outcome(function, args), outcome(program, args)
        if want != got:
            different.append(([np.shape(a) or a for a in args], want, got))
    assert not different, f"{len(different)} differ, among them {different[:5]}"
