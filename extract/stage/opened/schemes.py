"""What the schemes of NumPy functions share: the table of them, and arguments as terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.stage.arrays.lowering_arguments import dtype_of
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.iteration import sequence_items
from graph_program.extract.stage.values.open_values import OpenDType, OpenShape
from graph_program.extract.stage.values.questions import is_just, is_known, known_value
from graph_program.extract.stage.values.values import Value, size_of
from graph_program.extract.types.dims import dim, product
from graph_program.extract.types.notation.terms import DTypeTerm, ShapeTerm, TypeTerm
from graph_program.extract.types.tensors.tensor_type import FLOAT64

if TYPE_CHECKING:
    from graph_program.extract.types.solving.solver import Origin

Scheme = Callable[..., Value]
SCHEMES: dict[str, Scheme] = {}


def scheme(*names: str) -> Callable[[Scheme], Scheme]:
    """Register the scheme of functions and methods, by name."""

    def register(run: Scheme) -> Scheme:
        SCHEMES.update(dict.fromkeys(names, run))
        return run

    return register


def term_of(m: Machine, value: Value) -> TypeTerm:
    """The type of an array-like value: a list of values is stacked."""
    items = sequence_items(m, value)
    if items is not None:
        return stacked(m, items)
    return m.inferring.term(m, value) or m.inferring.solver.fresh_type("t")


def stacked(m: Machine, items: Sequence[Value]) -> TypeTerm:
    """Values of one shape, along a new first axis."""
    inference = m.inferring
    terms = [term_of(m, v) for v in items]
    if not terms:
        return TypeTerm(FLOAT64, (dim(0),))

    def relate(origin: Origin) -> TypeTerm:
        for other in terms[1:]:
            inference.solver.equal_shapes(terms[0].shape, other.shape, origin)
        dtype = inference.solver.promote([t.dtype for t in terms], origin)
        return TypeTerm(dtype, (dim(len(terms)), *terms[0].shape))

    return inference.constrain(m, "arrays of one shape", relate) or inference.solver.fresh_type("t")


def static_int(value: Value) -> int | None:
    """The value of a static int."""
    known = known_value(value)
    return int(known) if isinstance(known, int | np.integer) and not isinstance(known, bool) else None


def dtype_term(m: Machine, value: Value, default: DTypeTerm) -> DTypeTerm:
    """The element type that a `dtype` argument asks for."""
    if isinstance(value, OpenDType):
        return m.inferring.solver.resolve(value.array.term).dtype
    if is_just(value, None):
        return default
    if not is_known(value):  # a parameter: any element type
        return m.inferring.solver.fresh_type("t").dtype
    asked: DTypeTerm | None = dtype_of(m, value)
    return default if asked is None else asked


def dims_of(m: Machine, value: Value) -> ShapeTerm:
    """The shape that a `shape` argument asks for."""
    if isinstance(value, OpenShape):
        return m.inferring.solver.resolve(value.array.term.shape)
    if value.lost:
        return (m.inferring.solver.fresh_rank(),)
    items = sequence_items(m, value)
    sizes = [size_of(m.inferring.integer(m, v)) for v in ([value] if items is None else items)]
    return tuple(m.inferring.solver.fresh_dim() if s is None else s for s in sizes)


def flat(m: Machine, shape: ShapeTerm) -> ShapeTerm:
    """The shape with all axes made one."""
    known = m.inferring.known_dims(shape)
    return (m.inferring.solver.fresh_dim() if known is None else product(known),)
