"""Which rounds have a record, where others ask for it before the end: the greatest so far, by doubling.

    peak = loop(k < n) with peak.1 = peak.0:        so_far = [peak.0, *v]
        test = greater(v, peak.1)                   loop(while shift < n + 1) with shift = 1:
        y = set_index(y, peak.1, k)         to          so_far = maximum(so_far, so_far[maximum(iota - shift, 0)])
        give true, where(test, v, peak.1), y            shift = 2 * shift
                                                    test = greater(v, so_far[:-1])

`max(v, peak)` takes a NaN, and what comes behind it: there, the greatest is that of the rounds from it on.
What is set by such tests is then known as other numbers are that some rounds set (`latches`), bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.ir.graph import Value
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.doubling import doubled
from graph_program.extract.transform.vectorize.latches import last_set
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.transform.vectorize.records import Record, worst

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
    lanes, maker = carried.lanes, carried.lanes.maker
    record = carried.records.of(slot, WORSE)
    takes = carried.records.taken(slot) if record is None else None
    found = record or takes
    if found is None or found.compared.outputs[0] in lanes.known or slot.parameter.type.dtype.kind == "b":
        return False
    if not carried.as_many_in_all_rounds:
        return False
    rows = carried.front(slot, carried.records.rows(slot, found))
    starts = maker.constant(0)
    if takes is not None and slot.parameter.type.dtype.kind == "f":
        rows = maker.op(
            "where", maker.op("isnan", rows), maker.constant(worst(rows.type.dtype, takes.order), rows.type.dtype), rows
        )
        starts = _starts(carried, takes)
    before = carried.one_before(_so_far(maker, rows, WORSE[found.order], starts))
    operands = [before if value is slot.parameter else lanes.get(value) for value in found.compared.inputs]
    lanes.define(found.compared.outputs[0], maker.op(found.compared.op, *operands), varying=True)
    return True


def _starts(carried: Carried, record: Record) -> Value:
    """Of what the loop begins with, and each round, the place of the last NaN that was taken; 0 if there is none.

    What comes behind it is compared with nothing before it.
    """
    lanes, maker = carried.lanes, carried.lanes.maker
    taken = maker.op("isnan", lanes.each(record.value))
    for test, keeps in record.kept:
        holds = lanes.each(test)
        taken = maker.op("bitwise_and", taken, maker.op("invert", holds) if keeps else holds)
    zero, place = maker.constant(0), maker.op("add", lanes.lanes, maker.constant(1))
    return maker.op("concatenate", maker.expand(zero, 0), last_set(carried, zero, taken, place), axis=0)


def _so_far(maker: Maker, rows: Value, op: str, starts: Value) -> Value:
    """The extreme of each element and those before it, from where its part starts."""
    count = maker.op("dim", rows, axis=0)
    places = maker.op("iota", count)

    def put(distance: Value, found: Sequence[Value]) -> list[Value]:
        behind = maker.op("maximum", maker.op("subtract", places, distance), starts)
        return [maker.op(op, found[0], maker.inside("take", found[0], behind))]

    (made,) = doubled(maker, count, [rows], put)
    return made


__all__ = ["lead"]
