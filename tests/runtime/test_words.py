"""The functions that a program calls about itself: right and wrong calls, inside and outside programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import (
    Float64,
    Tensor,
    graph_program,
    host_function,
    reveal,
    static_range,
    to_device,
    to_host,
)

X = np.ones(3)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: to_device(x, Float64[Tensor, "n"]) + 1,
        lambda x: to_device(v=x, type=None),
        lambda x: to_host(x=x),
        lambda x: reveal(x) * 2,
        lambda x: [x * i for i in static_range(1, 6, 2)],
    ],
)
def test_right_calls(function: Any) -> None:
    np.testing.assert_equal(graph_program(function)(X), function(X))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: to_host(),
        lambda x: to_host(x, x),
        lambda x: reveal(),
        lambda x: [x for _ in static_range("a")],
        lambda x: [x for _ in static_range(1, 5, 0)],
        lambda x: host_function(3),
    ],
)
def test_wrong_calls(function: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as plain:
        function(X)
    with pytest.raises(type(plain.value)):
        graph_program(function)(X)


def test_memory_errors_are_numpys() -> None:
    with pytest.raises(MemoryError, match="Unable to allocate") as error:
        graph_program(lambda n: np.zeros(n))(10**15)
    assert error.value.__context__ is None
