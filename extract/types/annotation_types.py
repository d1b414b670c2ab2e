"""What an annotation says about a value: arrays (jaxtyping's and ours), NumPy classes, numbers, containers.

`parse_annotation` turns an annotation object into a description.  jaxtyping itself is never imported
here (that costs 100 ms): its array annotations are known by their attributes and their public
`dim_str`, whose small grammar `annotation_text` reads again, into symbolic dims.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from graph_program.extract.types.annotation_text import (
    AnnotationSyntaxError,
    Entry,
    Malformed,
    hint,
    malformed,
    read_dims,
)
from graph_program.extract.types.bfloat16 import NAME, bfloat16, is_bfloat16, is_bfloat16_class
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.tensor_type import PY_TYPES, Kind
from graph_program.extract.types.terms import RankVar
from graph_program.tensor_api.static import StaticMarker

DType = np.dtype[Any]
DTYPES: dict[str, DType] = {
    t.__name__: np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
} | {t.__name__: np.dtype(t) for t in (np.float16, np.float32, np.float64, np.complex64, np.complex128)}
DTYPES |= {"bool": np.dtype(bool), "bool_": np.dtype(bool)}
"""Element types that a graph can have, by the names that jaxtyping gives them."""
SUPPORTED = frozenset(DTYPES.values())
"""Those that may be inferred; bfloat16 is one that must be said."""


def is_supported(dtype: DType) -> bool:
    """Whether a graph can have an element type."""
    return dtype in SUPPORTED or is_bfloat16(dtype)


def named_dtype(name: str) -> DType | None:
    """The element type of this name; None for others."""
    return bfloat16() if name == NAME else DTYPES.get(name)


# ---------------------------------------------------------------- descriptions


@dataclass(frozen=True)
class ArrayAnnotation:
    """An array or a number; prints as in the shape language, `float32 [*batch, n]`.

    Attributes
    ----------
    dtypes : frozenset of dtype, or None
        The element types allowed; None allows any.
    dims : tuple of Dim, RankVar or None, or None
        Sizes of the axes, None for one that may be anything, a `RankVar` for any number of axes
        (without a name where the annotation gives none); None as a whole: any shape.
    kind : Kind
        The class of the value.
    word : str
        How the element types are called: `float32`, `float`; a variable's name if it is one.
    variable : str or None
        The element type variable: it stands for the same type everywhere in the signature.
    """

    dtypes: frozenset[DType] | None
    dims: tuple[Entry, ...] | None
    kind: Kind = Kind.ARRAY
    word: str = ""
    variable: str | None = None

    @property
    def dtype(self) -> DType | None:
        """The one element type allowed, if it is one."""
        return next(iter(self.dtypes)) if self.dtypes is not None and len(self.dtypes) == 1 else None

    def allows(self, dtype: DType) -> bool:
        """Whether an array may have this element type; bfloat16 is a float where every float is allowed."""
        if self.dtypes is None or dtype in self.dtypes:
            return True
        return is_bfloat16(dtype) and of_kinds("f") <= self.dtypes

    @property
    def parts(self) -> tuple[RankVar, ...]:
        """The entries that stand for any number of axes."""
        return tuple(e for e in self.dims or () if isinstance(e, RankVar))

    @property
    def is_promise(self) -> bool:
        """Whether it says something of an array; what it says of numbers is a hint, as it is to Python."""
        return self.kind is Kind.ARRAY and (self.dtypes is not None or self.dims is not None)

    @property
    def text(self) -> str:
        """The annotation in the shape language."""
        if self.kind is not Kind.ARRAY:
            return self.word
        if self.dims is None:
            return f"{self.word} [...]" if self.dtypes is not None else "np.ndarray"
        return f"{self.word or 'np.ndarray'} [{', '.join(map(entry_text, self.dims))}]"

    def __str__(self) -> str:
        return self.text

    def dims_for(self, rank: int, ranks: Mapping[str, int]) -> tuple[Dim | None, ...] | None:
        """The dims of a value of this rank; None if it cannot have it.

        `ranks` has the number of axes of each part: of those with a name by name, of the others by
        their position in `dims` as text.  What one part alone leaves open is what the rank leaves.
        """
        if self.dims is None:
            return (None,) * rank
        fixed = len(self.dims) - len(self.parts)
        left = rank - fixed - sum(ranks.get(part_key(e, i), 0) for i, e in enumerate(self.dims))
        dims: list[Dim | None] = []
        for i, entry in enumerate(self.dims):
            if not isinstance(entry, RankVar):
                dims.append(entry)
                continue
            known = ranks.get(part_key(entry, i))
            count, left = (left, 0) if known is None else (known, left)
            dims += [symbol(f"{entry.name}_{k}") if entry.name else None for k in range(count)]
        return tuple(dims) if left == 0 and len(dims) == rank else None


def part_key(entry: Entry, position: int) -> str:
    """What names a part of unknown length: its name, or its position; "" for a single dim."""
    return (entry.name or str(position)) if isinstance(entry, RankVar) else ""


def entry_text(entry: Entry) -> str:
    """One entry in the shape language."""
    if isinstance(entry, RankVar):
        return str(entry) if entry.name else "..."
    return "_" if entry is None else str(entry)


@dataclass(frozen=True)
class TupleAnnotation:
    """A tuple of known length, or a named tuple of class `cls`."""

    elts: tuple[Annotation | None, ...]
    cls: type | None = None


@dataclass(frozen=True)
class SequenceAnnotation:
    """A list, or a tuple of any length, of like elements; `size` is its length if that has a name."""

    element: Annotation | None
    size: Dim | None = None
    is_list: bool = False


@dataclass(frozen=True)
class DictAnnotation:
    """A dict of like values."""

    value: Annotation | None


@dataclass(frozen=True)
class RecordAnnotation:
    """A dataclass; its fields' annotations are read when asked for, since classes may be recursive."""

    cls: type

    @property
    def fields(self) -> dict[str, Annotation | None]:
        hints = class_annotations(self.cls)
        return {f.name: _field_annotation(hints.get(f.name, f.type), f.default) for f in dataclasses.fields(self.cls)}


