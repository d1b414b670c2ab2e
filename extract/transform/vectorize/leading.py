"""Which rounds have a record, where others ask for it before the end: the greatest so far, by doubling.

    peak = loop(k < n) with peak.1 = peak.0:        so_far = [peak.0, *v]
        test = greater(v, peak.1)                   loop(while shift < n + 1) with shift = 1:
        y = set_index(y, peak.1, k)         to          so_far = maximum(so_far, so_far[maximum(iota - shift, 0)])
        give true, where(test, v, peak.1), y            shift = 2 * shift
                                                    test = greater(v, so_far[:-1])

What is set by such tests is then known as other numbers are that some rounds set (`latches`), bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import Value
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.doubling import doubled
from graph_program.extract.transform.vectorize.maker import Maker

WORSE = {"greater": "maximum", "greater_equal": "maximum", "less": "minimum", "less_equal": "minimum"}
"""What puts two numbers together of which one may be a record, by how a record compares with the one before it."""


def lead(carried: Carried) -> bool:
    """Say which rounds have a record, of one more number that a loop carries; whether there is one.

    What was known of numbers behind the loop only is looked at once more.
    """
    found = any(_leads(carried, slot) for slot in carried.slots)
    for slot in carried.slots if found else ():
        if not slot.parameter.type.rank and slot.parameter not in carried.lanes.known:
            slot.final = None
    return found


def _leads(carried: Carried, slot: Slot) -> bool:
    lanes, maker, record = carried.lanes, carried.lanes.maker, carried.records.of(slot, WORSE)
    if record is None or record.compared.outputs[0] in lanes.known or slot.parameter.type.dtype.kind == "b":
        return False
    if not carried.as_many_in_all_rounds:
        return False
    rows = carried.front(slot, carried.records.rows(slot, record))
    before = carried.one_before(_so_far(maker, rows, WORSE[record.order]))
    operands = [before if value is slot.parameter else lanes.get(value) for value in record.compared.inputs]
    lanes.define(record.compared.outputs[0], maker.op(record.compared.op, *operands), varying=True)
    return True


def _so_far(maker: Maker, rows: Value, op: str) -> Value:
    """The extreme of each element and those before it."""
    count = maker.op("dim", rows, axis=0)
    places = maker.op("iota", count)

    def put(distance: Value, found: Sequence[Value]) -> list[Value]:
        behind = maker.op("maximum", maker.op("subtract", places, distance), maker.constant(0))
        return [maker.op(op, found[0], maker.inside("take", found[0], behind))]

    (made,) = doubled(maker, count, [rows], put)
    return made


__all__ = ["lead"]
