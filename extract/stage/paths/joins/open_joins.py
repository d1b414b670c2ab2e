"""Merging open values where paths meet.

What is a variable on one path takes the other's type: a state that a loop carries keeps its shape.
Sizes that differ in another way (`n` and `n+1`) become unknown, as where known types meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graph_program.extract.stage.machine.inference import Inference
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths.joins.meeting import Meeting, takes
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.values import Value
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.notation.terms import Segment, ShapeTerm, TypeTerm, Weak

if TYPE_CHECKING:
    from graph_program.extract.types.solving.solver import Origin


def joined(m: Machine, values: Sequence[Value]) -> Open:
    """One value for several paths: of one type where that fits, else of a type of which nothing is known."""
    inference = m.inferring
    terms = [inference.term(m, v) for v in values]
    known = [t for t in terms if t is not None]
    if len(known) < len(terms) or any(v.lost for v in values):
        return inference.lost(m)
    found: list[TypeTerm] = []

    def relate(origin: Origin) -> None:
        # A loop's first number (`total = 0`) takes the shape that the loop gives it.
        arrays = [t for t in known if not isinstance(t.dtype, Weak)] or known
        shape = arrays[0].shape
        for other in arrays[1:]:
            shape = _merged(inference, shape, other.shape, origin)
        found.append(TypeTerm(inference.solver.promote([t.dtype for t in known], origin), shape))

    if inference.suppose(m, "the paths that meet here", relate):
        return inference.open(m, inference.solver.resolve(found[0]))
    return inference.lost(m)


@takes.of(Open)
def _takes(at: Meeting, head: Open, value: Value) -> bool:
    """Whether a loop's value may be what the end of a round gives; where it can be, it is."""
    m = at.join.m
    inference = m.inferring
    term = inference.term(m, value)
    if head.lost:
        return True
    if term is None or value.lost:
        return False
    ours = inference.solver.resolve(head.term)
    found: list[ShapeTerm] = []

    def relate(origin: Origin) -> None:
        found.append(_merged(inference, ours.shape, term.shape, origin))
        merged = inference.solver.promote([ours.dtype, term.dtype], origin)
        inference.solver.equal_dtypes(merged, ours.dtype, origin)

    if not inference.suppose(m, "the rounds of this loop", relate):
        return False
    return inference.solver.resolve(found[0]) == inference.solver.resolve(head.term.shape)


def _merged(inference: Inference, a: ShapeTerm, b: ShapeTerm, origin: Origin) -> ShapeTerm:
    """The shape of a value that has one of two shapes."""
    a, b = inference.solver.resolve(a), inference.solver.resolve(b)
    aligned = len(a) == len(b) and all(isinstance(x, Dim) == isinstance(y, Dim) for x, y in zip(a, b, strict=True))
    if not aligned:
        inference.solver.equal_shapes(a, b, origin)
        return inference.solver.resolve(a)
    if _reordered(a, b):
        return tuple(x if x == y else _changing(inference) for x, y in zip(a, b, strict=True))
    return tuple(_merged_segment(inference, x, y, origin) for x, y in zip(a, b, strict=True))


def _reordered(a: ShapeTerm, b: ShapeTerm) -> bool:
    """Whether two shapes have the same dims in another order, as `x` and `x.T`: no reason to take them for equal."""
    dims = [[s for s in shape if isinstance(s, Dim)] for shape in (a, b)]
    return a != b and all(len(d) == len(a) for d in dims) and Counter(dims[0]) == Counter(dims[1])


def _changing(inference: Inference) -> Dim:
    """A size of which nothing is known, as it differs."""
    fresh = inference.solver.fresh_dim()
    inference.changing.add(fresh)
    return fresh


def _merged_segment(inference: Inference, x: Segment, y: Segment, origin: Origin) -> Segment:
    if not isinstance(x, Dim) or not isinstance(y, Dim):
        inference.solver.equal_shapes((x,), (y,), origin)
        return x
    x, y = inference.solver.resolve(x), inference.solver.resolve(y)
    if x == y or x in inference.changing:
        return x
    if _is_variable_for(x, y) or _is_variable_for(y, x):
        inference.solver.equal_dims(x, y, origin)
        return inference.solver.resolve(x)
    return _changing(inference)


def _is_variable_for(x: Dim, y: Dim) -> bool:
    """Whether `x` is a lone symbol that can stand for `y`."""
    return len(x.symbols) == 1 and x == symbol(next(iter(x.symbols))) and not x.symbols & y.symbols
