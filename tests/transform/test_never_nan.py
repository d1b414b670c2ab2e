"""Which arrays are known to hold no NaN, and what is not asked of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx

from graph_program import Float64, Int64, Tensor, graph_program
from tests.programs.plain import Cases, check

Vector = Float64[Tensor, "n"]
VECTORS = tuple((np.array(x),) for x in ([1.0, np.nan, 3, -0.0], [np.inf, -np.inf, np.nan, 1e300], [np.nan], [2.0, 2]))

asked = Cases()
"""Programs that ask whether there is a NaN, with arguments."""
unasked = Cases()
"""Programs that do not."""


@unasked(*VECTORS)
def without_nan(x: Vector) -> Any:
    y = np.where(np.isnan(x), -np.inf, x)
    return np.argmax(y), np.max(y), np.argsort(-y, kind="stable")


@unasked(*VECTORS)
def without_nan_and_others(x: Vector) -> Any:
    y = np.where(x < -2.0, -np.inf, np.where(np.isnan(x), -np.inf, x))
    return np.argmax(np.where((x > 5.0) | np.isnan(x), 0.0, x)), np.argmax(y)


@unasked(*VECTORS)
def functions_of_what_has_none(x: Vector) -> Any:
    y = np.where(np.isnan(x), 0.0, x)
    return np.argmin(np.concatenate((np.exp(y[1:]), np.tanh(y)))), np.min(y * y)


@unasked((np.array([3, -1, 2]),), (np.array([5]),))
def of_integers(k: Int64[Tensor, "n"]) -> Any:
    return np.argmax(k.astype(np.float64))


@asked(*VECTORS)
def of_another_array(x: Vector) -> Any:
    return np.argmax(np.where(np.isnan(x), 0.0, x + 1))


@asked(*VECTORS)
def chosen_the_other_way(x: Vector) -> Any:
    return np.argmax(np.where(np.isnan(x), x, 0.0))


@asked(*VECTORS)
def sums_of_infinities(x: Vector) -> Any:
    y = np.where(np.isnan(x), 0.0, x)
    return np.argmax(y + y[::-1])


@asked(*VECTORS)
def products_with_infinities(x: Vector) -> Any:
    y = np.where(np.isnan(x), 0.0, x)
    return np.argmax(y * 0.0), np.argmax(y)


def asks(fn: Callable[..., Any]) -> bool:
    """Whether the model has a branch by `IsNaN` of a sum."""
    return _asks(graph_program(fn).model().graph)


def _asks(graph: onnx.GraphProto) -> bool:
    makers = {name: node.op_type for node in graph.node for name in node.output}
    inner = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
    return any(n.op_type == "If" and makers.get(n.input[0]) == "IsNaN" for n in graph.node) or any(map(_asks, inner))


@asked.each
def test_what_may_hold_nan_is_asked(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert asks(fn)


@unasked.each
def test_what_holds_none_is_not(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert not asks(fn)
