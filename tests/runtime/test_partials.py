"""`functools.partial` objects as programs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, graph_program

x = np.arange(3.0)


def scaled(x: Float64[np.ndarray, "n"], k: Any, b: Any = 0, *, mode: str = "add") -> Any:
    return x * k + b if mode == "add" else [x] * k


class Affine:
    def __init__(self, gain: float):
        self.gain = gain

    def step(self, x: Any, k: Any) -> Any:
        return x * self.gain + k

    def __call__(self, x: Any, k: Any) -> Any:
        return x * self.gain - k


CASES: list[tuple[Any, tuple[Any, ...], dict[str, Any], list[str]]] = [
    (partial(scaled, k=3), (x,), {}, ["x", "b"]),
    (partial(scaled, x), (3,), {}, ["k", "b"]),
    (partial(scaled, x), (3, 4), {}, ["k", "b"]),
    (partial(scaled, k=2, mode="list"), (x,), {}, ["x", "b"]),
    (partial(partial(scaled, x), k=3), (), {"b": 2}, ["b"]),
    (partial(Affine(2.0).step, k=3.0), (x,), {}, ["x"]),
    (partial(Affine(2.0), k=3.0), (x,), {}, ["x"]),
    (partial(graph_program(scaled), k=3.0), (x,), {}, ["x", "b"]),
    (partial(lambda x, n: x[n], n=1), (x,), {}, ["x"]),
    (partial(lambda x, *ys: x + len(ys), x), (1, 2), {}, ["ys.0", "ys.1"]),
]


@pytest.mark.parametrize(("function", "args", "keywords", "inputs"), CASES)
def test_a_program_of_a_partial(function: Any, args: Any, keywords: Any, inputs: list[str]) -> None:
    program = graph_program(function)
    for _ in range(2):
        assert repr(program(*args, **keywords)) == repr(function(*args, **keywords))
    taken = {i.name for i in program.model(keywords or args).graph.input}
    assert taken <= set(inputs)


def test_what_is_fixed_by_keyword_can_be_replaced() -> None:
    program = graph_program(partial(scaled, k=3))
    assert np.array_equal(program(x, k=5, b=1), x * 5 + 1)
    assert np.array_equal(program.python(x, k=5), x * 5)
    with pytest.raises(TypeError, match="unexpected keyword argument 'c'"):
        program(x, c=5)


def test_captured_arrays_are_seen_when_they_change() -> None:
    w = np.ones(3)
    program = graph_program(partial(lambda x, w: x @ w, w=w))
    assert program(x) == 3.0
    w[2] = 5.0
    assert program(x) == 11.0


@pytest.mark.parametrize("function", [partial(np.sin), partial(int, base=2), partial(scaled, 1, 2, 3, 4)])
def test_what_is_no_program(function: Any) -> None:
    with pytest.raises(TypeError, match=r"written in Python|incorrect arguments|too many"):
        graph_program(function)
