"""Elements of lists under names of their own; after sort, exchange, pop and min or max."""
# ruff: noqa: E741, B007, FURB, C413, C414, C417, PERF, PLR, RET

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check

N = np.array([3.0, -1.0, 2.0, 5.0, -4.0, 8.0])
I = np.array([3, 1, 2, 5, 4, 8])
E = np.zeros(0)
case = Cases()


@dataclass
class P:
    x: float
    w: float


def mk(x: Any) -> list[P]:
    return [P(float(v), i * 1.0) for i, v in enumerate(x)]


@case((N, 3), (N, 2))
def nb1(x: Any, n: Any) -> Any:
    g = [[] for _ in range(n)]
    for i, v in enumerate(x):
        b = g[i % n]
        b.append(float(v))
    return g


@case((N,))
def nb2(x: Any) -> Any:
    g = [[], [], []]
    for i, v in enumerate(x):
        b = g[i % 3]
        b.append(float(v))
    return g


@case(
    (N, 3),
)
def nb3(x: Any, n: Any) -> Any:
    g = [[] for _ in range(n)]
    for i, v in enumerate(x):
        g[i % n].append(float(v))
    return g


@case(
    (N, 3),
)
def nb4(x: Any, n: Any) -> Any:
    g = [[] for _ in range(n)]
    for i, v in enumerate(x):
        g[i % n].append(v)
    for b in g:
        b.append(0.0)
    return g


@case((N,))
def nb5(x: Any) -> Any:
    rows = [[0] * 3 for _ in range(3)]
    for i, v in enumerate(x):
        row = rows[i % 3]
        row[int(v) % 3] += 1
    return rows


@case((N, 3))
def nb6(x: Any, n: Any) -> Any:
    rows = [[0] * 3 for _ in range(n)]
    for i, v in enumerate(x):
        row = rows[i % n]
        row[int(v) % 3] += 1
    return rows


@case((N, 3))
def nb7(x: Any, n: Any) -> Any:
    rows = [np.zeros(3) for _ in range(n)]
    for i, v in enumerate(x):
        row = rows[i % n]
        row[int(v) % 3] += 1
    return np.array(rows)


@case((N,))
def nb8(x: Any) -> Any:
    rows = [np.zeros(3) for _ in range(3)]
    for i, v in enumerate(x):
        row = rows[i % 3]
        row[int(v) % 3] += v
    return rows


@case((I, 9))
def nb9(edges: Any, n: Any) -> Any:
    adj = [[] for _ in range(n)]
    for k in range(len(edges) - 1):
        a = int(edges[k])
        b = int(edges[k + 1])
        adj[a].append(b)
        adj[b].append(a)
    total = 0
    for u in range(n):
        for v in adj[u]:
            total += u * v
    return adj, total


@case((3, 4), (1, 1), (5, 2))
def dp1(n: Any, m: Any) -> Any:
    dp = [[0] * m for _ in range(n)]
    for i in range(1, n):
        for j in range(m):
            dp[i][j] = dp[i - 1][j] + 1
    return dp[n - 1][m - 1]


@case((3, 4), (1, 1), (5, 2))
def dp2(n: Any, m: Any) -> Any:
    dp = [[0] * m for _ in range(n)]
    for i in range(1, n):
        for j in range(m):
            dp[i][j] = dp[i - 1][j] + j
    return dp


@case((np.array([1, 2, 3, 4]), np.array([2, 3, 1, 4, 4])))
def lcs(a: Any, b: Any) -> Any:
    n, m = len(a), len(b)
    dp = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            if a[i - 1] == b[j - 1]:
                dp[i][j] = dp[i - 1][j - 1] + 1
            else:
                dp[i][j] = max(dp[i - 1][j], dp[i][j - 1])
    return dp[n][m]


@case((N, 4))
def dprows(x: Any, n: Any) -> Any:
    row = [0.0] * n
    dp = []
    for v in x:
        row[int(abs(v)) % n] += float(v)
        dp.append(row[:])
    return dp


