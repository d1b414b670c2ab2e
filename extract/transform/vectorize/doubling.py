"""Loops of which each round puts together what lies twice as far apart as in the round before: 1, 2, 4, ...

Their rounds are as many as the number of elements has bits (Hillis and Steele, "Data Parallel Algorithms", 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.vectorize.maker import Maker

MOST_STEPS = 64


def doubled(
    maker: Maker, count: Value, begun: Sequence[Value], put: Callable[[Value, Sequence[Value]], Sequence[Value]]
) -> list[Value]:
    """What values become while a distance is less than a count.

    Parameters
    ----------
    maker : Maker
    count : Value
        Of elements.
    begun : sequence of Value
        The values of single elements.
    put : callable
        Makes values of twice the distance, of the distance and what there is.
    """
    names, one = maker.rewriter.names, maker.constant(1)
    step, distance, last = (Value(names.fresh(name), one.type) for name in ("step", "distance", "distance"))
    inside, behind = ([Value(names.fresh(value.name), value.type) for value in begun] for _ in range(2))
    mark = maker.mark()
    made = put(distance, inside)
    further = maker.op("add", distance, distance)
    body = maker.graph([step, *inside, distance], [maker.op("less", further, count), *made, further], mark)
    inputs = [maker.constant(MOST_STEPS), maker.op("less", one, count), *begun, one]
    maker.add(Node("loop", inputs, [*behind, last], {}, [body], maker.at))
    return behind


def reached_from(maker: Maker, begins: Value, jumps: Value, count: Value) -> Value:
    """What is reached from where something begins, by fewer jumps than a count."""

    def put(distance: Value, found: Sequence[Value]) -> list[Value]:
        reached, far = found
        at = maker.op("take", maker.op("nonzero", reached), maker.constant(0), axis=0)
        targets = maker.inside("take", far, at)
        true = maker.op("broadcast_to", maker.constant(True, np.bool_), maker.op("dim", targets, axis=0))
        more = maker.inside("scatter_nd", reached, true, targets, unique=True)
        return [more, maker.inside("take", far, far)]

    reached, _ = doubled(maker, count, [begins, jumps], put)
    return reached


__all__ = ["doubled", "reached_from"]
