"""Elements of different kinds at a computed position: functions, methods, objects, arrays of different ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

cases = Cases()

X = np.array([0.5, -1.0, 2.0])
POSITIONS: tuple[tuple[Any, ...], ...] = tuple((X, np.array([k, 1, 0])) for k in (0, 1, -1, -2, 2, -3))


class Layer:
    def __init__(self, w: Any) -> None:
        self.w = w

    def __call__(self, x: Any) -> Any:
        return x * self.w


class Counter:
    def __init__(self) -> None:
        self.total = 0
        self.steps = [self.up, self.down]

    def up(self, x: Any) -> Any:
        self.total += 1
        return x + 1

    def down(self, x: Any) -> Any:
        self.total -= 1
        return -x


@cases(*POSITIONS)
def local_functions(x: Any, i: Any) -> Any:
    s = x.sum()
    return [lambda: s, lambda scale=2.0: x.max() * scale][i[0]]()


@cases(*POSITIONS)
def in_a_loop(x: Any, i: Any) -> Any:
    def up(v: Any) -> Any:
        return v + 1

    for k in i:
        x = (up, np.negative)[int(k)](x)
    return x


@cases(*POSITIONS)
def from_a_dict(x: Any, i: Any) -> Any:
    steps: dict[int, Callable[[Any], Any]] = {0: lambda v: v + x, 1: lambda v: v * x, -1: np.abs}
    return steps[int(i[0])](x), steps.get(int(i[1]), np.sin)(x)


@cases(*POSITIONS)
def partials(x: Any, i: Any) -> Any:
    total = 0.0
    for k in i:
        total += [partial(np.clip, a_min=0.0, a_max=1.0), lambda v: v[::-1]][k](x)[0]
    return total


@cases(*POSITIONS)
def methods_with_state(x: Any, i: Any) -> Any:
    counter = Counter()
    for k in i:
        x = counter.steps[k](x)
    return x, counter.total


@cases(*POSITIONS)
def caught(x: Any, i: Any) -> Any:
    try:
        return [lambda v: v + 1, lambda v: v * 2][i[0]](x)
    except IndexError as error:
        return str(error)


@cases(*POSITIONS)
def pairs_of_name_and_function(x: Any, i: Any) -> Any:
    name, f = (("relu", lambda v: np.maximum(v, 0)), ("same", lambda v: v))[i[0]]
    return name, f(x)


@cases(*POSITIONS)
def classes(x: Any, i: Any) -> Any:
    return [Layer, lambda w: np.negative][i[0]](x)(x)


@cases(*POSITIONS)
def other_things(x: Any, i: Any) -> Any:
    arrays, objects = [x, x.sum(), x[:, None] * x], [Layer(x), [x, x]]
    chosen = objects[i[1]]
    return arrays[i[0]] * 2, chosen.w if isinstance(chosen, Layer) else chosen[0], [x, None][i[1]]


@cases((X, np.array([0])))
def layers_of_other_shapes(x: Any, i: Any) -> Any:
    weights = [np.ones((3, 4)), np.ones((4, 2)), np.ones((2, 3))]
    for k in range(3):
        x = x @ weights[k]
    return x + i


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
