"""Closures, arguments, targets of assignments, iterators, and functions chosen on the way."""

# ruff: noqa: B006, B007, B023, B905, E731, E741
# ruff: noqa: F841, PIE804, SIM108
# The programs are written as users write them.

from __future__ import annotations

import dataclasses
import enum
import itertools
import operator
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from tests.programs.plain import Cases, check, check_or_refused

THREE, EMPTY = np.array([1.0, 2.0, 3.0]), np.zeros(0)
cases = Cases()


class Color(enum.Enum):
    RED = 1
    GREEN = 2


@dataclasses.dataclass
class P:
    x: float
    y: float


@cases((THREE,))
def fn_choice_case(x: Any) -> Any:
    act = np.tanh if x[0] > 0 else np.sin
    return act(x)


@cases((THREE,))
def fn_choice2_case(x: Any) -> Any:
    def a(v: Any) -> Any:
        return v + 1

    def b(v: Any, k: Any = 2) -> Any:
        return v * k

    f = a
    if x.sum() > 3:
        f = b
    return f(x)


@cases((3,), (8,))
def exit_many_case(n: Any) -> Any:
    i = 0
    while True:
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if j * i > 30:
                return -1, i, j
        else:
            return 99
        if i > n:
            break
        i += 1
    return i, j


@cases((4,), (0,))
def first_assigned_case(n: Any) -> Any:
    for i in range(n):
        if i == 0:
            y = 1.5
        else:
            y = y * 2
    if n > 2:
        return y
    return 0.0


@cases((3,), (-1,))
def del_use_case(n: Any) -> Any:
    a = 1
    if n > 0:
        del a
    try:
        return a
    except UnboundLocalError as e:
        return str(e)


@cases((5,))
def lambda_default_loop_case(n: Any) -> Any:
    fs = []
    for i in (1, 2, 3):
        fs.append(lambda x, i=i: x * i)
        fs.append(lambda x: x * i)
    return [f(n) for f in fs]


@cases((5,))
def closure_in_graph_loop_case(n: Any) -> Any:
    s = 0
    for i in range(n):
        g = lambda v: v + i
        s += g(1)
    return s, g(0)


@cases((5,))
def nonlocal_loop_case(n: Any) -> Any:
    t = 0.0

    def add(v: Any) -> Any:
        nonlocal t
        t += v

    for i in range(n):
        add(i)
    return t


@cases((5,))
def counter_factory_case(n: Any) -> Any:
    def make() -> Any:
        c = 0

        def inc(k: Any = 1) -> Any:
            nonlocal c
            c += k
            return c

        return inc

    a, b = make(), make()
    a()
    a()
    b(n)
    return a(), b()


@cases((THREE,))
def itertools_case(x: Any) -> Any:
    s = 0.0
    for i, j in itertools.product(range(2), range(3)):
        s += x[j] * i
    for a, b in itertools.combinations((1, 2, 3), 2):
        s += a * b
    for a, b in zip((1, 2), itertools.count(5)):
        s += b
    for v in itertools.chain((1, 2), [3]):
        s += v
    return s, list(itertools.accumulate([1, 2, 3]))


@cases((THREE,))
def itertools_arr_case(x: Any) -> Any:
    return (
        sum(itertools.chain([x[0]], [x[1]])),
        list(itertools.accumulate([x, x])),
        list(itertools.repeat(x, 2)),
        list(itertools.starmap(lambda a, b: a + b, [(x, 1), (x, 2)])),
        list(itertools.islice([x, x, x], 2)),
        list(zip(*[(1, x), (2, x)])),
    )


@cases((3,))
def while_else_case(n: Any) -> Any:
    while n > 0:
        n -= 1
        if n == 5:
            break
    else:
        return "done"
    return "broke"


@cases((2, 3))
def chain_cmp_side_case(a: Any, b: Any) -> Any:
    log = []

    def t(v: Any) -> Any:
        log.append(v)
        return v

    r = t(a) < t(b) < t(10)
    return r, log


@cases((2, 3), (5, 3))
def chain_cmp_short_case(a: Any, b: Any) -> Any:
    c = 0
    if a < b < (c := 7):
        r = 1
    else:
        r = 2
    return r, c


@cases((THREE,))
def aug_all_case(x: Any) -> Any:
    y = x.copy()
    y[0] += 1
    y[1:] *= 2
    y -= 1
    y /= 2
    y **= 2
    y //= 0.5
    y %= 3
    t = (1, 2)
    t += (3,)
    s = "a"
    s += "b"
    s *= 2
    return y, t, s


@cases((3,))
def multi_target_case(n: Any) -> Any:
    a = b, c = n, n + 1
    (d, e), f = a, b
    [g, *h] = a
    i = j = k = []
    i.append(1)
    return a, b, c, d, e, f, g, h, j


@cases((3,))
def swap_items_case(n: Any) -> Any:
    l = [1, n, 3]
    l[0], l[2] = l[2], l[0]
    d = {"a": 1}
    d["a"], d["b"] = n, d["a"]
    i = 0
    i, l[i] = 1, 9
    return l, d, i


