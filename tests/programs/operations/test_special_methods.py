"""Special methods, descriptors and orderings of classes of the program itself."""

# ruff: noqa: C416, E741
# The programs are written as users write them.

from __future__ import annotations

import abc
import functools
import operator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from tests.programs.plain import Cases, check
from tests.programs.vector import V

x6 = np.arange(6.0)
T = TypeVar("T")

cases = Cases()


class SA:
    def __init__(self, v: Any) -> Any:
        self.v = v

    def __setattr__(self, name: Any, value: Any) -> Any:
        object.__setattr__(self, name, value * 2)


class SS:
    def __init__(self, v: Any) -> Any:
        self.v = v
        self.log = []

    def __setattr__(self, name: Any, value: Any) -> Any:
        if name == "v" and value < 0:
            raise ValueError("negative")
        super().__setattr__(name, value)


class GA:
    def __init__(self, v: Any) -> Any:
        self.v = v

    def __getattr__(self, name: Any) -> Any:
        if name == "twice":
            return self.v * 2
        raise AttributeError(name)


class GBA:
    def __init__(self, v: Any) -> Any:
        self.v = v

    def __getattribute__(self, name: Any) -> Any:
        return object.__getattribute__(self, name)


class Pos:
    def __set_name__(self, owner: Any, name: Any) -> Any:
        self.name = "_" + name

    def __get__(self, obj: Any, owner: Any = None) -> Any:
        return getattr(obj, self.name)

    def __set__(self, obj: Any, value: Any) -> Any:
        if value < 0:
            raise ValueError(f"{self.name} must be positive")
        setattr(obj, self.name, value)


class WithPos:
    a = Pos()
    b = Pos()

    def __init__(self, a: Any, b: Any) -> Any:
        self.a = a
        self.b = b


class Slots:
    __slots__ = ("x", "y")

    def __init__(self, x: Any) -> Any:
        self.x = x


class Vec3:
    def __init__(self, d: Any) -> Any:
        self.data = list(d)

    def __getitem__(self, i: Any) -> Any:
        return self.data[i]

    def __setitem__(self, i: Any, v: Any) -> Any:
        self.data[i] = v

    def __len__(self) -> Any:
        return len(self.data)

    def __iter__(self) -> Any:
        return iter(self.data)

    def __contains__(self, v: Any) -> Any:
        return v in self.data

    def __delitem__(self, i: Any) -> Any:
        del self.data[i]

    def __reversed__(self) -> Any:
        return reversed(self.data)


class Temp:
    def __init__(self, c: Any) -> Any:
        self._c = c

    @property
    def f(self) -> Any:
        return self._c * 1.8 + 32

    @f.setter
    def f(self, v: Any) -> Any:
        self._c = (v - 32) / 1.8

    @f.deleter
    def f(self) -> Any:
        self._c = 0.0

    @functools.cached_property
    def heavy(self) -> Any:
        return self._c**2

    @classmethod
    def from_f(cls, f: Any) -> Any:
        t = cls(0.0)
        t.f = f
        return t

    @staticmethod
    def abs0() -> Any:
        return -273.15


@functools.total_ordering
class TO:
    def __init__(self, v: Any) -> Any:
        self.v = v

    def __eq__(self, o: Any) -> Any:
        return self.v == o.v

    def __lt__(self, o: Any) -> Any:
        return self.v < o.v


@dataclass(order=True)
class Ord:
    a: float
    b: float = 0.0
    c: float = field(default=1.0, compare=False)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> Any: ...

    def twice(self) -> Any:
        return 2 * self.area()


class Sq(Shape):
    def __init__(self, s: Any) -> Any:
        self.s = s

    def area(self) -> Any:
        return self.s**2


class Matrix:
    __array_priority__ = 10

    def __init__(self, d: Any) -> Any:
        self.d = d

    def __rmul__(self, k: Any) -> Any:
        return Matrix(k * self.d)

    def __radd__(self, k: Any) -> Any:
        return Matrix(k + self.d)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.d


@cases((1.0,))
def o_setattr(c: float) -> Any:
    s = SA(c)
    s.w = 3.0
    return (s.v, s.w)


@cases((1.0,), (-1.0,))
def o_setattr_super(c: float) -> Any:
    s = SS(1.0)
    s.v = c
    return s.v


