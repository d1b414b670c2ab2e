"""Exchanging two elements of a list: `items[i], items[j] = items[j], items[i]`.

Between the two assignments an object stands in two places, and behind them each is in one place again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graph_program.extract.ir import tree
from graph_program.extract.stage.machine.memory.elements import are_apart
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.values import Ref

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def is_exchange(node: tree.Assign) -> bool:
    """Whether an assignment exchanges two elements, at positions that the first one of them cannot change."""
    target, value = node.targets[0], node.value
    if len(node.targets) > 1 or not isinstance(target, tree.TupleExpr) or not isinstance(value, tree.TupleExpr):
        return False
    return (
        len(target.elts) == 2
        and target.elts == value.elts[::-1]
        and all(isinstance(e, tree.Subscript) and _is_place(e.value) and _is_position(e.index) for e in target.elts)
        and len({repr(e.value) for e in target.elts if isinstance(e, tree.Subscript)}) == 1
    )


def _is_place(node: tree.Expr) -> bool:
    while isinstance(node, tree.Attribute):
        node = node.value
    return isinstance(node, tree.Name)


def _is_position(node: tree.Expr) -> bool:
    match node:
        case tree.Binary(_, left, right):
            return _is_position(left) and _is_position(right)
        case tree.Unary(_, operand):
            return _is_position(operand)
    return isinstance(node, tree.Name | tree.Constant)


def apart_lists(m: Machine) -> list[tuple[Ref, Any]]:
    """The lists whose arrays and objects are all different ones, with what they hold."""
    lists = [(ref, found) for ref, found in m.live.heap.items() if ref.cls is list]
    return [(ref, c) for ref, c in lists if (c.apart if isinstance(c, Growing) else are_apart(m, c))]


def keep_apart(m: Machine, before: list[tuple[Ref, Any]]) -> None:
    """After an exchange, the elements are different ones if they were before."""
    for ref, contents in before:
        now = m.live.heap.get(ref)
        if isinstance(now, Growing) and now is not contents and not now.apart:
            m.live.heap[ref] = replace(now, apart=True)
