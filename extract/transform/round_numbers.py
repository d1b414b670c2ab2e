"""Numbers of rounds, computed in front of a loop: the first one in which its counter comes to something.

k >= m - 2                  maximum(m - 2, 0)
k * w outgrows 64 bits      (2**63 - 1) // w + 1        for w > 1
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, TensorType

NEVER = 2**63 - 1
"""No loop has this round."""
TESTS = frozenset({"bitwise_and", "bitwise_or", "invert", "less", "less_equal", "equal"})
"""Operations that give truths here."""


class RoundNumbers:
    """Makes what computes them.

    Parameters
    ----------
    rewriter : Rewriter
        Names and constants.
    nodes : list of Node
        Gets one more with each operation.
    """

    def __init__(self, rewriter: Rewriter, nodes: list[Node]):
        self.rewriter, self.nodes = rewriter, nodes

    def op(self, name: str, *operands: Value | int) -> Value:
        """What an operation on integers, or on truths, gives."""
        values = [self.rewriter.integer(x) if isinstance(x, int) else x for x in operands]
        type_ = PY_BOOL if name in TESTS else TensorType(INT64)
        return self.rewriter.append(self.nodes, name, values, type_, "first")

    def first_outside(self, begun: Value, size: Value) -> Value:
        """The first round in which `begun + k` is outside of an axis: it goes up from there."""
        rest = self.op("subtract", self.op("maximum", size, begun), begun)
        return self.op("where", self.op("less", begun, self.op("negative", size)), 0, rest)

    def first_wrapped(self, begun: Value) -> Value:
        """The first round in which `begun + k` is beyond 64 bits."""
        return self.op("add", self.op("subtract", NEVER, self.op("maximum", begun, 1)), 1)

    def first_far(self, factor: Value) -> Value:
        """The first round in which `k * factor` is beyond 64 bits."""
        up = self.op("floor_divide", NEVER, self.op("maximum", factor, 2))
        down = self.op("floor_divide", -NEVER - 1, self.op("minimum", factor, -2))
        last = self.op("where", self.op("less", 0, factor), up, down)
        fits = self.op("equal", self.op("minimum", self.op("maximum", factor, -1), 1), factor)
        return self.op("where", fits, NEVER, self.op("add", last, 1))

    def first_inner_outside(self, factor: Value, size: Value, trips: Value) -> Value:
        """The first round with a loop of some trips in which `k * factor`, plus its counter, is outside of an axis."""
        last = self.op("subtract", size, trips)  # where the loop inside may begin
        up = self.op("floor_divide", last, self.op("maximum", factor, 1))
        down = self.op("floor_divide", self.op("negative", size), self.op("minimum", factor, -1))
        round_ = self.op("add", self.op("where", self.op("less", 0, factor), up, down), 1)
        moving = self.op("where", self.op("equal", factor, 0), NEVER, round_)
        found = self.op("where", self.op("less", last, 0), 0, moving)
        return self.op("where", self.op("less", 0, trips), found, NEVER)


__all__ = ["NEVER", "RoundNumbers"]
