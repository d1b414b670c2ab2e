"""Loops inside that may go on for ever in rounds that the program does not reach.

    for r in ...:
        if x[r] == 0:           a lane behind the one that breaks may never end its `while`, or after
            break               so long that nobody waits for it
        while x[r] != 1:
            x[r] = f(x[r])

The first lane of a block is a round that there is.  The others are waited for some times as long as for that one;
what has not ended by then is lost, and the next block of rounds begins with the first lane that is.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.lanes import Lanes
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType

LEAST = 1024
"""So many rounds every lane may do."""
FACTOR = 4
"""So many times the rounds of the first lane all others may do."""
FEW = 2**16
"""Loops of so many rounds end soon."""


def may_be_endless(lanes: Lanes, trips: Value) -> bool:
    """Whether a loop of some number of rounds may last for ever where the program does not reach it."""
    if not lanes.total:
        return False
    if not lanes.varies(trips):
        known = lanes.maker.rewriter.constant_of(lanes.get(trips))
        return known is not None and int(known) == INT64_MAX
    found = lanes.range_of(trips)
    return found is None or (found[1].constant is not None and found[1].constant > FEW)


@dataclass(frozen=True)
class Patience:
    """How long lanes are waited for, as something that a loop carries: it ends in that round."""

    lanes: Lanes
    parameter: Value
    start: Value

    @staticmethod
    def of(lanes: Lanes) -> Patience:
        """That of a new loop."""
        parameter = Value(lanes.maker.rewriter.names.fresh("patience"), TensorType(INT64, ()))
        return Patience(lanes, parameter, lanes.maker.constant(LEAST))

    def behind(self, still: Value, counter: Value) -> tuple[Value, Value]:
        """Whether there is another round, and what is carried into it; `still` are the lanes that have not ended."""
        maker = self.lanes.maker
        number = maker.op("add", counter, maker.constant(1))
        first = maker.op("take", in_lanes(self.lanes, still), maker.constant(0), axis=0)
        longer = maker.op("maximum", self.parameter, maker.op("multiply", number, maker.constant(FACTOR)))
        result = maker.op("where", first, longer, self.parameter)
        waits = maker.op("bitwise_or", first, maker.op("less", number, result))
        going = maker.op("any", still, axes=tuple(range(still.type.rank)), keepdims=False)
        return maker.op("bitwise_and", going, waits), result


def in_lanes(lanes: Lanes, still: Value) -> Value:
    """In which lanes anything is still going on."""
    return (
        lanes.maker.op("any", still, axes=tuple(range(1, still.type.rank)), keepdims=False)
        if still.type.rank > 1
        else still
    )


def note_lost(lanes: Lanes, lost: Value) -> None:
    """Take note of lanes that were not waited for."""
    lanes.lost = lost if lanes.lost is None else lanes.maker.op("bitwise_or", lanes.lost, lost)


def none_lost(lanes: Lanes) -> Value:
    """The lanes that are lost at first."""
    return lanes.spread(lanes.maker.constant(False, np.bool_), 0)


__all__ = ["Patience", "in_lanes", "may_be_endless", "none_lost", "note_lost"]
