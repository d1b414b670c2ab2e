"""Random residual programs, and ways to write small ones by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from graph_program.extract.diagnostics import UNKNOWN
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.residual import (
    Block,
    Check,
    Const,
    Copy,
    If,
    Leave,
    Loop,
    Op,
    Operand,
    Program,
    Raise,
    Stmt,
)
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import FLOAT64, PY_BOOL, PY_FLOAT, PY_INT, TensorType

VECTOR = TensorType(FLOAT64, (dim(3),))
TYPES = {"i": PY_INT, "b": PY_BOOL, "f": PY_FLOAT, "v": VECTOR}
"""Variables are named by their type: the first letter says which."""


def const(value: Any) -> Const:
    return Const(np.asarray(value))


def op(target: str, name: str, *args: Operand, **attrs: Any) -> Op:
    return Op(target, name, args, attrs, loc=UNKNOWN)


def copy(**assignments: Operand) -> Copy:
    return Copy(list(assignments), list(assignments.values()), loc=UNKNOWN)


def if_(test: Operand, body: list[Stmt], orelse: list[Stmt] | None = None) -> If:
    return If(test, body, orelse or [], loc=UNKNOWN)


def loop(*body: Stmt) -> Loop:
    return Loop(list(body), loc=UNKNOWN)


def count(counter: str, trips: Operand, *body: Stmt) -> Loop:
    return Loop(list(body), counter, trips, loc=UNKNOWN)


def block(label: str, *body: Stmt) -> Block:
    return Block(label, list(body), loc=UNKNOWN)


def leave(label: str) -> Leave:
    return Leave(label, loc=UNKNOWN)


def check(bad: Operand, error: int, *args: Operand) -> Check:
    return Check(bad, error, args, loc=UNKNOWN)


def raise_(error: int, *args: Operand) -> Raise:
    return Raise(error, args, loc=UNKNOWN)


def program(inputs: str, body: list[Stmt], outputs: list[Operand], errors: str = "") -> Program:
    """A program whose variables' first letters are their types; one error per letter group."""
    names = set(inputs.split())
    _collect(body, names)
    infos = [
        ErrorInfo(ValueError, (), UNKNOWN, arg_types=tuple(TYPES[letter] for letter in group if letter != "-"))
        for group in errors.split()
    ]
    types = {name: TYPES[name[0]] for name in sorted(names)}
    labels = [f"out_{i}" for i in range(len(outputs))]
    return Program("f", inputs.split(), body, outputs, labels, types, infos, UNKNOWN)


def _collect(body: list[Stmt], names: set[str]) -> None:
    for stmt in body:
        match stmt:
            case Op():
                names.add(stmt.target)
            case Copy():
                names.update(stmt.targets)
            case If():
                _collect([*stmt.body, *stmt.orelse], names)
            case Loop():
                names.update({stmt.counter} - {None})
                _collect(stmt.body, names)
            case Block():
                _collect(stmt.body, names)


# ---------------------------------------------------------------- random programs

OPERATIONS = {
    "i": [("add", "ii"), ("subtract", "ii"), ("maximum", "ii"), ("bitwise_and", "ii"), ("where", "bii")],
    "b": [("less", "ii"), ("equal", "ii"), ("bitwise_or", "bb"), ("invert", "b"), ("less", "ff")],
    "f": [("add", "ff"), ("multiply", "ff"), ("where", "bff")],
    "v": [("add", "vv"), ("multiply", "vf"), ("where", "bvv")],
}
MERGED = [f"{letter}{i}" for letter in TYPES for i in range(3)]
ERRORS = ["-", "i", "if", "v"]


