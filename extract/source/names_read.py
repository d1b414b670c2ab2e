"""Which names expressions and functions of the core tree read, in the order Python evaluates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any

from graph_program.extract.ir import tree


def children(node: tree.Node) -> Iterator[tree.Node]:
    """The nodes directly inside `node`, in the order of its fields."""
    for field in fields(node):
        if field.name != "loc":
            yield from _nodes(getattr(node, field.name))


def _nodes(value: object) -> Iterator[tree.Node]:
    if isinstance(value, tree.Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def walk(node: tree.Node) -> Iterator[tree.Node]:
    """`node` and all nodes inside it, nested functions included."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(children(top))


def header(function: tree.Function) -> list[tree.Expr]:
    """What is evaluated when the function is made: decorators, defaults, annotations."""
    result = list(function.decorators)
    for param in function.params:
        result += [part for part in (param.default, param.annotation) if part is not None]
    return result + ([function.returns] if function.returns is not None else [])


def free_names(function: tree.Function) -> frozenset[str]:
    """The names that calling `function` may read or write outside its own locals."""
    found: set[str] = set(function.nonlocals)
    for stmt in function.body:
        found |= mentioned(stmt)
    return frozenset(found - function.locals)


def mentioned(node: tree.Node) -> set[str]:
    """All names in `node`, as its own scope sees them."""
    if isinstance(node, tree.Name):
        return {node.id}
    if isinstance(node, tree.Function):
        found = set(free_names(node) - node.globals)
        for part in header(node):
            found |= mentioned(part)
        return found
    found = {node.target} if isinstance(node, tree.NamedExpr) else set()
    for child in children(node):
        found |= mentioned(child)
    if isinstance(node, tree.Comprehension):
        found -= own_targets(node)
    return found


def own_targets(node: tree.Comprehension) -> set[str]:
    """The names that exist only inside the comprehension."""
    return {name for clause in node.clauses for name in bound_names(clause.target)}


def bound_names(target: tree.Target) -> Iterator[str]:
    """The plain names that assigning to `target` binds."""
    if isinstance(target, tree.Name):
        yield target.id
    elif isinstance(target, (tree.TupleExpr, tree.ListExpr)):
        for element in target.elts:
            yield from bound_names(element)
    elif isinstance(target, tree.Starred):
        yield from bound_names(target.value)


def captured_names(function: tree.Function) -> set[str]:
    """The names of `function` that code created in it may use later: nested functions, generators."""
    found: set[str] = set()
    stack: list[tree.Node] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, tree.Function):
            found |= free_names(node) - node.globals
            stack.extend(header(node))
            continue
        if isinstance(node, tree.Comprehension) and node.kind == "generator":
            found |= _asked_later(node)
        stack.extend(children(node))
    return found


def _asked_later(node: tree.Comprehension) -> set[str]:
    """What a generator reads once it runs; its first iterable is evaluated where it is made."""
    first, *others = node.clauses
    parts = [node.element, *first.ifs, *others]
    return set().union(*map(mentioned, parts)) - own_targets(node)


class Reads:
    """Collects what is read before it is assigned, over expressions in evaluation order.

    `names` are the names so read; `assigned` are those certainly assigned so far (by `:=`).
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.assigned: set[str] = set()

    def take(self, node: tree.Node | None) -> None:
        """Evaluate `node`."""
        if node is None:
            return
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            handler(self, node)
        else:
            self.take_all(children(node))

    def take_all(self, nodes: Iterable[tree.Node]) -> None:
        for node in nodes:
            self.take(node)

    def maybe(self, nodes: Iterable[tree.Node]) -> None:
        """Nodes that may not be evaluated: what they assign is not certain."""
        before = set(self.assigned)
        self.take_all(nodes)
        self.assigned = before

    def take_target(self, target: tree.Target) -> None:
        """Assign to `target`: its containers and indices are read, its names assigned."""
        if isinstance(target, (tree.TupleExpr, tree.ListExpr)):
            for element in target.elts:
                self.take_target(element)
        elif isinstance(target, tree.Starred):
            self.take_target(target.value)
        elif isinstance(target, tree.Name):
            self.assigned.add(target.id)
        else:
            self.take_all(children(target))

    def _name(self, node: tree.Name) -> None:
        if node.id not in self.assigned:
            self.names.add(node.id)

    def _named(self, node: tree.NamedExpr) -> None:
        self.take(node.value)
        self.assigned.add(node.target)

    def _short_circuit(self, node: tree.BoolOp) -> None:
        self.take(node.values[0])
        self.maybe(node.values[1:])

    def _compare(self, node: tree.Compare) -> None:
        self.take(node.left)
        self.take(node.rights[0])
        self.maybe(node.rights[1:])

    def _conditional(self, node: tree.IfExp) -> None:
        self.take(node.test)
        before = set(self.assigned)
        self.take(node.body)
        after_body = self.assigned
        self.assigned = before
        self.take(node.orelse)
        self.assigned = self.assigned & after_body

    def _function(self, node: tree.Function) -> None:
        self.take_all(header(node))
        self.names |= free_names(node) - node.globals - self.assigned

    def _comprehension(self, node: tree.Comprehension) -> None:
        own = own_targets(node)
        self.take(node.clauses[0].iter)
        inner = Reads()
        inner.assigned = self.assigned | own
        for index, clause in enumerate(node.clauses):
            if index:
                inner.take(clause.iter)
            inner.take_target(clause.target)
            inner.take_all(clause.ifs)
        inner.take(node.key)
        inner.take(node.element)
        self.names |= inner.names


_HANDLERS: dict[type[tree.Node], Callable[[Reads, Any], None]] = {
    tree.Name: Reads._name,
    tree.NamedExpr: Reads._named,
    tree.BoolOp: Reads._short_circuit,
    tree.Compare: Reads._compare,
    tree.IfExp: Reads._conditional,
    tree.Function: Reads._function,
    tree.Comprehension: Reads._comprehension,
}
