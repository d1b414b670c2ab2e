"""Whether integers outgrow 64 bits is asked in as few operations as what is known of them allows.

    f = multiply(cast(x), cast(3))                      bad = less(x, -(2**63 // 3))
    p = multiply(x, 3)                                      or greater(x, (2**63 - 1) // 3)
    bad = abs(f) > 9.3e18                       to
        or abs(f) > 9.1e18 and (f < 0) != (p < 0)

    r = add(x, y)                                       bad = less(r, x)            # where y >= 0
    bad = less((x ^ r) & (y ^ r), 0)

What is checked in any case is what an evaluator asks that knows nothing of ranges.  A product or sum with a number that
is known is compared with a bound, of which `ranges` may know more; so is a square.  Other products wrap where they are
far from the product of floats: a wrapped one is off by a multiple of 2**64, the floats by 2**-51 of it.  (Hacker's
Delight, Warren, 2012, chapter 2-13.)
"""

from __future__ import annotations

import math

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.ranged import RangedRewriter
from graph_program.extract.transform.wrapping import product_of_floats, wrapping_sum
from graph_program.extract.types.dims import provably_less_equal
from graph_program.extract.types.tensors.tensor_type import FLOAT64, PY_BOOL, TensorType

LEAST, GREATEST = -(2**63), 2**63 - 1
ROOT = math.isqrt(GREATEST)
"""The greatest number of which the square fits."""
ASKING = frozenset(["absolute", "bitwise_xor"])
"""What is made of numbers that may have wrapped, and seldom of others."""
FAR = 2.0**62
"""A product that has wrapped is farther from the product of floats, and one that has not is nearer."""


def overflow_checks(program: GraphProgram) -> None:
    """Ask less of what may have wrapped around, in place."""
    if any(node.op in ASKING and not node.outputs[0].type.rank for node in program.graph.walk()):
        _OverflowChecks(program).run()


class _OverflowChecks(RangedRewriter):
    def visit(self, node: Node) -> list[Node]:
        if node.outputs and node.outputs[0].type.rank == 0:
            if node.op == "bitwise_or":
                return self._product(node)
            if node.op == "less":
                return self._sum(node)
        return [node]

    # ------------------------------------------------------------ products

    def _product(self, node: Node) -> list[Node]:
        found = product_of_floats(node, self.producer.get)
        if found is None:
            return [node]
        floats, product = found
        x, y = product.inputs
        if x is y:
            return self._outside(node, x, -ROOT, ROOT)
        for one, number in ((x, self.integer_of(y)), (y, self.integer_of(x))):
            if number is not None:
                return self._outside(node, one, *_factors(number))
        return self._far(node, floats, product.outputs[0])

    def _far(self, node: Node, floats: Value, product: Value) -> list[Node]:
        """Whether a product of integers is far from that of floats."""
        real = TensorType(FLOAT64)
        made: list[Node] = []
        near = self.append(made, "cast", [product], real, "wrapped", dtype=FLOAT64)
        rest = self.append(made, "subtract", [floats, near], real, "wrapped")
        apart = self.append(made, "absolute", [rest], real, "wrapped")
        return [*made, self.node("greater", [apart, self._constant(FAR)], node.outputs[0], {}, node.loc)]

    # ------------------------------------------------------------ sums

    def _sum(self, node: Node) -> list[Node]:
        result = wrapping_sum(node, self.producer.get)
        return [node] if result is None else self._sum_of(node, result)

    def _sum_of(self, node: Node, result: Node) -> list[Node]:
        (x, y), r = result.inputs, result.outputs[0]
        a, b = self.integer_of(x), self.integer_of(y)
        if result.op == "subtract":
            if b is not None:
                return self._outside(node, x, max(LEAST, LEAST + b), min(GREATEST, GREATEST + b))
            if a is not None:
                return self._outside(node, y, max(LEAST, a - GREATEST), min(GREATEST, a - LEAST))
        for one, number in ((x, b), (y, a)) if result.op == "add" else ():
            if number is not None:
                return self._outside(node, one, max(LEAST, LEAST - number), min(GREATEST, GREATEST - number))
        for one, other in ((x, y), (y, x)) if result.op == "add" else ((x, y),):
            sign = self._sign(other)
            if sign:
                grows = (sign > 0) == (result.op == "add")
                return [self.node("less" if grows else "greater", [r, one], node.outputs[0], {}, node.loc)]
        return [node]

    def _sign(self, value: Value) -> int:
        """1 for what is not negative, -1 for what is not positive, 0 for what may be either."""
        found = self.ranges.of(value)
        if found is not None and provably_less_equal(0, found[0]):
            return 1
        return -1 if found is not None and provably_less_equal(found[1], 0) else 0

    # ------------------------------------------------------------ what is asked instead

    def _outside(self, node: Node, x: Value, low: int, high: int) -> list[Node]:
        """Whether a number is less than `low` or greater than `high`, as far as it can be."""
        bounds = [("less", low)] if low > LEAST else []
        bounds += [("greater", high)] if high < GREATEST else []
        if not bounds:
            self.replace(node.outputs[0], self.constant(np.array(False), "false"))
            return []
        made: list[Node] = []
        tests = [self.append(made, op, [x, self._constant(bound)], PY_BOOL, "wrapped") for op, bound in bounds]
        if len(tests) == 1:
            (test,) = made
            return [self.node(test.op, test.inputs, node.outputs[0], {}, node.loc)]
        return [*made, self.node("bitwise_or", tests, node.outputs[0], {}, node.loc)]

    # ------------------------------------------------------------ what there is

    def _constant(self, number: float) -> Value:
        array = np.asarray(number, np.int64 if isinstance(number, int) else np.float64)
        return self.constant(array, "most")


def _factors(number: int) -> tuple[int, int]:
    """The least and the greatest number of which the product with another one fits."""
    if number in (0, 1):
        return LEAST, GREATEST
    most, least = GREATEST // abs(number), -LEAST // abs(number)
    return (-least, most) if number > 0 else (-most, min(least, GREATEST))


__all__ = ["overflow_checks"]
