"""The statement `match`: every kind of pattern, on static structure and on numbers of the graph."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from tests.programs.plain import Cases, check

THREE, EMPTY = np.array([1.0, 2.0, 3.0]), np.zeros(0)
cases = Cases()


class Q(NamedTuple):
    a: float
    b: object


class Plain:
    __match_args__ = ("u", "v")

    def __init__(self, u: Any, v: Any) -> None:
        self.u = u
        self.v = v


class K:
    ONE = 1
    TWO = 2.0


@cases((1, 2), (2, 1), (3, 3), (1, 1))
def orcap(a: Any, b: Any) -> Any:
    r = 0
    match (a, b):
        case (1, x) | (x, 1) if x > 1:
            r = x
        case (1, _ as y) | (y, _):
            r = y * 10
    return r


@cases((1.0,), (2.0,))
def named(a: Any) -> Any:
    match Q(a, (a, 2)):
        case Q(1.0, (x, y)):
            return x + y
        case Q(b=(x, z)):
            return x * z


@cases((1.0,), (2.0,))
def plain(a: Any) -> Any:
    match Plain(a, 3):
        case Plain(1.0, v):
            return v
        case Plain(u=w, v=3):
            return w


@cases((1,), (2,), (3,))
def dotted(a: Any) -> Any:
    match a:
        case K.ONE:
            return "one"
        case K.TWO:
            return "two"
        case math.pi:
            return "pi"
        case _:
            return "other"


@cases((1.0,))
def seq_nested(a: Any) -> Any:
    match [a, [a, 2, [3]], {"k": a}]:
        case [x, [_, *mid], {"k": y}]:
            return x, mid, y


@cases((1.0,))
def seq_no(a: Any) -> Any:
    match "ab":
        case [_, _]:
            return 1
        case str(s):
            return s


@cases((1.0,))
def as_case(a: Any) -> Any:
    match (a, 2):
        case (float() as f, int() as g) as t:
            return f, g, t


@cases((5,), (0,), (-3,))
def classify(n: Any) -> Any:
    match n:
        case 0:
            return "zero"
        case x if x < 0:
            return f"neg {x}"
        case x if x % 2 == 0:
            s = "even"
        case _:
            s = "odd"
    return s


def op(cmd: Any, x: Any) -> Any:
    match cmd:
        case ("scale", k):
            return x * k
        case ("shift", k) | ("move", k):
            return x + k
        case ["seq", *cs]:
            for c in cs:
                x = op(c, x)
            return x
        case {"name": "pow", "n": n, **kw}:
            return x**n + len(kw)
        case None:
            return x
        case _:
            raise ValueError(f"unknown {cmd}")


@cases((THREE,))
def interp(x: Any) -> Any:
    return op(["seq", ("scale", 2.0), ("move", 1.0), {"name": "pow", "n": 2, "z": 0}, None], x)


@cases((THREE,))
def interp_bad(x: Any) -> Any:
    return op(("rot", 1), x)


@cases((1, 0), (0, 1), (1, 1), (0, 0))
def tuple_graph(a: Any, b: Any) -> Any:
    match a > 0, b > 0:
        case True, True:
            return 3
        case True, _:
            return 2
        case _, True:
            return 1
        case False, False:
            return 0


@cases((None,), (3.0,))
def none(a: Any) -> Any:
    match a:
        case None:
            return 0
        case float(v) | int(v):
            return v + 1


@cases(
    (4,),
)
def break_in_match(n: Any) -> Any:
    s = 0
    for i in range(n):
        match i:
            case 1:
                continue
            case 3:
                break
            case k:
                s += k + 10
    else:
        s = -1
    return s


@cases(
    (np.array([1, 2, 3]),),
)
def match_len(x: Any) -> Any:
    match x.shape:
        case (n,):
            return n
        case (n, m):
            return n * m


@cases(
    (np.ones((2, 3)),),
)
def match_ndim(x: Any) -> Any:
    match x.ndim, x.dtype.kind:
        case 1, _:
            return x
        case 2, "f":
            return x.T


@cases((3,))
def match_capture_leak(n: Any) -> Any:
    match n:
        case 1:
            pass
        case k:
            pass
    return k


@cases((3,), (1,))
def match_unbound(n: Any) -> Any:
    match n:
        case 1:
            pass
        case 3 as k:
            pass
    return k


@cases((1.0,))
def bad_classpat(a: Any) -> Any:
    match Plain2():
        case Plain2(x):
            return x
    return a


class Plain2:
    pass


@cases((1.0,))
def too_many_classpat(a: Any) -> Any:
    match Plain(a, a):
        case Plain(x, _, _):
            return x
    return a


@cases((True,), (False,))
def match_bool(b: Any) -> Any:
    match b:
        case True:
            return 1
        case False:
            return 2


@cases(([1.0, 2.0],), ([1.0],), ([],))
def match_listarg(items: Any) -> Any:
    match items:
        case []:
            return 0
        case [x]:
            return x
        case [x, y]:
            return x + y


@cases(({"a": 1.0},), ({"b": 2.0},), ({"a": 1.0, "b": 2.0},))
def match_dictarg(d: Any) -> Any:
    match d:
        case {"a": x, "b": y}:
            return x + y
        case {"a": x}:
            return x
        case {"b": y, **r}:
            return y, r


@cases((3,), (4,))
def match_walrus(n: Any) -> Any:
    match k := n * 2:
        case 6:
            return k
        case _ if (j := k + 1) > 8:
            return j


@cases((2,))
def match_neg(n: Any) -> Any:
    match -n:
        case -2:
            return 1
        case 2 | -3:
            return 4


@cases((np.array([1.0, 2.0]), np.array([3.0])))
def match_arr_in_tuple(x: Any, y: Any) -> Any:
    match (x, y):
        case (a, b):
            return a.sum() + b.sum()


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
