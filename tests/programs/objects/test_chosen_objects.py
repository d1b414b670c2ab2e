"""Objects, lists and dicts that a condition of the graph chooses, read and written."""

# ruff: noqa: SIM108
# The programs are written as users write them.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

cases = Cases()


@dataclass
class P:
    x: float
    y: float
    count: int = 0


class Acc:
    def __init__(self, v: Any) -> Any:
        self.v = v
        self.items = []
        self.best = None

    def add(self, d: Any) -> Any:
        self.v += d

    def push(self, d: Any) -> Any:
        self.items.append(d)


@cases((1.0, 2.0), (2.0, 1.0))
def best_written(a: float, b: float) -> Any:
    p = P(a, 0.0)
    q = P(b, 1.0)
    best = p if p.x < q.x else q
    best.count += 1
    return (p.count, q.count, best.x, best is p)


@cases((1.0, 2.0), (2.0, 1.0))
def best_if_stmt(a: float, b: float) -> Any:
    p = P(a, 0.0)
    q = P(b, 1.0)
    if a < b:
        best = p
    else:
        best = q
    best.count += 1
    best.y = a + b
    p.count += 10
    return (p, q, best.count, best.y)


@cases((0, np.array([1.0, 2.0])), (1, np.array([1.0, 2.0])), (-1, np.array([1.0, 2.0])))
def particles(i: int, x: Any) -> Any:
    ps = [P(x[0], 0.0), P(x[1], 1.0), P(x[0] + 2, 3.0)]
    p = ps[i]
    p.x += 1
    p.count = 7
    return (ps, p.x)


@cases((-1.0, 2.0), (2.0, 1.0))
def lists_chosen(x: float, v: float) -> Any:
    left = []
    right = []
    cur = left if x < 0 else right
    cur.append(v)
    return (left, right, len(cur))


@cases((-1.0, 2.0), (2.0, 1.0))
def lists_chosen2(x: float, v: float) -> Any:
    left = [1.0]
    right = [2.0, 3.0]
    cur = left if x < 0 else right
    cur.append(v)
    cur[0] = 5.0
    return (left, right, cur)


@cases((np.array([1.0, -2.0, 3.0]),), (np.array([-1.0, -2.0, 3.0, 3.0]),), (np.array([]),))
def partition(x: Any) -> Any:
    left = []
    right = []
    for v in x:
        cur = left if v < 0 else right
        cur.append(v)
    return (left, right)


@cases((-1.0, 2.0), (2.0, 1.0))
def dicts_chosen(x: float, v: float) -> Any:
    a = {"n": 0, "s": 0.0}
    b = {"n": 1, "s": 1.0}
    d = a if x < 0 else b
    d["n"] += 1
    d["s"] = v
    return (a, b)


@cases((-1.0, 2.0), (2.0, 1.0))
def cls_chosen(x: float, v: float) -> Any:
    a = Acc(1.0)
    b = Acc(2.0)
    c = a if x < 0 else b
    c.add(v)
    return (a.v, b.v, c.v, c is a, c is b)


@cases((-1.0, 2.0), (2.0, 1.0))
def cls_push(x: float, v: float) -> Any:
    a = Acc(1.0)
    b = Acc(2.0)
    c = a if x < 0 else b
    c.push(v)
    return (a.items, b.items, len(c.items))


@cases((P(1.0, 2.0), P(2.0, 3.0)), (P(2.0, 2.0), P(1.0, 3.0)))
def params_chosen(p: P, q: P) -> Any:
    best = p if p.x < q.x else q
    best.count += 1
    return best.count


@cases((np.array([1.0, 2.0]), np.array([5.0, 6.0]), 0.0), (np.array([1.0, 2.0]), np.array([5.0, 6.0]), 1.0))
def array_field(a: Any, b: Any, c: float) -> Any:
    p = Acc(a.copy())
    q = Acc(b.copy())
    r = p if c > 0 else q
    r.v[0] = 9.0
    r.v += 1
    return (p.v, q.v, r.v)


