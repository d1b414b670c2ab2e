"""Everyday programs around lists of computed length."""
# ruff: noqa: RUF005, C416, FURB, C413, C414, B023

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs.given_arrays import NO_ROWS, NONE, NUMBERS, ROWS
from tests.programs.plain import check


def array_of_the_list_so_far(x: Any) -> Any:
    lst = []
    for v in x:
        s = np.array(lst)
        lst.append(v)
    return s.shape[0], len(lst)


def length_before(x: Any) -> Any:
    lst = [1.0]
    for v in x:
        n = len(lst)
        lst.append(float(v))
    return n, len(lst), lst[n]


def copy_before(x: Any) -> Any:
    lst = [1.0]
    prev = [0.0]
    for v in x:
        prev = lst.copy()
        lst.append(float(v))
    return len(prev), len(lst), prev


def two_lists(x: Any) -> Any:
    a = []
    b = []
    for v in x:
        a.append(float(v))
        if v > 0:
            b.append(float(v))
    return len(a) == len(b), len(a) == len(x), np.array(a) + x


def triangular(x: Any) -> Any:
    out = []
    for i in range(len(x)):
        for j in range(i):
            out.append(x[j])
    return np.array(out), len(out)


def break_at_a_known_round(x: Any) -> Any:
    lst = []
    for i in range(4):
        if i == 2:
            break
        lst.append(x[i])
    return len(lst), lst


def loop_else(x: Any) -> Any:
    lst = []
    for i in range(len(x)):
        lst.append(x[i])
        if x[i] < 0:
            break
    else:
        lst.append(0.0 * x[0])
    return len(lst), np.array(lst)


def continue_before(x: Any) -> Any:
    lst = []
    for v in x:
        if v < 0:
            continue
        lst.append(v)
    return len(lst)


