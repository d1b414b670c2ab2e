"""A statement with its operands kept one by one, where one of them must be told apart before the next step.

    return f(x) + g(x)                  <part 1> = f(x)
                                ->      <part 2> = g(x)
                                        return <part 1> + <part 2>

Only what Python evaluates in this order anyhow is taken out: not the sides of a conditional expression, nor
what `and` and `or` may skip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.decisions import PARTED
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths.several.one_of_several import read
from graph_program.extract.stage.values.values import Value

HEADS: dict[type[tree.Stmt], tuple[str, ...]] = {
    tree.Assign: ("value",),
    tree.AugAssign: ("value",),
    tree.ExprStmt: ("value",),
    tree.Return: ("value",),
    tree.If: ("test",),
    tree.For: ("iter",),
    tree.Raise: ("exc",),
}
"""The fields of statements that are evaluated first, and once."""
STRICT = (
    tree.Attribute,
    tree.Binary,
    tree.Call,
    tree.Compare,
    tree.DictExpr,
    tree.FormattedValue,
    tree.JoinedStr,
    tree.Keyword,
    tree.ListExpr,
    tree.SetExpr,
    tree.Slice,
    tree.Starred,
    tree.Subscript,
    tree.TupleExpr,
    tree.Unary,
)
"""What has all its operands evaluated, from left to right."""
KEPT = (tree.Attribute, tree.Binary, tree.Call, tree.Compare, tree.IfExp, tree.BoolOp, tree.Subscript, tree.Unary)
"""What is computed, and so is kept."""


@dataclass(frozen=True)
class Part(tree.Expr):
    """An operand that was kept under a name that programs do not have."""

    key: str


@dataclass(frozen=True)
class Keep(tree.Stmt):
    """Evaluate an operand and keep it."""

    key: str
    value: tree.Expr


@dataclass(frozen=True)
class Drop(tree.Stmt):
    """Forget operands."""

    keys: tuple[str, ...]


def read_part(m: Machine, node: Part) -> Value:
    """The operand."""
    return read(m, m.locals[node.key])


def keep(m: Machine, node: Keep) -> None:
    """Evaluate and keep an operand."""
    value = entries.evaluate(m, node.value)
    m.locals[node.key] = value


def drop(m: Machine, node: Drop) -> None:
    """Forget what was kept for a statement."""
    for key in node.keys:
        m.locals.pop(key, None)


def in_steps(m: Machine, body: Sequence[tree.Stmt]) -> Sequence[tree.Stmt]:
    """Statements, those that must be with their operands kept one by one."""
    if not m.decided[PARTED]:
        return body
    return [step for node in body for step in (_steps(m, node) if node.loc in m.decided[PARTED] else [node])]


def _steps(m: Machine, node: tree.Stmt) -> list[tree.Stmt]:
    """The statements that keep a statement's operands, and the statement with these."""
    heads = {name: getattr(node, name) for name in HEADS.get(type(node), ())}
    if m.current_frame.function.nonlocals or any(map(_rebinds, heads.values())):
        return [node]  # a name may be another value by the time that it is read
    apart = _Apart(m, [])
    found: dict[str, Any] = {name: None if value is None else apart.part(value) for name, value in heads.items()}
    return [*apart.kept, replace(node, **found), Drop(tuple(k.key for k in apart.kept), loc=node.loc)]


def _rebinds(node: Any) -> bool:
    """Whether an expression may bind names, or is a function whose defaults would be evaluated too late."""
    if isinstance(node, tree.Lambda):
        return any(p.default is not None for p in node.function.params)  # what its body binds is its own
    if isinstance(node, tree.NamedExpr):
        return True
    if isinstance(node, tuple):
        return any(map(_rebinds, node))
    return isinstance(node, tree.Node) and any(_rebinds(getattr(node, f.name)) for f in fields(node))


@dataclass
class _Apart:
    m: Machine
    kept: list[Keep]

    def operands(self, node: Any) -> Any:
        """The node with its operands kept."""
        if isinstance(node, tree.Compare) and len(node.ops) > 1:
            return node
        if not isinstance(node, STRICT):
            return node
        return replace(node, **{f.name: self._of(node, f.name) for f in fields(node) if f.name != "loc"})

    def _of(self, node: tree.Node, name: str) -> Any:
        value = getattr(node, name)
        if isinstance(node, tree.Call) and name == "func":
            return self.operands(value) if isinstance(value, tree.Attribute) else value
        return self.part(value)

    def part(self, node: Any) -> Any:
        """What stands for an operand, or for several."""
        if isinstance(node, tuple):
            return tuple(map(self.part, node))
        node = self.operands(node)
        computed = isinstance(node, KEPT) or (isinstance(node, tree.Comprehension) and node.kind != "generator")
        if not computed:
            return node
        key = f"<part {next(self.m.naming.counter)}>"
        self.kept.append(Keep(key, node, loc=node.loc))
        return Part(key, loc=node.loc)
