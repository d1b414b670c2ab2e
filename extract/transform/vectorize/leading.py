"""Which rounds have a record, where others ask for it before the end: the greatest so far, by doubling.

    peak = loop(k < n) with peak.1 = peak.0:        so_far = [peak.0, *v]
        test = greater(v, peak.1)                   loop(while shift < n + 1) with shift = 1:
        y = set_index(y, peak.1, k)         to          so_far = maximum(so_far, so_far[maximum(iota - shift, 0)])
        give true, where(test, v, peak.1), y            shift = 2 * shift
                                                    test = greater(v, so_far[:-1])

The rounds of that loop are as many as the number of rounds has bits (Hillis and Steele, 1986).  What is set by such
tests is then known as other numbers are that some rounds set (`latches`), bit for bit.
"""

from __future__ import annotations

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.latches import as_many_in_all_rounds
from graph_program.extract.transform.vectorize.maker import Maker

MOST_STEPS = 64
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
    if not as_many_in_all_rounds(carried):
        return False
    rows = carried.front(slot, carried.records.rows(slot, record))
    before = carried.one_before(_so_far(maker, rows, WORSE[record.order]))
    operands = [before if value is slot.parameter else lanes.get(value) for value in record.compared.inputs]
    lanes.define(record.compared.outputs[0], maker.op(record.compared.op, *operands), varying=True)
    return True


def _so_far(maker: Maker, rows: Value, op: str) -> Value:
    """The extreme of each element and those before it."""
    count, one = maker.op("dim", rows, axis=0), maker.constant(1)
    places = maker.op("iota", count)
    names = maker.rewriter.names
    step, shift, last = (Value(names.fresh(name), one.type) for name in ("step", "shift", "shift"))
    found, made = (Value(names.fresh("so_far"), rows.type) for _ in range(2))
    mark = maker.mark()
    behind = maker.op("maximum", maker.op("subtract", places, shift), maker.constant(0))
    other = maker.op("take", found, behind, axis=0)
    maker.certain.add(maker.rewriter.producer[other])
    more = maker.op("add", shift, shift)
    outputs = [maker.op("less", more, count), maker.op(op, found, other), more]
    body = maker.graph([step, found, shift], outputs, mark)
    begins = maker.op("less", one, count)
    maker.add(Node("loop", [maker.constant(MOST_STEPS), begins, rows, one], [made, last], {}, [body], maker.at))
    return made


__all__ = ["lead"]
