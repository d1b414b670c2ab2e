"""Annotation objects, read: `parse_annotation` says what one means.

jaxtyping itself is never imported here (that costs 100 ms): its array annotations are known by their
attributes and their public `dim_str`, whose small grammar `dims_strings` reads again, into symbolic dims.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from graph_program.extract.types.notation.annotations import (
    Annotation,
    ArrayAnnotation,
    DictAnnotation,
    RecordAnnotation,
    SequenceAnnotation,
    StaticAnnotation,
    TupleAnnotation,
    UnionAnnotation,
)
from graph_program.extract.types.notation.dims_strings import Malformed, read_dims
from graph_program.extract.types.notation.evaluated_annotations import class_annotations
from graph_program.extract.types.notation.shaped import parse_shaped
from graph_program.extract.types.tensors.bfloat16 import NAME, bfloat16, is_bfloat16_class
from graph_program.extract.types.tensors.element_types import DTYPES, SUPPORTED, DType, kind_word
from graph_program.extract.types.tensors.tensor_type import PY_TYPES, Kind
from graph_program.tensor_api.static import StaticMarker


def parse_annotation(annotation: object) -> Annotation | None:
    """The description of an annotation object; None if it says nothing that is understood.

    Raises
    ------
    AnnotationSyntaxError
        For a text in it that cannot be read.
    """
    if annotation is None or annotation is type(None):
        return StaticAnnotation((None,))
    if isinstance(annotation, str):
        return None
    if hasattr(annotation, "__value__"):
        return parse_annotation(annotation.__value__)
    if typing.get_origin(annotation) is not None:
        return _parse_generic(annotation)
    if isinstance(annotation, type):
        return _parse_class(annotation)
    return None


def record_fields(record: RecordAnnotation) -> dict[str, Annotation | None]:
    """The annotations of a dataclass's fields."""
    hints, fields = class_annotations(record.cls), dataclasses.fields(record.cls)
    return {f.name: _field_annotation(hints.get(f.name, f.type), f.default) for f in fields}


def is_jaxtyping(annotation: object) -> bool:
    """Whether this is an array annotation made by jaxtyping (`Float32[np.ndarray, "n"]`)."""
    return isinstance(annotation, type) and all(
        hasattr(annotation, attribute) for attribute in ("array_type", "dtypes", "dim_str", "index_variadic")
    )


def _parse_class(cls: type) -> Annotation | None:
    if issubclass(cls, Malformed):
        raise cls.error
    if is_jaxtyping(cls):
        return _parse_jaxtyping(cls)
    if hasattr(cls, "__shape_text__"):
        return parse_shaped(cls)
    if cls in PY_TYPES:
        number = PY_TYPES[cls]
        return ArrayAnnotation(frozenset({number.dtype}), (), kind=Kind.PYTHON, word=cls.__name__)
    if cls is np.ndarray:
        return ArrayAnnotation(None, None)
    if issubclass(cls, np.generic):
        return _parse_scalar_class(cls)
    if dataclasses.is_dataclass(cls):
        return RecordAnnotation(cls)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        hints, defaults = class_annotations(cls), getattr(cls, "_field_defaults", {})
        return TupleAnnotation(tuple(_field_annotation(hints.get(f, ""), defaults.get(f, f)) for f in cls._fields), cls)
    if issubclass(cls, (str, bytes, enum.Enum, type)):
        return StaticAnnotation()
    return None


def _field_annotation(annotation: object, default: object) -> Annotation | None:
    """The annotation of a field, which may be None where that is its default."""
    note = parse_annotation(annotation)
    if default is not None or note is None:
        return note
    options = note.options if isinstance(note, UnionAnnotation) else (note,)
    return UnionAnnotation((*options, StaticAnnotation((None,))), by_default=len(options) == 1)


def _parse_scalar_class(cls: type[np.generic]) -> Annotation | None:
    if is_bfloat16_class(cls):
        return ArrayAnnotation(frozenset([bfloat16()]), (), kind=Kind.NUMPY, word=f"{cls.__module__}.{cls.__name__}")
    dtypes = frozenset(d for d in SUPPORTED if issubclass(d.type, cls))
    return ArrayAnnotation(dtypes, (), kind=Kind.NUMPY, word=f"np.{cls.__name__}") if dtypes else None


def _parse_jaxtyping(cls: Any) -> Annotation | None:
    if cls.array_type is not Any and not issubclass(cls.array_type, (np.ndarray, np.generic)):
        return None
    scalar = cls.array_type is not Any and issubclass(cls.array_type, np.generic)
    dtypes = _jaxtyping_dtypes(cls.dtypes)
    word = "t" if dtypes is None else kind_word(dtypes) or cls.__name__.partition("[")[0].lower()
    return ArrayAnnotation(dtypes, read_dims(cls.dim_str), Kind.NUMPY if scalar else Kind.ARRAY, word)


def _jaxtyping_dtypes(dtypes: Any) -> frozenset[DType] | None:
    """jaxtyping keeps names and patterns of names, or a marker object for any element type."""
    if not isinstance(dtypes, (tuple, list)):
        return None
    found = {DTYPES[name] for name in dtypes if isinstance(name, str) and name in DTYPES}
    if found == set() and NAME in dtypes:
        return frozenset([bfloat16()])
    patterns = [p for p in dtypes if not isinstance(p, str)]
    found |= {d for name, d in DTYPES.items() if any(p.match(name) for p in patterns)}
    return frozenset(found)


def _parse_generic(annotation: Any) -> Annotation | None:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        if any(isinstance(mark, StaticMarker) for mark in annotation.__metadata__):
            return StaticAnnotation(forced=True)
        return parse_annotation(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return UnionAnnotation(tuple(map(parse_annotation, arguments)))
    reader = _GENERICS.get(origin)
    return reader(arguments) if reader else _parse_class(origin) if isinstance(origin, type) else None


def _parse_tuple(arguments: tuple[Any, ...]) -> Annotation:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return SequenceAnnotation(parse_annotation(arguments[0]))
    return TupleAnnotation(tuple(map(parse_annotation, arguments)))


def _parse_ndarray(arguments: tuple[Any, ...]) -> Annotation:
    """`np.ndarray[shape, np.dtype[T]]`, which is also what `NDArray[T]` stands for."""
    scalars = typing.get_args(arguments[1]) if len(arguments) > 1 else ()
    element = _parse_scalar_class(scalars[0]) if scalars and isinstance(scalars[0], type) else None
    dtypes = element.dtypes if isinstance(element, ArrayAnnotation) else None
    sizes = typing.get_args(arguments[0])
    ranked = typing.get_origin(arguments[0]) is tuple and Ellipsis not in sizes
    exact = dtypes is not None and len(dtypes) == 1
    word = "" if dtypes is None else next(iter(dtypes)).name if exact else f"np.{scalars[0].__name__}"
    return ArrayAnnotation(dtypes, (None,) * len(sizes) if ranked else None, word=word)


_GENERICS: dict[Any, Callable[[tuple[Any, ...]], Annotation]] = {
    tuple: _parse_tuple,
    list: lambda arguments: SequenceAnnotation(parse_annotation(arguments[0]), is_list=True),
    dict: lambda arguments: DictAnnotation(parse_annotation(arguments[1])),
    type: lambda arguments: StaticAnnotation(),
    np.ndarray: _parse_ndarray,
    typing.Literal: StaticAnnotation,
    typing.get_origin(typing.Callable[[], None]): lambda arguments: StaticAnnotation(),
}
