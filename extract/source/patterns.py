"""`match` statements."""

from __future__ import annotations

import libcst as cst
from graph_program.extract.ir import tree
from graph_program.extract.source.scope import STATEMENTS, Scope, converts, expression, suite


@converts(STATEMENTS, cst.Match)
def matching(node: cst.Match, scope: Scope) -> list[tree.Stmt]:
    expression(node.subject, scope)
    for case in node.cases:
        suite(case.body, scope)  # for the names that it binds
    return [tree.Unsupported("match", loc=scope.loc_between(node, node.subject))]
