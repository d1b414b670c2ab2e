"""Integers as sums of multiples of other integers, so that indices can be compared.

    a = add(k, n); b = subtract(a, 1)       b is k + n - 1

Sums of 64-bit integers wrap around alike however they are written, so equal sums are equal integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass

DEEPEST = 8
"""So many operations are looked through."""


@dataclass(frozen=True)
class Linear:
    """`constant` and the sum of `terms`, each a value times a number that is not 0."""

    terms: Mapping[Value, int] = field(default_factory=dict)
    constant: int = 0

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for value, factor in other.terms.items():
            terms[value] = terms.get(value, 0) + factor
        return Linear({v: c for v, c in terms.items() if c}, self.constant + other.constant)

    def __sub__(self, other: Linear) -> Linear:
        return self + other.times(-1)

    def times(self, factor: int) -> Linear:
        """Each part times a number."""
        if not factor:
            return Linear()
        return Linear({v: c * factor for v, c in self.terms.items()}, self.constant * factor)

    def without(self, value: Value) -> Linear:
        """The sum without one value's term."""
        return Linear({v: c for v, c in self.terms.items() if v is not value}, self.constant)


def linear(value: Value, maker: Callable[[Value], Node | None], depth: int = DEEPEST) -> Linear:
    """An int64 number as a sum; `maker` says which node makes a value."""
    node = maker(value)
    itself = Linear({value: 1})
    if node is None or not depth or value.type.rank or value.type.dtype != np.int64:
        return itself
    if node.op == "constant":
        return Linear({}, int(node.attrs["value"]))
    if node.op == "cast":
        same = node.inputs[0].type.dtype == np.int64
        return linear(node.inputs[0], maker, depth - 1) if same else itself
    if node.op not in ("add", "subtract", "multiply", "negative"):
        return itself
    a, *others = (linear(x, maker, depth - 1) for x in node.inputs)
    if node.op == "negative":
        return a.times(-1)
    (b,) = others
    if node.op != "multiply":
        return a + b if node.op == "add" else a - b
    number, other = (a, b) if not a.terms else (b, a)
    return itself if number.terms else other.times(number.constant)


def in_last_rounds(
    form: Linear,
    rounds: Callable[[Value], Linear | None],
    multiple: Callable[[Value], Linear | None] = lambda product: None,
    depth: int = DEEPEST,
) -> Linear:
    """A sum that is not less in any round of the loops around, without what counts their rounds and adds to it.

    Parameters
    ----------
    form : Linear
    rounds : callable
        The number of rounds that a value counts; None for one that counts none.
    multiple : callable
        What a multiple of such a value is at most; None if that is not known.
    depth : int
        So many counters are looked through.
    """
    for value, factor in form.terms.items():
        most = multiple(value) if factor > 0 else None
        if most is not None:
            form = form.without(value) + most.times(factor)
    for _ in range(depth):
        counted = {v: n for v, factor in form.terms.items() if factor > 0 and (n := rounds(v)) is not None}
        if not counted:
            break
        # that of the innermost loop first, whose rounds may be as many as another one has counted
        inner = [value for value, n in counted.items() if not counted.keys().isdisjoint(n.terms)]
        counter = next(iter(inner or counted))
        last = counted[counter] + Linear({}, -1)
        form = form.without(counter) + last.times(form.terms[counter])
    return form


def same(a: Iterable[Linear], b: Iterable[Linear]) -> bool:
    """Whether sums are the same, one by one."""
    return list(a) == list(b)


__all__ = ["Linear", "in_last_rounds", "linear", "same"]
