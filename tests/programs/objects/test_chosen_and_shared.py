"""Objects and views that a condition chooses, reached by several names, kept in structures and carried by loops."""

# ruff: noqa: E741, SIM108
# The programs are written as users write them.

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

x6 = np.arange(6.0)
m34 = np.arange(12.0).reshape(3, 4)

cases = Cases()


@dataclass
class P:
    x: float
    y: float = 0.0
    n: int = 0

    def bump(self, k: Any = 1) -> Any:
        self.n += k
        return self

    @property
    def s(self) -> Any:
        return self.x + self.y


class Base:
    def __init__(self, x: Any) -> Any:
        self.x = x
        self.log = []

    def run(self, v: Any) -> Any:
        self.log.append(v)
        self.x += v


class Sub(Base):
    def run(self, v: Any) -> Any:
        super().run(v * 2)
        self.log.append(-v)


@cases((1.0, 2.0), (-1.0, 2.0))
def append_chosen_in_list(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    b = p if c > 0 else q
    items = [b, P(3.0)]
    items[0].x = v
    b.n = 5
    return (p, q, [i.n for i in items])


@cases((1.0, 2.0), (-1.0, 2.0))
def stored_in_dict(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    b = p if c > 0 else q
    b.n = 1
    d = {"best": b, "p": p}
    p.x = v
    d["best"].y = 9.0
    return (d["best"].x, d["p"].y, q.y, b.x)


@cases((1.0, 2.0), (-1.0, 2.0))
def copied(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    b = p if c > 0 else q
    b.n = 1
    k = dataclasses.replace(b, x=v)
    k.y = 100.0
    return (p, q, k)


@cases((1.0, 2.0), (-1.0, 2.0))
def super_chosen(c: float, v: float) -> Any:
    a = Base(1.0)
    s = Sub(2.0)
    b = a if c > 0 else s
    b.run(v)
    b.run(v)
    return (a.x, s.x, a.log, s.log)


@cases((1.0, 2.0), (-1.0, 2.0))
def super_chosen_same(c: float, v: float) -> Any:
    a = Sub(1.0)
    s = Sub(2.0)
    b = a if c > 0 else s
    b.run(v)
    return (a.x, s.x, a.log, s.log)


@cases((1.0, 2.0), (-1.0, 2.0))
def method_chain(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    (p if c > 0 else q).bump().bump(3)
    return (p.n, q.n)


@cases((1.0, 2.0), (-1.0, 2.0))
def prop(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    b = p if c > 0 else q
    b.x = v
    return (b.s, p.s, q.s)


@cases((1.0, 2.0), (-1.0, 2.0))
def closure(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    b = p if c > 0 else q

    def f() -> Any:
        b.n += 1
        return b.n

    f()
    f()
    return (p.n, q.n, f())


@cases((1.0, 2.0), (-1.0, 2.0))
def iterate_both(c: float, v: float) -> Any:
    l = [1.0, 2.0]
    r = [3.0]
    cur = l if c > 0 else r
    cur.append(v)
    s = 0.0
    for e in cur:
        s += e
    return (s, len(l), len(r), sum(cur), cur[-1], 2.0 in cur)


@cases((1.0, 2.0), (-1.0, 2.0))
def extend_pop(c: float, v: float) -> Any:
    l = [1.0, 2.0]
    r = [3.0, 4.0]
    cur = l if c > 0 else r
    oth = r if c > 0 else l
    cur.extend([v, v])
    oth.append(cur.pop())
    cur += [9.0]
    oth.insert(0, 7.0)
    return (l, r)


@cases((np.array([1.0, -1.0, 2.0, -3.0, 5.0]),))
def queue_shortest(x: Any) -> Any:
    qs = [[0.0], [0.0], [0.0]]
    for v in x:
        a = qs[0]
        for q in qs:
            if sum(q) < sum(a):
                a = q
        a.append(v)
    return [sum(q) for q in qs]


@cases((np.array([1.0, -1.0, 2.0, -3.0, 5.0]),))
def running_best(x: Any) -> Any:
    a = P(0.0)
    b = P(0.0)
    best = a
    for v in x:
        if v > 0:
            best = a
        else:
            best = b
        best.x += v
        best.n += 1
    best.y = 50.0
    return (a, b)


@cases((np.array([1.0, -1.0, 2.0, -3.0, 5.0]),))
def running_best2(x: Any) -> Any:
    a = P(0.0)
    b = P(0.0)
    best = a
    for v in x:
        best.x += v
        best.n += 1
        best = b if best is a else a
    best.y = 50.0
    return (a, b, best is a)


@cases((x6, 1.0), (x6, -1.0))
def arr_methods(x: Any, c: float) -> Any:
    a = x[:3]
    b = x[3:]
    t = a if c > 0 else b
    t.fill(3.0)
    t[1:].sort()
    return (x, t.sum(), t.shape, t.mean())


@cases((x6, 1.0), (x6, -1.0))
def arr_alias_after(x: Any, c: float) -> Any:
    t = x[:3] if c > 0 else x[3:]
    u = t
    u *= 2
    w = t[::2]
    w += 1
    x[0] = 77.0
    return (t.copy(), u.sum(), w.sum(), x)


@cases((x6, 1.0, 2), (x6, -1.0, 1))
def arr_index_in_branch(x: Any, c: float, i: int) -> Any:
    if c > 0:
        k = i + 1
        t = x[k:]
    else:
        t = x[:i]
    t[...] = t * 10
    return x


@cases((m34, 1.0, 2), (m34, -1.0, 1), (m34, 1.0, 7), (m34, -1.0, 7))
def arr_index_fail(m: Any, c: float, i: int) -> Any:
    if c > 0:
        t = m[i]
    else:
        t = m[0]
    t += 1
    return (m, t)


@cases((m34, 1.0), (m34, -1.0))
def arr_loop_choice(m: Any, c: float) -> Any:
    t = m[0] if c > 0 else m[1]
    for k in range(4):
        t[k] += k
    return m


@cases((m34, np.array([0.0, 1.0, 1.0, 0.0])))
def arr_loop_choice2(m: Any, f: Any) -> Any:
    a = m[0]
    b = m[1]
    for k in range(4):
        t = a if f[k] > 0 else b
        t[k] = 100.0
        a[0] += 1
    return m


@cases((x6, x6 * 2, 1.0), (x6, x6 * 2, -1.0))
def two_params(x: Any, y: Any, c: float) -> Any:
    t = x[1:3] if c > 0 else y
    t[0] = -1.0
    t = t + 1
    t[0] = 500.0
    return t


@cases((x6, 1.0), (x6, -1.0))
def fresh_or_view(x: Any, c: float) -> Any:
    t = x[2:] if c > 0 else np.zeros(4)
    t += 5
    return t


@cases((x6, 1.0), (x6, -1.0))
def nested_choice(x: Any, c: float) -> Any:
    t = (x[:2] if c > 2 else x[2:4]) if c > 0 else x[4:]
    t -= 100
    return x


@cases((x6, 3.0), (x6, 1.0), (x6, -1.0))
def three_way(x: Any, c: float) -> Any:
    if c > 2:
        t = x[:2]
    elif c > 0:
        t = x[2:4]
    else:
        t = x[1:3]
    t -= 100
    s = t.sum()
    x[2] = 0
    return (s, t.sum())


@cases((x6, 1.0), (x6, -1.0))
def none_view(x: Any, c: float) -> Any:
    t = None
    if c > 0:
        t = x[:2]
    if t is None:
        t = x[3:]
    t[:] = 8.0
    return x


@cases((1.0, 2.0), (-1.0, 2.0))
def self_reference(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    b = p if c > 0 else q
    b.x = b.x + p.x * v
    p.x += b.x
    return (p.x, q.x, b.x)


@cases((1.0, 2.0), (-1.0, 2.0))
def swap_fields(c: float, v: float) -> Any:
    p = P(1.0, 5.0)
    q = P(2.0, 6.0)
    a, b = (p, q) if c > 0 else (q, p)
    a.x, b.x = (b.y, a.y)
    return (p, q)


@cases((1.0, 2.0), (-1.0, 2.0))
def dict_of_objs(c: float, v: float) -> Any:
    d = {"a": P(1.0), "b": P(2.0)}
    k = "a" if c > 0 else "b"
    d[k].x += v
    o = d[k]
    o.n = 3
    del d["a"]
    return (d["b"], o.n, o.x)


@cases((1.0, 2.0), (-1.0, 2.0))
def early_return_obj(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)

    def get() -> Any:
        if c > 0:
            return p
        return q

    g = get()
    g.x = v
    h = get()
    h.n = 4
    return (p, q, g is h)


@cases((1.0, 2.0), (-1.0, 2.0))
def try_choice(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    b = p if c > 0 else q
    try:
        b.x = v
        if c < 0:
            raise ValueError("x")
        b.n = 1
    except ValueError:
        b.n = 2
    return (p, q)


@cases((1.0, 2.0), (-1.0, 2.0))
def replaced_in_list(c: float, v: float) -> Any:
    l = [P(1.0), P(2.0)]
    b = l[0] if c > 0 else l[1]
    b.n = 1
    l[0] = P(9.0)
    b.n += 1
    return ([p.n for p in l], b.n)


@cases((1.0, 2.0), (-1.0, 2.0))
def eq_is(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(1.0)
    b = p if c > 0 else q
    b.n = 0
    return (b == p, b is p, b is not q, b != q, p in [b], [p, q].index(b))


@cases((1.0, 2.0), (-1.0, 2.0))
def ret_same(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    b = p if c > 0 else q
    b.n += 1
    return b


@cases((1.0, 2.0), (-1.0, 2.0))
def tuple_of_choice(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    t = (p, q) if c > 0 else (q, p)
    t[0].n = 1
    t[1].n = 2
    return (p.n, q.n)


@cases((1.0, 2.0), (-1.0, 2.0))
def zip_choice(c: float, v: float) -> Any:
    p = P(1.0)
    q = P(2.0)
    r = P(3.0)
    for o, w in zip([p if c > 0 else q, r], [10.0, 20.0], strict=False):
        o.x += w
    return (p, q, r)


@cases((1.0, 2, np.array([1.0, 2.0])), (-1.0, 3, np.array([1.0, 2.0])))
def while_choice(c: float, n: int, x: Any) -> Any:
    p = P(x[0])
    q = P(x[1])
    b = p
    i = 0
    while i < n:
        b.x += x[0]
        if b.x > 3:
            b = q
        i += 1
    return (p.x, q.x, b.x)


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
