"""Which lists have a length that no signature fixes: those whose elements are alike.

[1.0, 2.0]                      floats
[Track(x, 1), Track(y, 2)]      where all attributes are alike, arrays of one shape among them
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.extract.ir.paths import ROW, KeyStep, Path, Step, path_name, tuple_steps
from graph_program.extract.ir.specs import (
    ArgSpec,
    DictSpec,
    ListSpec,
    RecordSpec,
    RowsSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
    map_leaves,
    rows_in,
    spec_leaves,
)
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim, dim, symbol
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType


def rows_spec(static: ListSpec, values: Sequence[Any], path: Path, sized: bool = False) -> RowsSpec | None:
    """The spec of a list of any length; None where its elements are not alike.

    With `sized`, the shapes of arrays are as they are.
    """
    parts = _Elements(static.elts, values, (*path, 0), (*path, ROW), [])
    element = _common(parts, sized)
    if element is None or not _has_columns(element) or len(set(parts.objects)) < len(parts.objects):
        return None
    return RowsSpec(element, _length(path), static)


def _length(path: Path) -> Dim:
    return symbol(f"{path_name(path)}_0")


def _has_columns(element: ArgSpec) -> bool:
    return any(isinstance(leaf, TensorSpec) for _, leaf in spec_leaves(element))


MARK = "element of"
"""What sizes that an annotation of elements leaves open are called first."""


def annotated_rows(element: ArgSpec | None, name: str, static: ListSpec | None = None) -> RowsSpec | None:
    """The spec of a list of which only the annotation is known."""
    if element is None or not _has_columns(element) or any(True for _ in rows_in(element)):
        return None

    def named(leaf: ArgSpec, place: Path) -> ArgSpec:
        if not isinstance(leaf, TensorSpec):
            return leaf
        column = path_name((name, *place))
        shape = leaf.type.shape
        dims = (
            symbol(f"{column}_{axis + 1}") if any(n.startswith(MARK) for n in size.symbols) else size
            for axis, size in enumerate(shape)
        )
        return replace(leaf, type=replace(leaf.type, shape=tuple(dims)))

    return RowsSpec(map_leaves(element, named), _length((name,)), static)


def empty_rows(element: ArgSpec | None, static: ListSpec, path: Path) -> ArgSpec:
    """The spec of an empty list with an annotation, where that tells all about its elements."""
    found = annotated_rows(element, path_name(path), static)
    if found is None or any(
        size.constant is None
        for _, leaf in spec_leaves(found.element)
        if isinstance(leaf, TensorSpec)
        for size in leaf.type.shape
    ):
        return static
    return found


@dataclass(frozen=True)
class _Elements:
    """What stands in one place of all elements: specs and values, the place in the first one, and that of all.

    `objects` are the arrays and objects that have been met, by their ids.
    """

    specs: Sequence[ArgSpec]
    values: Sequence[Any]
    first: Path
    place: Path
    objects: list[int]

    def first_of(self, position: int) -> Path:
        """The place in another element than the first."""
        start = self.place.index(ROW)
        return (*self.first[:start], position, *self.first[start + 1 :])

    def part(self, step: Step, specs: Sequence[ArgSpec], values: Sequence[Any]) -> _Elements:
        return _Elements(specs, values, (*self.first, step), (*self.place, step), self.objects)


def _common(parts: _Elements, sized: bool) -> ArgSpec | None:
    """The spec that all elements have; None where they have none."""
    one = parts.specs[0]
    if any(type(spec) is not type(one) and not isinstance(one, RowsSpec | ListSpec) for spec in parts.specs):
        return None
    if isinstance(one, RowsSpec | ListSpec | DictSpec | RecordSpec) or isinstance(parts.values[0], np.ndarray):
        parts.objects.extend(map(id, parts.values))
    match one:
        case TensorSpec():
            return _tensor(parts, sized)
        case StaticSpec():
            return one if all(spec == one for spec in parts.specs) else None
        case TupleSpec(elts, cls):
            if any((spec.cls, len(spec.elts)) != (cls, len(elts)) for spec in parts.specs):  # type: ignore[union-attr]
                return None
            found = [
                _common(
                    parts.part(step, [s.elts[i] for s in parts.specs], [v[i] for v in parts.values]),  # type: ignore[union-attr]
                    sized,
                )
                for i, step in enumerate(tuple_steps(cls, len(elts)))
            ]
            known = tuple(f for f in found if f is not None)
            return TupleSpec(known, cls) if len(known) == len(found) else None
        case DictSpec(items):
            named = _named(parts, [key for key, _ in items], sized)
            return None if named is None else DictSpec(tuple(named))
        case RowsSpec() | ListSpec() if all(isinstance(spec, RowsSpec | ListSpec) for spec in parts.specs):
            return _list(parts, sized)
        case RecordSpec(cls, fields) if cls is not slice:
            if any(spec.cls is not cls for spec in parts.specs):  # type: ignore[union-attr]
                return None
            named = _named(parts, [name for name, _ in fields], sized)
            return None if named is None else RecordSpec(cls, tuple(named))
    return None


def _list(parts: _Elements, sized: bool) -> ArgSpec | None:
    """Lists of any lengths in the elements, which have no further lists in theirs."""
    statics = [spec.static if isinstance(spec, RowsSpec) else spec for spec in parts.specs]
    found = [i for i, spec in enumerate(statics) if isinstance(spec, ListSpec) and spec.elts]
    if not found or not isinstance(parts.specs[found[0]], RowsSpec):
        return None
    specs = [elt for spec in statics if isinstance(spec, ListSpec) for elt in spec.elts]
    values = [value for inner in parts.values for value in inner]
    first = (*parts.first_of(found[0]), 0)
    element = _common(_Elements(specs, values, first, (*parts.place, ROW), parts.objects), sized)
    if element is None or any(True for _ in rows_in(element)) or not _has_columns(element):
        return None
    return RowsSpec(element, symbol(f"{path_name(parts.place)}_values"))


def _named(parts: _Elements, keys: list[Any], sized: bool) -> list[tuple[Any, ArgSpec]] | None:
    """The items of a dict, or the attributes of an object, where all have the same ones."""
    is_dict = isinstance(parts.specs[0], DictSpec)
    items = [spec.items if isinstance(spec, DictSpec) else spec.fields for spec in parts.specs]  # type: ignore[union-attr]
    if any([key for key, _ in one] != keys for one in items):
        return None
    named = []
    for i, key in enumerate(keys):
        values = [v[key] if is_dict else getattr(v, key) for v in parts.values]
        step = KeyStep(key) if is_dict else f".{key}"
        found = _common(parts.part(step, [one[i][1] for one in items], values), sized)
        if found is None:
            return None
        named.append((key, found))
    return named


def _tensor(parts: _Elements, sized: bool) -> TensorSpec | None:
    """A number, or arrays of one shape; an axis without a name gets that of the column."""
    types = [spec.type for spec in parts.specs if isinstance(spec, TensorSpec)]
    first = types[0]
    if any((t.dtype, t.kind, t.rank) != (first.dtype, first.kind, first.rank) for t in types):
        return None
    if first.kind is not Kind.ARRAY:
        return TensorSpec(first)
    shape = parts.values[0].shape
    if any(value.shape != shape for value in parts.values):
        return None
    if sized:
        return TensorSpec(TensorType(first.dtype, tuple(map(dim, shape)), first.kind))
    one, all_ = path_name(parts.first), path_name(parts.place)
    names = [(symbol(f"{one}_{axis}"), symbol(f"{all_}_{axis + 1}")) for axis in range(first.rank)]
    dims = [new if size == own else size for size, (own, new) in zip(first.shape, names, strict=True)]
    return TensorSpec(TensorType(first.dtype, tuple(dims), first.kind))
