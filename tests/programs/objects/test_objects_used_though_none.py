"""Objects and functions that may be None, used as if they were not: what Python does, and its TypeError for None."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check, check_shown

Array = np.ndarray[Any, Any]
INPUTS = ((np.array([1.0, 2.5]),), (np.array([0.0, 0.75]),), (np.array([]),))
cases = Cases()


class Gain:
    def __init__(self, by: Any) -> None:
        self.by = by

    def __call__(self, x: Any, times: int = 1) -> Any:
        return self.by * x * times

    def __len__(self) -> int:
        return int(self.by)

    def __abs__(self) -> Any:
        return -self.by

    def __neg__(self) -> Any:
        return "negative"

    def __add__(self, other: Any) -> Any:
        return self.by + other

    def __radd__(self, other: Any) -> Any:
        return self.by + other

    def __iadd__(self, other: Any) -> Any:
        self.by += other
        return self

    def __matmul__(self, other: Any) -> Any:
        return self.by * other.sum()

    def __lt__(self, other: Any) -> Any:
        return self.by < other

    def __float__(self) -> float:
        return float(self.by)

    def __index__(self) -> int:
        return int(self.by) - 1

    def __round__(self, digits: Any = None) -> Any:
        return 7

    def __floor__(self) -> Any:
        return 8

    def __iter__(self) -> Any:
        return iter([self.by])

    def __divmod__(self, other: Any) -> Any:
        return self.by, other

    def __delitem__(self, i: int) -> None:
        self.by = float(i)

    def __enter__(self) -> Any:
        print("in")
        return self.by

    def __exit__(self, *args: object) -> None:
        print("out")


@dataclass(order=True)
class Cost:
    value: float


class Fit(NamedTuple):
    slope: float
    order: int = 0

    def __call__(self, x: Any) -> Any:
        return self.slope * x

    def __bool__(self) -> bool:
        return self.order >= 2


def found(x: Array, cls: Any = Gain) -> Any:
    last = None
    for v in x:
        if v > 1:
            last = cls(float(v))
    return last


@cases(*INPUTS)
def called(x: Array) -> Any:
    return found(x)(2.0), found(x)(2.0, times=3)


@cases(*INPUTS)
def a_length(x: Array) -> Any:
    return len(found(x))


@cases(*INPUTS)
def an_absolute_value(x: Array) -> Any:
    return abs(found(x))


@cases(*INPUTS)
def a_sum(x: Array) -> Any:
    return found(x) + 1


@cases(*INPUTS)
def a_sum_from_the_right(x: Array) -> Any:
    return 1 + found(x)


@cases(*INPUTS)
def a_sum_in_place(x: Array) -> Any:
    gain = found(x)
    gain += 1.0
    return gain.by


@cases(*INPUTS)
def a_negative(x: Array) -> Any:
    return -found(x)


@cases(*INPUTS)
def a_comparison(x: Array) -> Any:
    return found(x) < 2.0


@cases(*INPUTS[:2])
def a_product(x: Array) -> Any:
    return found(x) @ x


@cases(*INPUTS)
def numbers(x: Array) -> Any:
    return float(found(x)), int(found(x)), math.sqrt(found(x)), list(range(found(x)))


@cases(*INPUTS)
def rounded(x: Array) -> Any:
    return round(found(x)), math.floor(found(x)), divmod(found(x), 2)


@cases(*INPUTS)
def gone_through(x: Array) -> Any:
    return list(found(x)), sum(found(x)), [*found(x)]


@cases(*INPUTS)
def an_item_deleted(x: Array) -> Any:
    gain = found(x)
    del gain[0]
    return gain.by


@cases(*INPUTS)
def a_function(x: Array) -> Any:
    f = None
    for v in x:
        if v > 1:
            f = functools.partial(max, float(v))
    g = None
    for v in x:
        if v > 1:
            g = math.sin
        elif v > 0.5:
            g = math.cos
    return g(2.0), f(2.0), list(map(f, [1.0, 9.0]))  # type: ignore[arg-type, misc]


@cases(*INPUTS)
def a_function_caught(x: Array) -> Any:
    f = None
    for v in x:
        if v > 1:
            f = lambda t: t * 2  # noqa: E731
    try:
        return f(2.0)  # type: ignore[misc]
    except TypeError as error:
        return str(error)


@cases(*INPUTS)
def a_named_tuple(x: Array) -> Any:
    fit = found(x, Fit)
    chosen = fit or Fit(9.0)
    return chosen(2.0), len(fit), fit(2.0)


@cases(*INPUTS)
def ordered(x: Array) -> Any:
    return found(x, Cost) < Cost(2.0), Cost(2.0) >= found(x, Cost), max(found(x, Cost), Cost(1.0))


@cases.each
def test_uses(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


@pytest.mark.parametrize("args", INPUTS)
def test_in_order(args: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def run(x: Array) -> Any:
        with found(x) as by:
            print("inside", by)
        return found(x)(print("argument") or 2.0)

    check_shown(run, args, capsys)


def test_a_key_that_may_be_none_is_refused() -> None:
    def run(x: Array) -> Any:
        key = None
        for v in x:
            if v > 1:
                key = lambda t: -t  # noqa: E731
        return sorted([1.0, float(x.sum())], key=key)

    with pytest.raises(GraphProgramError, match=r"GP312.*this function may be None"):
        graph_program(run)(*INPUTS[0])
