"""Writes through slices, integers and masks whose sizes are computed: they fit, or raise what NumPy raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

BOUNDS = ((0, 2), (1, 3), (2, 1), (-2, 9), (3, 3), (-1, -3), (4, 5))
WRITES: dict[str, tuple[tuple[int, ...], Callable[..., Any]]] = {}


def write(*shape: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program that writes `v` into an array of this shape."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        WRITES[function.__name__] = (shape, function)
        return function

    return register


@write(5)
def a_slice(y, v, a, b):
    y[a:b] = v
    return y


@write(3, 5)
def a_slice_of_a_row(y, v, a, b):
    y[1, a:b] = v
    return y


@write(5, 3)
def rows(y, v, a, b):
    y[a:b] = v
    return y


@write(4, 5)
def a_block(y, v, a, b):
    y[a:b, a:b] = v
    return y


@write(6)
def every_second(y, v, a, b):
    y[a:b:2] = v
    return y


@write(6)
def backwards(y, v, a, b):
    y[b:a:-1] = v
    return y


@write(6)
def added(y, v, a, b):
    y[a:b] += v
    return y


@write(7)
def scaled(y, v, a, b):
    y[a:b] *= v[:b]
    return y


@write(6)
def through_a_view(y, v, a, b):
    z = y[a:]
    z[:b] = v
    return y


@write(3, 5)
def a_column(y, v, a, b):
    y[:, a] = v
    return y


@write(3, 5)
def columns(y, v, a, b):
    y[:, a:b] = v
    return y


@write(3, 5)
def a_row(y, v, a, b):
    y[a] = v
    return y


@write(2, 3, 4)
def a_row_of_blocks(y, v, a, b):
    y[a, :, b:] = v
    return y


@write(4)
def masked(y, v, a, b):
    y[v > 0.5] = v[:a]
    return y


@write(7)
def places(y, v, a, b):
    y[[a, b]] = v
    return y


@write(7)
def what_a_mask_selects(y, v, a, b):
    y[a:b] = v[v > 0.2]
    return y


@pytest.mark.parametrize("name", WRITES)
def test_writes(name: str) -> None:
    shape, function = WRITES[name]
    values = [np.linspace(0.1, 1, n) for n in range(5)]
    check(function, *((np.zeros(shape), v, a, b) for v in values for a, b in BOUNDS))
