"""Which calls of a function are its last step.

    def f(x, n):
        if n == 0: return x
        y = g(x)                        not a tail call: the result is worked on
        return f(y, n - 1)              a tail call

Besides the value of `return`, these are its parts that become its value as they are (the sides of a
conditional expression, the last operand of `and` and `or`), the call in `r = f(x)` before `return r`,
and a call that is the last statement of a function that returns nothing.  A call inside `try` or
`with` is none: the handler, or the end of the context, comes after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graph_program.extract.ir import tree
from graph_program.extract.source.analyses import once_for_each
from graph_program.extract.source.names_read import captured_names


@once_for_each
def tail_calls(function: tree.Function) -> frozenset[int]:
    """The `id`s of the expressions of `function` whose value is its result, or of which nothing is used.

    Parameters
    ----------
    function : tree.Function
        Its nested functions are not entered.
    """
    captured = frozenset(captured_names(function))
    found = {id(e) for e in _returned(function.body, captured)}
    if returns_nothing(function):
        found |= {id(e) for e in _last(function.body)}
    return frozenset(found)


def returns_nothing(function: tree.Function) -> bool:
    """Whether every `return` of a function is bare or returns None."""
    return all(
        node.value is None or (isinstance(node.value, tree.Constant) and node.value.value is None)
        for node in _returns(function.body)
    )


def _returns(body: Sequence[tree.Stmt]) -> Iterator[tree.Return]:
    for statement in body:
        if isinstance(statement, tree.Return):
            yield statement
        for inner in _bodies(statement):
            yield from _returns(inner)


def _bodies(statement: tree.Stmt) -> list[tuple[tree.Stmt, ...]]:
    match statement:
        case tree.If(_, body, orelse):
            return [body, orelse]
        case tree.While(_, body) | tree.For(_, _, body) | tree.Block(_, body) | tree.With(_, body):
            return [body]
        case tree.Try(body, handlers, orelse, final):
            return [body, *(h.body for h in handlers), orelse, final]
    return []


def _returned(body: Sequence[tree.Stmt], captured: frozenset[str]) -> Iterator[tree.Expr]:
    """What becomes the function's result, outside of `try` and `with`."""
    for statement, following in zip(body, (*body[1:], None), strict=False):
        match statement, following:
            case tree.Return(tree.Expr() as value), _:
                yield from _parts(value)
            case tree.Assign((tree.Name(name),), value, None), tree.Return(tree.Name(returned)):
                if name == returned and name not in captured:
                    yield from _parts(value)
            case tree.Try() | tree.With(), _:
                continue
        for inner in _bodies(statement):
            yield from _returned(inner, captured)


def _last(body: Sequence[tree.Stmt]) -> Iterator[tree.Expr]:
    """The expressions that are evaluated last, for nothing."""
    if len(body) > 1 and isinstance(body[-1], tree.Return):
        body = body[:-1]
    for inner in body[:-1]:  # where a branch leaves
        if isinstance(inner, tree.If):
            yield from (e for side in _bodies(inner) if side and isinstance(side[-1], tree.Return) for e in _last(side))
    match body[-1] if body else None:
        case tree.ExprStmt(value):
            yield from _parts(value)
        case tree.If(_, then, orelse):
            yield from _last(then)
            yield from _last(orelse)
        case tree.Block(_, inner_body):
            yield from _last(inner_body)


def _parts(value: tree.Expr) -> Iterator[tree.Expr]:
    """An expression and its parts that become its value as they are."""
    yield value
    match value:
        case tree.IfExp(_, body, orelse):
            yield from _parts(body)
            yield from _parts(orelse)
        case tree.BoolOp(_, values):
            yield from _parts(values[-1])
