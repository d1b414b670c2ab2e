"""Argument specs: from annotations alone, or from the arguments of a call guided by annotations.

Array arguments are generalised: an axis takes the name its annotation gives it, or a symbol of its
own.  What the annotation fixes (element type, rank, constant sizes) is checked here, with errors that
name the parameter; that one name means one size is checked in `sizes`.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from graph_program.extract.arguments.call_sizes import (
    Bounds,
    call_error,
    check_sizes,
    symbol_name,
    tuple_text,
)
from graph_program.extract.arguments.row_specs import MARK, annotated_rows, empty_rows, rows_spec
from graph_program.extract.arguments.spec_dims import with_sizes
from graph_program.extract.diagnostics import UNKNOWN, CallError, Diagnostic, Loc, UnsupportedError
from graph_program.extract.ir.paths import ROW, KeyStep, Path, follow, path_name, path_text
from graph_program.extract.ir.specs import (
    ArgSpec,
    DictSpec,
    HostSpec,
    ListSpec,
    RecordSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
    spec_leaves,
    spec_nodes,
    with_static,
)
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.notation.annotation_reading import parse_annotation, record_fields
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
from graph_program.extract.types.tensors.bfloat16 import INSTEAD, is_extension
from graph_program.extract.types.tensors.element_types import is_supported
from graph_program.extract.types.tensors.tensor_type import PY_TYPES, Kind, TensorType

# ---------------------------------------------------------------- from an annotation alone


def spec_from_annotation(annotation: object, name: str) -> ArgSpec | None:
    """The spec of a parameter that its annotation determines; None if it leaves anything open.

    Parameters
    ----------
    annotation : object
        An annotation object such as `Float32[np.ndarray, "n 4"]`, `int`, a dataclass.
    name : str
        The parameter; axes without a name become symbols `name_0`, `name_1`.
    """
    return spec_of(parse_annotation(annotation), name)


def spec_of(note: Annotation | None, name: str, inside: frozenset[type] = frozenset()) -> ArgSpec | None:
    """The spec that an annotation determines; of what is `inside` objects of some classes, none has others of these."""
    match note:
        case ArrayAnnotation():
            return _array_spec(note, name)
        case TupleAnnotation(elts, cls):
            names = cls._fields if cls is not None else range(len(elts))  # type: ignore[attr-defined]
            parts = [spec_of(e, f"{name}.{key}", inside) for key, e in zip(names, elts, strict=True)]
            known = tuple(p for p in parts if p is not None)
            return TupleSpec(known, cls) if len(known) == len(parts) else None
        case RecordAnnotation(cls) if cls not in inside:
            described = record_fields(note)
            fields = {key: spec_of(field, f"{name}.{key}", inside | {cls}) for key, field in described.items()}
            items = tuple((key, spec) for key, spec in fields.items() if spec is not None)
            return RecordSpec(cls, items) if len(items) == len(fields) else None
        case SequenceAnnotation(element, None, is_list=True):
            return annotated_rows(spec_of(element, MARK, inside), name)
        case StaticAnnotation(values=(value,)):
            return StaticSpec(value)
        case UnionAnnotation((ArrayAnnotation() as said, _), by_default=True):
            return spec_of(said, name, inside)
    return None


def _array_spec(note: ArrayAnnotation, name: str) -> ArgSpec | None:
    if note.dims is None or note.parts or note.dtype is None:
        return None
    dims = note.dims_for(len(note.dims), {}) or ()
    return TensorSpec(TensorType(note.dtype, _named(dims, name), note.kind))


def _named(dims: Sequence[Dim | None], name: str) -> tuple[Dim, ...]:
    return tuple(symbol(f"{name}_{i}") if d is None else d for i, d in enumerate(dims))


# ---------------------------------------------------------------- from a value


def spec_from_value(value: object, annotation: object, path: Path | str, loc: Loc = UNKNOWN) -> ArgSpec:
    """The spec of an argument: element types and ranks exactly, sizes generalised to symbols.

    Parameters
    ----------
    value : object
        The argument of a call.
    annotation : object
        Its parameter's annotation object; None or `inspect.Parameter.empty` for none.
    path : Path or str
        The parameter, or the place of a leaf; names symbols (`p.w_0`) and is shown in messages.
    loc : Loc
        The place that errors name.

    Raises
    ------
    CallError
        GP401 for an element type or class, GP402 for a rank, GP403 for a size that the annotation
        does not allow.
    UnsupportedError
        GP404 for a value that cannot be a part of a graph program.
    """
    note = None if annotation is None else parse_annotation(annotation)
    try:
        return ValueReader(loc).read(value, note, (path,) if isinstance(path, str) else path)
    except _UndecidedError as undecided:
        raise undecided.error from None


def specs_from_call(
    arguments: Sequence[tuple[str, object, object]],
    bounds: Bounds | None = None,
    loc: Loc = UNKNOWN,
    is_apart: Callable[[Any], bool] | None = None,
) -> list[ArgSpec]:
    """The specs of all arguments, given as (name, value, annotation), with sizes checked across them.

    Instances of ordinary classes are taken apart where `is_apart` says so.
    """
    reader = ValueReader(loc, is_apart)
    specs: dict[str, ArgSpec] = {}
    waiting = list(arguments)
    while waiting:
        undecided = []
        for name, value, annotation in waiting:
            count = len(reader.leaves)
            try:
                specs[name] = reader.read(value, None if annotation is None else parse_annotation(annotation), (name,))
            except _UndecidedError as error:
                del reader.leaves[count:]
                undecided.append((error, (name, value, annotation)))
        if len(undecided) == len(waiting):
            raise undecided[0][0].error
        waiting = [argument for _, argument in undecided]
    if is_apart is not None and _have_shared_parts({name: value for name, value, _ in arguments}, specs):
        return specs_from_call(arguments, bounds, loc)
    check_sizes(reader.leaves, bounds, loc)
    return [with_sizes(specs[name], reader.lengths) for name, _, _ in arguments]


def _have_shared_parts(values: Mapping[str, object], specs: Mapping[str, ArgSpec]) -> bool:
    """Whether instances of ordinary classes are taken apart in which something is in two places."""
    known = {name: with_static(spec, lambda _: True) for name, spec in specs.items()}
    parts = [(path, spec) for name in known for path, spec in spec_nodes(known[name], (name,)) if ROW not in path]
    if not any(isinstance(spec, RecordSpec) and is_ordinary(spec.cls) for _, spec in parts):
        return False
    found = [follow(values[str(path[0])], path) for path, spec in parts]
    kept = [id(v) for v in found if isinstance(v, np.ndarray | list | dict) or hasattr(v, "__dict__")]
    return len(set(kept)) < len(kept)


def is_ordinary(cls: type) -> bool:
    """Whether the class of a record is no data class."""
    return cls is not slice and not dataclasses.is_dataclass(cls)


class _UndecidedError(Exception):
    """An annotation with several parts of unknown length; those of other parameters may decide."""

    def __init__(self, error: CallError):
        self.error = error


_REFUSED = "cannot be a part of a graph program"


class ValueReader:
    """Reads argument values; collects the array leaves, and what the names of annotations stand for."""

    sized = False
    """Whether the shapes of arrays in lists are a part of the signature."""

    def __init__(self, loc: Loc, is_apart: Callable[[Any], bool] | None = None):
        self.loc = loc
        self.is_apart = is_apart
        self.instances: list[int] = []
        """Those of ordinary classes that are being read, by id."""
        self.leaves: list[tuple[str, TensorType, tuple[int, ...]]] = []
        self.ranks: dict[str, tuple[str, int]] = {}
        """The number of axes of each named part, with the argument it was first seen in."""
        self.dtypes: dict[str, tuple[str, np.dtype[Any]]] = {}
        """The element type that each variable stands for, with the argument it was first seen in."""
        self.lengths: dict[str, int] = {}
        """Names of dims that are lengths of lists, which a signature fixes."""

    def read(self, value: Any, note: Annotation | None, path: Path) -> ArgSpec:
        if isinstance(note, UnionAnnotation):
            return self._read_union(value, note, path)
        if isinstance(note, StaticAnnotation) and note.forced:
            return StaticSpec(value)
        if self.is_apart is not None and self.is_apart(value) and not _promises(note):
            return self.instance(value, path)
        for matches, read in _READERS:
            if matches(value):
                if _promises(note) and not _is_numeric(value):
                    raise self._not_an_array(value, note, path)
                return read(self, value, note, path)
        if isinstance(value, bytearray | memoryview):
            hint = "pass np.frombuffer(data, np.uint8), which shares its memory"
            raise self.unsupported(path, f"a {_class_name(value)} {_REFUSED}", hint)
        if isinstance(value, complex):
            raise self.unsupported(path, f"a value of class {_class_name(value)} {_REFUSED}")
        if _promises(note):
            raise self._not_an_array(value, note, path)
        return HostSpec(type(value))

    def misfit(self, code: str, path: Path, text: str, other: str = "") -> CallError:
        """A refusal of an argument, perhaps for what another one (`other`, as text) says."""
        return call_error(code, f"parameter {path_text(path)}: {text}", self.loc, (path_text(path), other))

    def unsupported(self, path: Path, text: str, hint: str = "") -> UnsupportedError:
        return UnsupportedError(Diagnostic("GP404", f"parameter {path_text(path)}: {text}", self.loc, hint=hint))

    def _read_union(self, value: Any, note: UnionAnnotation, path: Path) -> ArgSpec:
        """The first alternative that takes the value."""
        errors: list[CallError] = []
        for option in note.options:
            if isinstance(option, StaticAnnotation) and option.values is not None and value is not None:
                continue
            try:
                return self.read(value, option, path)
            except CallError as error:
                errors.append(error)
        if errors:
            raise errors[0]
        return self.read(value, None, path)

    # arrays and numbers

    def array(self, value: np.ndarray[Any, Any], note: Annotation | None, path: Path) -> ArgSpec:
        dtype = value.dtype
        if type(value) not in (np.ndarray, np.memmap):
            raise self.unsupported(path, f"a {_class_name(value)} is not a plain np.ndarray")
        if not is_supported(dtype) or not dtype.isnative:
            advice = "" if dtype.isnative else f": convert it with astype({dtype.newbyteorder('=').name!r})"
            hint = INSTEAD if is_extension(dtype) else ""
            raise self.unsupported(path, f"an array of {dtype} {_REFUSED}{advice}", hint)
        return self._tensor(TensorType(dtype, (), Kind.ARRAY), value.shape, note, path)

    def scalar(self, value: np.generic, note: Annotation | None, path: Path) -> ArgSpec:
        if not is_supported(value.dtype):
            hint = INSTEAD if is_extension(value.dtype) else ""
            raise self.unsupported(path, f"a value of class {_class_name(value)} {_REFUSED}", hint)
        return self._tensor(TensorType(value.dtype, (), Kind.NUMPY), (), note, path)

    def number(self, value: int | float, note: Annotation | None, path: Path) -> ArgSpec:
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise self.unsupported(path, f"the integer {value} is outside int64")
        if _promises(note):
            raise self._not_an_array(value, note, path)
        return TensorSpec(PY_TYPES[type(value)])

    def _tensor(self, t: TensorType, shape: tuple[int, ...], note: Annotation | None, path: Path) -> ArgSpec:
        dims: Sequence[Dim | None] = (None,) * len(shape)
        if _promises(note):
            self._check_dtype(t, note, path)
            dims = self._check_shape(t, shape, note, path)
        named = TensorType(t.dtype, _named(dims, path_name(path)), t.kind)
        self.leaves.append((path_text(path), named, shape))
        return TensorSpec(named)

    def _check_dtype(self, t: TensorType, note: ArrayAnnotation, path: Path) -> None:
        if not note.allows(t.dtype):
            text = f"expected {note.text}, got an array of {t.dtype}"
            raise self.misfit("GP401", path, text)
        if note.variable is not None:
            first, known = self.dtypes.setdefault(note.variable, (path_text(path), t.dtype))
            if known != t.dtype:
                text = f"expected {note.text} with {note.variable}={known} (from {first}), got an array of {t.dtype}"
                raise self.misfit("GP401", path, text, first)

    def _check_shape(
        self, t: TensorType, shape: tuple[int, ...], note: ArrayAnnotation, path: Path
    ) -> Sequence[Dim | None]:
        dims = note.dims_for(len(shape), self._part_ranks(note, shape, path))
        if dims is None:
            text = f"expected {note.text}, got {len(shape)} dimensions: {tuple_text(shape)}"
            raise self.misfit("GP402", path, text)
        named = TensorType(t.dtype, _named(dims, path_name(path)))
        check_sizes([(path_text(path), named, shape)], None, self.loc)
        return dims

    def _part_ranks(self, note: ArrayAnnotation, shape: tuple[int, ...], path: Path) -> dict[str, int]:
        """How many axes each part of unknown length takes.

        Raises
        ------
        _UndecidedError
            Where neither the rank nor the parts known from other arguments decide.
        """
        keys = [part_key(entry, i) for i, entry in enumerate(note.dims or ()) if isinstance(entry, RankVar)]
        left = len(shape) - len(note.dims or ()) + len(keys)
        known = {key: self.ranks[key][1] for key in keys if key in self.ranks}
        rest = left - sum(known.get(key, 0) for key in keys)
        open_ = [key for key in keys if key not in known]
        if open_ and rest >= 0:
            if len(set(open_)) > 1 and rest > 0:
                raise self._undecided(note, shape, path)
            known |= dict.fromkeys(open_, rest // len(open_))
        for entry in note.parts if left >= 0 else ():
            if entry.name in known:
                self._check_part(entry.name, left if len(keys) == 1 else known[entry.name], path)
        return known

    def _check_part(self, name: str, rank: int, path: Path) -> None:
        first, known = self.ranks.setdefault(name, (path_text(path), rank))
        if known != rank:
            text = f"*{name} stands for {rank} dimensions, but for {known} in {first}"
            raise self.misfit("GP402", path, text, first)

    def _undecided(self, note: ArrayAnnotation, shape: tuple[int, ...], path: Path) -> _UndecidedError:
        text = f"parameter {path_text(path)}: {tuple_text(shape)} can be split as {note.text} in several ways"
        names = " or ".join(f"*{entry.name}" for entry in note.parts if entry.name) or "one of the parts"
        hint = f"annotate another parameter with {names} alone, or fix the rank"
        error = CallError(Diagnostic("GP402", text, self.loc, hint=hint))
        error.arguments = (path_text(path),)
        return _UndecidedError(error)

    def _not_an_array(self, value: object, note: ArrayAnnotation, path: Path) -> CallError:
        name = _class_name(value)
        python = "Python " if isinstance(value, int | float | list | tuple | dict) and "." not in name else ""
        return self.misfit(
            "GP401", path, f"expected {note.text}, got {'None' if value is None else f'a {python}{name}'}"
        )

    # structures

    def record(self, value: Any, note: Annotation | None, path: Path) -> ArgSpec:
        fields = record_fields(RecordAnnotation(type(value)))
        items = [
            (key, self.read(getattr(value, key), field, (*path, f".{key}")))
            for key, field in fields.items()
            if hasattr(value, key)
        ]
        return RecordSpec(type(value), tuple(items))

    def instance(self, value: Any, path: Path) -> ArgSpec:
        """An instance of an ordinary class: apart, if all that it has may be in the graph."""
        count, inside = len(self.leaves), id(value) in self.instances
        self.instances.append(id(value))
        try:
            fields = {} if inside else vars(value)
            items = tuple((name, self.read(v, None, (*path, f".{name}"))) for name, v in fields.items())
        except UnsupportedError:
            inside = True
        self.instances.pop()
        spec = HostSpec(type(value)) if inside else RecordSpec(type(value), items)
        if any(isinstance(leaf, HostSpec) for _, leaf in spec_leaves(spec)):
            del self.leaves[count:]
            return HostSpec(type(value))
        return spec

    def tuple_(self, value: tuple[Any, ...], note: Annotation | None, path: Path) -> ArgSpec:
        cls = type(value)
        if cls is tuple:
            return TupleSpec(self._elements(value, note, path))
        if not hasattr(cls, "_fields"):
            raise self.unsupported(path, f"a {cls.__name__} is not a plain tuple")
        own = parse_annotation(cls)
        notes = own.elts if isinstance(own, TupleAnnotation) else (None,) * len(value)
        keyed = zip(cls._fields, value, notes, strict=True)
        return TupleSpec(tuple(self.read(v, n, (*path, f".{key}")) for key, v, n in keyed), cls)

    def slice_(self, value: slice, note: Annotation | None, path: Path) -> ArgSpec:
        names = ("start", "stop", "step")
        return RecordSpec(slice, tuple((n, self.read(getattr(value, n), None, (*path, f".{n}"))) for n in names))

    def list_(self, value: list[Any], note: Annotation | None, path: Path) -> ArgSpec:
        """A list; one whose elements are alike has any length."""
        static = ListSpec(self._elements(value, note, path))
        said = note if isinstance(note, SequenceAnnotation) else SequenceAnnotation(None)
        if said.size is not None:
            return static
        if not value:
            return empty_rows(spec_of(said.element, MARK), static, path)
        return rows_spec(static, value, path, self.sized) or static

    def _elements(self, value: Sequence[Any], note: Annotation | None, path: Path) -> tuple[ArgSpec, ...]:
        notes: Sequence[Annotation | None] = (None,) * len(value)
        if isinstance(note, SequenceAnnotation):
            notes = (note.element,) * len(value)
            self._name_length(note.size, len(value), path)
        elif isinstance(note, TupleAnnotation):
            if len(note.elts) != len(value):
                text = f"expected {len(note.elts)} elements, got {len(value)}"
                raise self.misfit("GP402", path, text)
            notes = note.elts
        pairs = zip(value, notes, strict=True)
        return tuple(self.read(v, n, (*path, i)) for i, (v, n) in enumerate(pairs))

    def _name_length(self, size: Dim | None, length: int, path: Path) -> None:
        """A list's length where its annotation names it; the signature fixes it anyway."""
        if size is None:
            return
        self.leaves.append((path_text(path), TensorType(np.dtype(np.int64), (size,)), (length,)))
        name = symbol_name(size)
        if name is not None:
            self.lengths.setdefault(name, length)

    def dict_(self, value: dict[Hashable, Any], note: Annotation | None, path: Path) -> ArgSpec:
        element = note.value if isinstance(note, DictAnnotation) else None
        items = [(key, self.read(v, element, (*path, KeyStep(key)))) for key, v in value.items()]
        return DictSpec(tuple(items))

    def static(self, value: object, note: Annotation | None, path: Path) -> ArgSpec:
        return StaticSpec(value)


