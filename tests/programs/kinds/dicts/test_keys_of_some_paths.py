"""Dicts and objects that have a key or an attribute on some paths only."""

# ruff: noqa: B007
# The programs are written as users write them.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.programs.plain import Cases, check

x6 = np.arange(6.0)

cases = Cases()


class N(NamedTuple):
    a: float
    b: float | None


class Box:
    pass


@cases((1.0, 2.0), (-1.0, 2.0))
def s_list_or_append(c: float, v: float) -> Any:
    o = Box()
    o.c = [0.0, 1.0]
    if c > 0:
        o.c = []
    else:
        o.c.append(v)
    return (o.c, len(o.c))


@cases((1.0, 2.0), (-1.0, 2.0))
def s_list_none(c: float, v: float) -> Any:
    o = Box()
    o.c = None
    if c > 0:
        o.c = [v]
    if o.c is None:
        o.c = []
    o.c.append(1.0)
    return o.c


@cases((x6,), (x6[:0],))
def s_best(x: Any) -> Any:
    o = Box()
    o.best = None
    for v in x:
        if o.best is None or v > o.best:
            o.best = v
    return o.best


@cases((x6, 1.0))
def s_best_arr(x: Any, c: float) -> Any:
    o = Box()
    o.best = None
    if c > 0:
        o.best = x
    if o.best is None:
        return 0.0
    return o.best.sum()


@cases((1.0,), (-1.0,))
def s_attr_paths(c: float) -> Any:
    o = Box()
    if c > 0:
        o.z = c
    return o.z + 1


@cases((1.0,), (-1.0,))
def s_hasattr(c: float) -> Any:
    o = Box()
    if c > 0:
        o.z = c
    if hasattr(o, "z"):
        return o.z
    return -5.0


@cases((1.0,), (-1.0,))
def s_getattr_def(c: float) -> Any:
    o = Box()
    if c > 0:
        o.z = c
    return getattr(o, "z", 3.0)


@cases((1.0,), (-1.0,))
def s_hasattr_val(c: float) -> Any:
    o = Box()
    if c > 0:
        o.z = c
    return (hasattr(o, "z"), not hasattr(o, "y"))


@cases((1.0,), (-1.0,))
def s_del(c: float) -> Any:
    o = Box()
    o.z = 1.0
    if c > 0:
        del o.z
    return hasattr(o, "z")


@cases((1.0,), (-1.0,))
def s_del2(c: float) -> Any:
    o = Box()
    o.z = 1.0
    if c > 0:
        del o.z
    return o.z


@cases((1.0,), (-1.0,))
def s_del3(c: float) -> Any:
    o = Box()
    if c > 0:
        o.z = 1.0
    del o.z
    return hasattr(o, "z")


@cases((1.0,), (-1.0,))
def s_try_attr(c: float) -> Any:
    o = Box()
    if c > 0:
        o.z = 1.0
    try:
        return o.z
    except AttributeError:
        return 9.0


@cases((1.0,), (-1.0,))
def s_setattr_dyn(c: float) -> Any:
    o = Box()
    o.w = c
    delattr(o, "w")
    return hasattr(o, "w")


@cases((1.0,), (-1.0,))
def d_in(c: float) -> Any:
    d = {}
    if c > 0:
        d["a"] = c
    return ("a" in d, d.get("a"), d.get("a", 5.0), len(d))


@cases((1.0,), (-1.0,))
def d_key(c: float) -> Any:
    d = {"b": 1.0}
    if c > 0:
        d["a"] = c
    return d["a"]


@cases((1.0,), (-1.0,))
def d_ret(c: float) -> Any:
    d = {"b": 1.0}
    if c > 0:
        d["a"] = c
    return d


@cases((1.0,), (-1.0,))
def d_iter(c: float) -> Any:
    d = {"b": 1.0}
    if c > 0:
        d["a"] = c
    s = 0.0
    for k, v in d.items():
        s += v
    return s


@cases((1.0,), (-1.0,))
def d_sum(c: float) -> Any:
    d = {"b": 1.0}
    if c > 0:
        d["a"] = c
    return (sum(d.values()), list(d), bool(d))


@cases((1.0,), (-1.0,))
def d_pop(c: float) -> Any:
    d = {"b": 1.0, "a": c}
    if c > 0:
        d.pop("a")
    d["c"] = 2.0
    return d


@cases((1.0,), (-1.0,))
def d_setdefault(c: float) -> Any:
    d = {}
    if c > 0:
        d["a"] = c
    d.setdefault("a", 10.0)
    return d


@cases((1.0,), (-1.0,))
def d_tryk(c: float) -> Any:
    d = {}
    if c > 0:
        d["a"] = c
    try:
        return d["a"]
    except KeyError:
        return 0.5


@cases((1.0,), (-1.0,))
def d_ifin(c: float) -> Any:
    d = {}
    if c > 0:
        d["a"] = c
    if "a" in d:
        return d["a"] * 2
    return 0.0


@cases((1.0,), (-1.0,))
def d_ifnotin(c: float) -> Any:
    d = {}
    if c > 0:
        d["a"] = c
    if "a" not in d:
        d["a"] = 0.0
    d["a"] += 1
    return d


@cases((x6, 1.0))
def d_none_arr(x: Any, c: float) -> Any:
    d = {"a": None}
    if c > 0:
        d["a"] = x
    if d["a"] is None:
        return 0.0
    return d["a"].sum()


@cases((x6,))
def d_loop(x: Any) -> Any:
    d = {}
    for v in x:
        if "sum" in d:
            d["sum"] += v
        else:
            d["sum"] = v
    return d.get("sum", 0.0)


@cases((x6,), (x6 - 10,))
def d_loop2(x: Any) -> Any:
    d = {}
    for v in x:
        k = "pos" if v > 2 else "neg"
        d[k] = d.get(k, 0) + 1
    return (d.get("pos", 0), d.get("neg", 0))


@cases((1.0,), (-1.0,))
def d_eq(c: float) -> Any:
    d = {"a": 1.0}
    e = {"a": 1.0}
    if c > 0:
        e["b"] = 2.0
    return d == e


@cases((1.0,), (-1.0,))
def d_update(c: float) -> Any:
    d = {"a": 1.0}
    e = {}
    if c > 0:
        e["b"] = 2.0
    d.update(e)
    return d


@cases((1.0,), (-1.0,))
def d_merge(c: float) -> Any:
    e = {}
    if c > 0:
        e["b"] = 2.0
    return ({**e, "z": 1.0}, e | {"q": 2.0})


@cases((1.0,), (-1.0,))
def d_copy(c: float) -> Any:
    e = {}
    if c > 0:
        e["b"] = 2.0
    return (e.copy(), dict(e), sorted(e))


@cases((1.0,), (-1.0,))
def d_del(c: float) -> Any:
    d = {"b": 1.0, "a": c}
    if c > 0:
        del d["a"]
    return len(d)


@cases((1.0,), (-1.0,))
def d_del2(c: float) -> Any:
    d = {"b": 1.0}
    if c > 0:
        d["a"] = 3.0
    del d["a"]
    return d


@cases((1.0,), (-1.0,))
def d_comp(c: float) -> Any:
    e = {"z": 2.0}
    if c > 0:
        e["b"] = 2.0
    return {k: v * 2 for k, v in e.items()}


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
