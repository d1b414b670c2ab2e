"""How the elements of a list of computed length are laid out: one column per number or array in them.

[(0.5, x), (0.7, y)]      Group(Leaf(float), Leaf(float32 [n]))       two columns, of 2 rows each
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import Value
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, PY_INT, Kind, TensorType


class Node:
    """A part of a layout."""

    @property
    def is_open(self) -> bool:
        """Whether some type in it is still being inferred."""
        inner = getattr(self, "parts", None) or (getattr(self, "inner", None),)
        return any(isinstance(part, Node) and part.is_open for part in inner)


@dataclass(frozen=True)
class Leaf(Node):
    """A number or array; of a `ragged` one only element type, class and rank are the same everywhere."""

    type: TensorType
    ragged: bool = False


@dataclass(frozen=True, eq=False)
class Same(Node):
    """The same value in all elements."""

    value: Value

    @property
    def is_open(self) -> bool:
        """Whether it is open itself."""
        return isinstance(self.value, Open)


@dataclass(frozen=True)
class Group(Node):
    """A tuple, or an object: a list of known length, a dict or an instance."""

    cls: type | None
    keys: tuple[Any, ...]
    parts: tuple[Layout, ...]
    is_object: bool = False


@dataclass(frozen=True)
class Option(Node):
    """None where the column in front of the others holds."""

    inner: Layout


@dataclass(frozen=True)
class Counted(Node):
    """Elements without numbers or arrays: a column of nothing counts them."""

    inner: Layout


@dataclass(frozen=True)
class Listed(Node):
    """A list or tuple whose length is not the same everywhere: its own columns are arrays in ragged columns."""

    inner: Layout
    cls: type = list


@dataclass(frozen=True)
class Classed(Node):
    """A number: of Python where the column in front holds, else a NumPy scalar of the same element type."""

    leaf: Leaf


@dataclass(frozen=True)
class Choice(Node):
    """One of several numbers and known things, told by the column in front of the others (`lists/choice_columns`)."""

    parts: tuple[Layout, ...]


@dataclass(frozen=True)
class OnHost(Node):
    """An object on the host: a column of numbers."""

    leaf: Leaf
    note: Any = None
    """What is known of all of them: see `host_notes`."""


@dataclass(frozen=True)
class InTable(Node):
    """An object in the table of its class: a column of row numbers; see `stage/objects/object_tables`."""

    cls: type


Layout = Leaf | Same | Group | Option | Counted | Listed | Classed | Choice | OnHost | InTable


ROW = Leaf(PY_INT)


def sequence_class(layout: Layout) -> type | None:
    """The class of lists or tuples that may have any length; None for anything else."""
    match layout:
        case Listed():
            return layout.cls
        case Group(cls, _, _, is_object):
            return list if cls is list else tuple if cls is None and not is_object else None
    return None


def counted(layout: Layout) -> Layout:
    """The layout with at least one column."""
    return layout if any(True for _ in leaves(layout)) else Counted(layout)


def leaves(layout: Layout) -> Iterator[Leaf]:
    """The columns, in order."""
    match layout:
        case Leaf():
            yield layout
        case Group(parts=parts):
            for part in parts:
                yield from leaves(part)
        case OnHost(leaf):
            yield leaf
        case InTable():
            yield ROW
        case Option(inner) | Counted(inner) | Classed(inner):
            yield Leaf(PY_BOOL)
            yield from leaves(inner)
        case Choice(parts):
            yield Leaf(PY_INT)
            for part in parts:
                yield from leaves(part)
        case Listed(inner):
            for leaf in leaves(inner):
                yield from _lifted(leaf)


def _lifted(leaf: Leaf) -> Iterator[Leaf]:
    """The ragged columns that hold a column of each list."""
    size = dim(0)
    if leaf.ragged:
        yield Leaf(TensorType(leaf.type.dtype, (size,)), True)
        yield Leaf(TensorType(INT64, (size, dim(leaf.type.rank))), True)
    else:
        yield Leaf(TensorType(leaf.type.dtype, (size, *leaf.type.shape)), True)


def has_objects(layout: Layout) -> bool:
    """Whether elements are, or have in them, objects that can be changed."""
    match layout:
        case Group():
            return layout.is_object or any(map(has_objects, layout.parts))
        case Listed(inner, cls):
            return cls is list or has_objects(inner)
        case Option(inner) | Counted(inner):
            return has_objects(inner)
    return False


def object_classes(layout: Layout) -> Iterator[type]:
    """The classes of the instances that are in elements."""
    match layout:
        case Group(cls, _, parts):
            if layout.is_object and cls is not None and cls not in (list, dict):
                yield cls
            for part in parts:
                yield from object_classes(part)
        case Option(inner) | Counted(inner) | Listed(inner):
            yield from object_classes(inner)


def has_arrays(layout: Layout) -> bool:
    """Whether elements are, or have in them, arrays."""
    match layout:
        case Leaf(type_):
            return type_.kind is Kind.ARRAY
        case Group(parts=parts):
            return any(map(has_arrays, parts))
        case Option(inner) | Counted(inner) | Listed(inner):
            return has_arrays(inner)
    return False


def map_leaves(layout: Layout, change: Callable[[Leaf], Leaf]) -> Layout:
    """The layout with each column's type changed."""
    match layout:
        case Leaf():
            return change(layout)
        case Group(parts=parts) | Choice(parts):
            return replace(layout, parts=tuple(map_leaves(p, change) for p in parts))
        case Option(inner):
            return Option(map_leaves(inner, change))
        case Counted(inner):
            return Counted(map_leaves(inner, change))
        case Listed(inner):
            return replace(layout, inner=map_leaves(inner, change))
        case Classed(leaf):
            return Classed(change(leaf))
        case OnHost(leaf):
            return replace(layout, leaf=change(leaf))
    return layout


def describe_layout(layout: Layout) -> str:
    """The type of the elements, for messages and signatures."""
    match layout:
        case Leaf(type_, ragged):
            if ragged:
                return f"{type_.dtype.name} [{', '.join('_' * type_.rank)}]"
            return str(type_)
        case OnHost():
            return "host value"
        case InTable(cls):
            return cls.__name__
        case Option(inner):
            return f"{describe_layout(inner)} | None"
        case Counted(inner) | Classed(inner):
            return describe_layout(inner)
        case Listed(inner, listed_cls):
            return f"{listed_cls.__name__}[{describe_layout(inner)}]"
        case Group(cls, _, parts):
            return f"{'' if cls is None else cls.__name__}({', '.join(map(describe_layout, parts))})"
        case Choice(parts):
            return " and ".join(map(describe_layout, parts))
        case Same(value):
            return describe(value)
    raise AssertionError(layout)


Contents = tuple[Value, ...] | Growing
"""What a list holds."""