def _promises(note: Annotation | None) -> TypeGuard[ArrayAnnotation]:
    return isinstance(note, ArrayAnnotation) and note.is_promise


def _class_name(value: object) -> str:
    cls = type(value)
    return cls.__name__ if cls.__module__ in ("builtins", "numpy") else f"{cls.__module__}.{cls.__qualname__}"


def _is_numeric(value: object) -> bool:
    """Whether a value may come where an array or a number is annotated."""
    return isinstance(value, np.ndarray | np.generic) or type(value) in PY_TYPES


def _is_record(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


_STATIC_CLASSES = (str, bytes, type(None), type, enum.Enum, type(Ellipsis), np.dtype, range, frozenset)
_Read = Callable[[ValueReader, Any, Annotation | None, Path], ArgSpec]
_READERS: tuple[tuple[Callable[[Any], bool], _Read], ...] = (
    (lambda v: isinstance(v, np.ndarray), ValueReader.array),
    (lambda v: type(v) in PY_TYPES, ValueReader.number),
    (lambda v: isinstance(v, _STATIC_CLASSES), ValueReader.static),
    (lambda v: isinstance(v, np.generic), ValueReader.scalar),
    (_is_record, ValueReader.record),
    (lambda v: isinstance(v, slice), ValueReader.slice_),
    (lambda v: isinstance(v, tuple), ValueReader.tuple_),
    (lambda v: type(v) is list, ValueReader.list_),
    (lambda v: type(v) is dict, ValueReader.dict_),
    (callable, ValueReader.static),
)
"""Which values are read how; the first that matches. Enum members and strings come before numbers'
subclasses, so that an `IntEnum` member is static."""
