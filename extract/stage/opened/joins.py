"""Merging open values where paths meet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import Open, Value
from graph_program.extract.types.terms import TypeTerm

if TYPE_CHECKING:
    from graph_program.extract.types.solver import Origin


def joined(m: Machine, values: Sequence[Value]) -> Open:
    """One value for several paths: of one type where that fits, else of a type of which nothing is known."""
    inference = m.inferring
    terms = [inference.term(m, v) for v in values]
    known = [t for t in terms if t is not None]
    if len(known) < len(terms) or any(isinstance(v, Open) and v.lost for v in values):
        return inference.lost(m)
    found: list[TypeTerm] = []

    def relate(origin: Origin) -> None:
        shape = next((t.shape for v, t in zip(values, known, strict=True) if isinstance(v, Open)), known[0].shape)
        for other in known:
            inference.solver.equal_shapes(shape, other.shape, origin)
        found.append(TypeTerm(inference.solver.promote([t.dtype for t in known], origin), shape))

    if inference.suppose(m, "the paths that meet here", relate):
        return inference.open(m, inference.solver.resolve(found[0]))
    return inference.lost(m)


def covers(m: Machine, head: Open, value: Value) -> bool:
    """Whether a loop's value may be what the end of a round gives; where it can be, it is."""
    inference = m.inferring
    term = inference.term(m, value)
    if head.lost:
        return True
    if term is None or (isinstance(value, Open) and value.lost):
        return False
    ours = inference.solver.resolve(head.term)

    def relate(origin: Origin) -> None:
        inference.solver.equal_shapes(ours.shape, term.shape, origin)
        merged = inference.solver.promote([ours.dtype, term.dtype], origin)
        inference.solver.equal_dtypes(merged, ours.dtype, origin)

    return inference.suppose(m, "the rounds of this loop", relate)
