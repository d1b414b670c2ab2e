"""Lists of any length to columns: one array for each number or array in their elements.

    [(1.0, 2), (3.0, 4)]        [1.0, 3.0]  [2, 4]

It goes attribute by attribute, not element by element, so that what is done for each element is done in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np

from graph_program.backends.host.statics import same_static
from graph_program.extract.ir.paths import OFFSETS, ROW, Path
from graph_program.extract.ir.specs import (
    ArgSpec,
    DictSpec,
    RecordSpec,
    RowsSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
    spec_parts,
)
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType

Array = np.ndarray[Any, Any]


class Misfit(Exception):
    """An element is another one than the signature has."""


class Packed(list[Array]):
    """The columns of a list."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[int] = []
        """Which arrays and objects are in its elements, by their ids."""


def packer(spec: RowsSpec, checked: bool) -> Callable[[Any], Packed | None]:
    """What makes columns of a list; with `checked`, None of one that is another than the signature has."""

    def pack(elements: list[Any]) -> Packed:
        packed = Packed()
        _Packing(packed, checked).add(elements, spec.element)
        return packed

    def checking(elements: Any) -> Packed | None:
        if type(elements) is not list:
            return None
        try:
            packed = pack(elements)
        except (Misfit, OverflowError):
            return None
        return packed if len(set(packed.parts)) == len(packed.parts) else None

    return checking if checked else pack


def columns(spec: RowsSpec, path: Path) -> Iterator[tuple[Path, TensorType]]:
    """The places and types of the columns, in the order in which they are packed."""
    yield from _columns(spec.element, (*path, ROW), spec.length)


def _columns(spec: ArgSpec, path: Path, length: Dim) -> Iterator[tuple[Path, TensorType]]:
    if isinstance(spec, TensorSpec):
        yield path, TensorType(spec.type.dtype, (length, *spec.type.shape), Kind.ARRAY)
    elif isinstance(spec, RowsSpec):
        yield (*path, OFFSETS), TensorType(INT64, (length + 1,), Kind.ARRAY)
        yield from _columns(spec.element, (*path, ROW), spec.length)
    else:
        for step, part in spec_parts(spec) or ():
            yield from _columns(part, (*path, step), length)


class _Packing:
    def __init__(self, packed: Packed, checked: bool):
        self.packed = packed
        self.checked = checked

    def add(self, values: Sequence[Any], spec: ArgSpec) -> None:
        """The columns of what stands in one place of all elements."""
        if self.checked:
            self.check(values, spec)
        if isinstance(spec, RowsSpec | DictSpec | RecordSpec) or is_array(spec):
            self.packed.parts.extend(map(id, values))
        match spec:
            case RowsSpec(element):
                offsets = np.zeros(len(values) + 1, np.int64)
                np.cumsum(list(map(len, values)), out=offsets[1:])
                self.packed.append(offsets)
                self.add(list(chain.from_iterable(values)), element)
            case TensorSpec(type_) if is_array(spec):
                self.packed.append(_stacked(values, type_, self.checked))
            case TensorSpec(type_):
                self.packed.append(np.fromiter(values, type_.dtype, len(values)))
            case TupleSpec(elts):
                for i, part in enumerate(elts):
                    self.add(list(map(itemgetter(i), values)), part)
            case DictSpec(items):
                for key, part in items:
                    self.add(list(map(itemgetter(key), values)), part)
            case RecordSpec(_, fields):
                for name, part in fields:
                    self.add(list(map(attrgetter(name), values)), part)

    def check(self, values: Sequence[Any], spec: ArgSpec) -> None:
        """Raise `Misfit` where something in this place is of another kind; what is in it is looked at later."""
        if isinstance(spec, StaticSpec):
            _require(all(value is spec.value or same_static(value, spec.value) for value in values))
            return
        cls = _class_of(spec)
        _require({cls}.issuperset(map(type, values)))
        if isinstance(spec, TupleSpec):
            _require({len(spec.elts)}.issuperset(map(len, values)))
        if isinstance(spec, DictSpec):
            keys = [key for key, _ in spec.items]
            _require(all(list(value) == keys for value in values))
        if isinstance(spec, RecordSpec):
            names = {name for name, _ in spec.fields}
            _require(all(_has(value, names) for value in values))


def is_array(spec: ArgSpec) -> bool:
    """Whether something is an array, not a number."""
    return isinstance(spec, TensorSpec) and spec.type.kind is Kind.ARRAY


def _require(fits: bool) -> None:
    if not fits:
        raise Misfit


def _class_of(spec: ArgSpec) -> type:
    match spec:
        case TensorSpec(type_):
            python = type_.kind is Kind.PYTHON
            return type_.python_class if python else np.ndarray if type_.kind is Kind.ARRAY else type_.dtype.type
        case TupleSpec(_, cls):
            return cls or tuple
        case RecordSpec(cls):
            return cls
        case RowsSpec():
            return list
    return dict


def _has(value: Any, names: set[str]) -> bool:
    """Whether an object has these attributes, and of its own no others."""
    own = getattr(value, "__dict__", None)
    if own is None or is_dataclass(value):
        return all(hasattr(value, name) for name in names)
    return bool(own.keys() == names)


def _stacked(values: Sequence[Any], type_: TensorType, checked: bool) -> Array:
    """Arrays of one shape as one; of none, the shape must be known."""
    known = [size.constant for size in type_.shape]
    if not values:
        _require(None not in known)
        return np.empty((0, *known), type_.dtype)
    if checked:
        shape, dtype = values[0].shape, type_.dtype
        _require(len(shape) == len(known) and all(n in (None, size) for n, size in zip(known, shape, strict=True)))
        _require(all(value.shape == shape and value.dtype is dtype for value in values))
    return np.array(values, type_.dtype)