class _Generator:
    """Draws statements; merge variables are always assigned, operations' targets are in scope."""

    def __init__(self, draw: Any, budget: int):
        self.draw = draw
        self.budget = budget
        self.number = 0

    def pick(self, choices: list[Any]) -> Any:
        return self.draw(st.sampled_from(choices))

    def operand(self, letter: str, scope: list[str]) -> Operand:
        names = [name for name in scope if name[0] == letter]
        if self.draw(st.integers(0, 5)) == 0:
            values = {"i": [0, 1, 2, 7], "b": [True, False], "f": [0.5, 1.5, -0.0], "v": [np.arange(3.0)]}
            return const(self.pick(values[letter]))
        return self.pick(names)

    def fresh(self, letter: str) -> str:
        self.number += 1
        return f"{letter}t{self.number}"

    def statements(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        scope = list(scope)
        body: list[Stmt] = []
        for _ in range(self.draw(st.integers(1, 5))):
            if self.budget <= 0:
                break
            self.budget -= 1
            made = self.statement(scope, labels, depth)
            body += made
            if isinstance(made[-1], Leave | Raise):
                break
        return body

    def statement(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        kinds = ["op", "op", "op", "copy", "copy", "check"]
        if depth < 5:
            kinds += ["if", "if", "if", "loop", "loop", "count", "block", "block"]
        if labels:
            kinds += ["leave", "leave"]
        if depth:
            kinds += ["raise"]
        return getattr(self, "make_" + self.pick(kinds))(scope, labels, depth)

    def make_op(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        letter = self.pick(list(TYPES))
        name, args = self.pick(OPERATIONS[letter])
        made = op(self.fresh(letter), name, *[self.operand(arg, scope) for arg in args])
        scope.append(made.target)
        return [made]

    def make_copy(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        targets = self.draw(st.lists(st.sampled_from(MERGED), min_size=1, max_size=3, unique=True))
        return [copy(**{target: self.operand(target[0], scope) for target in targets})]

    def make_check(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        return [check(self.operand("b", scope), *self.error(scope))]

    def make_raise(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        return [raise_(*self.error(scope))]

    def make_leave(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        return [*self.maybe_copy(scope), leave(self.pick(labels))]

    def error(self, scope: list[str]) -> list[Any]:
        number = self.draw(st.integers(0, len(ERRORS) - 1))
        return [number, *(self.operand(letter, scope) for letter in ERRORS[number] if letter != "-")]

    def make_if(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        arms = [self.statements(scope, labels, depth + 1) for _ in range(self.draw(st.integers(1, 2)))]
        return [if_(self.operand("b", scope), *arms)]

    def make_block(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        label = f"L{self.fresh('')}"
        return [block(label, *self.statements(scope, [*labels, label], depth + 1))]

    def make_loop(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        """`while` or endless, in a block that it may leave; a counter ends it one day."""
        label, inner = f"L{self.fresh('')}", list(scope)
        clock, ahead, test = self.fresh("i"), self.fresh("i"), self.fresh("b")
        leave_it: list[Stmt] = [*self.maybe_copy(inner), leave(label)]
        first = [op(test, "less", clock, const(self.draw(st.integers(0, 4)))), if_(test, [], leave_it)]
        start = copy(**{clock: const(0)})
        inner += [clock, test]
        rest = self.statements(inner, [*labels, label], depth + 1)
        last = [op(ahead, "add", clock, const(1)), copy(**{clock: ahead})]
        early = self.statements(inner[:-1], [*labels, label], depth + 1) if self.draw(st.booleans()) else []
        if self.draw(st.booleans()):
            again = f"L{self.fresh('')}"
            rest = [block(again, *self.statements(inner, [*labels, label, again], depth + 1)), *rest]
        return [start, block(label, loop(*early, *first, *rest, *last))]

    def make_count(self, scope: list[str], labels: list[str], depth: int) -> list[Stmt]:
        label, counter = f"L{self.fresh('')}", self.fresh("i")
        trips = self.pick([const(0), const(3), "i0", "i1"])
        body = self.statements([*scope, counter], [*labels, label], depth + 1)
        found: Stmt = count(counter, trips, *body)
        return [block(label, found, *self.maybe_copy(scope))]

    def maybe_copy(self, scope: list[str]) -> list[Stmt]:
        return self.make_copy(scope, [], 0) if self.draw(st.booleans()) else []


@st.composite
def programs(draw: Any, budget: int = 40) -> Program:
    """A program with inputs of every type, nested control flow, checks and raises."""
    generator = _Generator(draw, budget)
    inputs = ["i_in", "b_in", "f_in", "v_in"]
    start = copy(**{name: f"{name[0]}_in" for name in MERGED})
    body = generator.statements([*inputs, *MERGED], [], 0)
    while generator.budget > 0 and draw(st.integers(0, 3)):
        body += generator.statements([*inputs, *MERGED], [], 0)
    body = [stmt for stmt in body if not isinstance(stmt, Raise)]
    outputs = draw(st.lists(st.sampled_from(MERGED), min_size=1, max_size=4))
    return program(" ".join(inputs), [start, *body], outputs, " ".join(ERRORS))


INPUTS = st.tuples(
    st.integers(-1, 4), st.booleans(), st.sampled_from([0.5, -2.0, 3.0]), st.sampled_from([1.0, 2.0])
).map(lambda t: [np.asarray(t[0]), np.asarray(t[1]), np.asarray(t[2]), np.array([0.0, -1.0, 2.0]) * t[3]])