@cases((1.0,))
def o_getattr(c: float) -> Any:
    s = GA(c)
    return (s.twice, getattr(s, "other", 7.0), hasattr(s, "twice"), hasattr(s, "zz"))


@cases((1.0,))
def o_getattribute(c: float) -> Any:
    return GBA(c).v


@cases((1.0, 2.0), (-1.0, 2.0), (1.0, -2.0))
def o_descr(a: float, b: float) -> Any:
    w = WithPos(a, b)
    w.a += 1
    return w.a + w.b


@cases((1.0,))
def o_slots(c: float) -> Any:
    s = Slots(c)
    s.y = 2.0
    s.x += 1
    return (s.x, s.y)


@cases((1.0, 2.0), (0.0, 3.0))
def o_ops(a: float, b: float) -> Any:
    u = V(a, b)
    w = V(2.0, 1.0)
    s = u + w
    t = 2 * u
    p = u * w
    n = -u
    s += u
    return (s.x, s.y, t.x, p, n.y, abs(u), u == w, u != w, u < w, u > w, len(u), u[0], u[1], a in u, u(3.0))


@cases((1.0, 2.0), (0.0, 3.0))
def o_more_ops(a: float, b: float) -> Any:
    u = V(a, b)
    w = V(2.0, 1.0)
    z = 5.0 - u
    return (bool(u), u @ w, z.x, (u / 2).x, (u**2).y)


@cases((1.0, 2.0), (0.0, 3.0))
def o_cond_obj(a: float, b: float) -> Any:
    u = V(a, b)
    return 1.0 if u else 2.0


@cases((1.0, 2.0), (5.0, 3.0))
def o_sort(a: float, b: float) -> Any:
    l = sorted([V(a, b), V(1.0, 1.0), V(3.0, 3.0)])
    return [v.x for v in l]


@cases((1.0, 2.0), (5.0, 3.0))
def o_minobj(a: float, b: float) -> Any:
    m = min(V(a, b), V(3.0, 3.0))
    return m.x


@cases((1.0, 2.0), (5.0, 3.0))
def o_seq(a: float, b: float) -> Any:
    v = Vec3([a, b, 3.0])
    v[0] = 7.0
    v[1] += 1
    s = 0.0
    for e in v:
        s += e
    del v[2]
    return (v[0], v[1], len(v), s, 3.0 in v, v[-1], [e for e in v], [e for e in reversed(v)])


@cases((1.0, 1), (5.0, 2))
def o_seq_comp(a: float, i: int) -> Any:
    v = Vec3([a, 2.0, 3.0])
    v[i] = 7.0
    return (v[i], v.data)


@cases((1.0,))
def o_prop(c: float) -> Any:
    t = Temp(c)
    t.f += 10
    u = Temp.from_f(c)
    h = t.heavy
    t._c = 0.0
    return (t._c, u._c, h, t.heavy, t.abs0())


@cases((1.0,))
def o_propdel(c: float) -> Any:
    t = Temp(c)
    del t.f
    return t._c


@cases((1.0, 2.0), (2.0, 2.0), (3.0, 2.0))
def o_total(a: float, b: float) -> Any:
    x = TO(a)
    y = TO(b)
    return (x < y, x <= y, x > y, x >= y, x == y, x != y)


@cases((1.0,))
def o_without_delitem(c: float) -> Any:
    t = Temp(c)
    try:
        del t["_c"]
    except TypeError:
        return t._c
    return 0.0


@cases((1.0, 2.0), (2.0, 2.0), (3.0, 2.0))
def o_order(a: float, b: float) -> Any:
    x = Ord(a, 1.0)
    y = Ord(b)
    return (x < y, x <= y, x > y, x >= y, x == y, max(x, y).a, sorted([x, y])[0].a)


@cases((x6,))
def o_reflected_np(x: Any) -> Any:
    m = Matrix(x)
    return ((2.0 * m).d, (3 + m).d)


@cases((x6,))
def o_sum_obj(x: Any) -> Any:
    m = sum([Matrix(x)], 0)
    return m.d


@cases((1.0,))
def o_getattr_m(c: float) -> Any:
    return (Sq(c).area(), operator.attrgetter("s")(Sq(c)), operator.methodcaller("area")(Sq(c)))


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
