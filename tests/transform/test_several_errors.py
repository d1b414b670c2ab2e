"""Rounds that may fail in several ways are array operations in process, as they are in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Int8, Int64, Tensor, UInt8, graph_program
from tests.programs.plain import Cases, check

Bytes, Ints, Vector = UInt8[Tensor, "n"], Int64[Tensor, "n"], Float64[Tensor, "n"]
PIXELS = np.arange(200, dtype=np.uint8)
each = Cases()


@each(*((PIXELS, PIXELS[::-1].copy(), t) for t in (0, 100, 255, 256, -1, 1000)), (PIXELS[:0], PIXELS[:0], 999))
def blended(a: Bytes, b: Bytes, t: int) -> Any:
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = (int(a[i]) * (255 - t) + int(b[i]) * t + 127) // 255
    return out


@each((np.arange(5), 3), (np.arange(5), -300), (np.array([1, 2, 77]), 1), (np.array([-9, 2]), 1), (np.arange(0), 0))
def scaled(x: Ints, k: int) -> Any:
    """Numbers that do not fit, and an index that is outside."""
    table, found = np.arange(9), np.zeros(len(x), np.int8)
    for i in range(len(x)):
        found[i] = int(x[i]) * k + int(table[x[i]])
    return found


@each(*((np.array(x), k) for x in ([1.0, 2], [-1.0, 2], [7.0, -1], []) for k in (0, 1, 3)))
def any_of_several(x: Vector, k: int) -> Any:
    """The user's own, in chains and both orders."""
    found, fits = np.bool_(False), np.bool_(True)
    for i in range(len(x)):
        found = (x[i] > 5) | (found | (x[i] < 0) | (np.int64(i) > k))
        fits = fits & (x[i] < 7) & (np.int64(i) < k)
    return found, fits


@each.each
def test_of_several(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


@each.each
def test_array_operations_in_process(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    program = graph_program(fn, backend="onnxruntime")
    program(*inputs[0])
    told = [line for line in program.explain("optimized").splitlines() if line.startswith("# test_several_errors.py")]
    assert told and all(line.endswith("is array operations") for line in told)


def one_after_the_other(x: Vector) -> Any:
    """A near miss: what a round adds depends on what was found before."""
    found, y = np.bool_(False), np.float64(0.0)
    for i in range(len(x)):
        y = np.sin(y) + x[i]
        found = found | (y > 1) | (x[i] < 0)
    return found, y


def test_what_is_found_of_others() -> None:
    check(one_after_the_other, *((np.array(x),) for x in ([], [1.0, 0.5], [0.1, 0.2], [-1.0])))
    program = graph_program(one_after_the_other, backend="onnxruntime")
    program(np.ones(3))
    assert "is a loop" in program.explain("optimized")


@pytest.mark.parametrize("place", [0, 3, 6])
def test_written_before(place: int) -> None:
    """What was written to an argument before a round fails is there."""

    def written(x: Ints, out: Int8[Tensor, "m"], k: int) -> None:
        for i in range(len(x)):
            out[i] = int(x[i]) * k + 1

    x = np.arange(7)
    x[place] = 120
    check(written, *((x, np.zeros(n, np.int8), k) for n in (7, 5) for k in (1, 2)))
