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


def partial_object(partial_object_: Any, default_k: Any = 2, k: Any = 3) -> Any:
    return partial_object_ * k + default_k


@pytest.mark.parametrize("args", [(), (x,), (x, 4), (x, 4, 5), (x, 4, 5, 6)])
@pytest.mark.parametrize(
    "function",
    [
        partial(partial_object, k=5), partial(partial_object, x), partial(partial_object, x, k=3),
        partial(lambda partial_object, *, k: partial_object - k, k=2), partial(scaled, x, 2, mode="add"),
        partial(lambda x, *rest, k: x * k + len(rest), x, k=2),
    ],
)  # fmt: skip
def test_names_of_parameters_and_numbers_of_arguments(function: Any, args: Any) -> None:
    """Also those that the function has which calls the object; Python counts what is fixed, too."""

    def told(call: Any) -> str:
        try:
            return repr(call(*args))
        except TypeError as error:
            return str(error)

    program = graph_program(function)
    with program.session() as session:
        assert told(program) == told(session) == told(function)


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
