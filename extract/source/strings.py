"""String literals: prefixes, implicit concatenation, f-strings."""

from __future__ import annotations

import libcst as cst

from graph_program.extract.ir import tree
from graph_program.extract.source.scope import EXPRESSIONS, Scope, converts, expression

_BLANK = cst.Module([])


@converts(EXPRESSIONS, cst.SimpleString)
def simple(node: cst.SimpleString, scope: Scope) -> tree.Expr:
    return tree.Constant(node.evaluated_value, loc=scope.loc(node))


@converts(EXPRESSIONS, cst.FormattedString, cst.ConcatenatedString)
def joined(node: cst.FormattedString | cst.ConcatenatedString, scope: Scope) -> tree.Expr:
    """One `Constant` if nothing is formatted, else one `JoinedStr` with literal parts merged."""
    if any(isinstance(piece, cst.TemplatedString) for piece in _pieces(node)):
        return tree.UnsupportedExpr("template_string", loc=scope.loc(node))
    parts: list[tree.Expr] = []
    formatted = False
    for piece in _pieces(node):
        if isinstance(piece, cst.FormattedString):
            formatted = True
            parts += _formatted_parts(piece, piece.parts, scope)
        else:
            parts.append(expression(piece, scope))
    merged = _merge(parts)
    if not formatted and len(merged) == 1 and isinstance(merged[0], tree.Constant):
        return tree.Constant(merged[0].value, loc=scope.loc(node))
    return tree.JoinedStr(merged, loc=scope.loc(node))


@converts(EXPRESSIONS, cst.TemplatedString)
def template(node: cst.TemplatedString, scope: Scope) -> tree.Expr:
    return tree.UnsupportedExpr("template_string", loc=scope.loc(node))


def _pieces(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    pieces: list[cst.BaseExpression] = []
    while isinstance(node, cst.ConcatenatedString):
        pieces.append(node.left)
        node = node.right
    return [*pieces, node]


def _merge(parts: list[tree.Expr]) -> tuple[tree.Expr, ...]:
    """Neighbouring literals as one."""
    merged: list[tree.Expr] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, tree.Constant) and isinstance(last, tree.Constant):
            merged[-1] = tree.Constant(last.value + part.value, loc=last.loc)
        else:
            merged.append(part)
    return tuple(merged)


def _formatted_parts(string: cst.FormattedString, contents: object, scope: Scope) -> list[tree.Expr]:
    parts: list[tree.Expr] = []
    assert isinstance(contents, (tuple, list))
    for content in contents:
        if isinstance(content, cst.FormattedStringText):
            parts.append(tree.Constant(_decode(string, content.value), loc=scope.loc(content)))
        else:
            assert isinstance(content, cst.FormattedStringExpression)
            parts.append(_replacement(string, content, scope))
    return parts


def _replacement(string: cst.FormattedString, node: cst.FormattedStringExpression, scope: Scope) -> tree.Expr:
    value = expression(node.expression, scope)
    spec: tree.Expr | None = None
    if node.format_spec is not None:
        parts = _merge(_formatted_parts(string, node.format_spec, scope))
        spec = tree.JoinedStr(parts, loc=scope.loc(node))
    conversion = node.conversion or ""
    equals = ""
    if node.equal is not None:
        pieces = (node.whitespace_before_expression, node.expression, node.equal)
        equals = "".join(_BLANK.code_for_node(piece) for piece in pieces)
        conversion = conversion or ("" if spec is not None else "r")
    return tree.FormattedValue(value, conversion, spec, equals, loc=scope.loc(node))


def _decode(string: cst.FormattedString, text: str) -> str:
    """What the literal text of an f-string stands for: doubled braces and escapes."""
    raw = "r" in string.prefix.lower()
    if "{{" in text or "}}" in text:
        # an escape may itself be written with braces, \N{NAME}, but never with doubled ones
        text = text.replace("{{", "{").replace("}}", "}")
    if raw or "\\" not in text:
        return text
    quote = string.quote
    return str(cst.SimpleString(f"{quote}{text}{quote}").evaluated_value)
