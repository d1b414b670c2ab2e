"""What an annotation says about a value: jaxtyping's arrays, NumPy classes, numbers, containers.

`parse_annotation` turns an annotation object into a description.  jaxtyping itself is never imported
here (that costs 100 ms): its array annotations are known by their attributes and their public
`dim_str`, whose small grammar is read again, into symbolic dims.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import numpy as np

from graph_program.extract.types.dims import Dim, dim, maximum, minimum, symbol
from graph_program.extract.types.tensor_type import PY_TYPES, Kind

DType = np.dtype[Any]
DTYPES: dict[str, DType] = {
    t.__name__: np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
} | {t.__name__: np.dtype(t) for t in (np.float16, np.float32, np.float64)}
DTYPES |= {"bool": np.dtype(bool), "bool_": np.dtype(bool)}
"""Element types that a graph can have, by the names that jaxtyping gives them."""
SUPPORTED = frozenset(DTYPES.values())


class StaticMarker:
    """The mark that `Static[T]` leaves on an annotation."""


T = TypeVar("T")
Static = Annotated[T, StaticMarker()]
"""`Static[T]`: a parameter that is known at extraction; each value gets a graph of its own."""

# ---------------------------------------------------------------- descriptions


@dataclass(frozen=True)
class ArrayAnnotation:
    """An array or a number.

    Attributes
    ----------
    dtypes : frozenset of dtype, or None
        The element types allowed; None allows any.
    dims : tuple of Dim or None, or None
        Sizes of the axes, None for one that may be anything; None as a whole: any shape.
    variadic : int or None
        Position in `dims` of an entry that stands for any number of axes.
    variadic_name : str or None
        What the annotation calls those axes.
    kind : Kind
        The class of the value.
    text : str
        The annotation as written, for messages.
    """

    dtypes: frozenset[DType] | None
    dims: tuple[Dim | None, ...] | None
    variadic: int | None = None
    variadic_name: str | None = None
    kind: Kind = Kind.ARRAY
    text: str = "np.ndarray"

    @property
    def dtype(self) -> DType | None:
        """The one element type allowed, if it is one."""
        return next(iter(self.dtypes)) if self.dtypes is not None and len(self.dtypes) == 1 else None

    def dims_for(self, rank: int) -> tuple[Dim | None, ...] | None:
        """The dims of a value of this rank; None if it cannot have it."""
        if self.dims is None:
            return (None,) * rank
        if self.variadic is None:
            return self.dims if len(self.dims) == rank else None
        extra = rank - (len(self.dims) - 1)
        if extra < 0:
            return None
        name = self.variadic_name
        middle = [symbol(f"{name}_{i}") if name else None for i in range(extra)]
        return (*self.dims[: self.variadic], *middle, *self.dims[self.variadic + 1 :])


@dataclass(frozen=True)
class TupleAnnotation:
    """A tuple of known length, or a named tuple of class `cls`."""

    elts: tuple[Annotation | None, ...]
    cls: type | None = None


@dataclass(frozen=True)
class SequenceAnnotation:
    """A list, or a tuple of any length, of like elements."""

    element: Annotation | None


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
        return {f.name: parse_annotation(hints.get(f.name, f.type)) for f in dataclasses.fields(self.cls)}


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
    options: tuple[Annotation | None, ...]


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
    """The description of an annotation object; None if it says nothing that is understood."""
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
    if is_jaxtyping(cls):
        return _parse_jaxtyping(cls)
    if cls in PY_TYPES:
        number = PY_TYPES[cls]
        return ArrayAnnotation(frozenset({number.dtype}), (), kind=Kind.PYTHON, text=cls.__name__)
    if cls is np.ndarray:
        return ArrayAnnotation(None, None)
    if issubclass(cls, np.generic):
        return _parse_scalar_class(cls)
    if dataclasses.is_dataclass(cls):
        return RecordAnnotation(cls)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        hints = class_annotations(cls)
        return TupleAnnotation(tuple(parse_annotation(hints.get(f, "")) for f in cls._fields), cls)
    if issubclass(cls, (str, bytes, enum.Enum, type)):
        return StaticAnnotation()
    return None


def _parse_scalar_class(cls: type[np.generic]) -> Annotation | None:
    dtypes = frozenset(d for d in SUPPORTED if issubclass(d.type, cls))
    return ArrayAnnotation(dtypes, (), kind=Kind.NUMPY, text=f"np.{cls.__name__}") if dtypes else None


def _parse_jaxtyping(cls: Any) -> Annotation | None:
    if cls.array_type is not Any and not issubclass(cls.array_type, (np.ndarray, np.generic)):
        return None
    scalar = cls.array_type is not Any and issubclass(cls.array_type, np.generic)
    dims, variadic, name = parse_dims(cls.dim_str)
    return ArrayAnnotation(
        _jaxtyping_dtypes(cls.dtypes),
        dims,
        variadic,
        name,
        Kind.NUMPY if scalar else Kind.ARRAY,
        cls.__name__,
    )


def _jaxtyping_dtypes(dtypes: Any) -> frozenset[DType] | None:
    """jaxtyping keeps names and patterns of names, or a marker object for any element type."""
    if not isinstance(dtypes, (tuple, list)):
        return None
    found = {DTYPES[name] for name in dtypes if isinstance(name, str) and name in DTYPES}
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
    return ArrayAnnotation(dtypes, (None,) * len(sizes) if ranked else None)


_GENERICS: dict[Any, Callable[[tuple[Any, ...]], Annotation]] = {
    tuple: _parse_tuple,
    list: lambda arguments: SequenceAnnotation(parse_annotation(arguments[0])),
    dict: lambda arguments: DictAnnotation(parse_annotation(arguments[1])),
    type: lambda arguments: StaticAnnotation(),
    np.ndarray: _parse_ndarray,
    typing.Literal: StaticAnnotation,
    typing.get_origin(typing.Callable[[], None]): lambda arguments: StaticAnnotation(),
}

# ---------------------------------------------------------------- dims


def parse_dims(text: str) -> tuple[tuple[Dim | None, ...], int | None, str | None]:
    """jaxtyping's dims string as dims, the position of a variadic entry and its name.

    An entry of None may have any size: `_`, `_name`, and `#n`, which broadcasts.
    """
    dims: list[Dim | None] = []
    variadic: int | None = None
    name: str | None = None
    for i, element in enumerate(text.split()):
        body = element.lstrip("#*_?")
        marks = element[: len(element) - len(body)]
        if element == "..." or "*" in marks:
            variadic = i
            named = "." not in body and "_" not in marks
            name = body if named and body else None
            dims.append(None)
        else:
            hidden = "_" in marks or "#" in marks
            dims.append(None if hidden else _parse_size(body))
    return tuple(dims), variadic, name


def _parse_size(text: str) -> Dim | None:
    """One dim: a name, an integer (perhaps `name=4`), or an expression of these; None if not readable."""
    try:
        return _dim_of(ast.parse(text.rpartition("=")[2].strip(), mode="eval").body)
    except (SyntaxError, _NotADimError):
        return None


class _NotADimError(Exception):
    pass


_BINARY: dict[type[ast.operator], Callable[[Dim, Dim], Dim]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
}
_CALLS: dict[str, Callable[[Dim, Dim], Dim]] = {"max": maximum, "min": minimum}


def _dim_of(node: ast.expr) -> Dim:
    match node:
        case ast.Constant(value=int(value)):
            return dim(value)
        case ast.Name(id=name):
            return symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_dim_of(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_dim_of(left), _dim_of(right))
        case ast.Call(func=ast.Name(id=name), args=[left, right]) if name in _CALLS:
            return _CALLS[name](_dim_of(left), _dim_of(right))
    raise _NotADimError


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
        return eval(annotation, dict(scope), dict(names))
    except (NameError, AttributeError, SyntaxError, TypeError):
        return annotation
