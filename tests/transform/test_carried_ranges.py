"""Between which sizes the integers lie that loops carry: checks that this decides are not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float64, Int64, Tensor, graph_program, load
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Vector = Float64[Tensor, "n"]
Other = Float64[Tensor, "m"]
Numbers = Int64[Tensor, "n"]

inside = Cases()
"""Programs whose indices are inside for certain, with arguments."""
outside = Cases()
"""Near misses, with arguments of which some raise."""

VECTORS = tuple((np.array(x, np.float64), v) for x, v in (([1, 2, 4, 4, 7], 4.0), ([1], 0.5), ([], 1.0), ([3, 5], 9.0)))
PAIRS = (
    (np.array([1.0, 3.0, 5.0]), np.array([2.0, 3.0])),
    (np.array([1.0]), np.zeros(0)),
    (np.zeros(0), np.ones(2)),
)


@inside(*VECTORS)
def linear_search(x: Vector, wanted: float) -> Any:
    i = 0
    while i < len(x) and x[i] != wanted:
        i += 1
    return i


@inside(*VECTORS)
def binary_search(x: Vector, wanted: float) -> Any:
    low, high = 0, len(x)
    while low < high:
        middle = (low + high) // 2
        if x[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inside(*VECTORS)
def from_both_ends(x: Vector, wanted: float) -> Any:
    i, j = 0, len(x) - 1
    while i < j:
        s = x[i] + x[j]
        if s == wanted:
            return i, j
        if s < wanted:
            i += 1
        else:
            j -= 1
    return -1, -1


@inside(*((np.array(x, np.float64), 3.0) for x in ([5, 2, 7], [1], [], [4, 4, 4, 2])))
def backwards(x: Vector, least: float) -> Any:
    i = len(x) - 1
    while i >= 0 and x[i] > least:
        i -= 1
    return i


@inside(*VECTORS)
def read_again_behind(x: Vector, wanted: float) -> Any:
    i = 0
    while i < len(x) and x[i] != wanted:
        i += 1
    return x[i] if i < len(x) else np.float64(-1.0)


NUMBERS = tuple((np.array(q, np.int64),) for q in ([3, 11, 3, -5, 4, 3, 12], [7], [], [1, 1, 1]))


@inside(*NUMBERS)
def the_one_before(q: Numbers) -> Any:
    last = np.full(8, -1)
    total = 0
    for i in range(len(q)):
        kind = q[i] % 8
        before = last[kind]
        if before >= 0:
            total += int(q[before] == q[i])
        last[kind] = i
    return total, last


@inside(*NUMBERS)
def the_one_before_in_jumps(q: Numbers) -> Any:
    last = np.full(8, -1)
    total, at = 0, 0
    while at < len(q):
        kind = q[at] % 8
        before = last[kind]
        last[kind] = at
        if before >= 0:
            total += int(q[before] == q[at])
            at += 2
        else:
            at += 1
    return total, last


@outside(*NUMBERS)
def the_one_behind(q: Numbers) -> Any:
    last = np.full(8, -1)
    total = 0
    for i in range(len(q)):
        kind = q[i] % 8
        before = last[kind]
        if before >= 0:
            total += int(q[before] == q[i])
        last[kind] = i + 2
    return total


@outside(*NUMBERS)
def the_one_that_is_told(q: Numbers) -> Any:
    last = np.full(8, -1)
    total = 0
    for i in range(len(q)):
        kind = q[i] % 8
        before = last[kind]
        if before >= 0:
            total += int(q[before] == q[i])
        last[kind] = q[i]
    return total


@outside((np.array([1.0, 2.0]), np.array([1.0, 1.0])), (np.array([1.0]), np.ones(3)), (np.ones(6), np.ones(4)))
def of_what_an_array_began_with(x: Vector, v: Other) -> Any:
    """Rounds put the size into `a`, which begins with more than that."""
    n = len(x)
    a, b = np.full(3, 5), np.full(3, n)
    total, k = 0.0, 0
    while total < 10.0 and k < len(v):
        total += x[b[k % 3] - 1] + v[k] * total
        b = a.copy()
        a = np.full(3, n)
        k += 1
    return total, b


@outside(*PAIRS)
def merged(a: Vector, b: Other) -> Any:
    """What counts both is a sum, of which ranges know nothing."""
    out = np.zeros(len(a) + len(b))
    i, j, k = 0, 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
        k += 1
    return out, i, j


@outside(*VECTORS)
def one_too_far(x: Vector, wanted: float) -> Any:
    i = 0
    while i <= len(x) and x[i] != wanted:
        i += 1
    return i


@outside(*((x, v) for x, v in VECTORS), (np.array([-1.0, -1.0, 0.0]), 4.0))
def goes_below(x: Vector, wanted: float) -> Any:
    i = 0
    while i < len(x) and x[i] != wanted:
        i += 1 if x[i] > 0 else -2
    return i


@outside((np.array([2, 2, 2, 0]), 1), (np.array([1, 3, 7]), 0), (np.array([0]), 0), (np.array([-9, 1]), 1))
def steps_that_are_data(q: Numbers, start: int) -> Any:
    i = start
    while i < len(q) and q[i] != 0:
        i += int(q[i])
    return i


@outside((np.array([1.0, 2.0, 3.0]), 2), (np.array([1.0, 2.0]), 4), (np.zeros(0), 0))
def another_bound(x: Vector, n: int) -> Any:
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if x[middle] < 1.5:
            low = middle + 1
        else:
            high = middle
    return low


COMPARISONS = frozenset({"Less", "LessOrEqual", "Greater", "GreaterOrEqual"})


def checks_of(fn: Callable[..., Any]) -> int:
    """How many comparisons a model has beyond those of one without checks, which looks for negative indices.

    In rounds, as array operations cut indices that are not wanted, whether they are checked or not.
    """
    program = graph_program(fn, without=["vectorize"])
    return compares(program.model(include_errors=True).graph) - compares(program.model(checks="none").graph)


def compares(graph: onnx.GraphProto) -> int:
    inner = sum(compares(value.g) for node in graph.node for value in node.attribute if value.HasField("g"))
    return inner + sum(node.op_type in COMPARISONS for node in graph.node)


Inputs = tuple[tuple[Any, ...], ...]


@inside.each
def test_indices_inside_are_not_checked(fn: Callable[..., Any], inputs: Inputs) -> None:
    compared(fn, inputs)
    assert checks_of(fn) <= 0


@outside.each
def test_indices_that_may_be_outside_are_checked(fn: Callable[..., Any], inputs: Inputs) -> None:
    compared(fn, inputs)
    assert checks_of(fn) > 0


def far_numbers(x: Vector) -> int:
    last = 2**62
    for i in range(len(x)):
        if i >= last + 2**62 and x[i] > 0:
            last = i
    return last


def test_numbers_far_from_0_are_not_sizes(tmp_path: Path) -> None:
    """What begins far from 0 may leave 64 bits, however many elements there are."""
    graph_program(far_numbers).export(tmp_path / "program.onnx")
    for run in (graph_program(far_numbers), load(tmp_path / "program.onnx")):
        assert run(np.zeros(0)) == 2**62
        with pytest.raises(OverflowError, match="too large for int64"):
            run(np.ones(3))
