"""Statements of libcst, as those of the core tree.

A compound statement's place is its header without the colon (`while i < n`), so that a diagnostic
underlines what it is about and not a page of body.
"""

from __future__ import annotations

import libcst as cst
from libcst.helpers import get_full_name_for_node

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.source.expressions import target
from graph_program.extract.source.scope import (
    STATEMENTS,
    Scope,
    converts,
    expression,
    optional,
    statement,
    suite,
)

AUGMENTED_OPS: dict[type[cst.CSTNode], str] = {
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.MatrixMultiplyAssign: "@",
    cst.BitAndAssign: "&",
    cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
    cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
}


@converts(STATEMENTS, cst.SimpleStatementLine)
def line(node: cst.SimpleStatementLine, scope: Scope) -> list[tree.Stmt]:
    return [part for small in node.body for part in statement(small, scope)]


@converts(STATEMENTS, cst.Pass)
def nothing(node: cst.Pass, scope: Scope) -> list[tree.Stmt]:
    return []


@converts(STATEMENTS, cst.Expr)
def expression_statement(node: cst.Expr, scope: Scope) -> list[tree.Stmt]:
    return [tree.ExprStmt(expression(node.value, scope), loc=scope.loc(node))]


# ---------------------------------------------------------------- binding


@converts(STATEMENTS, cst.Assign)
def assign(node: cst.Assign, scope: Scope) -> list[tree.Stmt]:
    value = expression(node.value, scope)
    targets = tuple(target(part.target, scope) for part in node.targets)
    return [tree.Assign(targets, value, loc=scope.loc(node))]


@converts(STATEMENTS, cst.AnnAssign)
def annotated_assign(node: cst.AnnAssign, scope: Scope) -> list[tree.Stmt]:
    """Without a value it only makes the name local."""
    annotation = expression(node.annotation.annotation, scope)
    bound = target(node.target, scope)
    if node.value is None:
        return []
    value = expression(node.value, scope)
    return [tree.Assign((bound,), value, annotation, loc=scope.loc(node))]


@converts(STATEMENTS, cst.AugAssign)
def augmented_assign(node: cst.AugAssign, scope: Scope) -> list[tree.Stmt]:
    bound = target(node.target, scope)
    op = AUGMENTED_OPS[type(node.operator)]
    return [tree.AugAssign(bound, op, expression(node.value, scope), loc=scope.loc(node))]


@converts(STATEMENTS, cst.Del)
def delete(node: cst.Del, scope: Scope) -> list[tree.Stmt]:
    deleted = target(node.target, scope)
    targets = deleted.elts if isinstance(deleted, (tree.TupleExpr, tree.ListExpr)) else (deleted,)
    return [tree.Delete(targets, loc=scope.loc(node))]


@converts(STATEMENTS, cst.Global)
def declare_global(node: cst.Global, scope: Scope) -> list[tree.Stmt]:
    scope.globals |= {scope.name(item.name.value) for item in node.names}
    return []


@converts(STATEMENTS, cst.Nonlocal)
def declare_nonlocal(node: cst.Nonlocal, scope: Scope) -> list[tree.Stmt]:
    scope.nonlocals |= {scope.name(item.name.value) for item in node.names}
    return []


# ---------------------------------------------------------------- imports


@converts(STATEMENTS, cst.Import)
def import_modules(node: cst.Import, scope: Scope) -> list[tree.Stmt]:
    return [_import_module(alias, scope) for alias in node.names]


def _import_module(alias: cst.ImportAlias, scope: Scope) -> tree.Stmt:
    """`import a.b as c` binds the submodule, as `from a import b as c`; `import a.b` binds `a`."""
    module = _dotted(alias.name)
    loc = scope.loc(alias)
    bound = _alias_name(alias)
    if bound is None:
        return tree.ImportName(module, None, scope.bind(module.split(".")[0]), loc=loc)
    package, _, name = module.rpartition(".")
    if package:
        return tree.ImportName(package, name, scope.bind(bound), loc=loc)
    return tree.ImportName(module, None, scope.bind(bound), loc=loc)


@converts(STATEMENTS, cst.ImportFrom)
def import_from(node: cst.ImportFrom, scope: Scope) -> list[tree.Stmt]:
    if isinstance(node.names, cst.ImportStar):
        return [tree.Unsupported("star_import", loc=scope.loc(node))]
    module = "" if node.module is None else _dotted(node.module)
    level = len(node.relative)
    result: list[tree.Stmt] = []
    for alias in node.names:
        name = _dotted(alias.name)
        bound = scope.bind(_alias_name(alias) or name)
        result.append(tree.ImportName(module, name, bound, level, loc=scope.loc(alias)))
    return result


def _dotted(node: cst.BaseExpression) -> str:
    return get_full_name_for_node(node) or ""


