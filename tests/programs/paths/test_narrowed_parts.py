"""Fields, elements and items that may be None, or of several classes, behind tests of what they are."""

# ruff: noqa: E741
# The programs are written as users write them.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.programs.plain import Cases, check

x6 = np.arange(6.0)

cases = Cases()


class N(NamedTuple):
    a: float
    b: float | None


@dataclass
class Node:
    value: float
    left: "Node|None" = None
    right: "Node|None" = None


@dataclass
class P1:
    a: float

    def area(self) -> Any:
        return self.a * 3


@dataclass
class P2:
    b: float

    def area(self) -> Any:
        return self.b * 5


@cases((1.0,), (-1.0,))
def n_nt(c: float) -> Any:
    p = N(1.0, None)
    if c > 0:
        p = N(1.0, c)
    if p.b is None:
        return 0.0
    return p.b + 1


@cases((1.0,), (-1.0,))
def n_nt2(c: float) -> Any:
    p = N(1.0, c if c > 0 else None)
    return p.a if p.b is None else p.b + 1


@cases((1.0,), (-1.0,))
def n_tuple(c: float) -> Any:
    t = (1.0, c if c > 0 else None)
    if t[1] is not None:
        return t[1] * 2
    return t[0]


@cases((1.0,), (-1.0,))
def n_list(c: float) -> Any:
    t = [1.0, None]
    if c > 0:
        t[1] = c
    if t[1] is not None:
        return t[1] * 2
    return t[0]


@cases((1.0,), (-1.0,))
def n_dict(c: float) -> Any:
    d = {"a": None}
    if c > 0:
        d["a"] = c
    if d["a"] is None:
        d["a"] = 0.0
    return d["a"] + 1


@cases((1.0,), (-1.0,))
def n_get(c: float) -> Any:
    d = {}
    if c > 0:
        d["a"] = c
    v = d.get("a")
    if v is None:
        return 0.0
    return v + 1


@cases((x6,))
def n_loop_nt(x: Any) -> Any:
    p = N(0.0, None)
    for v in x:
        if p.b is None or v > p.b:
            p = N(v, v)
    if p.b is None:
        return -1.0
    return p.b + p.a


@cases((x6,), (x6[:0],))
def n_loop_tuple(x: Any) -> Any:
    best = (0, None)
    for i, v in enumerate(x):
        if best[1] is None or v > best[1]:
            best = (i, v)
    return best


@cases((x6,))
def n_loop_dc(x: Any) -> Any:
    n = Node(0.0)
    for v in x:
        if n.left is None:
            n.left = Node(v)
        else:
            n.left.value += v
    return 0.0 if n.left is None else n.left.value


@cases((3.0, 1.0), (3.0, 5.0))
def n_tree(v: float, w: float) -> Any:
    root = Node(v)
    if w < root.value:
        root.left = Node(w)
    else:
        root.right = Node(w)
    s = root.value
    if root.left is not None and root.left.value > 0:
        s += root.left.value
    if root.right is not None:
        s -= root.right.value
    return s


@cases((3.0,), (-3.0,))
def n_isinst(c: float) -> Any:
    s = P1(c) if c > 0 else P2(c)
    if isinstance(s, P1):
        return s.a
    return s.b * 2


@cases((3.0,), (-3.0,))
def n_poly(c: float) -> Any:
    s = P1(c) if c > 0 else P2(c)
    return s.area()


@cases((3.0,), (-3.0,))
def n_poly_match(c: float) -> Any:
    s = P1(c) if c > 0 else P2(c)
    match s:
        case P1(a=a):
            return a
        case P2(b=b):
            return b * 2


@cases((3.0,), (-3.0,))
def n_isinst_num(c: float) -> Any:
    v = 1 if c > 0 else c
    if isinstance(v, int):
        return v + 1
    return v * 2.0


@cases((3.0,), (-3.0,))
def n_isinst_none(c: float) -> Any:
    v = None if c > 0 else (c, c)
    if isinstance(v, tuple):
        return v[0]
    return 0.0


@cases((3.0,), (-3.0,))
def n_truth_obj(c: float) -> Any:
    n = Node(1.0)
    if c > 0:
        n.left = Node(c)
    if n.left:
        return n.left.value
    return 0.0


@cases((3.0,), (-3.0,))
def n_walrus(c: float) -> Any:
    n = Node(1.0)
    if c > 0:
        n.left = Node(c)
    if (l := n.left) is not None:
        return l.value
    return 0.0


@cases((3.0,), (-3.0,))
def n_early(c: float) -> Any:
    n = Node(1.0)
    if c > 0:
        n.left = Node(c)
    if n.left is None:
        return 0.0
    n.left.value = 9.0
    return n.left.value


@cases((3.0,), (-3.0,))
def n_alias(c: float) -> Any:
    n = Node(1.0)
    k = Node(c)
    if c > 0:
        n.left = k
    if n.left is not None:
        n.left.value = 50.0
    return k.value


@cases((3.0,), (-3.0,))
def n_while_link(c: float) -> Any:
    n = Node(1.0, Node(2.0, Node(3.0)))
    s = 0.0
    cur = n
    while cur is not None:
        s += cur.value
        cur = cur.left
    return s


@cases((3.0,), (-3.0,))
def n_attr_none(c: float) -> Any:
    n = Node(1.0)
    if c > 0:
        n.left = Node(c)
    return n.left.value


@cases((3.0,), (-3.0,))
def n_none_add(c: float) -> Any:
    v = None
    if c > 0:
        v = c
    return v + 1


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