def halves_on_a_stack(x: Any) -> Any:
    q = [x]
    total = 0.0
    while q:
        y = q.pop()
        if len(y) <= 1:
            total += float(y.sum())
        else:
            q.append(y[: len(y) // 2])
            q.append(y[len(y) // 2 :])
    return total


def quicksort(x: Any) -> Any:
    # quicksort with explicit stack
    a = x.copy()
    st = [(0, len(a) - 1)]
    while st:
        lo, hi = st.pop()
        if lo >= hi:
            continue
        p = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < p:
                t = a[i]
                a[i] = a[j]
                a[j] = t
                i += 1
        t = a[i]
        a[i] = a[hi]
        a[hi] = t
        st.append((lo, i - 1))
        st.append((i + 1, hi))
    return a


def prepended(x: Any) -> Any:
    lst = []
    for v in x:
        lst = [float(v)] + lst
    return lst


def two_conditions(x: Any) -> Any:
    return [float(v) for v in x if v > 0 if v < 4], [a * b for a in x for b in x if a < b]


def returned_from_the_loop(x: Any, k: Any) -> Any:
    w = []
    for v in x:
        w.append(float(v))
        if len(w) == k:
            return w
    return w


def dict_with_history(x: Any) -> Any:
    d = {"best": None, "hist": []}
    for v in x:
        if d["best"] is None or v > d["best"]:
            d["best"] = v
            d["hist"].append(float(v))
    return d


def known_list_written_at_computed_position(x: Any) -> Any:
    out = [0.0] * 3
    for i in range(len(x)):
        out[i % 3] += float(x[i])
    return out


def of_different_lengths(x: Any) -> Any:
    return max([len(r[r > 0]) for r in x] + [0]), [r[r > 0].sum() for r in x]


def list_of_arrays_filtered(xs: Any) -> Any:
    return [x * 2 for x in xs if x.sum() > 0]


def slices_written(x: Any) -> Any:
    ys = []
    for v in x:
        ys.append(v)
    ys[1:3] = [0.0 * x[0]]
    del ys[-1:]
    return ys


def copies_are_apart(x: Any) -> Any:
    a = [float(v) for v in x]
    b = a
    b[0] = 9.0
    c = a[:]
    c.append(1.0)
    return a, b, c, len(a)


def read_with_steps(x: Any) -> Any:
    s = []
    t = 1.0
    while t > 0.1:
        s.append(t)
        t /= 2
    return s[-1], s[len(s) // 2], s[::2]


def matrices_joined(x: Any) -> Any:
    parts = []
    for r in x:
        parts.append(r[None, :])
    return np.concatenate(parts, axis=0), np.concatenate(parts, axis=1), np.vstack(parts)


def different_lengths_joined(x: Any) -> Any:
    parts = []
    for i in range(1, 4):
        parts.append(x[:i] * i)
    return np.concatenate(parts), np.hstack(parts)


def stacked_constants(x: Any) -> Any:
    ks = []
    for i in range(3):
        ks.append(np.full((2,), i))
    return np.stack(ks) @ x[:2], ks


def tuples_in_order(x: Any) -> Any:
    es = [(float(v), i) for i, v in enumerate(x)]
    es.sort()
    return es, min(es), max(es)


def empty_lists_in_a_list(x: Any) -> Any:
    adj = [[] for _ in range(len(x))]
    return adj, len(adj)


def longest(x: Any) -> Any:
    best = []
    for r in x:
        cand = [float(v) for v in r if v > 0]
        if len(cand) > len(best):
            best = cand
    return best


def max_with_default(x: Any) -> Any:
    out = []
    for r in x:
        m = max([float(v) for v in r if v > 0], default=0.0)
        out.append(m)
    return out


def groups(x: Any) -> Any:
    groups = []
    cur = [x[0]]
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            cur.append(x[i])
        else:
            groups.append(cur)
            cur = [x[i]]
    groups.append(cur)
    return groups, [len(g) for g in groups], max(groups, key=len)


def path_through_a_grid(x: Any) -> Any:
    path = [(0, 0)]
    i = j = 0
    while i < x.shape[0] - 1 or j < x.shape[1] - 1:
        if j == x.shape[1] - 1 or (i < x.shape[0] - 1 and x[i + 1, j] < x[i, j + 1]):
            i += 1
        else:
            j += 1
        path.append((i, j))
    return path, sum(x[a, b] for a, b in path), np.array(path)


def function_that_makes_lists(x: Any) -> Any:
    def go(a):
        out = []
        for v in a:
            if v > 0:
                out.append(v)
        return out

    return [go(r) for r in x], len(go(x[0]))


def layers(x: Any, n: Any) -> Any:
    xs = [x]
    for _ in range(n):
        xs.append(np.tanh(xs[-1]))
    return xs[-1], len(xs), np.stack(xs).shape


def while_else(x: Any) -> Any:
    it = []
    err = 1.0
    while err > 1e-3 and len(it) < 50:
        err = err * 0.3
        it.append(err)
    else:
        it.append(-1.0)
    return it


def one_more_on_a_path(x: Any) -> Any:
    a = [1, 2, 3]
    if x[0] > 0:
        a.append(4)
    return a, a[-1], sum(a), len(a), 4 in a


def emptied_on_a_path(x: Any) -> Any:
    a = [1, 2, 3]
    if x[0] > 0:
        a = []
    return max(a) if a else -1, bool(a), not a


def inserted_in_front(x: Any) -> Any:
    out = []
    for i in range(len(x)):
        if i % 2:
            continue
        out.insert(0, float(x[i]))
    return out


def assert_in_the_loop(x: Any) -> Any:
    out = []
    for v in x:
        assert v < 100, f"too big {v}"
        out.append(int(v))
    return out


def range_as_a_list(x: Any) -> Any:
    s = list(range(3, int(x[0]) + 3))
    s.reverse()
    return s, s[1:2], s[-2:], s[::-1], s == [5, 4, 3]


def known_ranges_with_conditions(x: Any) -> Any:
    return [i for i in range(10) if x[i % 3] > 0], [(i, j) for i in range(3) for j in range(3) if x[i] > x[j]]


def smallest_two_first(x: Any) -> Any:
    a = [float(v) for v in x]
    total = 0.0
    while len(a) > 1:
        a.sort()
        p = a.pop(0) + a.pop(0)
        total += p
        a.append(p)
    return total


def pairs_as_arrays(x: Any) -> Any:
    r = []
    for v in x:
        r.append(np.array([v, v * 2]))
    return np.array(r).T, sum(r)


def numpy_scalars(x: Any) -> Any:
    r = []
    for v in x:
        r.append(np.float32(v))
    return r, r[0], np.array(r), sum(r)


def bools(x: Any) -> Any:
    r = []
    for v in x:
        r.append(bool(v > 0))
    return r, r.count(True), r.index(True)


def sums(x: Any) -> Any:
    return sum([r for r in x], np.zeros(3)), sum(float(v) for r in x for v in r if v > 0)


def compared(x: Any) -> Any:
    a = [v for v in x if v > 0]
    b = [v for v in x if v > 1]
    return a == b, a != b, a + b == b + a, a == [1.0]


def of_different_heights(x: Any) -> Any:
    parts = []
    for v in x:
        parts.append(np.full((int(abs(v)), 2), v))
    return np.concatenate(parts), np.vstack(parts)


def numbers_as_columns(x: Any) -> Any:
    parts = []
    for v in x:
        parts.append(float(v))
    return np.column_stack(parts), np.vstack(parts), np.dstack(parts)


def arrays_in_lists_beside_none(x: Any) -> Any:
    rows = []
    for v in x:
        row = []
        for k in range(int(abs(v))):
            row.append(np.full(k + 1, v))
        rows.append(row)
    rows.append([None])
    return rows, [[-1 if a is None else len(a) for a in row] for row in rows]


PROGRAMS: dict[Any, list[tuple[Any, ...]]] = {
    array_of_the_list_so_far: [(NUMBERS,)],
    length_before: [(NUMBERS,)],
    copy_before: [(NUMBERS,), (NONE,)],
    two_lists: [(NUMBERS,)],
    triangular: [(NUMBERS,)],
    break_at_a_known_round: [(NUMBERS,)],
    loop_else: [(NUMBERS,), (np.abs(NUMBERS),)],
    continue_before: [(NUMBERS,), (NONE,)],
    halves_on_a_stack: [(NUMBERS,)],
    quicksort: [(NUMBERS,), (ROWS.ravel(),)],
    prepended: [(NUMBERS,), (NONE,)],
    two_conditions: [(NUMBERS,)],
    returned_from_the_loop: [(NUMBERS, 2), (NUMBERS, 99)],
    dict_with_history: [(NUMBERS,), (NONE,)],
    known_list_written_at_computed_position: [(NUMBERS,)],
    of_different_lengths: [(ROWS,)],
    list_of_arrays_filtered: [([NUMBERS, -NUMBERS, NUMBERS],)],
    slices_written: [(NUMBERS,)],
    copies_are_apart: [(NUMBERS,)],
    read_with_steps: [(NUMBERS,)],
    matrices_joined: [(ROWS,)],
    different_lengths_joined: [(NUMBERS,)],
    stacked_constants: [(NUMBERS,)],
    tuples_in_order: [(NUMBERS,)],
    empty_lists_in_a_list: [(NUMBERS,), (NONE,)],
    longest: [(ROWS,)],
    max_with_default: [(ROWS,), (NO_ROWS,)],
    groups: [(NUMBERS,)],
    path_through_a_grid: [(np.abs(ROWS),)],
    function_that_makes_lists: [(ROWS,)],
    layers: [(NUMBERS, 3), (NUMBERS, 0)],
    while_else: [(NUMBERS,)],
    one_more_on_a_path: [(NUMBERS,), (-NUMBERS,)],
    emptied_on_a_path: [(NUMBERS,), (-NUMBERS,)],
    inserted_in_front: [(NUMBERS,), (NONE,)],
    assert_in_the_loop: [(NUMBERS,)],
    range_as_a_list: [(NUMBERS,)],
    known_ranges_with_conditions: [(NUMBERS,)],
    smallest_two_first: [(NUMBERS,)],
    pairs_as_arrays: [(NUMBERS,)],
    numpy_scalars: [(NUMBERS,)],
    bools: [(NUMBERS,)],
    sums: [(ROWS,)],
    compared: [(NUMBERS,)],
    of_different_heights: [(NUMBERS,), (NUMBERS[:1],), (NUMBERS[:0],)],
    numbers_as_columns: [(NUMBERS,), (NUMBERS[:1],), (NUMBERS[:0],)],
    arrays_in_lists_beside_none: [(NUMBERS,), (NUMBERS[:0],)],
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_like_python(program: Any) -> None:
    check(program, *PROGRAMS[program])
