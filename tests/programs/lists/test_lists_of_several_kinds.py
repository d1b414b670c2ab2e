"""Ints and floats, strings, enum members and None in one list of computed length."""
# ruff: noqa: E741, B007, FURB, C413, C414, C417, PERF, PLR, RET

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check

N = np.array([3.0, -1.0, 2.0, 5.0, -4.0, 8.0])
I = np.array([3, 1, 2, 5, 4, 8])
E = np.zeros(0)
case = Cases()


class C(Enum):
    A = 1
    B = 2


@case((N,))
def mix1(x: Any) -> Any:
    out = [0]
    for v in x:
        out.append(float(v))
    return out


@case((N,))
def mix2(x: Any) -> Any:
    out = []
    for v in x:
        if v > 0:
            out.append(1)
        else:
            out.append(float(v))
    return out


@case((N,))
def mix3(x: Any) -> Any:
    out = []
    for v in x:
        out.append("pos" if v > 0 else "neg")
    return out


@case((N,))
def mix4(x: Any) -> Any:
    out = []
    for v in x:
        if v > 4:
            out.append(None)
        elif v > 0:
            out.append("a")
        else:
            out.append("b")
    return out, len(out)


@case((N,))
def mix6(x: Any) -> Any:
    best = [0] * len(x)
    for i in range(len(x)):
        best[i] = x[i] * 2
    return best


@case((N,))
def mix7(x: Any) -> Any:
    best = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            best[i] = float(x[i])
    return best


@case((5,), (0,))
def mix8(n: Any) -> Any:
    out = [None] * n
    for i in range(n):
        out[i] = i * 2
    return out


@case((5,), (0,))
def mix9(n: Any) -> Any:
    d = [float("inf")] * n
    for i in range(n):
        if i % 2:
            d[i] = i
    return d


@case((N,), (E,))
def m1(x: Any) -> Any:
    out = []
    for v in x:
        out.append(C.A if v > 0 else C.B)
    n = 0
    for c in out:
        if c is C.A:
            n += 1
    return out, n, out.count(C.B), C.A in out


@case((N,))
def m2(x: Any) -> Any:
    out = []
    for v in x:
        out.append("pos" if v > 0 else "neg")
    return [len(s) for s in out], out[0], out[-1] == "pos", "neg" in out, out.index("neg")


@case((N,))
def m3(x: Any) -> Any:
    best = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            best[i] = float(x[i])
    s = 0.0
    for b in best:
        s += b * 2
    return s, best[1] + 1, best[0], [b * 2 for b in best], float(best[1])


@case((N,))
def m4(x: Any) -> Any:
    best = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            best[i] = float(x[i])
    return max(best), min(best), sum(best)


@case((N,))
def m5(x: Any) -> Any:
    best = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            best[i] = float(x[i])
    return np.array(best, dtype=float)


@case((N,))
def m7(x: Any) -> Any:
    recs = []
    for v in x:
        if v > 3:
            recs.append(("high", float(v)))
        elif v > 0:
            recs.append(("mid", 0))
        else:
            recs.append((None, 1))
    return recs


@case((N,))
def m8(x: Any) -> Any:
    st = "idle"
    log = []
    for v in x:
        if st == "idle" and v > 2:
            st = "run"
        elif st == "run" and v < 0:
            st = "idle"
        log.append(st)
    return log


@case((N,))
def m9(x: Any) -> Any:
    d = [None] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            d[i] = C.A
        if x[i] > 4:
            d[i] = "big"
    return d


@case((N,))
def m10(x: Any) -> Any:
    a = [0, 1]
    for v in x:
        a.append(a[-1] + a[-2])
    return a


@case((N,))
def m11(x: Any) -> Any:
    a = [1, 0.5]
    for v in x:
        a.append(a[-1] * a[-2])
    return a


@case((N,), (I,))
def m12(x: Any) -> Any:
    tri = []
    for i in range(len(x)):
        row = [1] * (i + 1)
        for j in range(1, i):
            row[j] = tri[i - 1][j - 1] + tri[i - 1][j]
        tri.append(row)
    return tri


@case((N,))
def m13(x: Any) -> Any:
    out = []
    for i, v in enumerate(x):
        if i % 3 == 0:
            out.append("Fizz")
        elif i % 5 == 0:
            out.append("Buzz")
        else:
            out.append(i)
    return out


@case((N,))
def m14(x: Any) -> Any:
    out = [True]
    for v in x:
        out.append(v > 0)
    out.append(3)
    return out


@case((N,))
def m16(x: Any) -> Any:
    dist = [-1] * len(x)
    dist[0] = 0.0
    for i in range(1, len(x)):
        dist[i] = dist[i - 1] + 1
    dist[int(x[2])] = 5
    return dist, dist == dist, dist[1:3]


@case((15,), (0,))
def fizz(n: Any) -> Any:
    return ["FizzBuzz" if i % 15 == 0 else "Fizz" if i % 3 == 0 else i for i in range(1, n + 1)]


@case((15,), (0,))
def names(n: Any) -> Any:
    return ["item" for i in range(n)]


@case((N, 3), (N, 6))
def f1(x: Any, n: Any) -> Any:
    g = [[] for _ in range(n)]
    for i, v in enumerate(x):
        g[i % n].append(v)
    for b in g:
        b.append(0.0)
    return g


@case(
    (N, 3),
)
def f2(x: Any, n: Any) -> Any:
    g = [[] for _ in range(n)]
    for i, v in enumerate(x):
        if v > 2:
            g[i % n].append(1)
        else:
            g[i % n].append(float(v))
    return g, [sum(b) for b in g], max(len(b) for b in g)


@case(
    (N, 3),
)
def f3(x: Any, n: Any) -> Any:
    g = [[] for _ in range(n)]
    for i, v in enumerate(x):
        b = g[i % n]
        b.append("p" if v > 0 else "n")
    g[0].append("last")
    return g


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


def refused(fn: Any, code: str, *args: Any) -> None:
    with pytest.raises(GraphProgramError) as caught:
        graph_program(fn)(*args)
    assert caught.value.code == code


def array_of_ints_and_floats(x: Any) -> Any:
    best = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 0:
            best[i] = float(x[i])
    return sorted(best), np.array(best)


def test_an_array_of_them_has_the_type_of_its_path() -> None:
    check(array_of_ints_and_floats, (N,), (-np.abs(N),), (N[:0],))
