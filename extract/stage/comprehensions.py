"""Comprehensions over structures of known length, unrolled."""

from __future__ import annotations

import dataclasses

from graph_program.extract.ir import tree
from graph_program.extract.source.names_read import walk
from graph_program.extract.stage import iteration
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.objects import new_dict, new_list
from graph_program.extract.stage.state import Frame
from graph_program.extract.stage.use import static
from graph_program.extract.stage.values import (
    Static,
    Tuple,
    Value,
)

Found = list[tuple[Value | None, Value]]


def comprehension(m: Machine, node: tree.Comprehension) -> Value:
    """A comprehension over structures of known length, unrolled."""
    makes_functions = any(isinstance(part, tree.Lambda) for part in walk(node))
    found = _in_a_frame_of_its_own(m, node) if makes_functions else _in_the_same_frame(m, node)
    m.node_loc = node.loc
    return _comprehended(m, node.kind, found)


def _in_the_same_frame(m: Machine, node: tree.Comprehension) -> Found:
    frame = m.frame
    assert frame is not None
    table = m.live.frames[frame.id]
    bound = _bound(node)
    saved = {n: table[n] for n in bound if n in table}
    original = frame.function
    frame.function = dataclasses.replace(original, locals=original.locals | bound)
    try:
        found = _unrolled(m, node)
    finally:
        frame.function = original
    table = m.live.frames[frame.id]
    for name in bound:
        table.pop(name, None)
    table.update(saved)
    return found


def _in_a_frame_of_its_own(m: Machine, node: tree.Comprehension) -> Found:
    """The functions that it makes go on to see its variables when it has ended."""
    outer = m.frame
    assert outer is not None
    function = dataclasses.replace(outer.function, locals=_bound(node), globals=frozenset())
    inner = Frame(function, outer, None, outer.call, labels=outer.labels, caller=outer.caller)
    m.live.frames[inner.id] = {}
    m.frame = inner
    try:
        return _unrolled(m, node)
    finally:
        m.frame = outer


def _unrolled(m: Machine, node: tree.Comprehension) -> Found:
    """The elements, with the keys of a dict, in order."""
    from graph_program.extract.stage import expressions, targets

    found: Found = []

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

    clause(0)
    return found


def _bound(node: tree.Comprehension) -> frozenset[str]:
    """The names that are the comprehension's own."""
    return frozenset().union(*(_names(c.target) for c in node.clauses))


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
