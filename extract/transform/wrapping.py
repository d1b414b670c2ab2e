"""What evaluators write to ask whether an operation on integers has left 64 bits, found again.

f = multiply(cast(x), cast(3))
p = multiply(x, 3)
bad = abs(f) > 9.3e18 or abs(f) > 9.1e18 and (f < 0) != (p < 0)         asks it of p
bad = abs(f - cast(p)) > 4.6e18                                         so does this

s = add(x, y)
bad = s < x                                                             asks it of s, if y is not negative

s = left_shift(x, 8)
bad = right_shift(s, 8) != x                                            asks it of s
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from graph_program.extract.ir.graph import Node, Value

Maker = Callable[[Value], Node | None]
"""Gives the node that makes a value."""


def wrapping_product(node: Node, maker: Maker) -> Node | None:
    """The product of integers, if an `or` asks whether it has wrapped."""
    found = product_of_floats(node, maker)
    return None if found is None else found[1]


def product_of_floats(node: Node, maker: Maker) -> tuple[Value, Node] | None:
    """The product of floats, and that of integers, if an `or` asks whether the latter has wrapped."""
    for beyond, near in either_way(node, "greater", "bitwise_and", maker):
        for again, flipped in either_way(near, "greater", "not_equal", maker):
            size = _made_by(beyond.inputs[0], "absolute", maker)
            floats = None if size is None else _made_by(size.inputs[0], "multiply", maker)
            if floats is None or again.inputs[0] is not beyond.inputs[0]:
                continue
            for negative, sign in either_way(flipped, "less", "less", maker):
                product = _made_by(sign.inputs[0], "multiply", maker)
                if negative.inputs[0] is floats.outputs[0] and product is not None and _same(floats, product, maker):
                    return floats.outputs[0], product
    return None


def wrapping_sum(node: Node, maker: Maker) -> Node | None:
    """The sum or difference, if a comparison with 0 asks whether it has wrapped."""
    zero = maker(node.inputs[1])
    if zero is None or zero.op != "constant" or zero.attrs["value"].ndim or zero.attrs["value"] != 0:
        return None
    return sum_of_signs(node.inputs[0], maker)


def sum_of_signs(value: Value, maker: Maker) -> Node | None:
    """The sum or difference that has wrapped where a number is less than 0."""
    signs = _made_by(value, "bitwise_and", maker)
    for first, second in () if signs is None else either_way(signs, "bitwise_xor", "bitwise_xor", maker):
        result = maker(first.inputs[1])
        if result is None or result.op not in ("add", "subtract") or first.inputs[0] is not result.inputs[0]:
            continue
        x, y = result.inputs
        if second.inputs == ([y, result.outputs[0]] if result.op == "add" else [x, y]):
            return result
    return None


def sum_compared(node: Node, maker: Maker) -> Value | None:
    """The sum or difference, if a comparison with what it is made of asks whether it has wrapped."""
    for result, other in (node.inputs, node.inputs[::-1]):
        total = maker(result)
        if total is not None and total.op in ("add", "subtract") and other in total.inputs:
            return result
    return None


def far_product(node: Node, maker: Maker) -> Node | None:
    """The product of integers, if a `greater` asks whether it is far from that of floats (see `overflow_checks`)."""
    apart = _made_by(node.inputs[0], "absolute", maker)
    rest = None if apart is None else _made_by(apart.inputs[0], "subtract", maker)
    if rest is None:
        return None
    floats, near = _made_by(rest.inputs[0], "multiply", maker), _made_by(rest.inputs[1], "cast", maker)
    product = None if near is None else _made_by(near.inputs[0], "multiply", maker)
    return product if floats is not None and product is not None and _same(floats, product, maker) else None


def _same(floats: Node, product: Node, maker: Maker) -> bool:
    """Whether a product of floats is that of the integers."""
    if any(value.type.dtype != np.int64 for value in product.inputs):
        return False
    return all(_is_float_of(*both, maker) for both in zip(floats.inputs, product.inputs, strict=True))


def _is_float_of(value: Value, integer: Value, maker: Maker) -> bool:
    """Whether a number is an integer as a float."""
    cast = maker(value)
    if cast is None or cast.op != "constant":
        return cast is not None and cast.op == "cast" and cast.inputs[0] is integer
    known = maker(integer)
    return known is not None and known.op == "constant" and float(known.attrs["value"]) == float(cast.attrs["value"])


def wrapping_shift(node: Node, maker: Maker) -> Node | None:
    """The shift to the left, if a comparison asks whether it has bits lost: whether it is another number when back."""
    for value, other in (node.inputs, node.inputs[::-1]):
        back = _made_by(value, "right_shift", maker)
        shift = None if back is None else _made_by(back.inputs[0], "left_shift", maker)
        if back is not None and shift is not None and shift.inputs == [other, back.inputs[1]]:
            return shift
    return None


def either_way(node: Node, first: str, second: str, maker: Maker) -> Iterator[tuple[Node, Node]]:
    """What makes the operands of an operation of two, in both orders, if it is these operations."""
    a, b = map(maker, node.inputs)
    for x, y in ((a, b), (b, a)):
        if x is not None and y is not None and (x.op, y.op) == (first, second):
            yield x, y


def _made_by(value: Value, op: str, maker: Maker) -> Node | None:
    node = maker(value)
    return node if node is not None and node.op == op else None


__all__ = [
    "far_product",
    "product_of_floats",
    "sum_compared",
    "sum_of_signs",
    "wrapping_product",
    "wrapping_shift",
    "wrapping_sum",
]