@case((3, 4))
def gridread(n: Any, m: Any) -> Any:
    g = [[i * j for j in range(m)] for i in range(n)]
    s = 0
    for r in g:
        for c in r:
            s += c
    return s, g[1][2]


@case((N, 3))
def knap(w: Any, cap: Any) -> Any:
    dp = [[0.0] * (cap + 1) for _ in range(len(w) + 1)]
    for i in range(1, len(w) + 1):
        for c in range(cap + 1):
            dp[i][c] = dp[i - 1][c]
            if i % 3 <= c:
                dp[i][c] = max(dp[i][c], dp[i - 1][c - i % 3] + float(w[i - 1]))
    return dp[len(w)][cap], dp


@case((N,), (I,))
def s1(x: Any) -> Any:
    a = [float(v) for v in x]
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@case((N,))
def s2(x: Any) -> Any:
    a = [x[:2] * v for v in x]
    i, j = 0, len(a) - 1
    while i < j:
        a[i], a[j] = a[j], a[i]
        i += 1
        j -= 1
    return np.array(a)


@case((N,))
def s3(x: Any) -> Any:
    ps = [P(float(v), i * 1.0) for i, v in enumerate(x)]
    for i in range(len(ps)):
        for j in range(len(ps) - 1):
            if ps[j].x > ps[j + 1].x:
                ps[j], ps[j + 1] = ps[j + 1], ps[j]
    return [p.w for p in ps]


@case((N,))
def s4(x: Any) -> Any:
    ps = [P(float(v), i * 1.0) for i, v in enumerate(x)]
    ps.sort(key=lambda p: p.x)
    for p in ps:
        p.w += 1
    return ps


@case((N,))
def s5(x: Any) -> Any:
    ps = [P(float(v), i * 1.0) for i, v in enumerate(x)]
    qs = sorted(ps, key=lambda p: -p.x)
    return [q.w for q in qs], ps[0].w


@case((N,))
def s6(x: Any) -> Any:
    ps = [P(float(v), i * 1.0) for i, v in enumerate(x)]
    b = min(ps, key=lambda p: p.x)
    return b.w, max(ps, key=lambda p: p.x).w


@case((N,))
def s7(x: Any) -> Any:
    rs = [(i, float(v)) for i, v in enumerate(x)]
    rs.sort(key=lambda r: r[1])
    return rs


@case((N,))
def s8(x: Any) -> Any:
    a = [float(v) for v in x]
    del a[1]
    a.remove(5.0)
    a.insert(2, 9.0)
    a[1:3] = [7.0]
    a.reverse()
    return a, a.index(7.0), 8.0 in a


@case((N,))
def s9(x: Any) -> Any:
    ps = [P(float(v), i * 1.0) for i, v in enumerate(x)]
    b = min(ps, key=lambda p: p.x)
    b.w = 100.0
    return [p.w for p in ps]


@case((N,))
def s10(x: Any) -> Any:
    ps = [P(float(v), i * 1.0) for i, v in enumerate(x)]
    ps.sort(key=lambda p: p.x)
    ps[0].w = 50.0
    ps.reverse()
    ps[0].w = 51.0
    return ps


@case((N,))
def s11(x: Any) -> Any:
    ps = [P(float(v), i * 1.0) for i, v in enumerate(x)]
    for k in range(3):
        ps.sort(key=lambda p: p.w)
        ps[0].w += 10.0
    return ps


@case((N,))
def s12(x: Any) -> Any:
    ps = [P(float(v), i * 1.0) for i, v in enumerate(x)]
    while len(ps) > 2:
        p = ps.pop()
        p.w += 1
        ps.insert(0, p)
        ps.pop(1)
    return ps


@case((N,))
def s13(x: Any) -> Any:
    pop = [x * v for v in x]
    for k in range(3):
        pop.sort(key=lambda p: p.sum())
        pop[-1] = pop[0] * 0.5
        pop[1][0] = 7.0
    return np.stack(pop)


@case((N,))
def heap1(x: Any) -> Any:
    h = []
    for v in x:
        h.append(float(v))
        i = len(h) - 1
        while i > 0:
            p = (i - 1) // 2
            if h[i] < h[p]:
                h[i], h[p] = h[p], h[i]
                i = p
            else:
                break
    return h


