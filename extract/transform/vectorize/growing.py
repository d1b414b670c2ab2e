"""Lists that grow: what each round appends, one behind the other.

kept = concatenate(kept, [x])       to      kept = concatenate(kept, rows[nonzero(test)])       where test holds
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.vectorize.carried import Slot
from graph_program.extract.transform.vectorize.lanes import NO_MASK, Mask
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.types.dims import dim

if TYPE_CHECKING:
    from graph_program.extract.transform.vectorize.written import Written


@dataclass(frozen=True)
class Appended:
    """`concatenate(x, rows)`, where a mask holds."""

    rows: Value
    mask: Mask


def grown(written: Written, slot: Slot) -> Callable[[], Value] | None:
    """How the rounds make a list grow; None if they do something else."""
    chain: set[Value] = set()
    parts = _parts(written, slot.result, slot, chain)
    lanes = written.lanes
    if not parts or slot.initial.type.rank != slot.parameter.type.rank:
        return None
    if slot.initial.type.shape[1:] != slot.parameter.type.shape[1:]:
        return None
    for part in parts:
        if not lanes.is_known(part.rows) or not lanes.mask_is_known(part.mask):
            return None
        if part.rows.type.shape[1:] != slot.parameter.type.shape[1:]:
            return None
    if not written.nobody_reads(slot, chain) or (len(parts) > 1 and any(part.mask for part in parts)):
        return None
    return lambda: _behind(written, slot, parts)


def _parts(written: Written, value: Value, slot: Slot, chain: set[Value]) -> list[Appended] | None:
    if value is slot.parameter:
        return []
    step = written.makers.get(value)
    if step is None or value not in slot.dependent:
        return None
    chain.update((value, step.output))
    node = step.node
    if step.is_choice:
        test, *sides = node.inputs
        found = [_parts(written, side, slot, chain) for side in sides]
        found = [[] if written.is_unread(side) and found[1 - k] else found[k] for k, side in enumerate(sides)]
        if found[0] is None or found[1] is None:
            return None
        pairs = zip(found, (True, False), strict=True)
        return [Appended(p.rows, ((test, side), *p.mask)) for parts, side in pairs for p in parts or ()]
    if node.op != "concatenate" or node.attrs["axis"] or len(node.inputs) != 2:
        return None
    before = _parts(written, node.inputs[0], slot, chain)
    return None if before is None else [*before, Appended(node.inputs[1], NO_MASK)]


def _behind(written: Written, slot: Slot, parts: list[Appended]) -> Value:
    """The list, and behind it what all rounds append."""
    lanes, maker = written.lanes, written.lanes.maker
    rows = [lanes.each(part.rows) for part in parts]
    made = rows[0] if len(rows) == 1 else maker.op("concatenate", *rows, axis=1)
    mask, cut = lanes.mask_of(parts[0].mask), written.carried.cut_of_lists
    if mask is not None or cut is not None:
        made = maker.op("take", made, written.chosen(mask, cut), axis=0)
    made = _flat(maker, made)
    if slot.initial.type.shape[0] == dim(0):
        return made
    return maker.op("concatenate", slot.initial, made, axis=0)


def _flat(maker: Maker, made: Value) -> Value:
    """The rows of all lanes one behind the other."""
    if made.type.shape[1].constant == 1:
        node = maker.rewriter.producer.get(made)
        if node is not None and node.op == "expand_dims" and tuple(node.attrs["axes"]) == (1,):
            return node.inputs[0]
        return maker.op("squeeze", made, axes=(1,))
    sizes = [maker.op("dim", made, axis=k) for k in range(made.type.rank)]
    return maker.op("reshape", made, maker.op("multiply", *sizes[:2]), *sizes[2:])


__all__ = ["grown"]
