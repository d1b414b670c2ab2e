"""Calls: decorators, functions of functions, arguments, closures."""

# ruff: noqa: B006, B008, C416, C417, E741
# ruff: noqa: PIE804
# The programs are written as users write them.

from __future__ import annotations

import dataclasses
import functools
import operator
from typing import Any

import numpy as np

from graph_program import graph_program
from tests.programs.plain import Cases, check, check_or_refused

THREE, EMPTY = np.array([1.0, 2.0, 3.0]), np.zeros(0)
cases = Cases()


def deco(f: Any) -> Any:
    @functools.wraps(f)
    def w(*a: Any, **k: Any) -> Any:
        return f(*a, **k) * 2

    return w


def scaled(s: Any) -> Any:
    def d(f: Any) -> Any:
        @functools.wraps(f)
        def w(x: Any, *a: Any, **k: Any) -> Any:
            return f(x * s, *a, **k)

        return w

    return d


class Cls:
    def __init__(self, f: Any) -> None:
        self.f = f
        functools.update_wrapper(self, f)

    def __call__(self, *a: Any) -> Any:
        return self.f(*a) + 1


class Rep:
    def __init__(self, n: Any) -> None:
        self.n = n

    def __call__(self, f: Any) -> Any:
        def w(*a: Any) -> Any:
            r = f(*a)
            for _ in range(self.n):
                r = r * 2
            return r

        return w


@deco
def g1(x: Any) -> Any:
    return x + 1


@scaled(3.0)
@deco
def g2(x: Any, k: Any = 1) -> Any:
    return x + k


@Cls
def g3(x: Any) -> Any:
    return x * 10


@Rep(3)
def g4(x: Any) -> Any:
    return x + 1


@graph_program
def g6(x: Any) -> Any:
    return x * 3


def g7(x: Any, /, y: Any, *, z: Any = 3) -> Any:
    return x + y * z


def g8(x, acc=[]) -> Any:
    return x


@cases((THREE,))
def deco_case(x: Any) -> Any:
    return g1(x)


@cases((THREE,))
def deco2_case(x: Any) -> Any:
    return g2(x, k=4)


@cases((THREE,))
def deco3_case(x: Any) -> Any:
    return g3(x)


@cases((THREE,))
def deco4_case(x: Any) -> Any:
    return g4(x)


@cases((THREE,))
def prog_case(x: Any) -> Any:
    return g6(x) + g6(x + 1)


@cases((THREE,))
def posonly_case(x: Any) -> Any:
    return g7(x, 2, z=1) + g7(x, y=2)


@cases((THREE,))
def badcall_case(x: Any) -> Any:
    return g7(x=x, y=2)


@cases((THREE,))
def badcall2_case(x: Any) -> Any:
    return g7(x)


@cases((THREE,))
def nested_deco_case(x: Any) -> Any:
    @deco
    def f(y: Any) -> Any:
        return y + 1

    return f(x)


@cases((THREE,))
def nested_deco2_case(x: Any) -> Any:
    k = 2.0

    def twice(f: Any) -> Any:
        def w(*a: Any, **kw: Any) -> Any:
            return f(f(*a, **kw) * k)

        return w

    @twice
    @scaled(2.0)
    def f(y: Any) -> Any:
        return y + 1

    @staticmethod
    def h(y: Any) -> Any:
        return y

    return f(x)


@cases((THREE,))
def nested_deco3_case(x: Any) -> Any:
    @Cls
    def f(y: Any) -> Any:
        return y + 1

    @Rep(2)
    def h(y: Any) -> Any:
        return y - 1

    return f(x), h(x)


@cases((THREE,))
def partial_case(x: Any) -> Any:
    f = functools.partial(g7, y=2)
    h = functools.partial(f, z=5)
    return f(x) + h(x), f.keywords["y"], f.func is g7


@cases((THREE,))
def reduce_case(x: Any) -> Any:
    return (
        functools.reduce(operator.add, [x, x * 2, x * 3]),
        functools.reduce(operator.mul, (1, 2, 3)),
        functools.reduce(lambda a, b: a + b, x),
    )


