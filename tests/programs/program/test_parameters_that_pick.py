"""Parameters that pick a structure: where paths that they part cannot be merged, they are known by value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, Tensor, graph_program
from tests.programs.plain import Cases, check

FN: dict[str, Any] = {"a": (1, np.sin), "b": (2, np.tanh)}
cases = Cases()
x = np.arange(4.0).reshape(2, 2)
flags = ((x, False), (x, True))


class Scale:
    def __init__(self, w: float):
        self.w = w

    def __call__(self, x: Any) -> Any:
        return x * self.w


class Shift(Scale):
    def __call__(self, x: Any) -> Any:
        return x + self.w


@cases(*flags)
def layers_by_name(x: Any, deep: bool = False) -> Any:
    names = ["a"]
    if deep:
        names = [*names, "b"]
    for name in names:
        x = FN[name][1](x)
    return x


@cases(*flags)
def names_added(x: Any, deep: bool) -> Any:
    names = ["a"] + (["b"] if deep and len(FN) == 2 else [])
    return [FN[name][1](x) for name in names]


@cases(*flags)
def numbers_or_functions(x: Any, deep: bool) -> Any:
    layers: list[Any] = [("times", 2), ("apply", np.tanh)]
    if deep:
        layers.append(("times", 3))
    for kind, what in layers:
        x = x * what if kind == "times" else what(x)
    return x


@cases(*flags)
def objects_of_classes(x: Any, deep: bool) -> Any:
    layers: list[Any] = [Scale(2.0)]
    if deep:
        layers += [Shift(1.0)]
    for layer in layers:
        x = layer(x)
    return x


@cases(*flags)
def shapes(x: Any, keep: bool) -> Any:
    return x.reshape(x.shape if keep else (-1,))


@cases((x, 0), (x, 1), (x, 2))
def by_mode(x: Any, mode: int) -> Any:
    layers: list[Any] = [Scale(2.0)]
    if mode == 1:
        layers = [*layers, np.tanh]
    elif not mode:
        layers = []
    for layer in layers:
        x = layer(x)
    return x


@cases((x, False), (x, True))
def order_of_keys(x: Any, first: bool) -> Any:
    found = {}
    if first:
        found["a"] = x
    found["b"] = x
    found["a"] = x * 2
    return list(found)


@cases((x,), (x - 3,))
def one_of_some_tuples(x: Any) -> Any:
    name = "a" if x.sum() > 0 else "b"
    count, function = FN[name]
    return FN[name][1](x) + count, function(x), FN[name][0]


@cases.each
def test_like_python(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_it_is_no_input() -> None:
    program = graph_program(objects_of_classes)
    program(x, True)
    with pytest.raises(GraphProgramError, match=r"GP510.*right for deep = True only"):
        program.model()
    assert [i.name for i in program.model(static=("deep",)).graph.input] == ["x"]


def test_what_does_not_need_it_stays_an_input() -> None:
    @graph_program
    def scaled(x: Any, double: bool) -> Any:
        return FN["a"][1](x * 2 if double else x)

    scaled(x, True)
    assert [i.name for i in scaled.model().graph.input] == ["x", "double"]


def test_an_export_needs_to_know_which_it_is() -> None:
    @graph_program
    def layers(x: Float64[Tensor, "n"], deep: bool) -> Any:
        found: list[Any] = [Scale(2.0)]
        if deep:
            found += [Shift(1.0)]
        for layer in found:
            x = layer(x)
        return x

    with pytest.raises(GraphProgramError, match="tests of 'deep' part these paths: with example arguments"):
        layers.model()
    assert [i.name for i in layers.model((np.ones(2), True), static=["deep"]).graph.input] == ["x"]


def test_a_computed_number_does_not_become_static() -> None:
    @graph_program
    def layers(x: Any) -> Any:
        found: list[Any] = [Scale(2.0)]
        if x.sum() > 1:
            found += [Shift(1.0)]
        for layer in found:
            x = layer(x)
        return x

    with pytest.raises(GraphProgramError, match="GP357"):
        layers(x)
