"""Values of several types carried by loops, written, swapped and returned from inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

I3 = np.array([1, 2, 3])
F3 = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(3, 2)


def view_loop(x: Any, c: Any, n: Any) -> Any:
    u = x if c > 0 else x[1]
    for i in range(n):
        u[0] = u[0] + i
        x = x * 1
    return u, x


def alias_typed(x: Any, n: Any) -> Any:
    y = x
    z = x
    for _i in range(n):
        for _j in range(n - 1):
            y = y * 0.5
        z = y
        z[0] = 9
    return y, z, x


def write_head_loop(x: Any, n: Any) -> Any:
    y = x.copy()
    for i in range(n):
        for _j in range(i):
            y = y / 2
        y[i % 3] = 7.5
    return y


def two_vars(x: Any, n: Any) -> Any:
    a = x
    b = x
    for i in range(n):
        for _j in range(i):
            a = a * 0.5
        a, b = b, a
    return a, b, a.dtype == b.dtype


def rank_carry(x: Any, n: Any) -> Any:
    h = x
    for i in range(n):
        h = (h.sum(axis=0) if h.ndim == 2 else np.stack([h, h])) if i % 2 == 0 else h + 1
    return h, h.ndim


def ret_in_loop(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        for _j in range(i):
            y = y * 0.5
        if y.sum() < 2:
            return y, i
    return y, -1


def break_else(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        for _j in range(i):
            y = y * 0.5
            if y[0] < 0.3:
                break
        else:
            y = y + 1
    return y


def while_nested(x: Any, n: Any) -> Any:
    y = x
    k = 0
    while k < n:
        k += 1
        j = 0
        while j < k and y.max() > 0.4:
            y = y / 2
            j += 1
    return y, k


def dict_state(x: Any, c: Any) -> Any:
    d = {"w": x, "n": 0}
    for _i in range(3):
        if c > 0:
            d["w"] = d["w"] * 0.5
        d["n"] += 1
    return d


def gen(x: Any, c: Any) -> Any:
    u = x if c > 0 else np.stack([x, x])
    return sum(v.sum() for v in u), [np.sum(v) for v in u], max(np.sum(v) for v in u)


def deep(x: Any, c: Any, d: Any) -> Any:
    u = x if c > 0 else x * 0.5
    w = u if d > 0 else u[0]
    s = w + 1
    t = s if c > d else s * 2
    return t.sum(), u.dtype.kind


def many_uses(x: Any, c: Any) -> Any:
    u = x if c > 0 else x * 0.5
    t = 0.0
    for i in range(3):
        if u.sum() > 3:
            t += u[i]
        else:
            t -= u[i]
    for _ in range(3):
        u = u + 1
        t += u.sum()
    while t > 30:
        t /= 2
    return t, u


def fmt_err(x: Any, n: Any) -> Any:
    best = None
    for i in range(n):
        best = x[i]
    if n < 5:
        raise ValueError(f"best is {best}")
    return n


def poly(x: Any) -> Any:
    acc = np.zeros(3, dtype=int)
    for c in (1, 2.5, 3):
        acc = acc * x + c
    return acc


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (view_loop, [(M, 1, 2), (M, -1, 2), (M, -1, 0), (M, 1, 0)]),
    (alias_typed, [(I3, 2), (I3, 0)]),
    (write_head_loop, [(I3, 3), (I3, 0), (I3, 1)]),
    (two_vars, [(I3, 3), (I3, 0), (I3, 1)]),
    (rank_carry, [(M, 3), (M, 0), (M, 1)]),
    (ret_in_loop, [(I3, 3), (I3, 0), (I3, 1)]),
    (break_else, [(I3, 3), (I3, 0), (I3, 1)]),
    (while_nested, [(I3, 3), (I3, 0)]),
    (dict_state, [(I3, 1), (I3, -1)]),
    (gen, [(I3, 1), (I3, -1)]),
    (deep, [(I3, 1, 1), (I3, -1, 1), (I3, 1, -1), (I3, -1, -1)]),
    (many_uses, [(I3, 1), (I3, -1)]),
    (fmt_err, [(F3, 0), (F3, 2)]),
    (poly, [(I3,), (F3,)]),
]


@pytest.mark.parametrize(("program", "inputs"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_like_python(program: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(program, *inputs)