@cases((THREE,))
def operator_case(x: Any) -> Any:
    return (
        operator.add(x, 1),
        operator.mul(x, x),
        operator.getitem(x, 0),
        operator.neg(x),
        operator.truediv(x, 2),
        operator.itemgetter(1)(x),
        operator.attrgetter("shape")(x),
        operator.matmul(x, x),
        operator.lt(x, 2),
        operator.methodcaller("sum")(x),
    )


@cases((3, 2))
def operator2_case(a: Any, b: Any) -> Any:
    return (
        operator.add(a, b),
        operator.floordiv(a, b),
        operator.mod(a, b),
        operator.lt(a, b),
        operator.and_(a, b),
        operator.not_(a),
        operator.pow(a, b),
        operator.xor(a, b),
        operator.truth(a),
        operator.is_(a, None),
        operator.contains((1, 2, 3), a),
        operator.abs(a),
        operator.index(a),
    )


@cases((THREE,))
def map_case(x: Any) -> Any:
    return (
        list(map(lambda v: v + 1, [x, x * 2])),
        tuple(map(operator.add, (x, x), (1, 2))),
        [v for v in filter(lambda s: s > 1, (1, 2, 3))],
        list(filter(None, [0, 1, 2])),
    )


@cases((THREE,))
def map_arr_case(x: Any) -> Any:
    s = 0.0
    for v in map(lambda v: v * 2, x):
        s += v
    return s, sum(map(lambda v: v * v, x)), max(map(abs, x))


@cases((THREE,))
def filter_arr_case(x: Any) -> Any:
    s = 0.0
    for v in filter(lambda v: v > 1.5, x):
        s += v
    return s


@dataclasses.dataclass
class Layer:
    w: float
    act: object = np.tanh

    def __call__(self, x: Any) -> Any:
        return self.act(x * self.w)


LAYERS = [Layer(2.0), Layer(3.0, lambda v: np.maximum(v, 0)), Layer(0.5, act=abs)]
ACT = {"relu": lambda v: np.maximum(v, 0), "id": lambda v: v}


@cases((THREE,))
def layers_case(x: Any) -> Any:
    for l in LAYERS:
        x = l(x)
    return ACT["relu"](x)


@cases((THREE,))
def layer_local_case(x: Any) -> Any:
    ls = [Layer(2.0, lambda v: v + 1), Layer(3.0)]
    for l in ls:
        x = l(x)
    d = {"a": lambda v: v * 2, "b": ls[0]}
    return d["a"](x), d["b"](x)


def compose(*fs: Any) -> Any:
    def h(x: Any) -> Any:
        for f in fs:
            x = f(x)
        return x

    return h


COMP = compose(np.exp, lambda v: v + 1, np.log)


@cases((THREE,))
def compose_case(x: Any) -> Any:
    return compose(np.sin, lambda v: v * 2)(x), COMP(x)


@cases((THREE,))
def curry_case(x: Any) -> Any:
    def add(a: Any) -> Any:
        def b(c: Any) -> Any:
            return lambda d: a + c * d

        return b

    return add(x)(2)(x)


def fwd(*args: Any, **kw: Any) -> Any:
    return tgt(*args, **kw)


def tgt(a: Any, b: Any = 2, *c: Any, d: Any = 4, **e: Any) -> Any:
    return a * b + sum(c) + d + e.get("z", 0)


@cases((THREE,))
def fwd_case(x: Any) -> Any:
    return fwd(x), fwd(x, 3, 4, 5, d=1, z=7), fwd(*[x, 2], **{"d": 3})


COUNT = [0]


def dflt(x, y=len([1, 2, 3])) -> Any:
    return x * y


@cases((THREE,))
def default_case(x: Any) -> Any:
    return dflt(x)


@cases((THREE,))
def localdefault_case(x: Any) -> Any:
    k = 2

    def f(v: Any, s: Any = k) -> Any:
        return v * s

    k = 5
    return f(x)


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check_or_refused(fn, *inputs)


def test_functions_of_no_module() -> None:
    """As `exec` makes them where no name of a module is."""

    def doubled(v: Any) -> Any:
        return v * 2

    doubled.__module__ = None  # type: ignore[assignment]

    def program(x: Any) -> Any:
        return doubled(x), np.apply_along_axis(doubled, 0, x)

    check(program, (THREE,))
