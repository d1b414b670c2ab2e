"""What branches and loops give has the sizes that its type says, also where each path has another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.fuzz.shape_check import Report, check_types
from tests.native.compilers import needs_compiler
from tests.programs.plain import Cases, check

Vector = Float64[Tensor, "n"]
ROWS = tuple((np.array(x),) for x in ([3.0, -2.0, 5.0, 5.0, 1.0], [1.0, 1.0, 2.0], [7.0], [-1.0, -1.0]))

one = Cases()
"""Programs with arguments."""


@one(*ROWS)
def picked(x: Vector) -> Any:
    if x[0] > 2:
        y = x[x > 2]
    elif x[0] > 0:
        y = np.concatenate([x, x])
    else:
        y = x[:1]
    z = np.zeros(y.shape[0])
    for i in range(y.shape[0]):
        z[i] = y[i] + i
    return y, z, y.shape[0]


@one(*ROWS)
def left_early(x: Vector) -> Any:
    out = []
    for v in x:
        if v > 4:
            break
        out.append(float(v))
    else:
        out.append(99.0)
    return out


@one(*ROWS)
def gone_on_early(x: Vector) -> Any:
    out, kept = [], []
    for v in x:
        if v < 0:
            continue
        out.append(v)
        if v > 2:
            kept.append(v * 2)
            continue
        kept = []
    return np.array(out), np.array(kept)


@one(*((*row, n) for row in ROWS for n in (1, 2, 9)))
def given_back_in_a_round(x: Vector, n: int) -> Any:
    out = []
    for i, v in enumerate(x):
        if v < -1.5:
            raise ValueError(f"at {i}")
        if v > 1:
            out.append(v)
            if len(out) == n:
                return np.array(out), i
    return np.array(out), len(out)


@one(*ROWS)
def runs(x: Vector) -> Any:
    out = []
    last, n = None, 0
    for v in x:
        if last is not None and v == last:
            n += 1
        else:
            if last is not None:
                out.append(n)
            last, n = v, 1
    if last is not None:
        out.append(n)
    return np.array(out)


@one(*((*row, m) for row in ROWS for m in range(6)))
def a_stack(x: Vector, m: int) -> Any:
    stack, longest = [0.0], np.zeros(1)
    for k in range(m):
        v = x[k % len(x)]
        if v > 1:
            stack.append(v)
        elif v < -1 and len(stack) > 1:
            stack.pop()
        elif v < -1:
            continue
        else:
            break
        if len(stack) > len(longest):
            longest = np.array(stack)
    else:
        stack = [1.0, 2.0]
    return np.array(stack), longest


@one(*ROWS)
def a_loop_in_a_loop(x: Vector) -> Any:
    out = []
    i = 0
    n = len(x)
    while i < n:
        longest = 0
        back = 0
        for j in range(max(0, i - 8), i):
            k = 0
            while i + k < n and x[j + k] == x[i + k]:
                k += 1
            if k > longest:
                longest, back = k, i - j
        if longest > 1:
            out.append((back, longest))
            i += longest
        else:
            out.append((0, int(x[i])))
            i += 1
    return out


@one(*((*row, m) for row in ROWS for m in (0, 2, 5)))
def two_of_one_array(x: Vector, m: int) -> Any:
    y = z = x[x > 1]
    for k in range(m):
        if len(y) > 6:
            break
        if k % 2:
            y = np.concatenate([y, x[x > k]])
            z = y
        else:
            z = z[1:]
    return y, len(y), z, len(z)


@pytest.mark.parametrize(("function", "inputs"), one.found, ids=[f.__name__ for f, _ in one.found])
def test_types_are_those_of_the_values(function: Callable[..., Any], inputs: Any) -> None:
    report = Report()
    for args in inputs:
        check_types(function, args, report)
    assert not report.findings
    assert report.counts["values checked"]


@needs_compiler
@pytest.mark.parametrize("backend", ["onnxruntime", "native"])
@pytest.mark.parametrize(("function", "inputs"), one.found, ids=[f.__name__ for f, _ in one.found])
def test_like_python(function: Any, inputs: Any, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", backend)
    check(function, *inputs)


def test_a_side_that_nobody_reads_says_nothing() -> None:
    text = graph_program(left_early).explain("graph", ROWS[0])
    assert "out_2: float64 [d1+1] = if" in text
