"""In which round of a loop a test holds, if it does in any: in its last one, in its first one, or it is one for all.

k + 2 >= m                  in the last, where k counts
k + r < r                   in the last: it asks whether the sum has wrapped
k < m and not bad           in the first
bad                         in each or none
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.hoist import is_cheap_and_total
from graph_program.extract.transform.linear import linear
from graph_program.extract.transform.wrapping import sum_compared
from graph_program.extract.types.tensors.tensor_type import INT64

GROWING = {"greater": 1, "greater_equal": 1, "less": -1, "less_equal": -1}
"""Comparisons, and whether they hold from some number of their first operand on, or up to it."""
OPPOSITE = {"first": "last", "last": "first"}
EACH: frozenset[str] = frozenset()
"""Where it does not matter which round is asked for."""


@dataclass(frozen=True)
class Rounds:
    """The rounds of a loop.

    Attributes
    ----------
    body : Graph
    inside : set of Value
        What a round makes, and its counter.
    maker : callable
        The node that makes a value.
    """

    body: Graph
    inside: set[Value]
    maker: Callable[[Value], Node | None]


def rounds_of(test: Value, rounds: Rounds) -> frozenset[str] | None:
    """The round, `"first"` or `"last"`, in which a test holds if it does in any; empty: each; None: it is not known."""
    if test not in rounds.inside:
        return EACH
    node = rounds.maker(test)
    if node is None or not is_cheap_and_total(node):
        return None
    if node.op == "invert":
        found = rounds_of(node.inputs[0], rounds)
        return None if found is None else frozenset(OPPOSITE[name] for name in found)
    if node.op in ("bitwise_and", "bitwise_or"):
        sides = [rounds_of(value, rounds) for value in node.inputs]
        together = EACH.union(*(side for side in sides if side is not None))
        return together if None not in sides and len(together) < 2 else None
    return _compared(node, rounds) if node.op in GROWING else None


def _compared(node: Node, rounds: Rounds) -> frozenset[str] | None:
    """The same of a comparison of numbers that the counter makes greater or less."""
    if any(value.type.dtype != INT64 for value in node.inputs):
        return None
    a, b = (linear(value, rounds.maker) for value in node.inputs)
    counter, total = rounds.body.inputs[0], sum_compared(node, rounds.maker)
    if total is None:
        grown = (a - b).terms.get(counter, 0)
    else:  # what has wrapped is less than what is not so great, or greater than what is not so small
        grown = -a.terms.get(counter, 0) if total is node.inputs[0] else b.terms.get(counter, 0)
    steps = grown * GROWING[node.op]
    terms = {*a.terms, *b.terms} - {counter}
    if not terms.isdisjoint(rounds.inside):
        return None
    return frozenset({"last" if steps > 0 else "first"}) if steps else EACH


__all__ = ["EACH", "Rounds", "rounds_of"]
