"""Views of different parts that a condition of the graph chooses, and what is written through them."""

# ruff: noqa: SIM108
# The programs are written as users write them.

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

x6 = np.arange(6.0)
m34 = np.arange(12.0).reshape(3, 4)
m44 = np.arange(16.0).reshape(4, 4)

cases = Cases()


@cases((x6, 1.0), (x6, -1.0))
def v_shift(x: Any, c: float) -> Any:
    v = x[1:] if c > 0 else x[:-1]
    v += 1
    return x.sum()


@cases((x6, 1.0), (x6, -1.0))
def v_half(x: Any, c: float) -> Any:
    n = len(x)
    part = x[: n // 2] if c > 0 else x[n // 2 :]
    part[...] = 0
    return x


@cases((m44, 1, 1.0), (m44, 2, -1.0))
def v_rowcol(m: Any, i: int, c: float) -> Any:
    row = m[i] if c > 0 else m[:, i]
    row *= 2
    return (m, row)


@cases((m44, 1.0), (m44, -1.0))
def v_transpose(m: Any, c: float) -> Any:
    t = m.T if c > 0 else m
    t[0] = 9.0
    return t[1]


@cases((x6, m34, 1.0), (x6, m34, -1.0))
def v_two_arrays(x: Any, m: Any, c: float) -> Any:
    v = x[1:5] if c > 0 else m[1]
    v[0] = 100.0
    return v.sum()


@cases((x6, 1.0), (x6, -1.0))
def v_copy_or_view(x: Any, c: float) -> Any:
    v = x[1:] if c > 0 else x[1:].copy()
    v += 1
    return v


@cases((x6, 1.0), (x6, -1.0))
def v_whole(x: Any, c: float) -> Any:
    v = x if c > 0 else x[1:]
    v += 1
    return v


@cases((x6, x6 + 1, 1.0), (x6, x6 + 1, -1.0))
def v_whole_copy(x: Any, y: Any, c: float) -> Any:
    v = x if c > 0 else y
    w = v[1:3]
    w[...] = 0
    v[5] = 8.0
    return v


@cases((x6, 1.0), (x6, -1.0))
def v_step(x: Any, c: float) -> Any:
    v = x[::2] if c > 0 else x[1::2]
    v -= 10
    return x


@cases((x6, 1.0), (x6, -1.0))
def v_rev(x: Any, c: float) -> Any:
    v = x[::-1] if c > 0 else x
    v[:2] = [7.0, 8.0]
    return v.copy()


@cases((m34, 1.0), (m34, -1.0))
def v_if_stmt(m: Any, c: float) -> Any:
    if c > 0:
        sub = m[:2, :2]
    else:
        sub = m[1:, 2:]
    sub[sub > 3] = 0
    return m


@cases((m34, 1.0, 0), (m34, -1.0, 1))
def v_chosen_then_view(m: Any, c: float, i: int) -> Any:
    r = m[0] if c > 0 else m[1]
    s = r[i : i + 2]
    s += 5
    return r


@cases((m34, 1.0), (m34, -1.0))
def v_helper(m: Any, c: float) -> Any:

    def pick() -> Any:
        if c > 0:
            return m[0]
        return m[-1]

    pick()[1:] = 0
    return m


@cases((x6, 1.0), (x6, -1.0))
def v_none(x: Any, c: float) -> Any:
    v = None
    if c > 0:
        v = x[2:4]
    if v is not None:
        v[0] = 50.0
    return x


@cases((m34, 2), (m34, 0))
def v_lists_of_views(m: Any, i: int) -> Any:
    rows = [m[0], m[1], m[2]]
    rows[i][0] = 77.0
    r = rows[i]
    r[1] = 78.0
    return m


@cases((x6, 1.0), (x6, -1.0))
def v_field(x: Any, c: float) -> Any:
    d = {"lo": x[:3], "hi": x[3:]}
    k = "lo" if c > 0 else "hi"
    d[k][0] = 5.0
    d[k] += 1
    return x


@cases((x6, 1.0), (x6, -1.0))
def v_tuple(x: Any, c: float) -> Any:
    a, b = (x[:3], x[3:]) if c > 0 else (x[3:], x[:3])
    a += 1
    b *= 2
    return x


@cases((x6, 1.0), (x6, -1.0))
def v_tuple2(x: Any, c: float) -> Any:
    a, b = (x[:3], x[3:])
    if c > 0:
        a, b = (b, a)
    a[:] = b
    a[0] = 1.0
    return (x, b)


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
