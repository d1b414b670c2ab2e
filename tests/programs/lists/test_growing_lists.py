"""Lists that grow in loops of the graph: appended to, read, stacked, given back."""
# ruff: noqa: RUF005, B007, C416, SIM108, FURB, C413, C414, B023

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.given_arrays import INTS, NEGATIVE, NO_ROWS, NONE, NUMBERS, ROWS
from tests.programs.plain import check


def rows_that_pass(x: Any) -> Any:
    out = []
    for r in x:
        if r.sum() > 0:
            out.append(r * 2)
    return out


def python_floats(x: Any) -> Any:
    out = []
    for i in range(x.shape[0]):
        out.append(float(x[i].sum()))
    return out, len(out)


def tuples_in_a_while_loop(x: Any) -> Any:
    out = []
    i = 0
    while i < x.shape[0]:
        if x[i, 0] > 0:
            out.append((i, x[i]))
        i += 1
    return out


def arrays_of_different_lengths(x: Any) -> Any:
    out = []
    for r in x:
        out.append(r[r > 0])
    return out


def stack(x: Any) -> Any:
    stack = [3]
    n = 0
    while stack:
        v = stack.pop()
        n += v
        if v > 0:
            stack.append(v - 1)
            stack.append(v - 2)
    return n


def stacked(x: Any) -> Any:
    out = []
    for r in x:
        out.append(r)
    return np.stack(out), np.array(out).sum(), np.concatenate(out), out[-1], out[0]


def dict_of_lists(x: Any) -> Any:
    d = {"a": [], "b": []}
    for v in x:
        if v > 0:
            d["a"].append(float(v))
        else:
            d["b"].append(float(v))
    return d


def counted_loop(x: Any) -> Any:
    hist = []
    for i in range(5):
        x = x * 0.5
        hist.append(x)
    return np.stack(hist), np.array(hist).shape, len(hist)


def lists_of_different_lengths(x: Any) -> Any:
    if x.sum() > 0:
        return [float(x[0])]
    return [float(x[0]), float(x[1]), 3.0]


def nested_loops_with_break(x: Any) -> Any:
    a = []
    b = []
    for v in x:
        for k in range(3):
            if v > k:
                a.append(v)
            else:
                b.append((k, v))
                break
    return a, b


def optional_numbers(x: Any) -> Any:
    out = []
    for v in x:
        out.append(None if v < 0 else float(v))
    return out


def primes(n: Any) -> Any:  # primes
    primes = []
    k = 2
    while len(primes) < n:
        is_p = True
        for p in primes:
            if p * p > k:
                break
            if k % p == 0:
                is_p = False
                break
        if is_p:
            primes.append(k)
        k += 1
    return primes


def collatz(x: Any) -> Any:  # collatz
    seq = [x]
    while x != 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        seq.append(x)
    return seq


def last_element(f0: Any, tol: Any) -> Any:
    hist = [f0]
    while hist[-1] > tol:
        hist.append(hist[-1] * 0.5)
    return hist, len(hist)


def list_made_anew(x: Any) -> Any:
    res = []
    cur = []
    for v in x:
        if v > 0:
            cur.append(float(v))
        else:
            if cur:
                res.append(sum(cur))
            cur = []
    if cur:
        res.append(sum(cur))
    return res


def list_of_lists(x: Any) -> Any:
    runs = []
    cur = []
    for v in x:
        if v > 0:
            cur.append(float(v))
        else:
            runs.append(cur)
            cur = []
    return runs


def queue(x: Any) -> Any:  # bfs queue on grid
    q = [(0, 0)]
    seen = np.zeros(x.shape, dtype=bool)
    seen[0, 0] = True
    n = 0
    while q:
        i, j = q.pop(0)
        n += 1
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a = i + di
            b = j + dj
            if 0 <= a < x.shape[0] and 0 <= b < x.shape[1] and not seen[a, b] and x[a, b] > 0:
                seen[a, b] = True
                q.append((a, b))
    return n, seen


def losses(x: Any) -> Any:
    losses = []
    w = np.zeros(x.shape[1])
    for r in x:
        w = w + 0.1 * (r - w)
        losses.append(((r - w) ** 2).mean())
    return w, np.array(losses), losses[-1], np.mean(losses), min(losses), max(losses)


def all_ways_to_stack(x: Any) -> Any:
    rows = []
    for r in x:
        rows.append(r)
    m = np.vstack(rows)
    h = np.hstack(rows)
    c = np.column_stack(rows)
    return m, h, c, np.concatenate(rows), np.stack(rows, axis=1), np.array(rows).mean(axis=0)


