"""Expressions and assignment targets of libcst, as those of the core tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.source.scope import EXPRESSIONS, Scope, converts, expression, optional

UNARY_OPS: dict[type[cst.CSTNode], str] = {
    cst.Minus: "-",
    cst.Plus: "+",
    cst.BitInvert: "~",
    cst.Not: "not",
}

BINARY_OPS: dict[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
}

COMPARE_OPS: dict[type[cst.CSTNode], str] = {
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.In: "in",
    cst.NotIn: "not in",
}

BOOLEAN_OPS: dict[type[cst.CSTNode], str] = {cst.And: "and", cst.Or: "or"}

SINGLETONS: dict[str, Any] = {"None": None, "True": True, "False": False}


# ---------------------------------------------------------------- names and literals


@converts(EXPRESSIONS, cst.Name)
def name(node: cst.Name, scope: Scope) -> tree.Expr:
    if node.value in SINGLETONS:
        return tree.Constant(SINGLETONS[node.value], loc=scope.loc(node))
    return tree.Name(scope.name(node.value), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.Integer, cst.Float, cst.Imaginary)
def number(node: cst.Integer | cst.Float | cst.Imaginary, scope: Scope) -> tree.Expr:
    return tree.Constant(node.evaluated_value, loc=scope.loc(node))


@converts(EXPRESSIONS, cst.Ellipsis)
def ellipsis(node: cst.Ellipsis, scope: Scope) -> tree.Expr:
    return tree.Constant(..., loc=scope.loc(node))


# ---------------------------------------------------------------- access and calls


@converts(EXPRESSIONS, cst.Attribute)
def attribute(node: cst.Attribute, scope: Scope) -> tree.Expr:
    value = expression(node.value, scope)
    return tree.Attribute(value, scope.name(node.attr.value), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.Subscript)
def subscript(node: cst.Subscript, scope: Scope) -> tree.Expr:
    value = expression(node.value, scope)
    elements = [_subscript_element(element, scope) for element in node.slice]
    only = node.slice[0]
    plain = len(elements) == 1 and not isinstance(only.comma, cst.Comma)
    if plain and not isinstance(elements[0], tree.Starred):
        return tree.Subscript(value, elements[0], loc=scope.loc(node))
    between = scope.loc_between(only, node.slice[-1])
    return tree.Subscript(value, tree.TupleExpr(tuple(elements), loc=between), loc=scope.loc(node))


def _subscript_element(element: cst.SubscriptElement, scope: Scope) -> tree.Expr:
    part = element.slice
    if isinstance(part, cst.Index):
        value = expression(part.value, scope)
        return tree.Starred(value, loc=scope.loc(part)) if part.star else value
    assert isinstance(part, cst.Slice)
    bounds = (optional(bound, scope) for bound in (part.lower, part.upper, part.step))
    return tree.Slice(*bounds, loc=scope.loc(part))


@converts(EXPRESSIONS, cst.Call)
def call(node: cst.Call, scope: Scope) -> tree.Expr:
    func = expression(node.func, scope)
    positional: list[tree.Expr] = []
    keywords: list[tree.Keyword] = []
    for arg in node.args:
        value = expression(arg.value, scope)
        if arg.star == "*":
            positional.append(tree.Starred(value, loc=scope.loc_between(arg, arg.value)))
        elif arg.star == "**" or arg.keyword is not None:
            # Python does not mangle the names of keywords
            keyword = None if arg.keyword is None else arg.keyword.value
            keywords.append(tree.Keyword(keyword, value, loc=scope.loc_between(arg, arg.value)))
        else:
            positional.append(value)
    return tree.Call(func, tuple(positional), tuple(keywords), loc=scope.loc(node))


# ---------------------------------------------------------------- operators


@converts(EXPRESSIONS, cst.UnaryOperation)
def unary(node: cst.UnaryOperation, scope: Scope) -> tree.Expr:
    op = UNARY_OPS[type(node.operator)]
    return tree.Unary(op, expression(node.expression, scope), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.BinaryOperation)
def binary(node: cst.BinaryOperation, scope: Scope) -> tree.Expr:
    op = BINARY_OPS[type(node.operator)]
    left = expression(node.left, scope)
    return tree.Binary(op, left, expression(node.right, scope), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.Comparison)
def comparison(node: cst.Comparison, scope: Scope) -> tree.Expr:
    left = expression(node.left, scope)
    ops = tuple(COMPARE_OPS[type(part.operator)] for part in node.comparisons)
    rights = tuple(expression(part.comparator, scope) for part in node.comparisons)
    return tree.Compare(left, ops, rights, loc=scope.loc(node))


@converts(EXPRESSIONS, cst.BooleanOperation)
def boolean(node: cst.BooleanOperation, scope: Scope) -> tree.Expr:
    op = BOOLEAN_OPS[type(node.operator)]
    left = expression(node.left, scope)
    right = expression(node.right, scope)
    first = left.values if isinstance(left, tree.BoolOp) and left.op == op else (left,)
    return tree.BoolOp(op, (*first, right), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.IfExp)
def conditional(node: cst.IfExp, scope: Scope) -> tree.Expr:
    test = expression(node.test, scope)
    body = expression(node.body, scope)
    return tree.IfExp(test, body, expression(node.orelse, scope), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.NamedExpr)
def named(node: cst.NamedExpr, scope: Scope) -> tree.Expr:
    value = expression(node.value, scope)
    assert isinstance(node.target, cst.Name)
    return tree.NamedExpr(scope.bind(node.target.value), value, loc=scope.loc(node))


# ---------------------------------------------------------------- displays


@converts(EXPRESSIONS, cst.Tuple)
def tuple_display(node: cst.Tuple, scope: Scope) -> tree.Expr:
    return tree.TupleExpr(_elements(node.elements, scope), loc=_bracketed(node, scope))


@converts(EXPRESSIONS, cst.List)
def list_display(node: cst.List, scope: Scope) -> tree.Expr:
    return tree.ListExpr(_elements(node.elements, scope), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.Set)
def set_display(node: cst.Set, scope: Scope) -> tree.Expr:
    return tree.SetExpr(_elements(node.elements, scope), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.Dict)
def dict_display(node: cst.Dict, scope: Scope) -> tree.Expr:
    items: list[tuple[tree.Expr | None, tree.Expr]] = []
    for element in node.elements:
        key = expression(element.key, scope) if isinstance(element, cst.DictElement) else None
        items.append((key, expression(element.value, scope)))
    return tree.DictExpr(tuple(items), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.StarredElement)
def starred(node: cst.StarredElement, scope: Scope) -> tree.Expr:
    return tree.Starred(expression(node.value, scope), loc=_without_comma(node, scope))


def _elements(elements: Sequence[cst.BaseElement], scope: Scope) -> tuple[tree.Expr, ...]:
    return tuple(
        starred(e, scope) if isinstance(e, cst.StarredElement) else expression(e.value, scope) for e in elements
    )


def _without_comma(node: cst.StarredElement, scope: Scope) -> Loc:
    return scope.loc_between(node, node.value)


def _bracketed(node: cst.Tuple, scope: Scope) -> Loc:
    """A tuple's own parentheses belong to it, as in Python's positions."""
    if not node.lpar:
        return scope.loc(node)
    return scope.loc_between(node.lpar[-1], node.rpar[0])


# ---------------------------------------------------------------- suspension


@converts(EXPRESSIONS, cst.Yield)
def yielding(node: cst.Yield, scope: Scope) -> tree.Expr:
    scope.is_generator = True
    if isinstance(node.value, cst.From):
        expression(node.value.item, scope)  # for the names that it binds
        return tree.UnsupportedExpr("yield", loc=scope.loc(node))
    return tree.Yield("yield", optional(node.value, scope), loc=scope.loc(node))


@converts(EXPRESSIONS, cst.Await)
def awaiting(node: cst.Await, scope: Scope) -> tree.Expr:
    expression(node.expression, scope)  # for the names that it binds
    return tree.UnsupportedExpr("await", loc=scope.loc(node))


# ---------------------------------------------------------------- targets


def target(node: cst.BaseExpression, scope: Scope, *, binds: bool = True) -> tree.Target:
    """The assignment target for `node`; its names become the function's unless `binds` is false."""
    if isinstance(node, cst.Name):
        place = scope.loc(node)
        return tree.Name(scope.bind(node.value) if binds else scope.name(node.value), loc=place)
    if isinstance(node, cst.Tuple):
        return tree.TupleExpr(_targets(node.elements, scope, binds), loc=_bracketed(node, scope))
    if isinstance(node, cst.List):
        return tree.ListExpr(_targets(node.elements, scope, binds), loc=scope.loc(node))
    return expression(node, scope)


def _targets(elements: Sequence[cst.BaseElement], scope: Scope, binds: bool) -> tuple[tree.Target, ...]:
    return tuple(
        tree.Starred(target(e.value, scope, binds=binds), loc=_without_comma(e, scope))
        if isinstance(e, cst.StarredElement)
        else target(e.value, scope, binds=binds)
        for e in elements
    )
