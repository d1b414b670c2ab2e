"""Prints the core tree as Python-like text, with blocks and leaves shown.

def f(x):
    block break.1:
        while True:
            if x > 3:
                leave break.1
            x += 1
    return x
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType
from typing import Any

from graph_program.extract.ir import tree

INDENT = "    "


def print_function(function: tree.Function) -> str:
    """The text of `function`; a lambda is printed as a `def` of the name `<lambda>`."""
    return "\n".join(_function(function))


# ---------------------------------------------------------------- functions


def _function(function: tree.Function) -> Iterator[str]:
    for decorator in function.decorators:
        yield f"@{_text(decorator)}"
    returns = f" -> {_text(function.returns)}" if function.returns is not None else ""
    word = "async def" if function.is_async else "def"
    yield f"{word} {function.name}({_parameters(function.params)}){returns}:"
    for word, names in (("nonlocal", function.nonlocals), ("global", function.globals)):
        if names:
            yield f"{INDENT}{word} {', '.join(sorted(names))}"
    yield from _body(function.body)


def _parameters(params: tuple[tree.Param, ...]) -> str:
    marks = {"var_positional": "*", "var_keyword": "**"}
    parts: list[str] = []
    star = False
    for index, param in enumerate(params):
        if param.kind != "positional" and index and params[index - 1].kind == "positional":
            parts.append("/")
        if param.kind == "keyword" and not star:
            parts.append("*")
        star = star or param.kind in ("var_positional", "keyword")
        parts.append(marks.get(param.kind, "") + _parameter(param))
    if params and params[-1].kind == "positional":
        parts.append("/")
    return ", ".join(parts)


def _parameter(param: tree.Param) -> str:
    text = param.name
    if param.annotation is not None:
        text += f": {_text(param.annotation)}"
    if param.default is not None:
        text += f" = {_text(param.default, _LAMBDA)}" if param.annotation else f"={_text(param.default)}"
    return text


# ---------------------------------------------------------------- statements


def _body(stmts: tuple[tree.Stmt, ...]) -> Iterator[str]:
    if not stmts:
        yield f"{INDENT}pass"
    for stmt in stmts:
        for line in _STATEMENTS[type(stmt)](stmt):
            yield INDENT + line


def _assign(stmt: tree.Assign) -> Iterator[str]:
    if stmt.annotation is not None:
        yield f"{_text(stmt.targets[0])}: {_text(stmt.annotation)} = {_bare(stmt.value)}"
        return
    targets = "".join(f"{_bare(target)} = " for target in stmt.targets)
    yield targets + _bare(stmt.value)


def _augmented(stmt: tree.AugAssign) -> Iterator[str]:
    yield f"{_text(stmt.target)} {stmt.op}= {_bare(stmt.value)}"


def _expression(stmt: tree.ExprStmt) -> Iterator[str]:
    yield _text(stmt.value)


def _branch(stmt: tree.If) -> Iterator[str]:
    yield f"if {_text(stmt.test)}:"
    yield from _body(stmt.body)
    if stmt.orelse:
        yield "else:"
        yield from _body(stmt.orelse)


def _while(stmt: tree.While) -> Iterator[str]:
    yield f"while {_text(stmt.test)}:"
    yield from _body(stmt.body)


def _for(stmt: tree.For) -> Iterator[str]:
    yield f"for {_bare(stmt.target)} in {_bare(stmt.iter)}:"
    yield from _body(stmt.body)


def _block(stmt: tree.Block) -> Iterator[str]:
    yield f"block {stmt.label}:"
    yield from _body(stmt.body)


def _leave(stmt: tree.Leave) -> Iterator[str]:
    yield f"leave {stmt.label}"


def _return(stmt: tree.Return) -> Iterator[str]:
    yield "return" if stmt.value is None else f"return {_bare(stmt.value)}"


def _raise(stmt: tree.Raise) -> Iterator[str]:
    exc = f" {_text(stmt.exc)}" if stmt.exc is not None else ""
    cause = f" from {_text(stmt.cause)}" if stmt.cause is not None else ""
    yield f"raise{exc}{cause}"


def _delete(stmt: tree.Delete) -> Iterator[str]:
    yield f"del {_comma(stmt.targets)}"


def _definition(stmt: tree.FunctionDef) -> Iterator[str]:
    yield from _function(stmt.function)


def _import(stmt: tree.ImportName) -> Iterator[str]:
    module = "." * stmt.level + stmt.module
    if stmt.name is None:
        whole = stmt.target == module.split(".")[0]
        yield f"import {module}" if whole else f"import {module} as {stmt.target}"
        return
    renamed = "" if stmt.target == stmt.name else f" as {stmt.target}"
    yield f"from {module} import {stmt.name}{renamed}"


def _try(stmt: tree.Try) -> Iterator[str]:
    yield "try:"
    yield from _body(stmt.body)
    for handler in stmt.handlers:
        kind = f" {_text(handler.type)}" if handler.type is not None else ""
        name = f" as {handler.name}" if handler.name is not None else ""
        yield f"except{kind}{name}:"
        yield from _body(handler.body)
    for word, part in (("else", stmt.orelse), ("finally", stmt.final)):
        if part:
            yield f"{word}:"
            yield from _body(part)


def _with(stmt: tree.With) -> Iterator[str]:
    items = [
        _text(manager, _LAMBDA) + (f" as {_text(target)}" if target is not None else "")
        for manager, target in stmt.items
    ]
    yield f"with {', '.join(items)}:"
    yield from _body(stmt.body)


def _unsupported(stmt: tree.Unsupported) -> Iterator[str]:
    yield f"unsupported {stmt.construct}"


_STATEMENTS: dict[type[tree.Stmt], Callable[[Any], Iterator[str]]] = {
    tree.Assign: _assign,
    tree.AugAssign: _augmented,
    tree.ExprStmt: _expression,
    tree.If: _branch,
    tree.While: _while,
    tree.For: _for,
    tree.Block: _block,
    tree.Leave: _leave,
    tree.Return: _return,
    tree.Raise: _raise,
    tree.Delete: _delete,
    tree.FunctionDef: _definition,
    tree.ImportName: _import,
    tree.Try: _try,
    tree.With: _with,
    tree.Unsupported: _unsupported,
}


# ---------------------------------------------------------------- expressions

# binding strength; an operand that binds less tightly than its place needs gets parentheses
_NAMED, _LAMBDA, _TERNARY, _OR, _AND, _NOT, _COMPARE = range(7)
_UNARY, _POWER, _PRIMARY, _ATOM = 13, 14, 15, 16
_BINARY = {"|": 7, "^": 8, "&": 9, "<<": 10, ">>": 10, "+": 11, "-": 11}
_BINARY |= {"*": 12, "/": 12, "//": 12, "%": 12, "@": 12, "**": _POWER}

Printed = tuple[str, int]


def _text(node: tree.Node, needed: int = _LAMBDA) -> str:
    text, strength = _EXPRESSIONS[type(node)](node)
    return text if strength >= needed else f"({text})"


def _bare(node: tree.Expr) -> str:
    """A tuple without parentheses, where Python lets it stand so."""
    if isinstance(node, tree.TupleExpr) and len(node.elts) > 1:
        return _comma(node.elts)
    return _text(node)


def _comma(nodes: Iterable[tree.Node]) -> str:
    return ", ".join(_text(node) for node in nodes)


def _constant(node: tree.Constant) -> Printed:
    if node.value is ...:
        return "...", _ATOM
    if isinstance(node.value, (type, BuiltinFunctionType)):
        return node.value.__name__, _ATOM
    if isinstance(node.value, tuple):  # of classes: only desugaring makes such a constant
        return f"({', '.join(part.__name__ for part in node.value)})", _ATOM
    strength = _PRIMARY - 1 if isinstance(node.value, (int, float, complex)) else _ATOM
    return repr(node.value), strength if not isinstance(node.value, bool) else _ATOM


def _name(node: tree.Name) -> Printed:
    return node.id, _ATOM


def _attribute(node: tree.Attribute) -> Printed:
    return f"{_text(node.value, _PRIMARY)}.{node.attr}", _PRIMARY


def _slice(node: tree.Slice) -> Printed:
    lower, upper, step = ("" if p is None else _text(p) for p in (node.lower, node.upper, node.step))
    return f"{lower}:{upper}" + (f":{step}" if step else ""), _LAMBDA


def _subscript(node: tree.Subscript) -> Printed:
    index = node.index
    inside = _text(index)
    if isinstance(index, tree.TupleExpr) and index.elts:
        inside = _comma(index.elts) + ("," if len(index.elts) == 1 else "")
    return f"{_text(node.value, _PRIMARY)}[{inside}]", _PRIMARY


def _starred(node: tree.Starred) -> Printed:
    return f"*{_text(node.value, _COMPARE + 1)}", _LAMBDA


def _tuple(node: tree.TupleExpr) -> Printed:
    return f"({_comma(node.elts)}{',' if len(node.elts) == 1 else ''})", _ATOM


def _list(node: tree.ListExpr) -> Printed:
    return f"[{_comma(node.elts)}]", _ATOM


def _set(node: tree.SetExpr) -> Printed:
    return f"{{{_comma(node.elts)}}}", _ATOM


def _dict(node: tree.DictExpr) -> Printed:
    items = [
        f"**{_text(value, _COMPARE + 1)}" if key is None else f"{_text(key)}: {_text(value)}"
        for key, value in node.items
    ]
    return f"{{{', '.join(items)}}}", _ATOM


def _keyword(node: tree.Keyword) -> Printed:
    return f"{'**' if node.name is None else node.name + '='}{_text(node.value)}", _LAMBDA


def _call(node: tree.Call) -> Printed:
    return f"{_text(node.func, _PRIMARY)}({_comma((*node.args, *node.keywords))})", _PRIMARY


def _unary(node: tree.Unary) -> Printed:
    if node.op == "not":
        return f"not {_text(node.operand, _NOT)}", _NOT
    return f"{node.op}{_text(node.operand, _UNARY)}", _UNARY


def _binary(node: tree.Binary) -> Printed:
    strength = _BINARY[node.op]
    left, right = (strength + 1, _UNARY) if node.op == "**" else (strength, strength + 1)
    return f"{_text(node.left, left)} {node.op} {_text(node.right, right)}", strength


def _compare(node: tree.Compare) -> Printed:
    parts = [_text(node.left, _COMPARE + 1)]
    for op, right in zip(node.ops, node.rights, strict=True):
        parts += [op, _text(right, _COMPARE + 1)]
    return " ".join(parts), _COMPARE


def _boolean(node: tree.BoolOp) -> Printed:
    strength = _AND if node.op == "and" else _OR
    return f" {node.op} ".join(_text(v, strength + 1) for v in node.values), strength


def _ternary(node: tree.IfExp) -> Printed:
    body, test = _text(node.body, _OR), _text(node.test, _OR)
    return f"{body} if {test} else {_text(node.orelse, _TERNARY)}", _TERNARY


def _named(node: tree.NamedExpr) -> Printed:
    return f"{node.target} := {_text(node.value)}", _NAMED


def _lambda(node: tree.Lambda) -> Printed:
    function = node.function
    returned = function.body[-1]
    value = returned.value if isinstance(returned, tree.Return) else None
    body = _text(value) if value is not None else "..."
    params = _parameters(function.params)
    return f"lambda{' ' if params else ''}{params}: {body}", _LAMBDA


def _joined(node: tree.JoinedStr) -> Printed:
    return f"f{_quote(''.join(_part(part) for part in node.parts))}", _ATOM


def _quote(text: str) -> str:
    """`text` in quotes, where replacement fields may have quotes of their own."""
    fitting = (q for q in ('"', "'", '"""', "'''") if q not in text and text[-1:] != q[0])
    quote = next(fitting, '"""')
    return quote + text.replace("\n", "\\n") + quote


