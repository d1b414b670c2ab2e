"""Formulas over real arrays of the graph, written with Python's operators.

    x, y = Term(m, a), Term(m, b)
    (x * x + y * y).sqrt()          emits multiply, multiply, add, sqrt

A number in a formula is a constant of the element type of the array beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.values import Tensor

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


@dataclass(frozen=True, eq=False)
class Term:
    """A real array, or the truth of something for each element."""

    m: Machine
    tensor: Tensor

    @property
    def dtype(self) -> np.dtype:
        return self.tensor.type.dtype

    def op(self, name: str, *others: Term | float) -> Term:
        """An operation of this and others."""
        return Term(self.m, self.m.op(name, self.tensor, *(self.like(o).tensor for o in others)))

    def like(self, other: Term | float) -> Term:
        """A number as a constant."""
        return other if isinstance(other, Term) else Term(self.m, self.m.constant(np.asarray(other, self.dtype)))

    def __add__(self, other: Term | float) -> Term:
        return self.op("add", other)

    def __radd__(self, other: float) -> Term:
        return self.like(other).op("add", self)

    def __sub__(self, other: Term | float) -> Term:
        return self.op("subtract", other)

    def __rsub__(self, other: float) -> Term:
        return self.like(other).op("subtract", self)

    def __mul__(self, other: Term | float) -> Term:
        return self.op("multiply", other)

    def __rmul__(self, other: float) -> Term:
        return self.like(other).op("multiply", self)

    def __truediv__(self, other: Term | float) -> Term:
        return self.op("divide", other)

    def __rtruediv__(self, other: float) -> Term:
        return self.like(other).op("divide", self)

    def __neg__(self) -> Term:
        return self.op("negative")

    def __abs__(self) -> Term:
        return self.op("absolute")

    def __and__(self, other: Term) -> Term:
        return self.op("bitwise_and", other)

    def __or__(self, other: Term) -> Term:
        return self.op("bitwise_or", other)

    def __invert__(self) -> Term:
        return self.op("invert")

    def __lt__(self, other: Term | float) -> Term:
        return self.op("less", other)

    def __le__(self, other: Term | float) -> Term:
        return self.op("less_equal", other)

    def __gt__(self, other: Term | float) -> Term:
        return self.op("greater", other)

    def __ge__(self, other: Term | float) -> Term:
        return self.op("greater_equal", other)

    def equal(self, other: Term | float) -> Term:
        """Where both are equal."""
        return self.op("equal", other)

    def choose(self, one: Term | float, other: Term | float) -> Term:
        """For a truth value: `one` where it holds, else `other`, of which at most one is a number."""
        known = one if isinstance(one, Term) else other
        assert isinstance(known, Term)
        chosen = self.m.op("where", self.tensor, known.like(one).tensor, known.like(other).tensor)
        return Term(self.m, chosen)
