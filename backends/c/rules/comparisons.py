"""Comparisons, element by element: what the types of the operands decide is not asked, as compilers warn of it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from graph_program.backends.c.arrays import Array
from graph_program.backends.c.expression import Expr, infix, limits_of
from graph_program.backends.c.function import Function, rule
from graph_program.backends.c.readers import BROADCASTING, READS_ONCE
from graph_program.backends.c.rules.elementwise import elementwise
from graph_program.backends.c.rules.overflow import overflows
from graph_program.extract.ir.graph import Node

ORDERS = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
LITERAL = re.compile(r"(?:U?INT\d+_C\()?(-?\d+)\)?")
NAMED = {
    "true": 1,
    "false": 0,
    "INT64_MIN": -(2**63),
    "INT64_MAX": 2**63 - 1,
    "INT32_MIN": -(2**31),
}
"""Numbers that are written otherwise than in digits."""


@rule(*ORDERS)
def _comparison(fn: Function, node: Node) -> Array | Expr:
    dtype = node.inputs[0].type.dtype
    return overflows(fn, node) or elementwise(fn, node, lambda a, b: ordered(node.op, dtype, a, b))


def ordered(op: str, dtype: np.dtype[Any], a: Expr, b: Expr) -> Expr:
    """A comparison, or what is known of it: of a number with itself, or where no number of the types makes it another.

    Both operands have one element type; one that was made of a smaller type has the limits of that.
    """
    if dtype.kind == "f":
        return infix(ORDERS[op], a, b)
    if a.text == b.text:
        return Expr("true" if op in ("equal", "less_equal", "greater_equal") else "false")
    known = _known(op, _range(dtype, a), _range(dtype, b))
    return infix(ORDERS[op], a, b) if known is None else Expr("true" if known else "false")


def _range(dtype: np.dtype[Any], operand: Expr) -> tuple[int, int]:
    """The least and the greatest integer that an operand may be."""
    if operand.text in NAMED:
        return NAMED[operand.text], NAMED[operand.text]
    found = LITERAL.fullmatch(operand.text)
    if found:
        return int(found[1]), int(found[1])
    return operand.limits or limits_of(dtype)


def _known(op: str, a: tuple[int, int], b: tuple[int, int]) -> bool | None:
    """The outcome of a comparison for all numbers in two ranges, if it is one."""
    if op in ("greater", "greater_equal"):
        return _known("less" if op == "greater" else "less_equal", b, a)
    if op in ("equal", "not_equal"):
        return op == "not_equal" if a[1] < b[0] or b[1] < a[0] else None
    if op == "less":
        return True if a[1] < b[0] else False if a[0] >= b[1] else None
    return True if a[1] <= b[0] else False if a[0] > b[1] else None


READS_ONCE |= set(ORDERS)
BROADCASTING |= set(ORDERS)


__all__ = ["ordered"]
