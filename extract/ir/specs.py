"""What the arguments of one specialisation are, leaf by leaf.

`ArgSpec`s are hashable, so a tuple of them is the key of the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from graph_program.extract.ir.paths import ROW, KeyStep, Path, Step, tuple_steps
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.terms import TypeTerm
from graph_program.extract.types.tensors.tensor_type import TensorType


@dataclass(frozen=True)
class TensorSpec:
    """An array, a NumPy scalar or a Python number.

    Where the program depends on it, `layout` and the axes that are not empty (`filled`) are part of it.
    """

    type: TensorType
    layout: str = ""
    filled: frozenset[int] = frozenset()


class StaticSpec:
    """A value known at extraction: string, None, callable, class, enum, `Static[T]`.

    Compared by class and equality where the value is hashable, else by identity.
    """

    def __init__(self, value: Any):
        self.value = value
        identity = value.hex() if isinstance(value, float) else value  # NaN is itself, -0.0 is not 0.0
        try:
            self._key: tuple[Any, ...] = (type(value), identity, hash(identity))
        except TypeError:
            self._key = (type(value), id(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticSpec) and self._key[:2] == other._key[:2]

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"StaticSpec({self.value!r})"


@dataclass(frozen=True)
class TupleSpec:
    """A tuple, or a named tuple of class `cls`."""

    elts: tuple[ArgSpec, ...]
    cls: type | None = None


@dataclass(frozen=True)
class ListSpec:
    elts: tuple[ArgSpec, ...]


@dataclass(frozen=True)
class RowsSpec:
    """A list whose length no signature fixes: `element` is the spec of each element, `length` the name of its length.

    `static` is what it is at this length, for a program that needs that; None where there is no list yet.
    """

    element: ArgSpec
    length: Dim
    static: ListSpec | None = field(default=None, compare=False)


@dataclass(frozen=True)
class DictSpec:
    items: tuple[tuple[Hashable, ArgSpec], ...]


@dataclass(frozen=True)
class RecordSpec:
    """A dataclass instance, or a slice."""

    cls: type
    fields: tuple[tuple[str, ArgSpec], ...]


@dataclass(frozen=True)
class HostSpec:
    """Any other object, of class `cls`: it stays on the host, where its attributes are read and its methods called."""

    cls: type


@dataclass(frozen=True)
class OpenSpec:
    """An array whose type has variables, to be inferred from its uses."""

    term: TypeTerm


@dataclass(frozen=True)
class SameSpec:
    """The very object that another part is, earlier in the order of the specs."""

    path: Path


@dataclass(frozen=True)
class AbsentSpec:
    """An attribute that its object does not have."""


ArgSpec = (
    TensorSpec
    | StaticSpec
    | TupleSpec
    | ListSpec
    | RowsSpec
    | DictSpec
    | RecordSpec
    | HostSpec
    | OpenSpec
    | SameSpec
    | AbsentSpec
)


def spec_nodes(spec: ArgSpec, path: Path = ()) -> Iterator[tuple[Path, ArgSpec]]:
    """An argument and all of its parts, each with its place."""
    yield path, spec
    for step, part in spec_parts(spec) or ():
        yield from spec_nodes(part, (*path, step))


def spec_leaves(spec: ArgSpec, path: Path = ()) -> Iterator[tuple[Path, ArgSpec]]:
    """The parts of an argument that are no structures, in order, each with its place."""
    parts = spec_parts(spec)
    if parts is None:
        yield path, spec
    for step, part in parts or ():
        yield from spec_leaves(part, (*path, step))


def map_leaves(spec: ArgSpec, change: Callable[[ArgSpec, Path], ArgSpec], path: Path = ()) -> ArgSpec:
    """The spec with each part that is no structure changed, in the order of `spec_leaves`."""
    parts = spec_parts(spec)
    if parts is None:
        return change(spec, path)
    changed = tuple(map_leaves(part, change, (*path, step)) for step, part in parts)
    if isinstance(spec, RowsSpec):
        fixed = None if spec.static is None else map_leaves(spec.static, change, path)
        return replace(spec, element=changed[0], static=fixed)  # type: ignore[arg-type]
    return _with_parts(spec, changed)


def _with_parts(spec: ArgSpec, changed: tuple[ArgSpec, ...]) -> ArgSpec:
    match spec:
        case TupleSpec(_, cls):
            return TupleSpec(changed, cls)
        case DictSpec(items):
            return DictSpec(tuple((key, new) for (key, _), new in zip(items, changed, strict=True)))
        case RecordSpec(cls, fields):
            return RecordSpec(cls, tuple((name, new) for (name, _), new in zip(fields, changed, strict=True)))
    return ListSpec(changed)


def with_static(spec: ArgSpec, chosen: Callable[[Path], bool], path: Path = ()) -> ArgSpec:
    """The spec with the lists at chosen places of the length that they have, where there is one."""
    if isinstance(spec, RowsSpec) and spec.static is not None and chosen(path):
        return with_static(spec.static, chosen, path)
    return _in_parts(spec, lambda part, place: with_static(part, chosen, place), path)


def with_elements(spec: ArgSpec, elements: Mapping[Path, RowsSpec], path: Path = ()) -> ArgSpec:
    """The spec with the empty lists at some places as lists of any length."""
    if isinstance(spec, ListSpec) and not spec.elts and path in elements:
        return replace(elements[path], static=spec)
    return _in_parts(spec, lambda part, place: with_elements(part, elements, place), path)


def with_lists(spec: ArgSpec, lists: Mapping[Path, RowsSpec], path: Path = ()) -> ArgSpec:
    """The spec with the lists of any length at some places as they are now."""
    if isinstance(spec, RowsSpec) and path in lists:
        return replace(spec, static=lists[path].static)
    return _in_parts(spec, lambda part, place: with_lists(part, lists, place), path)


def _in_parts(spec: ArgSpec, change: Callable[[ArgSpec, Path], ArgSpec], path: Path) -> ArgSpec:
    """The spec with its parts changed; a list of any length stays as it is."""
    parts = spec_parts(spec)
    if not parts or isinstance(spec, RowsSpec):
        return spec
    return _with_parts(spec, tuple(change(part, (*path, step)) for step, part in parts))


def static_at(spec: ArgSpec, steps: Path) -> ArgSpec:
    """What a list at a place is at its length; LookupError where there is no such place."""
    if isinstance(spec, RowsSpec) and spec.static is not None:
        spec = spec.static
    if not steps:
        return spec
    return static_at(dict(spec_parts(spec) or ())[steps[0]], steps[1:])


def rows_in(spec: ArgSpec, path: Path = ()) -> Iterator[tuple[Path, RowsSpec]]:
    """The lists of any length in an argument, outermost ones, each with its place."""
    if isinstance(spec, RowsSpec):
        yield path, spec
        return
    for step, part in spec_parts(spec) or ():
        yield from rows_in(part, (*path, step))


def spec_parts(spec: ArgSpec) -> list[tuple[Step, ArgSpec]] | None:
    """The parts of a structure with the steps to them; None for a leaf."""
    match spec:
        case TupleSpec(elts, cls):
            return list(zip(tuple_steps(cls, len(elts)), elts, strict=True))
        case ListSpec(elts):
            return list(enumerate(elts))
        case RowsSpec(element):
            return [(ROW, element)]
        case DictSpec(items):
            return [(KeyStep(key), part) for key, part in items]
        case RecordSpec(_, fields):
            return [(f".{name}", part) for name, part in fields]
    return None
