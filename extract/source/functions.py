"""Functions inside functions: `def`, `lambda`, comprehensions; parameters and scoping."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.source.expressions import target
from graph_program.extract.source.scope import (
    EXPRESSIONS,
    STATEMENTS,
    Scope,
    converts,
    expression,
    optional,
    suite,
)


def def_function(node: cst.FunctionDef, outer: Scope, qualname: str) -> tree.Function:
    """The function that `node` defines; defaults, annotations and decorators belong to `outer`."""
    decorators = tuple(expression(d.decorator, outer) for d in node.decorators)
    params = _parameters(node.params, outer)
    returns = optional(node.returns.annotation, outer) if node.returns else None
    inner = Scope(outer.text, qualname)
    body = suite(node.body, inner)
    if _has_docstring(node.body):
        body = body[1:]
    name = outer.name(node.name.value)
    is_async = node.asynchronous is not None
    loc = _header(node, inner)
    return _function(name, inner, params, body, loc, returns, is_async=is_async, decorators=decorators)


def lambda_function(node: cst.Lambda, outer: Scope, qualname: str) -> tree.Function:
    """The function that a lambda makes: it returns its expression."""
    params = _parameters(node.params, outer)
    inner = Scope(outer.text, qualname)
    value = expression(node.body, inner)
    body = (tree.Return(value, loc=value.loc),)
    return _function("<lambda>", inner, params, body, inner.loc(node), is_lambda=True)


def _function(
    name: str,
    scope: Scope,
    params: tuple[tree.Param, ...],
    body: tuple[tree.Stmt, ...],
    loc: Loc,
    returns: tree.Expr | None = None,
    *,
    is_lambda: bool = False,
    is_async: bool = False,
    decorators: tuple[tree.Expr, ...] = (),
) -> tree.Function:
    elsewhere = scope.nonlocals | scope.globals
    return tree.Function(
        name,
        scope.qualname,
        params,
        body,
        returns,
        frozenset(scope.bound | {p.name for p in params}) - elsewhere,
        frozenset(scope.nonlocals),
        frozenset(scope.globals),
        is_lambda,
        scope.is_generator,
        is_async,
        decorators,
        loc=loc,
    )


def _header(node: cst.FunctionDef, scope: Scope) -> Loc:
    """`def name`, from its first keyword."""
    return scope.loc_between(node.asynchronous or node, node.name)


def _has_docstring(body: cst.BaseSuite) -> bool:
    first: object = body.body[0] if body.body else None
    if isinstance(first, cst.SimpleStatementLine):
        first = first.body[0]
    if not isinstance(first, cst.Expr):
        return False
    value = first.value
    if not isinstance(value, (cst.SimpleString, cst.ConcatenatedString)):
        return False
    return isinstance(value.evaluated_value, str)


# ---------------------------------------------------------------- parameters


def _parameters(node: cst.Parameters, outer: Scope) -> tuple[tree.Param, ...]:
    return tuple(_parameter(param, kind, outer) for kind, param in _by_kind(node))


def _by_kind(node: cst.Parameters) -> Iterator[tuple[str, cst.Param]]:
    for param in node.posonly_params:
        yield "positional", param
    for param in node.params:
        yield "normal", param
    if isinstance(node.star_arg, cst.Param):
        yield "var_positional", node.star_arg
    for param in node.kwonly_params:
        yield "keyword", param
    if node.star_kwarg is not None:
        yield "var_keyword", node.star_kwarg


def _parameter(param: cst.Param, kind: str, outer: Scope) -> tree.Param:
    default = optional(param.default, outer)
    written = param.annotation.annotation if param.annotation is not None else None
    annotation = optional(written, outer)
    name = outer.name(param.name.value)
    loc = outer.loc_between(param, param.default or written or param.name)
    return tree.Param(name, kind, default, annotation, loc=loc)


# ---------------------------------------------------------------- definitions


@converts(STATEMENTS, cst.FunctionDef)
def nested_def(node: cst.FunctionDef, scope: Scope) -> list[tree.Stmt]:
    name = scope.bind(node.name.value)
    function = def_function(node, scope, scope.inner_qualname(name))
    return [tree.FunctionDef(function, loc=function.loc)]


@converts(EXPRESSIONS, cst.Lambda)
def nested_lambda(node: cst.Lambda, scope: Scope) -> tree.Expr:
    function = lambda_function(node, scope, scope.inner_qualname("<lambda>"))
    return tree.Lambda(function, loc=scope.loc(node))


# ---------------------------------------------------------------- comprehensions

_KINDS: dict[type[cst.CSTNode], str] = {
    cst.ListComp: "list",
    cst.SetComp: "set",
    cst.DictComp: "dict",
    cst.GeneratorExp: "generator",
}


@converts(EXPRESSIONS, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
def comprehension(node: cst.BaseComp, scope: Scope) -> tree.Expr:
    """Its targets are its own; a `:=` inside binds in the function."""
    clauses, is_async = _clauses(node.for_in, scope)
    if isinstance(node, cst.DictComp):
        key, element = expression(node.key, scope), expression(node.value, scope)
    else:
        assert isinstance(node, cst.BaseSimpleComp)
        key, element = None, expression(node.elt, scope)
    loc = scope.loc(node)
    if isinstance(node, cst.GeneratorExp) and node.lpar:
        loc = scope.loc_between(node.lpar[-1], node.rpar[0])
    if is_async:
        return tree.UnsupportedExpr("async_comprehension", loc=loc)
    return tree.Comprehension(_KINDS[type(node)], element, key, clauses, loc=loc)


def _clauses(first: cst.CompFor, scope: Scope) -> tuple[tuple[tree.CompFor, ...], bool]:
    clauses: list[tree.CompFor] = []
    is_async = False
    node: cst.CompFor | None = first
    while node is not None:
        is_async = is_async or node.asynchronous is not None
        bound = target(node.target, scope, binds=False)
        iterated = expression(node.iter, scope)
        ifs = tuple(expression(condition.test, scope) for condition in node.ifs)
        clauses.append(tree.CompFor(bound, iterated, ifs, loc=scope.loc_between(node, node.iter)))
        node = node.inner_for_in
    return tuple(clauses), is_async