@cases((np.array([1.0, -2.0, 3.0]),))
def loop_chosen(x: Any) -> Any:
    p = P(0.0, 0.0)
    q = P(0.0, 0.0)
    for v in x:
        t = p if v > 0 else q
        t.x += v
        t.count += 1
    return (p, q)


@cases((np.array([1.0, -2.0, 3.0]),))
def loop_swap(x: Any) -> Any:
    p = P(0.0, 0.0)
    q = P(1.0, 0.0)
    for v in x:
        p.x += v
        p, q = (q, p)
    return (p.x, q.x)


@cases((np.array([3.0, 1.0, 2.0]),))
def min_obj(x: Any) -> Any:
    ps = [P(v, 0.0) for v in [x[0], x[1], x[2]]]
    best = ps[0]
    for p in ps:
        if p.x < best.x:
            best = p
    best.count += 1
    return ps


@cases((np.array([3.0, 1.0, 2.0]), 0.0), (np.array([3.0, 1.0, 2.0]), 1.0))
def chosen_none(x: Any, c: float) -> Any:
    p = P(x[0], 0.0)
    q = p if c > 0 else None
    if q is not None:
        q.count += 1
    return (p, q is None)


@cases((np.array([3.0, 1.0, 2.0]), 0.0), (np.array([3.0, 1.0, 2.0]), 1.0))
def nested(x: Any, c: float) -> Any:
    a = [[1.0], [2.0, 3.0]]
    b = [[4.0], [5.0]]
    t = a if c > 0 else b
    t[0].append(x[0])
    t[1][0] = 7.0
    return (a, b)


@cases((1.0, 2.0), (2.0, 1.0))
def helper_returns(a: float, b: float) -> Any:
    p = P(a, 0.0)
    q = P(b, 1.0)

    def pick(u: Any, v: Any) -> Any:
        if u.x < v.x:
            return u
        return v

    pick(p, q).count += 1
    return (p, q)


@cases((1.0, 2.0), (2.0, 1.0))
def func_writes(a: float, b: float) -> Any:
    p = P(a, 0.0)
    q = P(b, 1.0)

    def bump(u: Any) -> Any:
        u.count += 1
        u.x *= 2

    bump(p if a < b else q)
    return (p, q)


@cases((1.0,), (-2.0,))
def same_obj(c: float) -> Any:
    p = P(1.0, 2.0)
    q = p
    r = P(3.0, 4.0)
    t = q if c > 0 else r
    t.x = 100.0
    return (p.x, q.x, r.x)


@cases((1.0,), (-2.0,))
def holder_field(c: float) -> Any:
    p = P(1.0, 2.0)
    r = P(3.0, 4.0)
    h = {"cur": p}
    if c > 0:
        h["cur"] = r
    h["cur"].x = 100.0
    return (p.x, r.x)


@cases((1.0, np.array([0.0])), (-2.0, np.array([0.0])))
def self_cur(c: float, x: Any) -> Any:
    class_ = Acc(0.0)
    class_.best = P(1.0, 1.0)
    other = P(5.0, 5.0)
    if c > 0:
        class_.best = other
    class_.best.x += 1
    return (class_.best.x, other.x)


@cases((1.0, 2.0), (2.0, 1.0))
def chosen_then_chosen(a: float, b: float) -> Any:
    p = P(a, 0.0)
    q = P(b, 1.0)
    r = P(0.0, 0.0)
    s = p if a < b else q
    t = s if a > 1.5 else r
    t.count = 5
    return (p, q, r, s.count, t.count)


@cases((1, np.array([5.0, 6.0, 7.0])), (0, np.array([5.0, 6.0, 7.0])))
def rows_list(i: int, x: Any) -> Any:
    rows = [x.copy(), x * 2, x * 3]
    r = rows[i]
    r[0] = 0.0
    r += 1
    return (rows[0], rows[1], rows[2], r)


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