@cases((4,))
def for_target_attr_case(n: Any) -> Any:
    p = P(0.0, 0.0)
    for p.x in (1.0, 2.0):
        p.y += p.x
    l = [0, 0]
    for l[0] in range(3):
        l[1] += l[0]
    return p.x, p.y, l


@cases((4, -3), (4, 3), (4, 0))
def range_step_case(n: Any, s: Any) -> Any:
    r = 0
    for i in range(n, -n, s):
        r = r * 3 + i
    return r, len(range(n, -n, s))


@cases((0.0,), (2.0,))
def or_num_case(v: Any) -> Any:
    return v or 1.0, v and 3.0


@cases((3,), (0,))
def ifexp_chain_case(n: Any) -> Any:
    return 1 if n > 2 else 2 if n > 0 else 3


@cases((2.0,))
def lambda_star_case(x: Any) -> Any:
    f = lambda *a, **k: (len(a), sorted(k), a[0])
    return f(x, 1, z=2, b=3), (lambda: x)(), (lambda a, /, b=2, *, c: a + b + c)(x, c=1)


@cases((2.0,))
def star_calls_case(x: Any) -> Any:
    def f(a: Any, b: Any, c: Any = 3, *d: Any, e: Any = 5, **k: Any) -> Any:
        return a, b, c, d, e, sorted(k.items())

    t = (x, 2)
    kw = {"e": 7, "z": 1}
    return f(*t), f(*t, *t, 9), f(*t, **kw), f(b=1, **{"a": x}), f(x, *[2], c=4), [*t, *t], {**kw, "q": 1}, (*t, 3)


@cases((2.0,))
def dup_kw_case(x: Any) -> Any:
    def f(**k: Any) -> Any:
        return k

    return f(a=1, **{"a": 2})


@cases((2.0,))
def too_many_case(x: Any) -> Any:
    def f(a: Any, b: Any = 1) -> Any:
        return a

    return f(x, 2, 3)


@cases((2.0,))
def too_many2_case(x: Any) -> Any:
    def f(a: Any, *, b: Any = 1) -> Any:
        return a

    return f(x, 2, b=3)


@cases((2.0,))
def unexpected_case(x: Any) -> Any:
    def f(a: Any) -> Any:
        return a

    return f(x, bb=1)


@cases((2.0,))
def notcallable_case(x: Any) -> Any:
    return x(3)


@cases((2.0,))
def mutable_default_case(x: Any) -> Any:
    def f(v, acc=[]) -> Any:
        acc.append(v)
        return len(acc)

    return f(x), f(x), f(x, [])


def modf(v, acc=[1.0]) -> Any:
    return v + acc[0]


@cases((2.0,))
def mod_default_case(x: Any) -> Any:
    return modf(x)


@cases((5,))
def unused_unsupported_case(n: Any) -> Any:
    if False:
        yield_ = 1
    return n


@cases((5,))
def nested_class_static_case(n: Any) -> Any:
    return (
        [Color.RED if i % 2 else Color.GREEN for i in range(3)],
        Color(1),
        Color["RED"],
        len(Color),
        [c.name for c in Color],
    )


@cases((2,), (3,))
def enum_dyn_case(n: Any) -> Any:
    c = Color.RED if n > 2 else Color.GREEN
    return 1 if c is Color.RED else 2


@cases((2, 3))
def ternary_fn_case(a: Any, b: Any) -> Any:
    return (max if a > b else min)(a, b)


@cases((2, 3))
def dict_dispatch_case(a: Any, b: Any) -> Any:
    ops = {"add": operator.add, "mul": lambda p, q: p * q}
    return {k: f(a, b) for k, f in ops.items()}


@cases((2.0,))
def sort_stuff_case(x: Any) -> Any:
    l = [3, 1, 2]
    l.sort(reverse=True)
    l.reverse()
    return l, sorted({"b": 1, "a": 2}), sorted([(2, "a"), (1, "b")]), any([]), all(()), list(map(str, [1, 2]))


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check_or_refused(fn, *inputs)


def test_attributes_of_functions_made_in_the_program() -> None:
    def counted(x: Any) -> Any:
        def run(v: Any) -> Any:
            return v + 1

        run.count = 3  # type: ignore[attr-defined]
        return run(x)

    def named(x: Any) -> Any:
        def run(v: Any) -> Any:
            return v + 1

        return run(x), run.__name__, getattr(run, "count", 0), hasattr(run, "count")

    with pytest.raises(GraphProgramError, match="of a function that it makes, which has no place for it"):
        graph_program(counted)(np.ones(2))
    check(named, (np.ones(2),))


def test_attributes_that_are_not_there() -> None:
    def read(x: Any) -> Any:
        def run(v: Any) -> Any:
            return v

        return run.count  # type: ignore[attr-defined]

    def written(x: Any) -> Any:
        pair = x, 2
        pair.first = 1  # type: ignore[attr-defined]

    def deleted(x: Any) -> Any:
        def run(v: Any) -> Any:
            return v

        del run.count  # type: ignore[attr-defined]

    for program in (read, written, deleted):
        check_or_refused(program, (np.ones(2),))
