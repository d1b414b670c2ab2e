"""Values whose type, rank or structure depends on the path, used afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check, check_shown

I3 = np.array([1, 2, 3])
F3 = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(3, 2)


def wr_alias(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]
    u[0] = 7
    return x


def wr_inplace(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]
    u *= 2
    y = u + 1
    return y, x


def static_ndim(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]
    if u.ndim == 2:
        return u.sum(axis=1)
    return u


def loop_use(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]
    t = 0.0
    for v in u:
        t += np.sum(v)
    return t


def two_mixed(x: Any, c: Any) -> Any:
    if c > 0:
        a, b = x, x[0]
    else:
        a, b = x[0], x
    s = a.sum()
    return s + b.sum(), a.ndim - b.ndim


def two_conds(x: Any, c: Any, d: Any) -> Any:
    a = x if c > 0 else x[0]
    b = x if d > 0 else x[0]
    s = a.sum()
    return s * b.sum(), a.ndim * 10 + b.ndim


def prints(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]
    print(u.sum())
    return 1


def tuplelen(x: Any, c: Any) -> Any:
    t = (x, 1, 2) if c > 0 else (x, 3)
    return len(t), t[1], sum(t[1:])


def tuple_or_arr(x: Any, c: Any) -> Any:
    r = (x, 1) if c > 0 else x
    return r[0]


def str_or_num(x: Any, c: Any) -> Any:
    r = "a" if c > 0 else 3
    if r == "a":
        return 1.0
    return 2.0


def isinst(x: Any, c: Any) -> Any:
    r = [1, 2] if c > 0 else 3
    if isinstance(r, list):
        return len(r)
    return r


def rank_loop(x: Any, n: Any) -> Any:
    h = x[0]
    for i in range(n):
        h = x * h if i == 0 else h + 1
    return h.sum()


def toggle(x: Any, n: Any) -> Any:
    y = x
    for i in range(n):
        y = y * 0.5 if i % 2 == 0 else y.astype(int)
    return y


def toggle_while(x: Any, n: Any) -> Any:
    y = x
    while y.sum() < 50 and n > 0:
        n -= 1
        y = y * 2.5 if n % 2 == 0 else (y * 2).astype(np.int64)
    return y + 1


def epoch(w: Any, n: Any, k: Any) -> Any:
    for _e in range(n):
        for _j in range(k):
            g = w * 0.1
            w = w - g
        if w.max() > 2.5:
            break
    return w, w.dtype == np.float64


def write_head(y: Any, n: Any) -> Any:
    y = y.copy()
    for e in range(n):
        y[0] = e + 7.9
        if e == 1:
            y = y / 2
    return y * 1


def dtype_path(x: Any, y: Any, c: Any) -> Any:
    z = x if c > 0 else y
    z[0] = 2.7
    w = z // 2
    return w, z.sum(), x, y


def unrolled(x: Any) -> Any:
    u = x
    for f in (1, 2, 3):
        if x[f - 1] < 0:
            u = u * 0.5
        u = u + f
    return u


def try_split(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]
    try:
        v = u[:, 1]
    except IndexError as e:
        return str(e)
    return v


def helper(x: Any, c: Any) -> Any:
    def norm(a):
        if a.ndim == 1:
            return np.sqrt((a * a).sum())
        return np.sqrt((a * a).sum(axis=1))

    u = x if c > 0 else x[0]
    return norm(u) + 1, norm(u).ndim


def expr_level(x: Any, c: Any) -> Any:
    return (x if c > 0 else x[0]).sum() + (x if c > 0 else x[0]).ndim


def expr_if(x: Any, c: Any) -> Any:
    if (x if c > 0 else x[0]).ndim == 2:
        return 1
    return 2


def comp(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]
    return [np.sum(r) for r in u]


def dct(x: Any, c: Any) -> Any:
    d = {"u": x if c > 0 else x[0]}
    d["v"] = d["u"] + 1
    return d["v"].sum()


def lst(x: Any, c: Any) -> Any:
    d = [x if c > 0 else x[0]]
    d.append(d[0] + 1)
    return d[1].sum(), len(d)


def while_test(x: Any, c: Any, n: Any) -> Any:
    u = x if c > 0 else x[0]
    while u.sum() < 100 * n:
        u = u * 2 + 1
    return u


def three(x: Any, c: Any) -> Any:
    if c > 0:
        u = x
    elif c < 0:
        u = x[0]
    else:
        u = x.astype(int)
    u = u + 1
    return u.sum(), u.ndim


def scalar_or_arr(x: Any, c: Any) -> Any:
    step = 0.1 if c > 0 else np.full(2, 0.1)
    for _i in range(3):
        x = x - step * x
    return x


def none_or_arr_or(x: Any, c: Any) -> Any:
    w = None
    if c > 0:
        w = x[0]
    if w is None:
        w = 1.0
    return (x * w).sum()


def closure(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]

    def f(k):
        return u * k

    return f(2).sum()


def nonloc(x: Any, c: Any) -> Any:
    u = x if c > 0 else x[0]
    n = 0

    def bump():
        nonlocal n
        n += 1
        return u

    return n + bump().sum() + n


def swap_mixed(x: Any, c: Any) -> Any:
    a, b = (x, x[0]) if c > 0 else (x[0], x)
    for _i in range(3):
        a, b = b, a
    return a.sum(), b.ndim


def retmix(x: Any, c: Any) -> Any:
    def f():
        return x if c > 0 else x[0]

    y = f()
    z = f()
    return (y * z).sum()


def _parts(value: Any) -> Any:
    return tuple(value) if isinstance(value, tuple) else None


def parts_indexed(x: Any, c: Any) -> Any:
    y = (x, x + c) if c > 0 else x
    return _parts(y)[1]


def parts_gone_through(x: Any, c: Any) -> Any:
    y = (x, x + c) if c > 0 else x
    parts = _parts(y)
    return [_parts(y)[k] * 2 for k, _ in enumerate(parts)]


def parts_kept(x: Any, c: Any) -> Any:
    y = (x, x + c) if c > 0 else x
    parts = None
    if isinstance(y, tuple):
        parts = y
    return parts[0].sum()


def _chosen(c: Any, f: Any, g: Any, x: Any) -> Any:
    return f(x) if c > 0 else g(x)


def chosen_by_lambdas(x: Any, c: Any) -> Any:
    return _chosen(c, lambda a: a, lambda a: a[0].astype(np.float32), x).sum() * c + _chosen(c, np.sum, np.copy, x).ndim


def text_or_none(x: Any, c: Any) -> Any:
    d = None if c > 0 else "abc"
    return d[0]


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (wr_alias, [(M, 1), (M, -1)]),
    (wr_inplace, [(M, 1), (M, -1)]),
    (static_ndim, [(M, 1), (M, -1)]),
    (loop_use, [(M, 1), (M, -1)]),
    (two_mixed, [(M, 1), (M, -1)]),
    (two_conds, [(M, 1, 1), (M, -1, 1), (M, 1, -1), (M, -1, -1)]),
    (prints, [(M, 1), (M, -1)]),
    (tuplelen, [(M, 1), (M, -1)]),
    (tuple_or_arr, [(M, 1), (M, -1)]),
    (str_or_num, [(M, 1), (M, -1)]),
    (isinst, [(M, 1), (M, -1)]),
    (rank_loop, [(M, 3), (M, 1), (M, 0)]),
    (toggle, [(I3, 3), (I3, 1), (I3, 0)]),
    (toggle_while, [(I3, 3), (I3, 1), (I3, 0)]),
    (epoch, [(I3, 3, 2), (I3, 1, 0), (I3, 0, 1)]),
    (write_head, [(I3, 3), (I3, 0)]),
    (dtype_path, [(I3, F3, 1), (I3, F3, -1)]),
    (unrolled, [(I3,), (np.array([1, -2, 3]),)]),
    (try_split, [(M, 1), (M, -1)]),
    (helper, [(M, 1), (M, -1)]),
    (expr_level, [(M, 1), (M, -1)]),
    (expr_if, [(M, 1), (M, -1)]),
    (comp, [(M, 1), (M, -1)]),
    (dct, [(M, 1), (M, -1)]),
    (lst, [(M, 1), (M, -1)]),
    (while_test, [(M, 1, 0), (M, -1, 0), (M, 1, 5)]),
    (three, [(M, 2), (M, 0), (M, -3)]),
    (scalar_or_arr, [(M, 2), (M, 0), (M, -3)]),
    (none_or_arr_or, [(M, 2), (M, 0)]),
    (closure, [(M, 2), (M, 0)]),
    (nonloc, [(M, 2), (M, 0)]),
    (swap_mixed, [(M, 2), (M, 0)]),
    (retmix, [(M, 2), (M, 0)]),
    (parts_indexed, [(M, 2), (M, 0)]),
    (parts_gone_through, [(M, 2), (M, 0)]),
    (parts_kept, [(M, 2), (M, 0)]),
    (chosen_by_lambdas, [(M, 2), (M, 0)]),
    (text_or_none, [(M, 2), (M, 0)]),
]


@pytest.mark.parametrize(("program", "inputs"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_like_python(program: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(program, *inputs)


def _said(value: Any) -> Any:
    print("said", value)
    return value


def _picked(x: Any, c: Any) -> Any:
    return x if c > 0 else x[0]


def a_list_first(x: Any, c: Any) -> Any:
    return [_said(i) for i in range(2)], _picked(x, c).sum(), _said(5)


def a_dict_first(x: Any, c: Any) -> Any:
    return {"a": _said(1), _said(2): 3}, _picked(x, c).sum(), _said(5)


def a_slice_first(x: Any, c: Any) -> Any:
    return x[_said(1) > 3 : _said(2), _said(0)].sum(), _picked(x, c).sum(), _said(5)


def a_generator_first(x: Any, c: Any) -> Any:
    return sum(_said(i) for i in range(2)), _picked(x, c).sum(), _said(5)


@pytest.mark.parametrize("program", [a_list_first, a_dict_first, a_slice_first, a_generator_first])
def test_operands_in_order(program: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    for c in (1, 0):
        check_shown(program, (M, c), capsys)
