"""The dims of argument specs: which names they have, and specs with names replaced by sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from graph_program.extract.ir.interface import ArgSpec, DictSpec, ListSpec, RecordSpec, TensorSpec, TupleSpec
from graph_program.extract.types.annotation_types import (
    Annotation,
    ArrayAnnotation,
    DictAnnotation,
    RecordAnnotation,
    SequenceAnnotation,
    TupleAnnotation,
    UnionAnnotation,
    parse_annotation,
)
from graph_program.extract.types.dims import Dim, dim


def dim_names(spec: ArgSpec) -> Iterator[str]:
    """The names in an argument's shapes, in order; some may come twice."""
    match spec:
        case TensorSpec(type_):
            for size in type_.shape:
                yield from sorted(size.symbols)
        case TupleSpec(elts) | ListSpec(elts):
            for part in elts:
                yield from dim_names(part)
        case DictSpec(items) | RecordSpec(_, items):
            for _, part in items:
                yield from dim_names(part)


def annotated_names(annotations: Iterable[object]) -> set[str]:
    """The names of dims that stand in annotations, also in those of alternatives."""
    found: set[str] = set()
    seen: set[type] = set()
    waiting: list[Annotation | None] = [parse_annotation(a) for a in annotations]
    while waiting:
        note = waiting.pop()
        match note:
            case ArrayAnnotation():
                found |= {n for size in note.dims or () if isinstance(size, Dim) for n in size.symbols}
            case TupleAnnotation(elts) | UnionAnnotation(elts):
                waiting += elts
            case SequenceAnnotation(element) | DictAnnotation(element):
                waiting.append(element)
            case RecordAnnotation(cls) if cls not in seen:
                seen.add(cls)
                waiting += note.fields.values()
    return found


def with_sizes(spec: ArgSpec, sizes: Mapping[str, int]) -> ArgSpec:
    """The spec with names of dims replaced by sizes."""
    return _substituted(spec, {name: dim(size) for name, size in sizes.items()}) if sizes else spec


def _substituted(spec: ArgSpec, sizes: Mapping[str, Dim]) -> ArgSpec:
    match spec:
        case TensorSpec(type_):
            shape = tuple(d.substitute(sizes) if d.symbols & sizes.keys() else d for d in type_.shape)
            return TensorSpec(replace(type_, shape=shape))
        case TupleSpec(elts) | ListSpec(elts):
            return replace(spec, elts=tuple(_substituted(part, sizes) for part in elts))
        case DictSpec(items):
            return DictSpec(tuple((key, _substituted(part, sizes)) for key, part in items))
        case RecordSpec(cls, fields):
            return RecordSpec(cls, tuple((name, _substituted(part, sizes)) for name, part in fields))
    return spec


def same_kinds(a: Mapping[str, ArgSpec], b: Mapping[str, ArgSpec]) -> bool:
    """Whether specs differ in nothing but sizes."""
    return a.keys() == b.keys() and all(_outline(a[name]) == _outline(b[name]) for name in a)


def _outline(spec: ArgSpec) -> ArgSpec:
    """The spec with every size 0."""
    match spec:
        case TensorSpec(type_):
            return TensorSpec(replace(type_, shape=(dim(0),) * type_.rank))
        case TupleSpec(elts) | ListSpec(elts):
            return replace(spec, elts=tuple(map(_outline, elts)))
        case DictSpec(items):
            return DictSpec(tuple((k, _outline(v)) for k, v in items))
        case RecordSpec(cls, fields):
            return RecordSpec(cls, tuple((k, _outline(v)) for k, v in fields))
    return spec
