"""Which arrays cannot hold a NaN, whatever the arguments are.

    y = where(isnan(x), 0.0, x)          y holds none
    z = concatenate(y, exp(y))           nor does z

Arguments may, and so may sums (inf - inf), products (0 * inf), quotients, and what loops carry.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graph_program.extract.ir.graph import Node, Value

DEEPEST = 8
"""So many operations are looked through."""
KEEPING = frozenset(
    [
        *("cast", "slice", "take", "gather_nd", "reshape", "transpose", "expand_dims", "squeeze", "broadcast_to"),
        *("concatenate", "full", "set_slice", "set_index", "scatter_nd", "maximum", "minimum", "max", "min", "sort"),
        *("absolute", "negative", "sign", "floor", "ceil", "trunc", "rint", "cbrt", "exp", "exp2", "expm1"),
        *("arctan", "arcsinh", "tanh", "sinh", "copysign"),
    ]
)
"""Operations that make no NaN of numbers; those that are not of floats hold none."""


class NeverNan:
    """What is known of the nodes that it is shown."""

    def __init__(self) -> None:
        self._makers: dict[Value, Node] = {}

    def note(self, node: Node) -> None:
        """Say what gives the outputs of a node."""
        self._makers.update(dict.fromkeys(node.outputs, node))

    def holds(self, value: Value, depth: int = DEEPEST) -> bool:
        """Whether an array holds no NaN."""
        if value.type.dtype.kind in "biu":
            return True
        node = self._makers.get(value)
        if node is None or not depth:
            return False
        rule = RULES.get(node.op)
        if rule is not None:
            return rule(self, node, depth - 1)
        return node.op in KEEPING and all(self.holds(given, depth - 1) for given in node.inputs)

    def is_test(self, test: Value, value: Value) -> bool:
        """Whether a test holds where a value is NaN."""
        node = self._makers.get(test)
        if node is not None and node.op == "bitwise_or":
            return any(self.is_test(either, value) for either in node.inputs)
        return node is not None and node.op == "isnan" and node.inputs[0] is value


def _constant(known: NeverNan, node: Node, depth: int) -> bool:
    return not np.isnan(node.attrs["value"]).any()


def _where(known: NeverNan, node: Node, depth: int) -> bool:
    test, x, y = node.inputs
    return known.holds(x, depth) and (known.is_test(test, y) or known.holds(y, depth))


def _square(known: NeverNan, node: Node, depth: int) -> bool:
    x, y = node.inputs
    return x is y and known.holds(x, depth)


def _given(known: NeverNan, node: Node, depth: int) -> bool:
    """What both sides of a branch give."""
    given = zip(node.outputs, *(region.outputs for region in node.regions), strict=True)
    return all(known.holds(value, depth) for _, *values in given for value in values)


RULES: dict[str, Callable[[NeverNan, Node, int], bool]] = {
    "constant": _constant,
    "where": _where,
    "multiply": _square,
    "if": _given,
}

__all__ = ["NeverNan"]
