"""Programs that the tests of native code share, and the mark of those that need a compiler."""

from __future__ import annotations

from typing import Any

import pytest

from graph_program import Float64, Tensor
from graph_program.backends.c import compiler as compilers

needs_compiler = pytest.mark.skipif(compilers.compiler() is None, reason="no C compiler here")
Vector = Float64[Tensor, "n"]


def steps_to_one(n: int) -> int:
    if n < 1:
        raise ValueError(f"{n} never comes to 1")
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def filtered(x: Vector, a: float) -> Any:
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] + (1 - a) * x[i]
    x[0] = -1
    return y, y.max(), [k for k in range(len(x)) if y[k] > 0.5], x, a
