"""Arrays whose element type or rank a loop changes, and loops that try again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

I3 = np.array([1, 2, 3])
F3 = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(3, 2)


def scale(x: Any, n: Any) -> Any:
    y = x
    for _ in range(n):
        y = y * 0.5
    return y


def scale_used(x: Any, n: Any) -> Any:
    y = x
    for _ in range(n):
        y = y * 0.5
    return y.sum() + 1


def zeros_div(n: Any) -> Any:
    out = np.zeros(3, int)
    for i in range(n):
        out = (out + i) / 2
    return out


def hx(x: Any, W: Any, n: Any) -> Any:
    h = x[0]
    for _ in range(n):
        h = W @ (h * np.ones(3))
    return h


def hx_used(x: Any, W: Any, n: Any) -> Any:
    h = x[0]
    for _ in range(n):
        h = W @ (h * np.ones(3))
    return np.sum(h)


def while_dtype(x: Any, n: Any) -> Any:
    y = x
    while n > 0:
        y = y / 2
        n -= 2
    return y.mean()


def nested_dtype(x: Any, n: Any, k: Any) -> Any:
    y = x
    for _i in range(n):
        for _j in range(k):
            y = y * 0.5
    return y.max()


def inlined_dtype(x: Any, n: Any) -> Any:
    def halve(y, n):
        for _ in range(n):
            y = y / 2
        return y

    return halve(x, n) + halve(x + 1, n)


def best_row(x: Any) -> Any:
    best = None
    cost = np.inf
    for row in x:
        c = np.sum((row - 2.2) ** 2)
        if c < cost:
            best = row
            cost = c
    if best is None:
        raise ValueError("no rows")
    return best * 2, cost


def retry_return(n: Any) -> Any:
    def f(k):
        if k < 2:
            raise ValueError("small")
        return k * 2

    for k in range(n):
        try:
            return f(k)
        except ValueError:
            pass
    return -1


def retry_used2(x: Any, n: Any) -> Any:
    def f(k):
        if k < 2:
            raise ValueError("small")
        return x * k

    for k in range(n):
        try:
            y = f(k)
            break
        except ValueError:
            continue
    return y.sum()


def retry_else(x: Any, n: Any) -> Any:
    def f(k):
        if k < 2:
            raise ValueError(f"small {k}")
        return x * k

    for k in range(n):
        try:
            y = f(k)
        except ValueError:
            continue
        else:
            break
    else:
        raise RuntimeError("never")
    return y.sum()


def retry_fn(x: Any, n: Any) -> Any:
    def f(k):
        if k < 2:
            raise ValueError(f"small {k}")
        return x * k

    def attempt():
        for k in range(n):
            try:
                return f(k)
            except ValueError:
                pass
        return None

    y = attempt()
    if y is None:
        return None
    return y + 1


def total_try(x: Any) -> Any:
    total = 0
    for v in x:
        try:
            total += 10 // int(v)
        except ZeroDivisionError:
            total += 100
    return total


def total_try2(x: Any) -> Any:
    total = 0
    for v in x:
        try:
            if v == 0:
                raise ValueError
            total += 1 / v
        except ValueError:
            continue
    return total


def fin_loop(x: Any) -> Any:
    total = 0
    n = 0
    for v in x:
        try:
            if v == 2:
                continue
            total += 10 // int(v)
        except ZeroDivisionError:
            break
        finally:
            n += 1
    return total, n


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (scale, [(I3, 0), (I3, 3)]),
    (scale_used, [(I3, 0), (I3, 3)]),
    (zeros_div, [(3,), (0,)]),
    (hx, [(F3, np.ones((3, 3)), 2), (F3, np.ones((3, 3)), 0)]),
    (hx_used, [(F3, np.ones((3, 3)), 2), (F3, np.ones((3, 3)), 0)]),
    (while_dtype, [(I3, 5), (I3, 0), (I3, -3)]),
    (nested_dtype, [(I3, 2, 2), (I3, 0, 2), (I3, 2, 0)]),
    (inlined_dtype, [(I3, 2), (I3, 0)]),
    (best_row, [(M,), (M[:0],)]),
    (retry_return, [(4,), (1,)]),
    (retry_used2, [(F3, 4), (F3, 1)]),
    (retry_else, [(F3, 4), (F3, 1)]),
    (retry_fn, [(F3, 4), (F3, 1)]),
    (total_try, [(I3,), (np.array([0, 1]),)]),
    (total_try2, [(I3,), (np.array([0, 1]),)]),
    (fin_loop, [(I3,), (np.array([0, 1]),)]),
]


@pytest.mark.parametrize(("program", "inputs"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_like_python(program: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(program, *inputs)