def prefixes(x: Any) -> Any:
    segs = []
    for i in range(len(x)):
        segs.append(x[:i])
    return np.concatenate(segs), len(segs), segs[2], [len(s) for s in segs], segs


def records(x: Any) -> Any:
    best = None
    hist = []
    for v in x:
        if best is None or v > best:
            best = v
            hist.append(best)
    return best, hist


def fibonacci(n: Any) -> Any:
    memo = [0, 1]
    for i in range(2, n + 1):
        memo.append(memo[i - 1] + memo[i - 2])
    return memo[n], memo


def ways_out(x: Any) -> Any:
    out = []
    for v in x:
        if v < -100:
            return out
        if v < 0:
            continue
        if v > 4:
            break
        out.append(float(v))
    else:
        out.append(99.0)
    return out


def concatenated(x: Any) -> Any:
    out = []
    for v in x:
        out = out + [v]
    out += [x[0]]
    return out, out * 2


def starts_with_one(x: Any) -> Any:
    out = [np.zeros(3)]
    for r in x:
        out.append(out[-1] + r)
    return np.stack(out)


def pairs_as_lists(x: Any) -> Any:
    values = []
    for v in x:
        values.append([float(v), float(v) * 2])
    return np.array(values), values


def sliding_window(x: Any) -> Any:
    vals = []
    for v in x:
        vals.append(v)
        if len(vals) > 3:
            vals.pop(0)
    return vals, sum(vals) / len(vals)


def without_repeats(x: Any) -> Any:
    xs = [int(v) for v in x]
    out = []
    for a in xs:
        if a not in out:
            out.append(a)
    return out


def closure_that_appends(x: Any) -> Any:
    ls = []

    def push(v):
        ls.append(v)

    for v in x:
        push(float(v))
    return ls


def two_names_for_a_list(x: Any) -> Any:
    a = []
    b = a
    for v in x:
        a.append(float(v))
    b.append(0.5)
    return a, b, a is b


def name_for_another_list(x: Any) -> Any:
    a = [1.0]
    b = a
    for v in x:
        if v > 0:
            a = [float(v)]
        else:
            a = a + [float(v)]
    return a, b


def unpacked_after_a_counted_loop(x: Any) -> Any:
    out = []
    for i in range(3):
        out.append(x * i)
    a, b, c = out
    return a + b + c, out[0], len(out)


def functions_in_a_list(x: Any) -> Any:
    fs = []
    for i in range(3):
        fs.append(lambda v, i=i: v * i)
    return [f(x) for f in fs]


def computed_rounds(x: Any, n: Any) -> Any:
    out = []
    for i in range(n):
        out.append(x[:i].sum())
    return out


def extend(x: Any) -> Any:
    acc = []
    for r in x:
        acc.extend([float(v) for v in r if v > 0])
    return acc


def last_two(x: Any) -> Any:
    acc = []
    for r in x:
        acc.append(r)
        acc = acc[-2:]
    return acc


def list_in_a_dict(x: Any) -> Any:
    d = {}
    d["a"] = []
    for v in x:
        d["a"].append(v)
    d["n"] = len(d["a"])
    return d


def dicts_in_tuples(x: Any) -> Any:
    out = []
    for i, r in enumerate(x):
        out.append((i, {"m": float(r.max()), "r": r}))
    return out


def exceptions_in_the_loop(x: Any) -> Any:
    out = []
    for v in x:
        try:
            if v < 0:
                raise ValueError("neg")
            out.append(math.sqrt(v))
        except ValueError:
            out.append(-1.0)
    return out


def best_three(x: Any) -> Any:
    best = []
    for v in x:
        best.append(float(v))
        best.sort(reverse=True)
        best = best[:3]
    return best


def monotonic_stack(x: Any) -> Any:
    s = []
    for v in x:
        while s and s[-1] > v:
            s.pop()
        s.append(float(v))
    return s


def rows_of_lists(x: Any) -> Any:
    out = []
    for r in x:
        row = []
        for v in r:
            row.append(float(v) * 2)
        out.append(row)
    return out, np.array(out)


def numpy_functions(x: Any) -> Any:
    xs = [v for v in x]
    return (
        np.sum(xs),
        np.mean(xs),
        np.max(xs),
        np.argmax(xs),
        np.asarray(xs, dtype=np.float32),
        x[np.array(xs) > 0],
        np.cumsum(xs),
        np.add(xs, 1),
    )


def depth_first(x: Any) -> Any:
    q = [int(x[0])]
    visited = []
    while q:
        c = q.pop()
        if c in visited:
            continue
        visited.append(c)
        for d in (1, 2):
            if c - d > 0:
                q.append(c - d)
    return visited


