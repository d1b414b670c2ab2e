"""Elements of lists at computed positions are changed: buckets, counters, rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.given_arrays import SIX_NUMBERS as NUMBERS
from tests.programs.plain import check

Array = np.ndarray[Any, Any]


@dataclass
class P:
    x: float
    v: float
    hits: int = 0


@dataclass
class B:
    pos: Array
    tags: list[float]


def bumpit(ps: Any, i: Any) -> Any:
    ps[i].v += 3
    ps[i].x = 100.0
    return ps[i].v


def kick(p: Any, d: float) -> None:
    p.v += d
    if p.v > 2.5:
        p.x = 0.0


def particles(x: Array) -> Any:
    ps = []
    for v in x:
        if v > -2:
            ps.append(P(float(v), float(v) * 0.5))
    for _t in range(3):
        for p in ps:
            p.x += p.v * 0.1
            if p.x > 3:
                p.x = 3.0
                p.v = -p.v
                p.hits += 1
            p.v *= 0.99
    return [p.x for p in ps], [p.v for p in ps], ps


def by_index(x: Array) -> Any:
    ps = []
    for v in x:
        ps.append(P(float(v), 1.0))
    for i in range(len(ps)):
        ps[i].x *= 2
        ps[i - 1].v += ps[i].x
    return ps


def rows_aug(x: Array) -> Any:
    rows = []
    for v in x:
        rows.append(np.zeros(2) + v)
    for i in range(len(rows)):
        rows[i] += 1
        rows[-1][0] = i
    return rows


def rows_last(x: Array) -> Any:
    rows = []
    for v in x:
        rows.append(np.zeros(2))
        rows[-1][0] = v
        rows[-1][1:] += 2 * v
    return rows


def iter_rows(x: Array) -> Any:
    rows = [np.ones(2) * v for v in x]
    for r in rows:
        r *= 2
    return rows


def adj(x: Array) -> Any:
    n = len(x)
    g = [[] for _ in range(n)]
    for i in range(n):
        j = int(abs(x[i])) % n
        g[i].append(j)
        g[j].append(i)
    return g


def two(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    for i in range(len(ps)):
        a = ps[i]
        for j in range(len(ps)):
            b = ps[j]
            a.v += b.x
            b.v -= a.x
            b.x += 1
            if a.v > 3:
                a.x -= b.v
    return ps


def append_keep(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    p = ps[0]
    ps.append(P(2.0, 3.0))
    p.x = 55.0
    ps[-1].v = 5.0
    return ps


def twolists_dead(x: Array) -> Any:
    ps = []
    qs = []
    for v in x:
        p = P(float(v), 0.0)
        ps.append(p)
        if v > 0:
            qs.append(p)
    for q in qs:
        q.x = 0.0
    return qs


def bump(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    for i in range(len(ps)):
        ps[i].x += bumpit(ps, i)
    return ps


def helper(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    for p in ps:
        kick(p, 2.0)
    kick(ps[0], 1.0)
    return ps


def relax(x: Array) -> Any:
    n = len(x)
    dist = []
    for i in range(n):
        dist.append([float(x[i]), i])
    for d in dist:
        d[0] += 1
        d[1] *= 2
    return dist


def loopkeep(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    f = ps[0]
    for p in ps:
        p.x += f.x
        f.v += 1
    return ps, f.x


def rebind2(x: Array) -> Any:
    bs = [B(np.zeros(2) + v, []) for v in x]
    for b in bs:
        b.pos = b.pos + 0.5
        if b.pos[0] > 2:
            b.pos[0] = 0.0
        b.pos -= 1
    return [b.pos for b in bs]


def twice_named(x: Array) -> Any:
    rows = [np.zeros(2) + v for v in x]
    a = rows[0]
    b = rows[-1]
    a[0] += 1
    b[1] = a[0]
    a += b
    return rows, a, b


def while_pop(x: Array) -> Any:
    ps = []
    for v in x:
        ps.append(P(float(v), 0.0))
    out = []
    while ps:
        ps[-1].x += 1
        ps[0].v += 1
        q = ps.pop()
        out.append(q.x)
    return out


def cond_append_write(x: Array) -> Any:
    ps = []
    for v in x:
        if v > 0:
            ps.append(P(float(v), 0.0))
        else:
            if len(ps) > 0:
                ps[-1].hits += 1
                ps[0].v = float(v)
    return ps


def clusters(x: Array) -> Any:
    cl = []
    for v in x:
        placed = False
        for c in cl:
            if abs(c[0] - v) < 3:
                c.append(float(v))
                placed = True
                break
        if not placed:
            cl.append([float(v)])
    return cl


def tuplefield(x: Array) -> Any:
    ts = [(float(v), np.zeros(2)) for v in x]
    for i, (v, a) in enumerate(ts):
        a[0] = v
        a[1] = i
    return ts


def dictelem(x: Array) -> Any:
    ds = [{"n": 0, "s": 0.0} for v in x]
    for i, d in enumerate(ds):
        d["n"] += i
        d["s"] = float(x[i])
    ds[-1]["n"] = 100
    return ds


def sametwo(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    a = ps[int(x[0]) % len(ps)]
    b = ps[int(x[0]) % len(ps)]
    a.x = 10.0
    b.v = a.x + b.x
    return a.v, b.x, ps


def zipped(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    for p, v in zip(ps, x, strict=False):
        p.x -= v
        p.hits += 1
    for i, p in enumerate(ps):
        p.v = float(i)
    return ps


def shared(x: Array) -> Any:
    a = np.zeros(2)
    xs = []
    for _v in x:
        xs.append(a)
    for i in range(len(xs)):
        xs[i][0] += 1
    return xs


def shared2(x: Array) -> Any:
    xs = []
    for _v in x:
        a = np.zeros(2)
        xs.append(a)
        xs.append(a)
    xs[0][0] = 1
    return xs


def kept(x: Array) -> Any:
    xs = []
    a = np.zeros(2)
    for v in x:
        a = np.zeros(2) + v
        xs.append(a)
    xs[-1][0] = 99
    return xs, a


def popwrite(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    p = ps[0]
    ps.pop()
    p.x = 55.0
    return ps


def insert_write(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    p = ps[0]
    ps.insert(0, P(1.0, 1.0))
    p.x = 55.0
    return ps


def sliceshare(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    qs = ps[1:]
    qs[0].x = 7.0
    return ps, qs


def again(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    ps.append(ps[0])
    ps[0].x = 5.0
    return ps


def twolists(x: Array) -> Any:
    ps = []
    qs = []
    for v in x:
        p = P(float(v), 0.0)
        ps.append(p)
        if v > 0:
            qs.append(p)
    for q in qs:
        q.x = 0.0
    return ps


def prev(x: Array) -> Any:
    ps = []
    last = None
    for v in x:
        p = P(float(v), 0.0)
        ps.append(p)
        if last is not None:
            last.v = p.x
        last = p
    return ps


def setitem(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    q = P(1.0, 2.0)
    ps[0] = q
    ps[1] = q
    ps[0].x = 9.0
    return ps


def repeat(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x] * 2
    ps[0].x = 9.0
    return ps


def attr_arr(x: Array) -> Any:
    bs = [B(np.zeros(2) + v, []) for v in x]
    for b in bs:
        b.pos += 1
        b.pos[0] = -1
        b.tags.append(float(b.pos[1]))
    bs[0].pos[1] = 100
    return [b.pos for b in bs], [b.tags for b in bs]


def carried(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    cur = ps[0]
    for i in range(len(ps)):
        cur.x += 1
        cur = ps[i]
    cur.x = 50.0
    return ps


def best(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    b = ps[0]
    for p in ps:
        if p.x > b.x:
            b = p
    b.v = 99.0
    return ps


def iter_slice(x: Array) -> Any:
    ps = [np.zeros(2) + v for v in x]
    s = 0.0
    for r in ps[1:]:
        ps[2][0] = 5.0
        s += r[0]
    return s


def view_elem(x: Array) -> Any:
    rows = []
    for i in range(len(x) - 1):
        rows.append(x[i : i + 2])
    rows[0][1] = 9
    return rows, x


def rebind1(x: Array) -> Any:
    bs = [B(np.zeros(2) + v, []) for v in x]
    r = bs[0].pos
    p = bs[0]
    p.pos = np.ones(2)
    p.pos[0] = 7
    return bs[0].pos, r


def rebind3(x: Array) -> Any:
    bs = [B(np.zeros(2) + v, []) for v in x]
    q = np.ones(2)
    if x[0] > 2:
        bs[0].pos = q
    q[0] = 9
    return [b.pos for b in bs]


def rebind4(x: Array) -> Any:
    bs = [B(np.zeros(2) + v, []) for v in x]
    q = np.ones(2)
    bs[0].pos = q
    q[0] = 9
    bs[0].pos[1] = 8
    return [b.pos for b in bs], q


def rebind5(x: Array) -> Any:
    bs = [B(np.zeros(2) + v, []) for v in x]
    r = bs[-1].pos
    bs[0].pos = np.ones(2)
    bs[-1].pos[1] = 8
    return [b.pos for b in bs], r


def rebind6(x: Array) -> Any:
    bs = [B(np.zeros(2) + v, []) for v in x]
    q = np.ones(2)
    for b in bs:
        b.pos = q
    bs[0].pos[1] = 8
    return [b.pos for b in bs]


def swap(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    ps[0], ps[-1] = ps[-1], ps[0]
    ps[0].x = 4.0
    return ps


def sort_then(x: Array) -> Any:
    ps = [P(float(v), 0.0) for v in x]
    ps.sort(key=lambda p: p.x)
    ps[0].v = 1.0
    for p in ps:
        p.hits = int(p.x)
    return ps


def closure_shared(x: Array) -> Any:
    rows = []
    base = np.zeros(2)
    for v in x:
        rows.append(base if v > 0 else np.ones(2))
    rows[0][0] = 3
    return rows


def cond_elem(x: Array) -> Any:
    rows = [np.zeros(2) + v for v in x]
    r = rows[0] if x[0] > 0 else np.ones(2)
    rows[0][0] = 50
    return r, rows


@pytest.mark.parametrize(
    "program",
    [
        particles,
        by_index,
        rows_aug,
        rows_last,
        iter_rows,
        adj,
        two,
        append_keep,
        twolists_dead,
        bump,
        helper,
        relax,
        loopkeep,
        rebind2,
        twice_named,
        while_pop,
        cond_append_write,
        clusters,
        tuplefield,
        dictelem,
        sametwo,
        zipped,
    ],
)
def test_elements_of_computed_lists(program: Any) -> None:
    check(program, (NUMBERS,), (NUMBERS[:1],))


@pytest.mark.parametrize(
    "program",
    [
        shared,
        shared2,
        kept,
        popwrite,
        insert_write,
        sliceshare,
        again,
        twolists,
        prev,
        setitem,
        repeat,
        attr_arr,
        carried,
        best,
        iter_slice,
        view_elem,
        rebind1,
        rebind3,
        rebind4,
        rebind5,
        rebind6,
        swap,
        sort_then,
        closure_shared,
        cond_elem,
    ],
)
def test_shared_elements_are_right_or_refused(program: Any) -> None:
    try:
        graph_program(program)(NUMBERS.copy())
    except GraphProgramError as error:
        assert error.code in ("GP440", "GP319", "GP351")
    else:
        check(program, (NUMBERS,))


def twice_appended(x: Array) -> Any:
    out = [[float(v)] for v in x if v > 0]
    for c in out:
        d = c
        c.append(1.0)
        d.append(c[0] * 2 + len(c))
    return out


def test_an_element_is_written_twice_through_its_names() -> None:
    check(twice_appended, (np.array([3.0, -1, 2]),), (np.array([-1.0]),))
