"""Whether an operation on integers has left 64 bits: what the graph says in several operations, compilers have as one.

c = add(a, b)
w = less(bitwise_and(bitwise_xor(a, c), bitwise_xor(b, c)), 0)      is      gp_add_overflows(a, b)
"""

from __future__ import annotations

import numpy as np

from graph_program.backends.c.expression import Expr, negated
from graph_program.backends.c.function import Function
from graph_program.extract.ir.graph import Node, Value

INT64 = np.dtype(np.int64)
Pair = tuple[Value, Value]


def overflows(fn: Function, node: Node) -> Expr | None:
    """A comparison, or an `or` of truths, if it says whether a sum, a difference or a product has wrapped."""
    if node.outputs[0].type.rank:
        return None
    if node.op == "bitwise_or":
        factors = _product(fn, node)
        return None if factors is None else _called(fn, "multiply", factors)
    if node.op not in ("less", "greater_equal") or _constant(fn, node.inputs[1]) != 0:
        return None
    signs = _maker(fn, node.inputs[0], "bitwise_and")
    if signs is None or node.inputs[0].type.dtype != INT64:
        return None
    for left, right in (signs.inputs, signs.inputs[::-1]):
        a, b = _maker(fn, left, "bitwise_xor"), _maker(fn, right, "bitwise_xor")
        if a is None or b is None:
            continue
        found = _sum(fn, a, b) or _difference(fn, a, b)
        if found is not None:
            said = _called(fn, *found)
            return said if node.op == "less" else negated(said)
    return None


def _called(fn: Function, op: str, operands: Pair) -> Expr:
    return fn.call(f"gp_{op}_overflows", *(fn.number(operand) for operand in operands))


def _maker(fn: Function, value: Value, op: str) -> Node | None:
    node = fn.ranges.maker(value)
    return node if node is not None and node.op == op else None


def _constant(fn: Function, value: Value) -> float | None:
    node = _maker(fn, value, "constant")
    return None if node is None or value.type.rank else node.attrs["value"].item()


def _orders(node: Node) -> list[list[Value]]:
    return [node.inputs, node.inputs[::-1]]


def _sum(fn: Function, a: Node, b: Node) -> tuple[str, Pair] | None:
    """x ^ (x + y) and y ^ (x + y)."""
    for x, total in _orders(a):
        made = _maker(fn, total, "add")
        if made is not None:
            for first, second in _orders(made):
                if first is x and any(y is second and other is total for y, other in _orders(b)):
                    return "add", (x, second)
    return None


def _difference(fn: Function, a: Node, b: Node) -> tuple[str, Pair] | None:
    """x ^ (x - y) and x ^ y."""
    for x, total in _orders(a):
        made = _maker(fn, total, "subtract")
        if made is not None and made.inputs[0] is x and made.inputs[1] in b.inputs and x in b.inputs:
            return "subtract", (x, made.inputs[1])
    return None


def _product(fn: Function, node: Node) -> Pair | None:
    """The float64 product is beyond 2**63, or is near and has another sign."""
    for beyond, near in _orders(node):
        size, both = _maker(fn, beyond, "greater"), _maker(fn, near, "bitwise_and")
        if size is None or both is None or _constant(fn, size.inputs[1]) != 9.3e18:
            continue
        for close, flipped in _orders(both):
            lower, unequal = _maker(fn, close, "greater"), _maker(fn, flipped, "not_equal")
            if lower is None or unequal is None or lower.inputs[0] is not size.inputs[0]:
                continue
            absolute = _maker(fn, size.inputs[0], "absolute")
            if absolute is not None and _constant(fn, lower.inputs[1]) == 9.1e18:
                found = _factors(fn, absolute.inputs[0], unequal)
                if found is not None:
                    return found
    return None


def _factors(fn: Function, product: Value, unequal: Node) -> Pair | None:
    """The operands of the product of integers whose sign is compared with that of the product of floats."""
    for left, right in _orders(unequal):
        of_float, of_integer = _maker(fn, left, "less"), _maker(fn, right, "less")
        if of_float is None or of_integer is None or of_float.inputs[0] is not product:
            continue
        floats, integers = _maker(fn, product, "multiply"), _maker(fn, of_integer.inputs[0], "multiply")
        zeros = [_constant(fn, test.inputs[1]) for test in (of_float, of_integer)]
        if floats is None or integers is None or zeros != [0, 0] or integers.outputs[0].type.dtype != INT64:
            continue
        for x, y in _orders(integers):
            if _is_float_of(fn, floats.inputs[0], x) and _is_float_of(fn, floats.inputs[1], y):
                return x, y
    return None


def _is_float_of(fn: Function, value: Value, integer: Value) -> bool:
    """Whether a number is an integer as a float."""
    made = _maker(fn, value, "cast")
    if made is not None:
        return made.inputs[0] is integer
    known = _constant(fn, value)
    exact = _constant(fn, integer)
    return known is not None and exact is not None and float(exact) == known


__all__ = ["overflows"]
