"""Control flow that everyday code has: exits, targets, names set on some paths, operators that short-circuit."""

# ruff: noqa: B007, B023, B905, E741
# ruff: noqa: F841, RET504
# The programs are written as users write them.

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check_or_refused

THREE, EMPTY = np.array([1.0, 2.0, 3.0]), np.zeros(0)
cases = Cases()


class Color(enum.Enum):
    RED = 1
    GREEN = 2


@dataclasses.dataclass
class P:
    x: float
    y: float


@cases((3,), (0,), (7,))
def while_mid_case(n: Any) -> Any:
    i = 0
    while True:
        i += 1
        if i == n:
            break
        if i > 5:
            return -1
        if i % 2:
            continue
    else:
        i = 99
    return i


@cases((THREE,), (EMPTY,))
def first_in_loop_case(x: Any) -> Any:
    for v in x:
        last = v * 2
    return last


@cases((2,), (-1,))
def unbound_case(n: Any) -> Any:
    if n > 0:
        y = n
    return y


@cases((2,), (-1,), (3,), (9,))
def match_lit_case(n: Any) -> Any:
    match n:
        case 2:
            return 10
        case 3 | 4:
            return 20
        case k if k < 0:
            return k
        case _:
            return 30


@cases((2,), (-1,), (3,), (9,))
def match_nocase_case(n: Any) -> Any:
    r = 0
    match n:
        case 2:
            r = 10
        case 3:
            r = 20
    return r


@cases((1.0, 2.0))
def match_seq_case(a: Any, b: Any) -> Any:
    t = (a, b, 3)
    match t:
        case (x,):
            r = x
        case (x, y):
            r = y
        case (x, *rest):
            r = x + rest[0] + rest[1]
    return r


@cases((1.0, 2.0))
def match_map_case(a: Any, b: Any) -> Any:
    d = {"k": a, "l": b, "m": {"z": 3}}
    match d:
        case {"k": v, "m": {"z": q}, **rest}:
            return v + q + len(rest)
    return 0


@cases((1.0, 2.0), (0.0, 1.0))
def match_cls_case(a: Any, b: Any) -> Any:
    p = P(a, b)
    match p:
        case P(0, y):
            return y
        case P(x=x1, y=2.0):
            return x1 + 100
        case P(x, y):
            return x + y


@cases(
    (1,),
)
def match_type_case(a: Any) -> Any:
    match a:
        case bool():
            return 1
        case int(k):
            return k + 2
        case float():
            return 3


@cases(
    (1.5,),
)
def match_type2_case(a: Any) -> Any:
    match a:
        case bool():
            return 1
        case int():
            return 2
        case float(f):
            return f


@cases((Color.RED,), (Color.GREEN,))
def match_enum_case(c: Any) -> Any:
    match c:
        case Color.RED:
            return 1
        case Color.GREEN:
            return 2


@cases((None,), (True,), ("abc",))
def match_none_case(c: Any) -> Any:
    match c:
        case None:
            return 1
        case True:
            return 2
        case "abc" as s:
            return s + "d"


@cases((1, 2), (2, 1), (3, 3))
def match_orcap_case(a: Any, b: Any) -> Any:
    match (a, b):
        case (1, x) | (x, 1):
            return x
        case _:
            return 0


@cases((np.array([1.0, 2.0, 3.0]), 2), (np.array([1.0, 2.0, 3.0]), 5))
def match_guard_case(x: Any, n: Any) -> Any:
    match n:
        case k if x[0] > k:
            return x
        case k if k == 2:
            return x * 2
        case _:
            return x * 3


@cases((3,), (-2,))
def walrus_chain_case(n: Any) -> Any:
    r = 0 < (k := n * 2) < 10
    return r, k


@cases((3,), (-2,))
def walrus_while_case(n: Any) -> Any:
    i = 0
    s = 0
    while (j := i * i) < n + 20:
        s += j
        i += 1
    return s, j


@cases((THREE,))
def andor_case(x: Any) -> Any:
    if x and True:
        return 1
    return 2


@cases((np.array([5.0]),), (np.array([0.0]),), (np.zeros(0),), (np.array([1.0, 2]),))
def truth_case(x: Any) -> Any:
    if x:
        return 1
    return 2


@cases((np.array([5.0]),), (np.array([0.0]),))
def or_case(x: Any) -> Any:
    y = x or x + 1
    return y


@cases((3,), (0,))
def cond_mixed_case(n: Any) -> Any:
    return n if n > 1 else 2.5


@cases((0, 10, 3), (10, 0, -3), (0, 5, 0), (5, 0, 1))
def range_case(a: Any, b: Any, c: Any) -> Any:
    s = 0
    for i in range(a, b, c):
        s = s * 2 + i
    return s