def _alias_name(alias: cst.ImportAlias) -> str | None:
    if alias.asname is None:
        return None
    assert isinstance(alias.asname.name, cst.Name)
    return alias.asname.name.value


# ---------------------------------------------------------------- leaving


@converts(STATEMENTS, cst.Return)
def returning(node: cst.Return, scope: Scope) -> list[tree.Stmt]:
    return [tree.Return(optional(node.value, scope), loc=scope.loc(node))]


@converts(STATEMENTS, cst.Raise)
def raising(node: cst.Raise, scope: Scope) -> list[tree.Stmt]:
    exc = optional(node.exc, scope)
    cause = optional(node.cause.item, scope) if node.cause else None
    return [tree.Raise(exc, cause, loc=scope.loc(node))]


@converts(STATEMENTS, cst.Assert)
def asserting(node: cst.Assert, scope: Scope) -> list[tree.Stmt]:
    """`if not test: raise AssertionError(message)` with the builtin class, whatever the name means."""
    loc = scope.loc(node)
    test = expression(node.test, scope)
    message = optional(node.msg, scope)
    if not __debug__:
        return []
    exc: tree.Expr = tree.Constant(AssertionError, loc=loc)
    if message is not None:
        exc = tree.Call(exc, (message,), (), loc=loc)
    failing = tree.Unary("not", test, loc=test.loc)
    return [tree.If(failing, (tree.Raise(exc, None, loc=loc),), (), loc=loc)]


# ---------------------------------------------------------------- branches and contexts


@converts(STATEMENTS, cst.If)
def branch(node: cst.If, scope: Scope) -> list[tree.Stmt]:
    loc = scope.loc_between(node, node.test)
    test = expression(node.test, scope)
    body = suite(node.body, scope)
    orelse: tuple[tree.Stmt, ...] = ()
    if isinstance(node.orelse, cst.If):
        orelse = tuple(branch(node.orelse, scope))
    elif node.orelse is not None:
        orelse = suite(node.orelse.body, scope)
    return [tree.If(test, body, orelse, loc=loc)]


@converts(STATEMENTS, cst.With)
def context(node: cst.With, scope: Scope) -> list[tree.Stmt]:
    items: list[tuple[tree.Expr, tree.Target | None]] = []
    for item in node.items:
        manager = expression(item.item, scope)
        items.append((manager, target(item.asname.name, scope) if item.asname else None))
    body = suite(node.body, scope)
    last = node.items[-1]
    loc = scope.loc_between(node, last.asname.name if last.asname else last.item)
    if node.asynchronous is not None:
        return [tree.Unsupported("async_with", loc=loc)]
    return [tree.With(tuple(items), body, loc=loc)]


@converts(STATEMENTS, cst.Try)
def trying(node: cst.Try, scope: Scope) -> list[tree.Stmt]:
    body = suite(node.body, scope)
    handlers = tuple(_handler(handler, scope) for handler in node.handlers)
    orelse = suite(node.orelse.body, scope) if node.orelse else ()
    final = suite(node.finalbody.body, scope) if node.finalbody else ()
    return [tree.Try(body, handlers, orelse, final, loc=scope.loc_word(node, len("try")))]


def _handler(node: cst.ExceptHandler, scope: Scope) -> tree.Handler:
    kind = optional(node.type, scope)
    name: str | None = None
    if node.name is not None:
        assert isinstance(node.name.name, cst.Name)
        name = scope.bind(node.name.name.value)
    return tree.Handler(kind, name, suite(node.body, scope), loc=_handler_place(node, scope))


def _handler_place(node: cst.ExceptHandler, scope: Scope) -> Loc:
    last = node.name.name if node.name else node.type
    return scope.loc_between(node, last) if last else scope.loc_word(node, len("except"))


# ---------------------------------------------------------------- refused


@converts(STATEMENTS, cst.TryStar)
def trying_groups(node: cst.TryStar, scope: Scope) -> list[tree.Stmt]:
    parts = [node.body, *(handler.body for handler in node.handlers)]
    parts += [part.body for part in (node.orelse, node.finalbody) if part is not None]
    for handler in node.handlers:
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            scope.bind(handler.name.name.value)
    for part in parts:
        suite(part, scope)  # for the names that it binds
    return [tree.Unsupported("except_star", loc=scope.loc_word(node, len("try")))]


@converts(STATEMENTS, cst.ClassDef)
def class_definition(node: cst.ClassDef, scope: Scope) -> list[tree.Stmt]:
    scope.bind(node.name.value)
    return [tree.Unsupported("class", loc=scope.loc_between(node, node.name))]


@converts(STATEMENTS, cst.TypeAlias)
def type_alias(node: cst.TypeAlias, scope: Scope) -> list[tree.Stmt]:
    scope.bind(node.name.value)
    return [tree.Unsupported("type_alias", loc=scope.loc(node))]
