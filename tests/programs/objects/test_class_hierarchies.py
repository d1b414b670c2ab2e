"""Dataclass options, abstract and generic classes, mixins, enums, context managers."""

# The programs are written as users write them.

from __future__ import annotations

import abc
import dataclasses
import enum
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from tests.programs.plain import Cases, check

x6 = np.arange(6.0)
T = TypeVar("T")

cases = Cases()


class CA:
    k = 3.0
    n = 0

    def __init__(self) -> Any:
        self.n = self.n + 1


class Ctx:
    def __init__(self, log: Any) -> Any:
        self.log = log

    def __enter__(self) -> Any:
        self.log.append(1.0)
        return self

    def __exit__(self, *a: Any) -> Any:
        self.log.append(2.0)
        return a[0] is ValueError


@dataclass(kw_only=True, slots=True)
class KS:
    a: float
    b: float = 2.0


@dataclass
class IV:
    a: float
    scale: InitVar[float] = 2.0
    tag: ClassVar[str] = "iv"
    b: float = field(init=False)
    _: KW_ONLY = None
    z: float = 1.0

    def __post_init__(self, scale: Any) -> Any:
        self.b = self.a * scale


@dataclass(frozen=True)
class P0:
    x: float
    y: float = 0.0

    def moved(self, d: Any) -> Any:
        return dataclasses.replace(self, x=self.x + d)


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


class Ci(Shape):
    def __init__(self, r: Any) -> Any:
        self.r = r

    def area(self) -> Any:
        return 3.0 * self.r**2


class Stack(Generic[T]):
    def __init__(self) -> Any:
        self.items: list[T] = []

    def push(self, v: T) -> Any:
        self.items.append(v)

    def pop(self) -> T:
        return self.items.pop()

    @property
    def top(self) -> Any:
        return self.items[-1]


class MixA:
    def __init__(self, **k: Any) -> Any:
        super().__init__(**k)
        self.a = 1.0

    def val(self) -> Any:
        return 1.0


class MixB:
    def __init__(self, b: Any = 2.0) -> Any:
        self.b = b

    def val(self) -> Any:
        return 10.0


class Both(MixA, MixB):
    def __init__(self, b: Any) -> Any:
        super().__init__(b=b)
        self.c = 3.0

    def val(self) -> Any:
        return super().val() + MixB.val(self)


class Color(enum.IntEnum):
    R = 1
    G = 2
    B = 3


class Ser:
    registry: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, **k: Any) -> Any:
        super().__init_subclass__(**k)
        Ser.registry[cls.__name__] = cls


class SerA(Ser):
    def go(self, x: Any) -> Any:
        return x + 1


@cases((1.0,))
def o_classattr(c: float) -> Any:
    s = CA()
    s.k = c
    return (s.k, CA.k, s.n)


@cases((1.0,), (-1.0,))
def o_ctx(c: float) -> Any:
    log = []
    with Ctx(log) as k:
        k.log.append(5.0)
        if c < 0:
            raise ValueError("x")
        log.append(6.0)
    return log


@cases((1.0, 2.0))
def o_kwslots(a: float, b: float) -> Any:
    k = KS(a=a)
    k.b = b
    return (k.a, k.b)


@cases((1.0, 2.0))
def o_initvar(a: float, b: float) -> Any:
    k = IV(a, b, z=4.0)
    j = IV(a)
    return (k.b + j.b, k.tag, k.z, dataclasses.replace(P0(a), y=3.0))


@cases((1.0, 2.0))
def o_abc(a: float, b: float) -> Any:
    return sum(s.twice() for s in [Sq(a), Ci(b)])


@cases((1.0, 2.0))
def o_generic(a: float, b: float) -> Any:
    s = Stack[float]()
    s.push(a)
    s.push(b)
    t = s.top
    return (s.pop() + t, len(s.items))


@cases((x6,))
def o_generic_loop(x: Any) -> Any:
    s = Stack()
    for v in x:
        if len(s.items) > 0 and s.top > v:
            s.pop()
        s.push(v)
    return s.items


@cases((1.0, 2.0))
def o_mro(a: float, b: float) -> Any:
    o = Both(a)
    return o.a + o.b + o.c + o.val()


@cases((1,), (2,))
def o_intenum(i: int) -> Any:
    c = Color.R + i
    return (c, Color.G * 2, i == Color.R, Color.R < Color.B, Color(2).name, Color["B"].value)


@cases((1,), (2,), (7,))
def o_enum_of(i: int) -> Any:
    c = Color(i)
    if c is Color.R:
        return 1.0
    if c == Color.G:
        return 2.0
    return 3.0


@cases((1,), (2,))
def o_enum_cond(i: int) -> Any:
    c = Color.R if i == 1 else Color.B
    return (c + 1, c == Color.B, c.value)


@cases((x6,))
def o_registry(x: Any) -> Any:
    return Ser.registry["SerA"]().go(x)


@cases((1.0,))
def o_type(c: float) -> Any:
    p = Sq(c)
    return (type(p).__name__, type(p) is Sq, type(p)(2.0).area(), isinstance(p, (Shape, int)), p.__class__.__name__)


@cases.each
def test_same_as_python(fn: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
