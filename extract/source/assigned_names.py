"""Which names statements and expressions bind, in their own function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graph_program.extract.ir import tree


def assigned_names(body: Sequence[tree.Stmt], augmented: bool = True) -> frozenset[str]:
    """Names that statements bind, in their own function; and those they augment, if asked."""
    names: set[str] = set()
    for node in _walk(body):
        match node:
            case tree.Assign(targets):
                for target in targets:
                    names |= assigned_in_target(target)
            case tree.AugAssign(target):
                names |= assigned_in_target(target) if augmented else frozenset()
            case tree.For(target):
                names |= assigned_in_target(target)
            case tree.NamedExpr(target):
                names.add(target)
            case tree.FunctionDef(function):
                names.add(function.name)
            case tree.ImportName(_, _, target):
                names.add(target)
            case tree.Handler(_, str() as target):
                names.add(target)
            case tree.With(items):
                for _, named in items:
                    names |= frozenset() if named is None else assigned_in_target(named)
    return frozenset(names)


def root_name(node: tree.Node) -> str:
    """The name through which an element or attribute is reached; nothing for what is reached in another way."""
    while isinstance(node, tree.Attribute | tree.Subscript):
        node = node.value
    return node.id if isinstance(node, tree.Name) else ""


def assigned_and_bound(
    body: Sequence[tree.Stmt], others: frozenset[str] = frozenset()
) -> tuple[frozenset[str], frozenset[str]]:
    """Names that a loop with such a body assigns, and those that it binds without reading them; `others` are both."""
    return assigned_names(body) | others, assigned_names(body, False) | others


def assigned_in_target(target: tree.Expr) -> frozenset[str]:
    """Names that an assignment target binds."""
    match target:
        case tree.Name(name):
            return frozenset([name])
        case tree.TupleExpr(elts) | tree.ListExpr(elts):
            return frozenset().union(*map(assigned_in_target, elts))
        case tree.Starred(value):
            return assigned_in_target(value)
    return frozenset()


def assigned_in_expr(node: tree.Expr) -> frozenset[str]:
    """Names bound by `:=` inside an expression."""
    return frozenset(n.target for n in _walk([node]) if isinstance(n, tree.NamedExpr))


def _walk(nodes: Sequence[Any]) -> list[tree.Node]:
    """All nodes below, nested functions excluded."""
    found: list[tree.Node] = []
    stack: list[Any] = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif isinstance(node, tree.Node):
            found.append(node)
            if not isinstance(node, tree.FunctionDef | tree.Lambda):
                stack.extend(vars(node).values())
    return found
