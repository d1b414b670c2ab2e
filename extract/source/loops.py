"""Loops: `break`, `continue` and `else` written with `Block` and `Leave`."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import tree
from graph_program.extract.source.expressions import target
from graph_program.extract.source.scope import (
    STATEMENTS,
    LoopLabels,
    Scope,
    converts,
    expression,
    suite,
)

MakeLoop = Callable[[tuple[tree.Stmt, ...]], tree.Stmt]


@converts(STATEMENTS, cst.While)
def while_loop(node: cst.While, scope: Scope) -> list[tree.Stmt]:
    loc = scope.loc_between(node, node.test)
    test = expression(node.test, scope)
    return _loop(node, scope, loc, lambda body: tree.While(test, body, loc=loc))


@converts(STATEMENTS, cst.For)
def for_loop(node: cst.For, scope: Scope) -> list[tree.Stmt]:
    loc = scope.loc_between(node.asynchronous or node, node.iter)
    iterated = expression(node.iter, scope)
    bound = target(node.target, scope)
    result = _loop(node, scope, loc, lambda body: tree.For(bound, iterated, body, loc=loc))
    if node.asynchronous is not None:
        return [tree.Unsupported("async_for", loc=loc)]
    return result


def _loop(node: cst.While | cst.For, scope: Scope, loc: Loc, make: MakeLoop) -> list[tree.Stmt]:
    """The loop in the blocks that some statement of it leaves."""
    number = scope.number()
    labels = LoopLabels(f"break.{number}", f"continue.{number}")
    scope.loops.append(labels)
    body = suite(node.body, scope)
    scope.loops.pop()
    orelse = suite(node.orelse.body, scope) if node.orelse is not None else ()
    if labels.continue_label in labels.left:
        body = (tree.Block(labels.continue_label, body, loc=loc),)
    result = (make(body), *orelse)
    if labels.break_label in labels.left:
        return [tree.Block(labels.break_label, result, loc=loc)]
    return list(result)


@converts(STATEMENTS, cst.Break)
def breaking(node: cst.Break, scope: Scope) -> list[tree.Stmt]:
    return [_leave(scope.loops[-1].break_label, node, scope)]


@converts(STATEMENTS, cst.Continue)
def continuing(node: cst.Continue, scope: Scope) -> list[tree.Stmt]:
    return [_leave(scope.loops[-1].continue_label, node, scope)]


def _leave(label: str, node: cst.CSTNode, scope: Scope) -> tree.Stmt:
    scope.loops[-1].left.add(label)
    return tree.Leave(label, loc=scope.loc(node))
