"""What a program has captured and host code changes in the middle of a call: seen, or refused at that call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program, host_function


class Arm:
    def __init__(self) -> None:
        self.angle = 0.0

    @host_function
    def move(self, x: float) -> None:
        self.angle += float(x)


ARM = Arm()
LIMITS = {"k": 1.0}
K = 1.0
WEIGHTS = np.ones(2)


@host_function
def change() -> None:
    global K
    K += 1.0
    LIMITS["k"] += 1.0
    WEIGHTS[:] += 1


def attribute_behind(x):
    ARM.move(x[0])
    return ARM.angle


def attribute_in_a_loop(x):
    n = 0
    while ARM.angle < 1.0 and n < 5:
        ARM.move(x[0])
        n += 1
    return n


def dict_behind(x):
    change()
    return x * LIMITS["k"]


def global_behind(x):
    change()
    return x * K


def array_behind(x):
    y = x * WEIGHTS
    change()
    return y + x * WEIGHTS


def array_in_a_loop(x):
    for _ in range(3):
        x = x + WEIGHTS
        change()
    return x


@pytest.mark.parametrize(
    "function",
    [attribute_behind, attribute_in_a_loop, dict_behind, global_behind, array_behind, array_in_a_loop],
    ids=lambda f: f.__name__,
)
def test_changes_that_the_program_would_miss(function: Any) -> None:
    with pytest.raises(GraphProgramError, match="GP524"):
        graph_program(function)(np.array([0.5, 2.0]))


def read_before(x):
    y = x * WEIGHTS * K * LIMITS["k"] + ARM.angle
    change()
    ARM.move(1.0)
    return y


def test_changes_behind_the_last_read() -> None:
    program = graph_program(read_before)
    for _ in range(3):
        expected = np.array([0.5, 2.0]) * WEIGHTS * K * LIMITS["k"] + ARM.angle
        np.testing.assert_allclose(program(np.array([0.5, 2.0])), expected)
