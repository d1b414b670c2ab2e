"""Specs of parameters whose annotations leave something open, as types with variables.

`Float[np.ndarray, "*b n"]` says that the element type is some float and that the last dim is `n`;
no annotation says nothing.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.specs import ArgSpec, OpenSpec, RecordSpec, StaticSpec, TensorSpec, TupleSpec
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.annotation_reading import parse_annotation, record_fields
from graph_program.extract.types.notation.annotations import (
    Annotation,
    ArrayAnnotation,
    RecordAnnotation,
    StaticAnnotation,
    TupleAnnotation,
    UnionAnnotation,
)
from graph_program.extract.types.notation.terms import DTypeTerm, DTypeVar, RankVar, Segment, TypeTerm
from graph_program.extract.types.solving.solver import Solver
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType


def open_spec(annotation: object, name: str, solver: Solver) -> ArgSpec:
    """The spec of a parameter, with variables for what its annotation does not say.

    Parameters
    ----------
    annotation : object
        An annotation object, or `inspect.Parameter.empty` for none.
    name : str
        The parameter; names the variables.
    solver : Solver
        Makes the variables.
    """
    return _spec(parse_annotation(annotation), name, solver)


def _spec(note: Annotation | None, name: str, solver: Solver) -> ArgSpec:
    match note:
        case ArrayAnnotation(kind=Kind.ARRAY):
            return OpenSpec(array_term(note, solver))
        case ArrayAnnotation():
            return _number(note, name)
        case TupleAnnotation(elts, cls):
            return TupleSpec(tuple(_spec(e, name, solver) for e in elts), cls)
        case RecordAnnotation(cls):
            return RecordSpec(cls, tuple((k, _spec(f, k, solver)) for k, f in record_fields(note).items()))
        case StaticAnnotation(values=(value,)):
            return StaticSpec(value)
        case UnionAnnotation((ArrayAnnotation() as said, _), by_default=True):
            return _spec(said, name, solver)
    return OpenSpec(solver.fresh_type(name))


def _number(note: ArrayAnnotation, name: str) -> ArgSpec:
    dtype = note.dtype or np.dtype(np.float64)
    return TensorSpec(TensorType(dtype, (), note.kind))


def array_term(note: ArrayAnnotation, solver: Solver) -> TypeTerm:
    """The type that an array annotation describes."""
    kinds = None if note.dtypes is None else frozenset(d.kind for d in note.dtypes)
    kinds = kinds - {"c"} or kinds if kinds else kinds  # complex ones are open where nothing else may be
    dtype: DTypeTerm = solver.fresh_dtype("t", kinds) if note.dtype is None else note.dtype
    if note.variable is not None:
        dtype = DTypeVar(note.variable, kinds)
    if note.dims is None:
        return TypeTerm(dtype, (solver.fresh_rank("s"),))
    return TypeTerm(dtype, tuple(_segment(e, solver) for e in note.dims))


def _segment(entry: Dim | RankVar | None, solver: Solver) -> Segment:
    if entry is None:
        return solver.fresh_dim()
    return solver.fresh_rank("s") if isinstance(entry, RankVar) and not entry.name else entry


__all__ = ["array_term", "open_spec"]
