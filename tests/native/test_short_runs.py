"""Programs that are over in no time: which keep the interpreter's lock, and what they compute."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, UInt8
from graph_program.backends.c.short_runs import FEW
from tests.native.compilers import compiler_with, needs_compiler, noted_texts
from tests.programs.plain import Cases, check

Vector = Float64[Tensor, "n"]
VECTORS = tuple(np.arange(float(n)) % 17 for n in (0, 3, FEW, FEW + 1))
short = Cases()
"""Programs that run as long as their arguments have elements."""
other = Cases()
"""Those that may run longer."""


@short(*((x, limit) for x in VECTORS for limit in (2.5, 99.0)))
def search(x: Vector, limit: float) -> int:
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@short(*((x,) for x in VECTORS[1:]))
def energy(x: Vector) -> Any:
    total = 0.0
    for value in x:
        total += value * value
    return total, x * 2


@short(*((np.arange(n * 3, dtype=np.uint8).reshape(n, 3),) for n in (0, 4)))
def ramps(image: UInt8[Tensor, "n 3"]) -> Any:
    return image + np.arange(3, dtype=np.uint8), np.zeros(len(image)) + 1


@other(*((x, k) for x in VECTORS[:2] for k in (0, 2, 500)))
def by_a_number(x: Vector, k: int) -> Any:
    return np.arange(k).sum() + len(x)


@other(*((x,) for x in VECTORS[1:2]))
def by_an_element(x: Vector) -> Any:
    return np.arange(int(x[2])).sum()


@other(*((x, k) for x in VECTORS[:2] for k in (0, 2)))
def search_to_a_number(x: Vector, k: int) -> int:
    for i in range(k):
        if len(x) == i:
            return i
    return -1


@other(*((x,) for x in VECTORS[:2]))
def pairs(x: Vector) -> Any:
    count = 0
    for i in range(len(x)):
        for j in range(len(x)):
            if x[i] < x[j]:
                count += 1
    return count


@other((np.eye(30), np.ones((30, 30))))
def product(x: Float64[Tensor, "n n"], y: Float64[Tensor, "n n"]) -> Any:
    return x @ y


@other(*((x,) for x in VECTORS[:3]))
def halvings(x: Vector) -> int:
    n, steps = len(x), 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else n + 1
        steps += 1
    return steps


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    found = noted_texts(monkeypatch)
    with compiler_with(tmp_path, ("-O1",)):
        yield found


@needs_compiler
@short.each
def test_the_lock_is_kept(fn: Any, inputs: Any, texts: list[str]) -> None:
    check(fn, *inputs)
    assert "? NULL : gp_py.leave()" in texts[0] and "if (GP_PAUSE(" not in texts[0]


@needs_compiler
@other.each
def test_the_lock_is_given_back(fn: Any, inputs: Any, texts: list[str]) -> None:
    check(fn, *inputs)
    assert "gp_thread = gp_py.leave();" in texts[0]
