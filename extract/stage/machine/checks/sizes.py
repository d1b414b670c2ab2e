"""Symbolic dims as values: what computes `n - 1` where `n` is a dim of an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_program.extract.stage.values.values import Static, Tensor, Value
from graph_program.extract.types.dims import Dim, Symbol, exact_quotient, product, symbol
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def expressible(m: Machine, size: Dim) -> bool:
    """Whether a dim can be computed from the arguments' shapes by sums and products."""
    known = m.dim_sources()
    atoms = [a for monomial, _ in size.terms for a in monomial]
    return all(isinstance(a, Symbol) and symbol(a.name) in known for a in atoms)


def counts_elements(m: Machine, size: Dim | None) -> bool:
    """Whether an int is a product of dims of one argument: NumPy makes no array where that overflows."""
    if size is None or len(size.terms) != 1 or size.terms[0][1] != 1:
        return False
    return any(exact_quotient(product(a.type.shape), size) is not None for a in m.outside.arrays)


def size_value(m: Machine, size: Dim) -> Value:
    """The value of a dim, computed from the arguments' shapes."""
    if size.constant is not None:
        return Static(size.constant)
    known = m.dim_sources()
    total: Tensor | None = None
    for monomial, coefficient in size.terms:
        part: Tensor = m.cast(Static(coefficient), INT64)
        for atom in monomial:
            array, axis = known[symbol(str(atom))]
            part = m.op("multiply", part, m.dimension(array, axis), kind=Kind.PYTHON)
        total = part if total is None else m.op("add", total, part, kind=Kind.PYTHON)
    assert total is not None
    total.size = size
    return total
