"""Algorithms that are mostly control flow: parsers, codes, searches, solvers with retries and breakdowns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

I3 = np.array([1, 2, 3])
F3 = np.array([1.0, 2.0, 3.0])
B = np.frombuffer(b"12+34*5", dtype=np.uint8).copy()
P = np.array([[0.7, 0.3], [0.4, 0.6]])
E = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
X = np.array([[0.0, 0], [0, 1], [5, 5], [5, 6], [9, 9]])
S = np.zeros((4, 4), int)
S[0, 0] = 1
S[1, 2] = 3


def parse(b: Any) -> Any:
    pos = 0
    total = None
    op = None
    while pos < len(b):
        c = b[pos]
        if 48 <= c <= 57:
            v = 0
            while pos < len(b) and 48 <= b[pos] <= 57:
                v = v * 10 + int(b[pos]) - 48
                pos += 1
            if op is None:
                total = v
            elif op == "+":
                total += v
            elif op == "*":
                total *= v
        elif c == 43:
            op = "+"
            pos += 1
        elif c == 42:
            op = "*"
            pos += 1
        else:
            raise ValueError(f"bad byte {c} at {pos}")
    return total


def rle(x: Any) -> Any:
    out = []
    prev = None
    n = 0
    for v in x:
        if prev is not None and v == prev:
            n += 1
        else:
            if prev is not None:
                out.append((prev, n))
            prev = v
            n = 1
    if prev is not None:
        out.append((prev, n))
    return out


def lz(x: Any) -> Any:
    out = []
    i = 0
    n = len(x)
    while i < n:
        best = 0
        off = 0
        for j in range(max(0, i - 8), i):
            k = 0
            while i + k < n and k < 15 and x[j + k] == x[i + k]:
                k += 1
            if k > best:
                best, off = k, i - j
        if best > 2:
            out.append((off, best))
            i += best
        else:
            out.append((0, int(x[i])))
            i += 1
    return out


def crc(b: Any) -> Any:
    c = 0xFFFFFFFF
    for v in b:
        c ^= int(v)
        for _ in range(8):
            c = (c >> 1) ^ (0xEDB88320 if c & 1 else 0)
    return c ^ 0xFFFFFFFF


def viterbi(p: Any, e: Any, pi: Any, obs: Any) -> Any:
    T = len(obs)
    S = len(pi)
    d = np.zeros((T, S))
    back = np.zeros((T, S), dtype=int)
    d[0] = np.log(pi) + np.log(e[:, obs[0]])
    for t in range(1, T):
        for s in range(S):
            sc = d[t - 1] + np.log(p[:, s])
            back[t, s] = np.argmax(sc)
            d[t, s] = sc[back[t, s]] + np.log(e[s, obs[t]])
    path = [int(np.argmax(d[-1]))]
    for t in range(T - 1, 0, -1):
        path.append(int(back[t, path[-1]]))
    return path[::-1], d[-1].max()


def dtw(a: Any, b: Any) -> Any:
    n, m = len(a), len(b)
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i, j] = abs(a[i - 1] - b[j - 1]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    i, j = n, m
    path = []
    while i > 0 and j > 0:
        path.append((i - 1, j - 1))
        step = min((D[i - 1, j - 1], 0), (D[i - 1, j], 1), (D[i, j - 1], 2))[1]
        if step == 0:
            i, j = i - 1, j - 1
        elif step == 1:
            i -= 1
        else:
            j -= 1
    return D[n, m], path


def nw(a: Any, b: Any) -> Any:
    n, m = len(a), len(b)
    H = np.zeros((n + 1, m + 1), dtype=int)
    H[:, 0] = -np.arange(n + 1)
    H[0, :] = -np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            s = 1 if a[i - 1] == b[j - 1] else -1
            H[i, j] = max(H[i - 1, j - 1] + s, H[i - 1, j] - 1, H[i, j - 1] - 1)
    al = []
    bl = []
    i, j = n, m
    while i or j:
        if i and j and H[i, j] == H[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1):
            i -= 1
            j -= 1
            al.append(int(a[i]))
            bl.append(int(b[j]))
        elif i and H[i, j] == H[i - 1, j] - 1:
            i -= 1
            al.append(int(a[i]))
            bl.append(-1)
        else:
            j -= 1
            al.append(-1)
            bl.append(int(b[j]))
    al.reverse()
    bl.reverse()
    return H[n, m], al, bl


def kmeans(x: Any, c: Any) -> Any:
    c = c.copy()
    labels = None
    for it in range(20):  # noqa: B007 (read afterwards)
        d = ((x[:, None, :] - c[None]) ** 2).sum(axis=2)
        new = d.argmin(axis=1)
        if labels is not None and np.array_equal(new, labels):
            break
        labels = new
        for k in range(len(c)):
            mask = labels == k
            if not mask.any():
                continue
            c[k] = x[mask].mean(axis=0)
    return c, labels, it


def newton(x: Any, target: Any) -> Any:
    for attempt in range(4):
        try:
            y = x + attempt
            for _ in range(30):
                d = 3 * y * y
                if abs(d) < 1e-12:
                    raise ZeroDivisionError("flat")
                s = (y**3 - target) / d
                y -= s
                if abs(s) < 1e-10:
                    return y, attempt
            raise RuntimeError("no convergence")
        except ZeroDivisionError:
            continue
    raise RuntimeError("gave up")


def bisect(a: Any, b: Any) -> Any:
    def f(x):
        return x * x - 2

    fa, fb = f(a), f(b)
    if fa * fb > 0:
        raise ValueError(f"no sign change in [{a}, {b}]")
    while b - a > 1e-9:
        m = (a + b) / 2
        fm = f(m)
        if fm == 0:
            return m
        if fa * fm < 0:
            b, fb = m, fm
        else:
            a, fa = m, fm
    return (a + b) / 2


def golden(a: Any, b: Any) -> Any:
    g = (5**0.5 - 1) / 2

    def f(x):
        return (x - 1.3) ** 2

    c, d = b - g * (b - a), a + g * (b - a)
    fc, fd = f(c), f(d)
    n = 0
    while abs(b - a) > 1e-6:
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - g * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + g * (b - a)
            fd = f(d)
        n += 1
    return (a + b) / 2, n


def queens(n: Any) -> Any:
    cols = np.full(n, -1)
    row = 0
    count = 0
    while row >= 0:
        cols[row] += 1
        while cols[row] < n:
            ok = True
            for r in range(row):
                if cols[r] == cols[row] or abs(cols[r] - cols[row]) == row - r:
                    ok = False
                    break
            if ok:
                break
            cols[row] += 1
        if cols[row] == n:
            cols[row] = -1
            row -= 1
        elif row == n - 1:
            count += 1
        else:
            row += 1
    return count


def sudoku(b: Any) -> Any:
    b = b.copy()
    empties = [(i, j) for i in range(4) for j in range(4) if b[i, j] == 0]
    k = 0
    while k < len(empties):
        i, j = empties[k]
        v = b[i, j] + 1
        b[i, j] = 0
        placed = False
        while v <= 4:
            r0, c0 = i // 2 * 2, j // 2 * 2
            if not (b[i] == v).any() and not (b[:, j] == v).any() and not (b[r0 : r0 + 2, c0 : c0 + 2] == v).any():
                b[i, j] = v
                placed = True
                break
            v += 1
        if placed:
            k += 1
        else:
            k -= 1
            if k < 0:
                return None
    return b


def levinson(r: Any) -> Any:
    n = len(r) - 1
    a = np.zeros(n + 1)
    a[0] = 1
    e = r[0]
    if e == 0:
        raise ValueError("zero energy")
    for i in range(1, n + 1):
        acc = r[i]
        for j in range(1, i):
            acc += a[j] * r[i - j]
        k = -acc / e
        new = a.copy()
        for j in range(1, i):
            new[j] = a[j] + k * a[i - j]
        new[i] = k
        a = new
        e *= 1 - k * k
    return a, e


def simplex(Am: Any, b: Any, c: Any) -> Any:
    m, n = Am.shape
    T = np.zeros((m + 1, n + m + 1))
    T[:m, :n] = Am
    T[:m, n : n + m] = np.eye(m)
    T[:m, -1] = b
    T[-1, :n] = -c
    for it in range(50):  # noqa: B007 (read afterwards)
        j = int(np.argmin(T[-1, :-1]))
        if T[-1, j] >= -1e-9:
            break
        ratios = np.full(m, np.inf)
        for i in range(m):
            if T[i, j] > 1e-9:
                ratios[i] = T[i, -1] / T[i, j]
        i = int(np.argmin(ratios))
        if ratios[i] == np.inf:
            raise ValueError("unbounded")
        T[i] /= T[i, j]
        for k in range(m + 1):
            if k != i:
                T[k] -= T[k, j] * T[i]
    else:
        raise RuntimeError("iterations")
    return T[-1, -1], it


def cg(Am: Any, b: Any) -> Any:
    x = np.zeros_like(b)
    r = b - Am @ x
    p = r
    rs = r @ r
    for _i in range(len(b) * 2):
        Ap = Am @ p
        den = p @ Ap
        if den <= 0:
            raise ArithmeticError("breakdown")
        al = rs / den
        x = x + al * p
        r = r - al * Ap
        new = r @ r
        if new**0.5 < 1e-10:
            break
        p = r + new / rs * p
        rs = new
    return x


def rk45(y0: Any) -> Any:
    def f(t, y):
        return -2 * y + t

    t = 0.0
    y = y0
    h = 0.5
    ts = [t]
    ys = [y]
    rej = 0
    while t < 2:
        h = min(h, 2 - t)
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        yn = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        err = abs(h * (k1 - k4) / 6)
        if err > 1e-2:
            h *= 0.5
            rej += 1
            if h < 1e-8:
                raise RuntimeError("step too small")
            continue
        t += h
        y = yn
        ts.append(t)
        ys.append(y)
        if err < 1e-3:
            h *= 2
    return np.array(ts), np.array(ys), rej


def bsort(x: Any) -> Any:
    x = x.copy()
    n = len(x)
    while True:
        swapped = False
        for i in range(1, n):
            if x[i - 1] > x[i]:
                x[i - 1], x[i] = x[i], x[i - 1]
                swapped = True
        if not swapped:
            return x


def fsm(x: Any) -> Any:
    state = "start"
    runs = 0
    cur = None
    for v in x:
        if state == "start":
            if v == 1:
                state = "in"
                cur = 1
            elif v > 1:
                raise ValueError(f"symbol {v}")
        elif state == "in":
            if v == 1:
                cur += 1
            else:
                runs += 1
                state = "start"
    if state == "in":
        runs += 1
    return runs, state, cur


def dbscan(x: Any, eps: Any) -> Any:
    n = len(x)
    lab = np.full(n, -1)
    c = 0
    for i in range(n):
        if lab[i] >= 0:
            continue
        stack = [i]
        lab[i] = c
        while stack:
            k = stack.pop()
            for j in range(n):
                if lab[j] < 0 and np.sqrt(((x[k] - x[j]) ** 2).sum()) < eps:
                    lab[j] = c
                    stack.append(j)
        c += 1
    return lab, c


def lu(a: Any) -> Any:
    a = a.astype(float)
    n = len(a)
    perm = list(range(n))
    sign = 1
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if abs(a[p, k]) < 1e-12:
            raise np.linalg.LinAlgError("Singular matrix")
        if p != k:
            a[[k, p]] = a[[p, k]]
            perm[k], perm[p] = perm[p], perm[k]
            sign = -sign
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return a, perm, sign


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (parse, [(B,), (B[:0],), (B[:3],), (np.frombuffer(b"1+x", dtype=np.uint8).copy(),)]),
    (rle, [(np.array([1, 1, 2, 2, 2, 3]),), (np.array([], dtype=int),), (np.array([7]),)]),
    (lz, [(np.array([1, 2, 1, 2, 1, 2, 3]),), (np.array([5]),)]),
    (crc, [(B,), (B[:0],)]),
    (viterbi, [(P, E, np.array([0.6, 0.4]), np.array([0, 1, 2, 0])), (P, E, np.array([0.6, 0.4]), np.array([2]))]),
    (dtw, [(F3, np.array([1.0, 2.5])), (F3, F3[:1])]),
    (nw, [(np.array([0, 1, 2, 3]), np.array([0, 2, 3, 3])), (np.array([1]), np.array([2, 1]))]),
    (kmeans, [(X, np.array([[0.0, 0], [5, 5]])), (X, np.array([[0.0, 0], [50, 50]]))]),
    (newton, [(1.0, 5.0), (0.0, 5.0), (-3.0, 50.0)]),
    (bisect, [(0.0, 2.0), (2.0, 3.0), (-1, 2)]),
    (golden, [(0.0, 4.0), (1, 3)]),
    (queens, [(4,), (3,), (5,)]),
    (sudoku, [(S,), (np.array([[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]),)]),
    (levinson, [(np.array([1.0, 0.5, 0.2, 0.1]),), (np.array([0.0, 1.0, 2.0]),)]),
    (
        simplex,
        [
            (np.array([[1.0, 1], [1, 3]]), np.array([4.0, 6]), np.array([3.0, 5])),
            (np.array([[-1.0, 0]]), np.array([1.0]), np.array([1.0, 0])),
        ],
    ),
    (
        cg,
        [
            (np.array([[4.0, 1], [1, 3]]), np.array([1.0, 2])),
            (np.array([[0.0, 0], [0, 0]]), np.array([1.0, 2])),
            (np.array([[4, 1], [1, 3]]), np.array([1, 2])),
        ],
    ),
    (rk45, [(1.0,), (0.0,)]),
    (bsort, [(np.array([3, 1, 2]),), (np.array([], dtype=int),)]),
    (fsm, [(np.array([0, 1, 1, 0, 1]),), (np.array([0, 0]),), (np.array([2]),)]),
    (dbscan, [(X, 2.0), (X, 100.0)]),
    (lu, [(np.array([[2.0, 1], [1, 3]]),), (np.array([[1.0, 2], [2, 4]]),), (np.array([[2, 1], [1, 3]]),)]),
]


@pytest.mark.parametrize(("program", "inputs"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_like_python(program: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(program, *inputs)
