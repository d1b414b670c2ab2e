"""Comprehensions over structures of known length, unrolled."""

from __future__ import annotations

import dataclasses

from graph_program.extract.ir import tree
from graph_program.extract.stage import iteration
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.objects import new_dict, new_list
from graph_program.extract.stage.use import static
from graph_program.extract.stage.values import (
    Static,
    Tuple,
    Value,
)


def comprehension(m: Machine, node: tree.Comprehension) -> Value:
    """A comprehension over structures of known length, unrolled."""
    from graph_program.extract.stage import expressions, targets

    found: list[tuple[Value | None, Value]] = []
    assert m.frame is not None
    table = m.live.frames[m.frame.id]
    bound = {n for c in node.clauses for n in _names(c.target)}
    saved = {n: table[n] for n in bound if n in table}
    locals_ = m.frame.function.locals
    frame = m.frame
    scope = dataclasses.replace(frame.function, locals=locals_ | bound)
    original, frame.function = frame.function, scope

    def clause(position: int) -> None:
        if position == len(node.clauses):
            key = None if node.key is None else expressions.evaluate(m, node.key)
            found.append((key, expressions.evaluate(m, node.element)))
            return
        current = node.clauses[position]
        source = expressions.evaluate(m, current.iter)
        for item in iteration.static_items(m, source, "this comprehension"):
            targets.assign(m, current.target, item)
            if all(static(m, expressions.truth(m, test), "the condition of a comprehension") for test in current.ifs):
                clause(position + 1)

    try:
        clause(0)
    finally:
        frame.function = original
    table = m.live.frames[m.frame.id]
    for name in bound:
        table.pop(name, None)
    table.update(saved)
    m.node_loc = node.loc
    return _comprehended(m, node.kind, found)


def _names(target: tree.Expr) -> frozenset[str]:
    from graph_program.extract.stage.assigned import assigned_in_target

    return assigned_in_target(target)


def _comprehended(m: Machine, kind: str, found: list[tuple[Value | None, Value]]) -> Value:
    values = [v for _, v in found]
    if kind == "dict":
        return new_dict(m, {static(m, k, "a dict key"): v for k, v in found if k is not None})
    if kind == "set":
        return Static({static(m, v, "an element of a set") for v in values})
    return new_list(m, values) if kind == "list" else Tuple(tuple(values))