@dataclass(frozen=True)
class StaticAnnotation:
    """A value known at extraction: `str`, `None`, a callable, an enum, `Static[T]`.

    `values` are the only ones allowed, where the annotation says (`None`, `Literal[...]`).
    `forced` is set by `Static[T]`, which also makes numbers static.
    """

    values: tuple[Any, ...] | None = None
    forced: bool = False


@dataclass(frozen=True)
class UnionAnnotation:
    """One of several; `by_default` where a field is None by its default alone, `x: float = None`."""

    options: tuple[Annotation | None, ...]
    by_default: bool = False


Annotation = (
    ArrayAnnotation
    | TupleAnnotation
    | SequenceAnnotation
    | DictAnnotation
    | RecordAnnotation
    | StaticAnnotation
    | UnionAnnotation
)

# ---------------------------------------------------------------- parsing


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
        from graph_program.extract.types.shaped import parse_shaped

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


def kind_word(dtypes: frozenset[DType] | None) -> str:
    """What the shape language calls a set of element types; "" for any, and where it has no word."""
    if dtypes is None or len(dtypes) == 1:
        return next(iter(dtypes)).name if dtypes else ""
    real = (
        frozenset(d for d in dtypes if d.kind != "c") or dtypes
    )  # a word for real ones is theirs with complex ones, too
    return next((word for word, kinds in KIND_WORDS.items() if real == of_kinds(kinds)), "")


def of_kinds(kinds: Iterable[str]) -> frozenset[DType]:
    """The supported element types of these kinds, as `np.dtype.kind` gives them."""
    return frozenset(d for d in SUPPORTED if d.kind in kinds)


KIND_WORDS = {
    "float": "f",
    "int": "i",
    "uint": "u",
    "integer": "iu",
    "number": "iuf",
    "discrete": "biu",
    "complex": "c",
}
"""Words for sets of element types, with their kinds."""


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

# ---------------------------------------------------------------- where annotations are found


def function_annotations(fn: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function, those written as text evaluated where that is possible."""
    fn = inspect.unwrap(fn)
    code = getattr(fn, "__code__", None)
    cells = zip(code.co_freevars, fn.__closure__ or (), strict=True) if code is not None else ()
    scope = dict(getattr(fn, "__globals__", {}))
    scope |= {name: cell.cell_contents for name, cell in cells if _is_set(cell)}
    return {name: _evaluate(a, scope, {}) for name, a in inspect.get_annotations(fn).items()}


def class_annotations(cls: type) -> dict[str, Any]:
    """The annotations of a class and its bases, those written as text evaluated where possible."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        module = inspect.getmodule(base)
        scope = vars(module) if module else {}
        found |= {name: _evaluate(a, scope, vars(base)) for name, a in inspect.get_annotations(base).items()}
    return found


def or_none(annotation: Any) -> Any:
    """The annotation of a parameter whose default is None.

    `x: float = None` means `x: float | None`, as it does wherever such annotations are not checked.
    """
    fits = callable(annotation) or isinstance(annotation, types.UnionType)
    return typing.Optional[annotation] if fits else annotation  # noqa: UP045 - the class may have no `|`


def _is_set(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  (an empty cell raises)
    except ValueError:
        return False
    return True


def _evaluate(annotation: Any, scope: Mapping[str, Any], names: Mapping[str, Any]) -> Any:
    """The object that a textual annotation names; the text itself if a name in it is not there.

    Named tuples keep such text as a `ForwardRef`.
    """
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    try:
        found = eval(annotation, dict(scope), dict(names))
        return eval(found, dict(scope), dict(names)) if isinstance(found, str) else found
    except (NameError, AttributeError, SyntaxError, TypeError):
        return annotation
    except ValueError as error:  # jaxtyping's
        return malformed(refused_text(annotation, error))


def refused_text(annotation: str, error: Exception) -> AnnotationSyntaxError:
    """Why jaxtyping refuses an annotation, of which there is only the text."""
    for node in ast.walk(ast.parse(annotation.strip(), mode="eval")):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                read_dims(node.value)
            except AnnotationSyntaxError as found:
                return found
    return AnnotationSyntaxError(str(error), annotation, 0, len(annotation), hint())