def two_back(x: Any) -> Any:
    w = [np.ones(2), np.zeros(2)]
    for v in x:
        w.append(w[-1] + v * w[-2])
    return w


def none_replaced(x: Any) -> Any:
    values = [None] * len(x)
    for i in range(len(x)):
        values[i] = float(x[i])
    return values


def zeros_replaced(x: Any) -> Any:
    values = [0] * len(x)
    for i in range(len(x)):
        values[i] = int(x[i])
    return values


PROGRAMS: dict[Any, list[tuple[Any, ...]]] = {
    rows_that_pass: [(ROWS,), (NEGATIVE,), (NO_ROWS,)],
    python_floats: [(ROWS,), (NO_ROWS,)],
    tuples_in_a_while_loop: [(ROWS,), (NEGATIVE,), (NO_ROWS,)],
    arrays_of_different_lengths: [(ROWS,), (NO_ROWS,)],
    stack: [(NUMBERS,)],
    stacked: [(ROWS,), (NO_ROWS,)],
    dict_of_lists: [(NUMBERS,), (NONE,)],
    counted_loop: [(NUMBERS,)],
    lists_of_different_lengths: [(NUMBERS,), (-NUMBERS,)],
    nested_loops_with_break: [(NUMBERS,), (NONE,)],
    optional_numbers: [(NUMBERS,), (NONE,)],
    primes: [(10,), (3,), (0,)],
    collatz: [(27,), (1,)],
    last_element: [(10.0, 1.0), (0.5, 1.0)],
    list_made_anew: [(NUMBERS,), (NONE,)],
    list_of_lists: [(NUMBERS,), (NONE,)],
    queue: [(np.abs(ROWS),), (ROWS,)],
    losses: [(ROWS,)],
    all_ways_to_stack: [(ROWS,)],
    prefixes: [(NUMBERS,)],
    records: [(NUMBERS,), (NONE,)],
    fibonacci: [(10,), (2,)],
    ways_out: [(NUMBERS,), (NONE,), (np.array([1.0, 2.0]),), (np.array([-200.0]),)],
    concatenated: [(NUMBERS,)],
    starts_with_one: [(ROWS,), (NO_ROWS,)],
    pairs_as_lists: [(NUMBERS,)],
    sliding_window: [(NUMBERS,)],
    without_repeats: [(INTS,)],
    closure_that_appends: [(NUMBERS,), (NONE,)],
    two_names_for_a_list: [(NUMBERS,), (NONE,)],
    name_for_another_list: [(NUMBERS,), (NONE,)],
    unpacked_after_a_counted_loop: [(NUMBERS,)],
    functions_in_a_list: [(NUMBERS,)],
    computed_rounds: [(NUMBERS, 3), (NUMBERS, 0)],
    extend: [(ROWS,), (NO_ROWS,)],
    last_two: [(ROWS,), (NO_ROWS,)],
    list_in_a_dict: [(NUMBERS,), (NONE,)],
    dicts_in_tuples: [(ROWS,)],
    exceptions_in_the_loop: [(np.array([4.0, -1.0]),), (NONE,)],
    best_three: [(NUMBERS,), (NONE,)],
    monotonic_stack: [(NUMBERS,), (NONE,)],
    rows_of_lists: [(ROWS,)],
    numpy_functions: [(NUMBERS,)],
    depth_first: [(np.array([5.0]),)],
    two_back: [(NUMBERS,), (NONE,)],
    none_replaced: [(NUMBERS,)],
    zeros_replaced: [(NUMBERS,), (NONE,)],
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_like_python(program: Any) -> None:
    check(program, *PROGRAMS[program])


def written(items: Any, at: Any) -> Any:
    items[at] = 2.0
    return items


def written_computed(n: int, at: Any) -> Any:
    items = [0.0] * (n + 1)
    items[at] += 2.0
    return items


def removed(items: Any, at: Any) -> Any:
    del items[at]
    return items


@pytest.mark.parametrize("at", [1.5, np.float64(1.0), None, "1", (0, 1)], ids=repr)
@pytest.mark.parametrize("program", [written, removed, lambda items, at: written_computed(len(items), at)])
@pytest.mark.parametrize("items", [[1.0, 2.0], []], ids=str)
def test_what_is_no_index(program: Any, items: list[float], at: Any) -> None:
    with pytest.raises(TypeError) as expected:
        program(list(items), at)
    with pytest.raises(TypeError, match=re.escape(str(expected.value))):
        graph_program(program)(list(items), at)
