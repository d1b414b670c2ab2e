"""Formulas over real arrays of the graph, written with Python's operators.

    x, y = Term(m, a), Term(m, b)
    (x * x + y * y).sqrt()          emits multiply, multiply, add, sqrt

A number in a formula is a constant of the element type of the array beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.values import Tensor

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def _operator(name: str) -> Callable[..., Term]:
    """The method of an operator: an operation of this and of what is beside it."""
    return lambda self, *others: self.op(name, *others)


def _reflected(name: str) -> Callable[[Term, float], Term]:
    """The method of an operator with a number on its left."""
    return lambda self, other: self.like(other).op(name, self)


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

    __add__, __radd__ = _operator("add"), _reflected("add")
    __sub__, __rsub__ = _operator("subtract"), _reflected("subtract")
    __mul__, __rmul__ = _operator("multiply"), _reflected("multiply")
    __truediv__, __rtruediv__ = _operator("divide"), _reflected("divide")
    __neg__ = _operator("negative")
    __abs__ = _operator("absolute")
    __and__ = _operator("bitwise_and")
    __or__ = _operator("bitwise_or")
    __invert__ = _operator("invert")
    __lt__ = _operator("less")
    __le__ = _operator("less_equal")
    __gt__ = _operator("greater")
    __ge__ = _operator("greater_equal")

    def equal(self, other: Term | float) -> Term:
        """Where both are equal."""
        return self.op("equal", other)

    def choose(self, one: Term | float, other: Term | float) -> Term:
        """For a truth value: `one` where it holds, else `other`, of which at most one is a number."""
        known = one if isinstance(one, Term) else other
        assert isinstance(known, Term)
        chosen = self.m.op("where", self.tensor, known.like(one).tensor, known.like(other).tensor)
        return Term(self.m, chosen)
