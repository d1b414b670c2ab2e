"""Methods, properties, `super`, and questions about classes and attributes."""

# ruff: noqa: E721
# ruff: noqa: RUF005
# The programs are written as users write them.

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from graph_program import Static, static_range
from tests.programs.plain import Cases, check_or_refused

THREE, EMPTY = np.array([1.0, 2.0, 3.0]), np.zeros(0)
cases = Cases()


class Base:
    scale = 2.0

    def __init__(self, a: Any) -> None:
        self.a = a

    def f(self, x: Any) -> Any:
        return x * self.a

    @property
    def dbl(self) -> Any:
        return self.a * 2

    @staticmethod
    def st(x: Any) -> Any:
        return x + 1

    @classmethod
    def cm(cls, x: Any) -> Any:
        return x * cls.scale

    @classmethod
    def make(cls) -> Any:
        return cls(7.0)

    def __call__(self, x: Any) -> Any:
        return self.f(x) + self.dbl

    def __getitem__(self, i: Any) -> Any:
        return self.a + i

    def __len__(self) -> Any:
        return 3

    def __contains__(self, i: Any) -> Any:
        return i == 2


class Der(Base):
    scale = 5.0

    def __init__(self, a: Any, b: Any) -> None:
        super().__init__(a)
        self.b = b

    def f(self, x: Any) -> Any:
        return super().f(x) + super().f(x) + self.b

    @property
    def dbl(self) -> Any:
        return super().dbl + 1

    @classmethod
    def cm(cls, x: Any) -> Any:
        return super().cm(x) + 1

    @classmethod
    def make(cls) -> Any:
        return cls(7.0, 8.0)


OBJ = Der(2.0, 3.0)


@cases((THREE,))
def super_case(x: Any) -> Any:
    return (
        OBJ(x),
        OBJ.cm(x),
        OBJ.st(x),
        Der.cm(x),
        Der.st(x),
        Base.make()(x),
        Der.make()(x),
        OBJ[1],
        len(OBJ),
        2 in OBJ,
        Base.f(OBJ, x),
    )


@cases((THREE,))
def super_local_case(x: Any) -> Any:
    o = Der(2.0, x)
    return o(x), o.cm(x), o.st(x), o.dbl, o[1], len(o)


@cases((1,), (1.5,), (np.float32(2),), (True,), (THREE,))
def isinst_case(x: Any) -> Any:
    return (
        isinstance(x, int),
        isinstance(x, (int, float)),
        isinstance(x, int | float),
        isinstance(x, np.ndarray),
        isinstance(x, np.generic),
        isinstance(x, numbers.Number),
        isinstance(x, numbers.Integral),
        isinstance(x, numbers.Real),
        isinstance(x, np.floating),
        isinstance(x, bool),
        isinstance(x, (np.ndarray, (int, np.integer))),
        isinstance(x, object),
        isinstance(x, (str, bytes)),
        isinstance(x, type(None)),
    )


@cases((1,), (1.5,), (np.float32(2),), (THREE,))
def types_case(x: Any) -> Any:
    return (
        type(x) is int,
        type(x) == float,
        type(x).__name__,
        callable(x),
        hasattr(x, "shape"),
        hasattr(x, "foo"),
        getattr(x, "foo", 3),
        issubclass(type(x), float),
        x.__class__ is int,
    )


@cases((THREE,))
def types2_case(x: Any) -> Any:
    o = Der(1.0, 2.0)
    return (
        isinstance(o, Base),
        type(o) is Der,
        hasattr(o, "b"),
        hasattr(o, "zz"),
        getattr(o, "zz", 5),
        callable(o),
        callable(len),
        issubclass(Der, Base),
        type(o).__name__,
        o.__class__.__name__,
        len((1, 2)),
        len({"a": 1}),
        len("abc"),
        isinstance([1], (list, tuple)),
        isinstance({}, dict),
        type([]) is list,
        isinstance((1,), tuple),
        o.f(x),
        callable(lambda: 0),
        isinstance(x.shape, tuple),
        isinstance(x.ndim, int),
    )


@cases((THREE,))
def srange_case(x: Any) -> Any:
    r = ()
    for i in static_range(3):
        r = r + (x[i],)
    return r


def st(n: Static[int], x) -> Any:
    r = []
    for i in range(n):
        r.append(x * i)
    return r


@cases((THREE,))
def static_case(x: Any) -> Any:
    return st(2, x)


def gen(a: Any, b: Any) -> Any:
    return a + b


@cases((THREE,))
def generic_case(x: Any) -> Any:
    return gen(1, 2), gen(x, 1), gen("a", "b"), gen([x], [1]), gen((x,), (2,))


@cases((3,))
def lambda_if_case(n: Any) -> Any:
    f = (lambda v: v + 1) if n > 2 else (lambda v: v - 1)
    return f(n)


@cases((3,))
def lambda_if_static_case(n: Any) -> Any:
    f = (lambda v: v + 1) if LIMIT > 2 else (lambda v: v - 1)
    return f(n)


LIMIT = 3


@cases((THREE,))
def sortedkey_case(x: Any) -> Any:
    return sorted([3, 1, 2], key=lambda v: -v), min((3, 1, 2), key=lambda v: v % 3), max([1, 2], [3], key=len)


@cases((THREE,))
def import_case(x: Any) -> Any:
    import math as mm

    import numpy.linalg as la
    from numpy import sin as sn

    return sn(x) * mm.pi + la.norm(x)


@cases((THREE,))
def setattr_case(x: Any) -> Any:
    o = Base(x)
    o.a = x + 1
    o.c = 3
    delattr(o, "c")
    return o.a, hasattr(o, "c")


@cases((THREE,))
def methodref_case(x: Any) -> Any:
    o = Base(2.0)
    f = o.f
    g = Base.f
    return f(x), g(o, x)


@cases((THREE,))
def kwonly_missing_case(x: Any) -> Any:
    def f(*, a: Any) -> Any:
        return a

    return f()


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check_or_refused(fn, *inputs)
