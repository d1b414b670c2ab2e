"""Tuples that are made of lists and iterables, or grow in a loop."""
# ruff: noqa: B905, RUF007, E741, RUF005, FURB, C413, C414, C417, PERF, PLR, RET

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

N = np.array([3.0, -1.0, 2.0, 5.0, -4.0, 8.0])
I = np.array([3, 1, 2, 5, 4, 8])
E = np.zeros(0)
case = Cases()


@case((N,), (E,))
def tup1(x: Any) -> Any:
    out = []
    for v in x:
        out.append(float(v))
    return tuple(out)


@case((N,), (E,))
def tup2(x: Any) -> Any:
    return tuple(float(v) * 2 for v in x)


@case((N,), (E,))
def tup3(x: Any) -> Any:
    t = ()
    for v in x:
        if v > 0:
            t = t + (float(v),)
    return t


@case((N,))
def tup4(x: Any) -> Any:
    t = ()
    for v in x:
        t += (float(v), 1.0)
    return len(t), t[0], t[-1], sum(t)


@case((N,))
def tup5(x: Any) -> Any:
    t = tuple(float(v) for v in x if v > 0)
    a, *b = t
    s = 0.0
    for v in t:
        s += v
    return a, b, s, max(t), t.index(2.0), 2.0 in t, t == t, t[1:], list(t)


@case((N,))
def tup6(x: Any) -> Any:
    path = [(0.0, 0)]
    for i, v in enumerate(x):
        path.append((path[-1][0] + float(v), i))
    return tuple(path)


@case(
    (N, 3),
)
def f5(x: Any, n: Any) -> Any:
    paths = [(0,)]
    for i in range(n):
        last = paths[-1]
        paths.append(last + (i, int(x[i])))
    return paths, [len(p) for p in paths]


@case((N,), (E,))
def t1(x: Any) -> Any:
    t = tuple(v for v in x if v > 0)
    return t + (1.0,), (0.0, *t[:0]) == (0.0,), t * 2, len(t), bool(t), t[::-1]


@case((N, 2), (N, 5))
def t2(x: Any, k: Any) -> Any:
    t = tuple(float(v) for v in x if v < 6)
    return t[k % len(t)], t[-1], t[:k], t[k:]


@case((N,))
def t3(x: Any) -> Any:
    seen = ()
    for v in x:
        if int(v) not in seen:
            seen += (int(v),)
    return seen, isinstance(seen, tuple), type(seen) is tuple


@case((N,))
def t4(x: Any) -> Any:
    best = ()
    for i, v in enumerate(x):
        if not best or v > best[1]:
            best = (i * 1.0, float(v))
    return best


@case((N,), (E,))
def t5(x: Any) -> Any:
    t = tuple(float(v) for v in x if v > 0)
    a, b = t[:2] if len(t) > 1 else (0.0, 1.0)
    return a, b, np.array(t), max(t, default=0.0), sorted(t), tuple(sorted(t))


@case((N,), (E,))
def t6(x: Any) -> Any:
    return (1.0,) if len(x) > 2 else (1.0, 2.0)


@case((N,))
def t7(x: Any) -> Any:
    rows = tuple(x * v for v in x if v > 0)
    return np.stack(rows), rows[0], rows


@case((N,))
def t8(x: Any) -> Any:
    a = tuple(float(v) for v in x if v > 0)
    b = tuple(float(v) for v in x if v > 1)
    return a == b, a == a, a != b, a == list(a), [a, b], {"k": a}


@case((N,))
def t9(x: Any) -> Any:
    t = tuple(map(float, x))
    i, *rest = t
    n = 0
    for k, (u, v) in enumerate(zip(t, t[1:])):
        n += k * (v > u)
    return i, rest, n, t.count(2.0)


@case((N,), (E,))
def t10(x: Any) -> Any:
    return tuple(range(len(x))), tuple(x), tuple(reversed([float(v) for v in x]))


@case((N,))
def t11(x: Any) -> Any:
    t = ()
    for v in x:
        t = (float(v),) + t
        if len(t) > 3:
            t = t[:3]
    return t


@case((N,))
def t12(x: Any) -> Any:
    t = ()
    for v in x:
        t = (*t, float(v))
    return t


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
