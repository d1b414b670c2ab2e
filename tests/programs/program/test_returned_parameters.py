"""A parameter that is returned as it came is the caller's object; one that is so on some paths only is a new one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import graph_program

x = np.ones(2)


def unchanged(x: Any, c: float) -> Any:
    return x


def on_some_paths(x: Any, c: float) -> Any:
    if c > 0:
        x = x * 2
    return x


def of_a_loop(x: Any, c: float) -> Any:
    while c > 0:
        x, c = x + 1, c - 1
    return x


def test_the_callers_object() -> None:
    assert graph_program(unchanged)(x, 0.0) is x


@pytest.mark.parametrize("fn", [on_some_paths, of_a_loop])
@pytest.mark.parametrize("c", [0.0, 1.0])
def test_a_new_array_of_the_same_contents(fn: Any, c: float) -> None:
    found, expected = graph_program(fn)(x, c), fn(x, c)
    assert found.tolist() == expected.tolist()
    assert not np.shares_memory(found, x)
    assert found.flags.writeable
