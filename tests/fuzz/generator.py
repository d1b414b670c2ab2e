"""Random imperative programs, as source text, with the values to call them with.

A program is made of typed variables (Python ints, floats and bools, arrays, tuples, dataclass
instances), so that most of what comes out runs in plain Python, which is the oracle; what Python
raises, the program must raise.  Loops are bounded by a counter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

HEADER = """\
import numpy as np
from dataclasses import dataclass, replace
from typing import NamedTuple


@dataclass
class Pair:
    u: float
    v: int

    def total(self):
        return self.u + self.v

    def __add__(self, other):
        return Pair(self.u + other.u, self.v - other.v)


class Point(NamedTuple):
    x: float
    y: float


def helper(a, b=2):
    if a > b:
        return a - b
    for k in range(3):
        a = a + k
        if a > 5:
            break
    return a


def clipped(v, low, high):
    return np.minimum(np.maximum(v, low), high)
"""

KINDS = ("int", "float", "bool", "array", "pair", "point")


@dataclass
class Program:
    """Source text of a function `program`, and arguments for it."""

    source: str
    args: tuple[Any, ...]


@dataclass
class Generator:
    """Writes statements; `pick` is the only source of randomness."""

    pick: Callable[[Sequence[Any]], Any]
    lines: list[str] = field(default_factory=list)
    scope: dict[str, str] = field(default_factory=dict)
    counter: int = 0
    budget: int = 25

    # ------------------------------------------------------------ expressions

    def names(self, kind: str) -> list[str]:
        return [n for n, k in self.scope.items() if k == kind]

    def leaf(self, kind: str) -> str:
        known = self.names(kind)
        if known and self.pick([True, True, False]):
            return self.pick(known)
        if kind == "int":
            return self.pick(["0", "1", "2", "3", "-1", "7"])
        if kind == "float":
            return self.pick(["0.5", "1.0", "-2.0", "3.25"])
        if kind == "bool":
            return self.pick(["True", "False"])
        if kind == "array":
            return self.pick(["x", "np.zeros(3)", "np.array([1.0, -2.0, 0.5])", "x * 2"])
        if kind == "pair":
            return f"Pair({self.leaf('float')}, {self.leaf('int')})"
        return f"Point({self.leaf('float')}, {self.leaf('float')})"

    def expr(self, kind: str, depth: int = 0) -> str:
        if depth > 2 or self.pick([True, False]):
            return self.leaf(kind)
        return str(getattr(self, f"_{kind}")(lambda k: self.expr(k, depth + 1)))

    def _int(self, e: Callable[[str], str]) -> str:
        forms = [
            lambda: f"({e('int')} {self.pick(['+', '-', '*'])} {e('int')})",
            lambda: f"({e('int')} {self.pick(['//', '%'])} {self.pick(['2', '3', '-4', e('int')])})",
            lambda: f"({e('int')} if {e('bool')} else {e('int')})",
            lambda: f"abs({e('int')})",
            lambda: f"{self.leaf('pair')}.v",
            lambda: "len(x)",
            lambda: f"max({e('int')}, {e('int')})",
            lambda: f"({e('int')} {self.pick(['&', '|', '^'])} {e('int')})",
            lambda: f"helper({e('int')}, b={e('int')})",
            lambda: f"(-{e('int')})",
            lambda: f"int({e('float')})",
        ]
        return self.pick(forms)()

    def _float(self, e: Callable[[str], str]) -> str:
        forms = [
            lambda: f"({e('float')} {self.pick(['+', '-', '*'])} {e(self.pick(['float', 'int']))})",
            lambda: f"({e('float')} / {self.pick(['2.0', '4', e('float')])})",
            lambda: f"({e('float')} {self.pick(['//', '%'])} {self.pick(['1.5', e('float')])})",
            lambda: f"({e('float')} if {e('bool')} else {e('float')})",
            lambda: f"{self.leaf('pair')}.u",
            lambda: f"{self.leaf('pair')}.total()",
            lambda: f"{self.leaf('point')}.{self.pick(['x', 'y'])}",
            lambda: f"float({self.pick(['np.sum', 'np.max', 'np.min'])}({e('array')}))",
            lambda: f"float(({self.leaf('array')})[{self.pick(['0', '1', '-1'])}])",
            lambda: f"min({e('float')}, {e('float')})",
            lambda: f"helper({e('float')})",
            lambda: f"abs({e('float')})",
        ]
        return self.pick(forms)()

    def _bool(self, e: Callable[[str], str]) -> str:
        forms = [
            lambda: f"({e('int')} {self.pick(['<', '<=', '==', '!=', '>'])} {e(self.pick(['int', 'float']))})",
            lambda: f"({e('bool')} {self.pick(['and', 'or'])} {e('bool')})",
            lambda: f"(not {e('bool')})",
            lambda: f"({e('int')} < {e('int')} <= {e('int')})",
            lambda: f"bool(np.any({e('array')} > {e('float')}))",
        ]
        return self.pick(forms)()

    def _array(self, e: Callable[[str], str]) -> str:
        forms = [
            lambda: f"({e('array')} {self.pick(['+', '-', '*'])} {e(self.pick(['array', 'float', 'int']))})",
            lambda: f"np.where({e('array')} > {e('float')}, {e('array')}, {e('float')})",
            lambda: f"{self.pick(['np.abs', 'np.floor', 'np.negative', 'np.sign'])}({e('array')})",
            lambda: f"({e('array')} if {e('bool')} else {e('array')})",
            lambda: f"clipped({e('array')}, -3.0, {e('float')})",
            lambda: f"({e('array')})[::-1]",
            lambda: f"np.concatenate([({e('array')})[1:], ({e('array')})[:1]])",
            lambda: f"np.cumsum({e('array')})",
            lambda: f"({e('array')} / {self.pick(['2', '4.0'])})",
        ]
        return self.pick(forms)()

    def _pair(self, e: Callable[[str], str]) -> str:
        forms = [
            lambda: f"Pair({e('float')}, {e('int')})",
            lambda: f"({self.leaf('pair')} + {self.leaf('pair')})",
            lambda: f"replace({self.leaf('pair')}, v={e('int')})",
            lambda: f"({self.leaf('pair')} if {e('bool')} else {self.leaf('pair')})",
        ]
        return self.pick(forms)()

    def _point(self, e: Callable[[str], str]) -> str:
        forms = [
            lambda: f"Point({e('float')}, {e('float')})",
            lambda: f"Point(*{self.leaf('point')}[::-1])",
            lambda: f"({self.leaf('point')} if {e('bool')} else {self.leaf('point')})",
            lambda: f"{self.leaf('point')}._replace(x={e('float')})",
        ]
        return self.pick(forms)()

    # ------------------------------------------------------------ statements

    def emit(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def target(self, kind: str) -> str:
        known = [n for n in self.names(kind) if n != "x" and not n.startswith("k")]
        if known and self.pick([True, True, False]):
            return self.pick(known)
        return self.fresh(kind[0])

    def block(self, indent: int, loop: bool) -> None:
        before = dict(self.scope)
        for _ in range(self.pick([1, 2, 3])):
            self.statement(indent, loop)
        self.scope = before

    def statement(self, indent: int, loop: bool) -> None:
        self.budget -= 1
        simple = [self.assign, self.assign, self.augment, self.unpack, self.item, self.set_field]
        nested = [self.if_, self.if_, self.for_, self.while_, self.rows]
        leaving = [self.leave] if loop else [self.return_early]
        choices = simple if self.budget < 0 or indent > 3 else [*simple, *nested, *leaving]
        self.pick(choices)(indent, loop)

    def assign(self, indent: int, loop: bool) -> None:
        kind = self.pick(KINDS)
        value = self.expr(kind)
        name = self.target(kind)
        self.emit(indent, f"{name} = {value}" + (" * 1.0" if kind == "array" else ""))
        self.scope[name] = kind

    def augment(self, indent: int, loop: bool) -> None:
        kind = self.pick(["int", "float", "array"])
        names = [n for n in self.names(kind) if n != "x" and not n.startswith("k")]
        if not names:
            self.assign(indent, loop)
            return
        op = self.pick(["+", "-", "*"])
        self.emit(indent, f"{self.pick(names)} {op}= {self.expr('int' if kind == 'int' else 'float', 1)}")

    def unpack(self, indent: int, loop: bool) -> None:
        a, b = self.target("int"), self.target("float")
        self.emit(indent, f"{a}, {b} = {self.expr('int', 1)}, {self.expr('float', 1)}")
        self.scope |= {a: "int", b: "float"}
        floats = self.names("float")
        if len(floats) > 1:
            c, d = floats[0], floats[-1]
            self.emit(indent, f"{c}, {d} = {d}, {c}")

    def item(self, indent: int, loop: bool) -> None:
        names = [n for n in self.names("array") if n != "x"]
        if not names:
            self.assign(indent, loop)
            return
        name, where = self.pick(names), self.pick(["0", "-1", "1:", ":2", "::2"])
        op = self.pick(["=", "+=", "*="])
        self.emit(indent, f"{name}[{where}] {op} {self.expr('float', 1)}")

    def set_field(self, indent: int, loop: bool) -> None:
        names = self.names("pair")
        if not names:
            self.assign(indent, loop)
            return
        name = self.pick(names)
        if self.pick([True, False]):
            self.emit(indent, f"{name}.u = {self.expr('float', 1)}")
        else:
            self.emit(indent, f"{name}.v += {self.expr('int', 1)}")

    def if_(self, indent: int, loop: bool) -> None:
        self.emit(indent, f"if {self.expr('bool')}:")
        self.block(indent + 1, loop)
        if self.pick([True, False]):
            self.emit(indent, "else:")
            self.block(indent + 1, loop)

    def for_(self, indent: int, loop: bool) -> None:
        name = self.fresh("k")
        bounds = self.pick(["3", "1, 4", "5, 0, -2", "len(x)", self.names("int")[0] + " % 4"])
        self.emit(indent, f"for {name} in range({bounds}):")
        before = dict(self.scope)
        self.scope[name] = "int"
        self.block(indent + 1, True)
        self.scope = before
        self.otherwise(indent, loop)

    def rows(self, indent: int, loop: bool) -> None:
        name = self.fresh("k")
        self.emit(indent, f"for {name} in {self.leaf('array')}:")
        before = dict(self.scope)
        name_f = self.fresh("f")
        self.emit(indent + 1, f"{name_f} = float({name})")
        self.scope[name_f] = "float"
        self.block(indent + 1, True)
        self.scope = before

    def while_(self, indent: int, loop: bool) -> None:
        fuel = self.fresh("k")
        self.emit(indent, f"{fuel} = 0")
        self.emit(indent, f"while {fuel} < {self.pick(['3', '5'])} and {self.expr('bool')}:")
        self.emit(indent + 1, f"{fuel} += 1")
        self.block(indent + 1, True)
        self.otherwise(indent, loop)

    def otherwise(self, indent: int, loop: bool) -> None:
        if self.pick([True, False, False]):
            self.emit(indent, "else:")
            self.block(indent + 1, loop)

    def leave(self, indent: int, loop: bool) -> None:
        self.emit(indent, f"if {self.expr('bool', 1)}:")
        self.emit(indent + 1, self.pick(["break", "continue", self.result()]))

    def return_early(self, indent: int, loop: bool) -> None:
        self.emit(indent, f"if {self.expr('bool', 1)}:")
        self.emit(indent + 1, self.pick([self.result(), f"raise ValueError('at {self.counter}')"]))

    def result(self) -> str:
        picked = [self.leaf(k) for k in ("int", "float", "array", "pair", "point", "bool")]
        return f"return {', '.join(picked)}"

    def program(self) -> str:
        self.scope = {"x": "array", "n": "int", "s": "float", "i1": "int", "f1": "float"}
        self.counter = 1
        self.emit(1, "i1 = 1")
        self.emit(1, "f1 = s * 0.5")
        self.emit(1, "a1 = x * 1.0")
        self.emit(1, "p1 = Pair(s, n)")
        self.scope |= {"a1": "array", "p1": "pair"}
        for _ in range(self.pick([3, 5, 8])):
            self.statement(1, False)
        self.emit(1, self.result())
        return HEADER + "\n\ndef program(x, n, s):\n" + "\n".join(self.lines) + "\n"


ARRAYS = ([1.0, -2.5, 3.0], [0.0, 0.5, -1.0], [4.0, 4.0, 4.0])


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A random program with arguments."""
    source = Generator(lambda options: draw(st.sampled_from(options))).program()
    x = np.array(draw(st.sampled_from(ARRAYS)))
    n = draw(st.integers(-3, 9))
    s = draw(st.sampled_from([0.0, 1.5, -2.0, 10.0]))
    return Program(source, (x, n, s))
