"""The pass that reads what loops carry instead of what they give where they are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program
from tests.benchmarks.graphs.programs import otsu
from tests.passes import without
from tests.programs.plain import Cases, check
from tests.transform.sessions import run

Vector = Float64[Tensor, "n"]
VECTORS = tuple((np.array(x, float),) for x in ([1, 5, -2, 4], [3, 0.5], [-7, 1], [2], [], [1] * 5))

one = Cases()
"""Programs whose loop carries no copy of a value for where it is left, with arguments."""
both = Cases()
"""Near misses."""


def require_few(x: Any) -> None:
    """A failure, whose end of the program is that of all ways out."""
    if len(x) > 4:
        raise ValueError("too many")


def step(y: Any, v: Any) -> Any:
    """More work than is done in vain, of what the round before has made."""
    return y / 2 + v * y - np.sin(y) * v + np.cos(y)


@one(*VECTORS)
def left_before_the_change(x: Vector) -> Any:
    require_few(x)
    y = np.float64(1.0)
    for v in x:
        if v < 0:
            break
        y = step(y, v)
    return y


@one(*VECTORS)
def continued(x: Vector) -> Any:
    require_few(x)
    y, z = np.float64(1.0), np.float64(2.0)
    for v in x:
        if v == 0.5:
            continue
        if y > 20:
            break
        y, z = step(y, v), z * y
    return y, z


@one(*VECTORS)
def returned(x: Vector) -> Any:
    require_few(x)
    y = np.float64(1.0)
    for v in x:
        if v < 0:
            return y
        y = step(y, v)
    return y


@both(*VECTORS)
def left_behind_the_change(x: Vector) -> Any:
    require_few(x)
    y, z = np.float64(1.0), np.float64(0.0)
    for v in x:
        z = y
        y = step(y, v)
        if v < 0:
            return z
    return y


@both(*VECTORS)
def left_with_another_value(x: Vector) -> Any:
    require_few(x)
    y, z = np.float64(1.0), np.float64(2.0)
    for v in x:
        if v < 0:
            return z
        z, y = y, step(z, v)
    return y


def carried(fn: Callable[..., Any]) -> int:
    """How many values the loops of a program carry."""
    lines = graph_program(fn).explain("optimized").splitlines()
    (head,) = [line for line in lines if "= loop(" in line]
    return head.partition(" with ")[2].count(" = ")


@one.each
def test_one_value_is_carried(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    here = carried(fn)
    without(monkeypatch, "exit_values")
    check(fn, *inputs)
    assert here < carried(fn)


@both.each
def test_what_may_be_another_value_stays(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any
) -> None:
    check(fn, *inputs)
    here = carried(fn)
    without(monkeypatch, "exit_values")
    assert here == carried(fn)


def test_integers_found_in_an_array() -> None:
    def program(x: Int64[Tensor, "n"], wanted: int) -> Any:
        place, before = -1, 0
        for i in range(len(x)):
            if x[i] == wanted:
                break
            place, before = i, before * 2 + place
        return place, before

    check(program, *((np.array([3, 1, 4, 1, 5]), k) for k in (3, 1, 5, 9)), (np.zeros(0, int), 1))


def test_without_checks_as_with_them() -> None:
    """There the flag that says where the loop is left is not carried: a choice is made in the round."""
    model = otsu.otsu.model(include_errors=False, checks="none")
    assert "Loop" not in [node.op_type for node in model.graph.node]
    for size in otsu.SIZES:
        arguments = otsu.arguments(size, np.random.default_rng(size))
        assert run(model, tuple(arguments.values()))[0] == otsu.otsu.python(**arguments)


def test_elements_that_are_chosen_are_no_exits() -> None:
    def program(x: Float64[Tensor, "n"]) -> Any:
        y = np.zeros(3)
        for i in range(len(x)):
            y = np.where(np.array([True, False, True]), y, x[i] + y)
        return y

    check(program, *VECTORS, (np.arange(3.0),))
