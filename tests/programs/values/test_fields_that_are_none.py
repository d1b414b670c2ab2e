"""Fields whose default is None may be None, whatever their annotation says, as parameters may."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program
from tests.programs.plain import check


@dataclass
class Pid:
    gain: float = 2.0
    last: float = None  # type: ignore[assignment]


class Weights(NamedTuple):
    w: np.ndarray[Any, Any] = None  # type: ignore[assignment]
    bias: Float64[Tensor, "n"] = None  # type: ignore[assignment]


@dataclass
class Plant:
    pid: Pid = None  # type: ignore[assignment]
    weights: Weights = field(default_factory=Weights)
    limit: int | float = field(default=None)  # type: ignore[arg-type]
    start: Float64[Tensor, "n"] = None  # type: ignore[assignment]


@dataclass
class Node:
    value: float
    left: Node = None  # type: ignore[assignment]


def control(pid: Pid, error: float) -> float:
    slope = 0.0 if pid.last is None else error - pid.last
    pid.last = error
    return pid.gain * error + slope


def shifted(plant: Plant, x: Any) -> Any:
    if plant.weights.w is not None:
        x = x * plant.weights.w
    if plant.weights.bias is not None:
        x = x + plant.weights.bias
    if plant.start is not None:
        x = x + plant.start
    if plant.limit is not None:
        x = np.minimum(x, plant.limit)
    return x if plant.pid is None else x * plant.pid.gain


def below(node: Node) -> float:
    return node.value if node.left is None else node.value + node.left.value


def test_a_field_of_an_argument() -> None:
    check(control, (Pid(), 1.0), (Pid(last=3.0), 1.0), (Pid(last=np.float32(3)), 1.0))
    x = np.arange(3.0)
    check(shifted, (Plant(), x), (Plant(Pid(), Weights(x, x), 1, x), x), (Plant(weights=Weights(bias=x)), x))
    check(below, (Node(1.0),), (Node(1.0, Node(2.0)),))


def test_an_object_that_is_called_again_and_again() -> None:
    program, pid, twin = graph_program(control), Pid(), Pid()
    for error in (1.0, 3.0, 2.0):
        assert program(pid, error) == control(twin, error)
        assert pid == twin


def test_what_says_numbers_is_a_hint() -> None:
    def scaled(x: np.ndarray[Any, Any], by: float) -> Any:
        return np.sum(x) if by is None else np.sum(x) * by

    check(scaled, (np.ones(3), None), ([1.0, 2.0], 2.0), (3.0, None))


def test_a_result_is_allowed_to_be_none() -> None:
    def made(x: Any, c: Any) -> Plant:
        return Plant(start=None if c is None else x)

    assert graph_program(made)(np.ones(2), None).start is None
    assert graph_program(made)(np.ones(2), 1).start.shape == (2,)


@pytest.mark.parametrize(
    ("fn", "signature"),
    [
        (control, "control: (Pid(gain: float, last: float), float) -> float"),
        (below, "below: Node(value: float, left: t [*s]) -> u [*r]"),
    ],
)
def test_without_a_value_it_is_what_the_annotation_says(fn: Any, signature: str) -> None:
    assert graph_program(fn).signature == signature
