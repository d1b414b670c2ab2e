"""Where a value cannot be what an annotation says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir.paths import tuple_steps
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_just, is_known_as, is_ref_to
from graph_program.extract.stage.values.values import Host, Maybe, Mixed, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.notation.annotation_reading import record_fields
from graph_program.extract.types.notation.annotations import (
    Annotation,
    ArrayAnnotation,
    DictAnnotation,
    RecordAnnotation,
    SequenceAnnotation,
    StaticAnnotation,
    TupleAnnotation,
    UnionAnnotation,
    part_key,
)
from graph_program.extract.types.notation.terms import RankVar
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.options import Promises


@dataclass(frozen=True)
class Contradiction:
    """The part of a value that differs from its annotation in every run."""

    path: str
    note: Annotation | None
    value: Value
    error: type[diagnostics.GraphProgramError]


def contradiction(
    m: Machine, promises: Promises, value: Value, note: Annotation | None, path: str = ""
) -> Contradiction | None:
    """What of a value differs from its annotation in every run."""
    if isinstance(value, (Maybe, Mixed, Open)) or (isinstance(note, ArrayAnnotation) and _says_nothing(note)):
        return None
    match note:
        case ArrayAnnotation():
            error = _array_contradiction(m, promises, value, note)
            return None if error is None else Contradiction(path, note, value, error)
        case UnionAnnotation() if isinstance(value, Host):
            return None
        case UnionAnnotation(options):
            fits = any(_may_be(value, o) and contradiction(m, promises, value, o) is None for o in options)
            return None if fits else Contradiction(path, note, value, diagnostics.DTypeError)
    for step, inner, part in _parts(m, value, note):
        found = contradiction(m, promises, inner, part, path + step)
        if found is not None:
            return found
    return None


def _says_nothing(note: ArrayAnnotation) -> bool:
    """Numbers are hints, and `np.ndarray` promises nothing."""
    return note.kind is not Kind.ARRAY or (note.dims is None and note.dtypes is None)


def _may_be(value: Value, note: Annotation | None) -> bool:
    """Whether a value may be meant by an alternative: `None` by that for None only."""
    is_none = is_just(value, None)
    says_none = isinstance(note, StaticAnnotation) and note.values == (None,)
    return is_none == says_none or note is None


def _array_contradiction(
    m: Machine, promises: Promises, value: Value, note: ArrayAnnotation
) -> type[diagnostics.GraphProgramError] | None:
    type_ = _array_type(value)
    if type_ is None or type_.kind is Kind.PYTHON:
        return diagnostics.DTypeError
    known = dtype_variable(m, promises, note)
    if not note.allows(type_.dtype) if known is None else type_.dtype != known:
        return diagnostics.DTypeError
    dims = annotated_dims(promises, note, type_.rank)
    if dims is None:
        return diagnostics.ShapeError
    for named, size in zip(dims, type_.shape, strict=True):
        if named is not None and m.facts.decide("==", promises.dim(named), size) is False:
            return diagnostics.ShapeError
    return None


def dtype_variable(m: Machine, promises: Promises, note: ArrayAnnotation) -> np.dtype[Any] | None:
    """What the element type variable of an annotation stands for here, if that is known."""
    if note.variable is None:
        return None
    return promises.dtypes.get(note.variable) or m.live.bound.get(note.variable)


def _array_type(value: Value) -> TensorType | None:
    """The type of an array or number; None for anything else."""
    if is_known_as(value, np.ndarray):
        return TensorType(value.value.dtype, tuple(dim(n) for n in value.value.shape))
    return type_of(value) if is_numeric(value) else None


def _parts(m: Machine, value: Value, note: Annotation | None) -> Iterator[tuple[str, Value, Annotation | None]]:
    """The parts of a structure with their annotations; nothing where the two do not correspond."""
    contents = m.live.heap.get(value)
    match note:
        case TupleAnnotation(notes, cls) if isinstance(value, Tuple) and len(notes) == len(value.elts):
            steps = tuple_steps(cls, len(notes))
            for step, elt, part in zip(steps, value.elts, notes, strict=True):
                yield (step if isinstance(step, str) else f"[{step}]"), elt, part
        case SequenceAnnotation(element) if isinstance(value, Tuple):
            yield from ((f"[{i}]", elt, element) for i, elt in enumerate(value.elts))
        case SequenceAnnotation(element) if isinstance(contents, tuple):
            yield from ((f"[{i}]", elt, element) for i, elt in enumerate(contents))
        case DictAnnotation(inner) if is_ref_to(value, dict):
            yield from ((f"[{key!r}]", elt, inner) for key, elt in contents.items())
        case RecordAnnotation(cls) if is_ref_to(value, cls):
            fields = record_fields(note)
            yield from ((f".{key}", elt, fields.get(key)) for key, elt in contents.items())


def annotated_arrays(
    m: Machine, promises: Promises, value: Value, note: Annotation | None, path: str = ""
) -> Iterator[tuple[str, Tensor, ArrayAnnotation]]:
    """The arrays in a value with their places in it and their annotations."""
    match note:
        case ArrayAnnotation(kind=Kind.ARRAY):
            if isinstance(value, Tensor):
                yield path, value, note
        case UnionAnnotation(options):
            fitting = [o for o in options if _may_be(value, o) and contradiction(m, promises, value, o) is None]
            if len(fitting) == 1:
                yield from annotated_arrays(m, promises, value, fitting[0], path)
        case _:
            for step, inner, part in _parts(m, value, note):
                yield from annotated_arrays(m, promises, inner, part, path + step)


def annotated_dims(promises: Promises, note: ArrayAnnotation, rank: int) -> tuple[Dim | None, ...] | None:
    """The dims of an annotation for a value of some rank; None if the rank does not fit."""
    keys = [part_key(entry, i) for i, entry in enumerate(note.dims or ()) if isinstance(entry, RankVar)]
    ranks = {key: promises.ranks[key] for key in keys if key in promises.ranks and not key.isdigit()}
    if len(set(keys) - ranks.keys()) > 1:
        return (None,) * rank
    return note.dims_for(rank, ranks)