def _part(node: tree.Expr) -> str:
    if isinstance(node, tree.FormattedValue):
        return _replacement(node)[0]
    assert isinstance(node, tree.Constant)
    escaped = repr(node.value)[1:-1].replace("\\'", "'")
    return escaped.replace("{", "{{").replace("}", "}}")


def _replacement(node: tree.FormattedValue) -> Printed:
    spec = ""
    if node.spec is not None:
        parts = node.spec.parts if isinstance(node.spec, tree.JoinedStr) else (node.spec,)
        spec = ":" + "".join(_part(part) for part in parts)
    conversion = f"!{node.conversion}" if node.conversion else ""
    value = node.equals or _text(node.value)
    return f"{{{value}{conversion}{spec}}}", _ATOM


_BRACKETS = {"list": ("[", "]"), "generator": ("(", ")"), "set": ("{", "}"), "dict": ("{", "}")}


def _comprehension(node: tree.Comprehension) -> Printed:
    opening, closing = _BRACKETS[node.kind]
    element = _text(node.element)
    if node.key is not None:
        element = f"{_text(node.key)}: {element}"
    clauses = "".join(
        f" for {_bare(c.target)} in {_text(c.iter, _OR)}" + "".join(f" if {_text(i, _OR)}" for i in c.ifs)
        for c in node.clauses
    )
    return f"{opening}{element}{clauses}{closing}", _ATOM


def _unsupported_expression(node: tree.UnsupportedExpr) -> Printed:
    return f"<unsupported {node.construct}>", _ATOM


_EXPRESSIONS: dict[type[tree.Node], Callable[[Any], Printed]] = {
    tree.Constant: _constant,
    tree.Name: _name,
    tree.Attribute: _attribute,
    tree.Slice: _slice,
    tree.Subscript: _subscript,
    tree.Starred: _starred,
    tree.TupleExpr: _tuple,
    tree.ListExpr: _list,
    tree.SetExpr: _set,
    tree.DictExpr: _dict,
    tree.Keyword: _keyword,
    tree.Call: _call,
    tree.Unary: _unary,
    tree.Binary: _binary,
    tree.Compare: _compare,
    tree.BoolOp: _boolean,
    tree.IfExp: _ternary,
    tree.NamedExpr: _named,
    tree.Lambda: _lambda,
    tree.FormattedValue: _replacement,
    tree.JoinedStr: _joined,
    tree.Comprehension: _comprehension,
    tree.UnsupportedExpr: _unsupported_expression,
    tree.Yield: _unsupported_expression,
}
