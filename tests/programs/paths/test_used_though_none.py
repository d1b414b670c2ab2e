"""Values that may be None, used without a test: the call raises where Python does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check

I3 = np.array([1, 2, 3])
F3 = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(3, 2)


@dataclass
class P:
    x: float

    def norm(self):
        return abs(self.x)


def none_mul(x: Any) -> Any:
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best * 2


def none_sum(x: Any) -> Any:
    best = None
    for v in x:
        if best is None or v.sum() > best.sum():
            best = v
    return best.sum()


def none_idx(x: Any) -> Any:
    best = None
    for v in x:
        if best is None or v.sum() > best.sum():
            best = v
    return best[0]


def none_radd(x: Any) -> Any:
    best = None
    for v in x:
        best = v
    return 1 + best


def none_cmp(x: Any) -> Any:
    best = None
    for v in x:
        best = v
    if best > 1:
        return 1
    return 0


def none_neg(x: Any) -> Any:
    best = None
    for v in x:
        best = v
    return -best


def none_float(x: Any) -> Any:
    best = None
    for v in x:
        best = v
    return float(best)


def none_sqrt(x: Any) -> Any:
    best = None
    for v in x:
        best = v
    return np.sqrt(best)


def none_fmt(x: Any) -> Any:
    best = None
    for v in x:
        best = v
    return f"best {best}"


def none_iter(x: Any) -> Any:
    best = None
    for v in x:
        best = (v, v)
    a, b = best
    return a + b


def none_tuple(x: Any) -> Any:
    best = None
    for v in x:
        best = (v, v)
    return best[0] + best[1]


def retry_use(x: Any, n: Any) -> Any:
    def f(k):
        if k < 2:
            raise ValueError("small")
        return x * k

    y = None
    for k in range(n):
        try:
            y = f(k)
            break
        except ValueError:
            continue
    return y.sum()


def retry_use2(x: Any, n: Any) -> Any:
    def f(k):
        if k < 2:
            raise ValueError("small")
        return x * k

    def g():
        for k in range(n):
            try:
                return f(k)
            except ValueError:
                pass
        return None

    return g() * 2


def none_listapp(x: Any) -> Any:
    out = None
    for v in x:
        if out is None:
            out = []
        out.append(v)
    return len(out)


def none_min(x: Any) -> Any:
    b = None
    for v in x:
        b = v
    return max(b, 2.0)


def none_aug(x: Any) -> Any:
    b = None
    for v in x:
        b = v
    b += 1
    return b


def none_range(x: Any) -> Any:
    b = None
    for i, _v in enumerate(x):
        b = i
    t = 0
    for k in range(b):
        t += k
    return t


def none_caught(x: Any) -> Any:
    b = None
    for i, _v in enumerate(x):
        b = i
    try:
        return b + 1
    except TypeError as e:
        return str(e)


def none_attr(x: Any) -> Any:
    b = None
    for _i, v in enumerate(x):
        b = P(v)
    return b.x


def none_meth(x: Any) -> Any:
    b = None
    for _i, v in enumerate(x):
        b = P(v)
    return b.norm()


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (none_mul, [(F3,), (F3[:0],)]),
    (none_sum, [(M,), (M[:0],)]),
    (none_idx, [(M,), (M[:0],)]),
    (none_radd, [(M,), (M[:0],)]),
    (none_cmp, [(F3,), (F3[:0],)]),
    (none_neg, [(F3,), (F3[:0],)]),
    (none_float, [(F3,), (F3[:0],)]),
    (none_sqrt, [(F3,), (F3[:0],)]),
    (none_fmt, [(F3,), (F3[:0],)]),
    (none_iter, [(F3,), (F3[:0],)]),
    (none_tuple, [(F3,), (F3[:0],)]),
    (retry_use, [(F3, 4), (F3, 1)]),
    (retry_use2, [(F3, 4), (F3, 1)]),
    (none_listapp, [(F3,), (F3[:0],)]),
    (none_min, [(F3,), (F3[:0],)]),
    (none_aug, [(F3,), (F3[:0],)]),
    (none_range, [(F3,), (F3[:0],)]),
    (none_caught, [(F3,), (F3[:0],)]),
    (none_attr, [(F3,), (F3[:0],)]),
    (none_meth, [(F3,), (F3[:0],)]),
]


@pytest.mark.parametrize(("program", "inputs"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_like_python(program: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(program, *inputs)


def between(x: Any, k: float) -> Any:
    low = high = None
    for v in x:
        if v < k:
            low = v
        if v > k:
            high = float(v)
    return low, high


def added(x: Any, k: float) -> Any:
    low, high = between(x, k)
    return low + high


def compared(x: Any, k: float) -> Any:
    low, high = between(x, k)
    return high > low


def with_itself(x: Any, k: float) -> Any:
    low, _ = between(x, k)
    return low * low


def raised(x: Any, k: float) -> Any:
    low, high = between(x, k)
    return math.pow(low, high)


@pytest.mark.parametrize("function", [added, compared, with_itself, raised])
def test_several_that_may_be_none(function: Callable[..., Any]) -> None:
    check(function, *((F3, k) for k in (2.0, 0.0, 4.0)), (F3[:1], 1.0), (F3[:0], 1.0))


def test_behind_a_star() -> None:
    def alone(x: Any) -> Any:
        found = None
        for v in x:
            if v > 1:
                found = (float(v), 5.0)
        return max(*found)  # type: ignore[misc]

    def among_others(x: Any) -> Any:
        found = None
        for v in x:
            if v > 1:
                found = (float(v), 5.0)
        return [*found], max(1.0, *found)  # type: ignore[misc]

    def by_keyword(x: Any) -> Any:
        found = None
        for v in x:
            if v > 1:
                found = {"a": float(v)}
        return dict(**found)  # type: ignore[arg-type]

    for function in (alone, among_others, by_keyword):
        check(function, (np.array([2.0]),), (np.array([0.5]),))


def test_nothing_is_in_a_number() -> None:
    def maybe(x: Any) -> Any:
        found = None
        for v in x:
            if v > 1:
                found = float(v)
        return 2.0 in found  # type: ignore[operator]

    def caught(x: Any) -> Any:
        try:
            return 2.0 in x[0], "a"
        except TypeError as error:
            return str(error)

    def in_an_array(x: Any) -> Any:
        return 2.0 in x, 2.0 in x[...], 2.0 in np.asarray(x.sum())

    check(caught, (np.array([2.0]),))
    check(in_an_array, (np.array([2.0]),), (np.array([0.5]),))
    with pytest.raises(TypeError) as expected:
        maybe(np.array([2.0]))
    with pytest.raises(TypeError) as raised:
        graph_program(maybe)(np.array([2.0]))
    assert str(expected.value) in str(raised.value)