@cases(
    (np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0])),
)
def zip_case(x: Any, y: Any) -> Any:
    s = 0.0
    for i, (a, b) in enumerate(zip(x, reversed(y)), 3):
        s += i * a * b
    return s


@cases((5,), (0,))
def loopvar_after_case(n: Any) -> Any:
    i = -1
    for i in range(n):
        pass
    return i


@cases(
    (5,),
)
def loopvar_mod_case(n: Any) -> Any:
    s = 0
    for i in range(n):
        i *= 2
        s += i
        n = 0
    return s, n


@cases(
    (5,),
)
def del_case(n: Any) -> Any:
    a = n
    b = a
    del a
    return b


@cases(
    (5,),
)
def del2_case(n: Any) -> Any:
    a = n
    if n > 3:
        del a
    return a


@cases((1, 2, 3))
def star_case(a: Any, b: Any, c: Any) -> Any:
    x, *y = (a, b, c)
    *z, w = [a, b, c]
    return x, y, z, w


@cases((1, 2))
def swap_case(a: Any, b: Any) -> Any:
    a, b = b, a
    c = d = [a]
    c.append(b)
    return a, b, d


@cases(
    (3,),
)
def nested_in_loop_case(n: Any) -> Any:
    s = 0
    for i in range(n):

        def f(k: Any) -> Any:
            return k * i

        s += f(3)
    return s


@cases((3.0,))
def latebind_case(x: Any) -> Any:
    fs = []
    for i in range(3):
        fs.append(lambda v: v * i)
    return [f(x) for f in fs]


@cases((3.0,))
def latebind_def_case(x: Any) -> Any:
    fs = [lambda v, i=i: v * i for i in range(3)]
    gs = [lambda v: v * i for i in range(3)]
    return [f(x) for f in fs], [g(x) for g in gs]


@cases((3,))
def nonlocal_case(n: Any) -> Any:
    c = 0

    def inc() -> Any:
        nonlocal c
        c += 1
        return c

    for _ in range(n):
        inc()
    return c


@cases((np.array([3.0, -1.0, 2.0]),))
def nested_exits_case(x: Any) -> Any:
    for i in range(3):
        for j in range(i, 3):
            if x[j] < 0:
                if i > 0:
                    break
                continue
            if x[i] + x[j] > 5.5:
                return i, j
        else:
            continue
        break
    return -1, i


@cases((np.array([3.0, -1.0, 2.0]),))
def for_else_case(x: Any) -> Any:
    for v in x:
        if v == 2.0:
            r = 1
            break
    else:
        r = 0
    return r


@cases((3,), (2,))
def try_loop_else_case(n: Any) -> Any:
    i = 0
    while i < n:
        i += 1
        if i == 3:
            break
    else:
        return -i
    return i


@cases((4,))
def static_str_case(n: Any) -> Any:
    s = ["a", "b", "c"]
    r = {}
    for k in s:
        r[k.upper()] = n
    return r


@cases((4,))
def comp_walrus_case(n: Any) -> Any:
    return [y for k in (1, 2, 3) if (y := k * 2) > 2]


@cases((4,), (1,))
def global_read_case(n: Any) -> Any:
    global G
    return n + G


G = 3


@cases((4,), (1,))
def aug_targets_case(n: Any) -> Any:
    d = {"a": 1}
    l = [1, 2]
    p = P(1.0, 2.0)
    d["a"] += n
    l[-1] *= n
    p.x -= n
    l += (n,)
    l[0:1] = [7, 8]
    return d, l, p.x


@cases((np.float64(3),), (np.float64(-1),))
def match_graph_case(v: Any) -> Any:
    match v:
        case 3:
            return 1
        case -1.0:
            return 2
    return 0


@cases((np.array([1.0, 5.0, 2.0]),))
def match_graph2_case(x: Any) -> Any:
    s = 0
    for v in x:
        match v:
            case 1.0:
                s += 1
            case 5.0 | 6.0:
                s += 10
            case w if w < 3:
                s += 100
    return s


@cases((np.array([1, 2]),))
def match_arr_case(x: Any) -> Any:
    match x:
        case [a, b]:
            return a
        case _:
            return x


@cases((3, 4), (0, 4))
def chain_case(a: Any, b: Any) -> Any:
    return 0 < a < b < 10, 0 < a != b


@cases((3,), (0,))
def ifs_case(n: Any) -> Any:
    if n > 1:
        a = 1
    elif n > 0:
        b = 2
    else:
        c = 3
    if n > 1:
        return a
    return c


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check_or_refused(fn, *inputs)
