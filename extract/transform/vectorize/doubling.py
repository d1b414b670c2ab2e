"""Loops of which each round puts together what lies twice as far apart as in the round before: 1, 2, 4, ...

Their rounds are as many as the number of elements has bits (Hillis and Steele, "Data Parallel Algorithms", 1986).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


__all__ = ["doubled"]