@case((N,))
def del1(x: Any) -> Any:
    a = [float(v) for v in x]
    i = 0
    while i < len(a):
        if a[i] < 0:
            del a[i]
        else:
            i += 1
    del a[1:3]
    return a


@case((N,))
def seg(x: Any) -> Any:
    n = len(x)
    t = [0.0] * (2 * n)
    for i in range(n):
        t[n + i] = float(x[i])
    for i in range(n - 1, 0, -1):
        t[i] = t[2 * i] + t[2 * i + 1]
    return t


@case((N,))
def e1(x: Any) -> Any:
    ps = mk(x)
    for i in range(len(ps)):
        for j in range(len(ps) - 1):
            if ps[j].x > ps[j + 1].x:
                ps[j], ps[j + 1] = ps[j + 1], ps[j]
                ps[j].w += 10
    return ps


@case((N,))
def e2(x: Any) -> Any:
    ps = mk(x)
    while len(ps) > 2:
        p = ps.pop()
        p.w += 1
        ps.insert(0, p)
        ps.pop(1)
        ps[0].x = 3.0
    return ps


@case((N,))
def e3(x: Any) -> Any:
    ps = mk(x)
    qs = []
    while ps:
        p = ps.pop(0)
        if p.x > 0:
            p.w = -1.0
            qs.append(p)
    for q in qs:
        q.x *= 2
    return qs, len(ps)


@case((N,))
def e6(x: Any) -> Any:
    stack = [[float(v)] for v in x]
    while len(stack) > 1:
        a = stack.pop()
        a.append(1.0)
        b = stack.pop()
        b.extend(a)
        stack.append(b)
    return stack


@case((N,))
def e7(x: Any) -> Any:
    rows = [x * v for v in x]
    i, j = 0, len(rows) - 1
    while i < j:
        rows[i], rows[j] = rows[j], rows[i]
        rows[i][0] = i
        rows[j][1] += 5
        i += 1
        j -= 1
    return np.stack(rows)


@case((N,))
def e10(x: Any) -> Any:
    ps = sorted(mk(x), key=lambda p: p.x)
    for k, p in enumerate(ps):
        p.w = k * 1.0
    top = ps[-2:]
    return ps, top


@case((N,))
def e12(x: Any) -> Any:
    heap = []
    for v in x:
        heap.append([float(v), 0])
        i = len(heap) - 1
        while i > 0 and heap[i][0] < heap[(i - 1) // 2][0]:
            p = (i - 1) // 2
            heap[i], heap[p] = heap[p], heap[i]
            heap[p][1] += 1
            i = p
    return heap


@case(
    (N, 3),
)
def f6(x: Any, n: Any) -> Any:
    g = [[0, 0] for _ in range(n)]
    for i, v in enumerate(x):
        row = g[i % n]
        row[0] += 1
        row[1] += float(v)
    return [r[1] / r[0] for r in g], g


@case.each
def test_the_same_as_in_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


shared = Cases()


@shared((N,))
def e4(x: Any) -> Any:
    ps = mk(x)
    keep = ps[0]
    p = ps.pop(0)
    p.w = 99.0
    return keep, ps


@shared((N,))
def e5(x: Any) -> Any:
    ps = mk(x)
    both = list(ps)
    p = ps.pop()
    p.w = 99.0
    return both, ps


@shared((N,))
def e8(x: Any) -> Any:
    ps = mk(x)
    a = ps[0]
    ps[0], ps[1] = ps[1], ps[0]
    a.w = 77.0
    return ps


@shared((N,))
def e9(x: Any) -> Any:
    ps = mk(x)
    ps[0], ps[1] = ps[0], ps[0]
    ps[0].w = 77.0
    return ps


@shared((N,))
def e11(x: Any) -> Any:
    ps = mk(x)
    top = sorted(ps, key=lambda p: p.x)[:2]
    for t in top:
        t.w = 9.0
    return ps


@shared.each
def test_what_others_have_is_written(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
