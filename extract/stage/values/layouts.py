"""How the elements of a list of computed length are laid out: one column per number or array in them.

[(0.5, x), (0.7, y)]      Group(Leaf(float), Leaf(float32 [n]))       two columns, of 2 rows each

Elements may be one of several things (`Choice`): numbers of several classes, known things, objects on the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.structure import describe, same_value
from graph_program.extract.stage.values.values import Static, Value, is_numeric_static
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, PY_INT, Kind, TensorType


class Node:
    """A part of a layout."""

    @property
    def inside(self) -> tuple[Layout, ...]:
        """The layouts that it is made of."""
        return ()

    @property
    def is_open(self) -> bool:
        """Whether some type in it is still being inferred."""
        return any(part.is_open for part in self.inside)


@dataclass(frozen=True)
class Around(Node):
    """A layout with something beside it."""

    inner: Layout

    @property
    def inside(self) -> tuple[Layout, ...]:
        """The one that this is about."""
        return (self.inner,)


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

    @property
    def inside(self) -> tuple[Layout, ...]:
        """All parts."""
        return self.parts


@dataclass(frozen=True)
class Option(Around):
    """None where the column in front of the others holds."""


@dataclass(frozen=True)
class Counted(Around):
    """Elements without numbers or arrays: a column of nothing counts them."""


@dataclass(frozen=True)
class Listed(Around):
    """A list or tuple whose length is not the same everywhere: its own columns are arrays in ragged columns."""

    cls: type = list


@dataclass(frozen=True)
class Classed(Around):
    """A number: of Python where the column in front holds, else a NumPy scalar of the same element type."""

    inner: Leaf


@dataclass(frozen=True)
class Choice(Node):
    """One of several numbers and known things, told by the column in front of the others (`lists/choice_columns`)."""

    parts: tuple[Layout, ...]

    @property
    def inside(self) -> tuple[Layout, ...]:
        """All that it may be."""
        return self.parts


@dataclass(frozen=True)
class OnHost(Around):
    """An object on the host: a column of numbers."""

    inner: Leaf
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
        case InTable():
            yield ROW
        case Option() | Counted() | Classed():
            yield Leaf(PY_BOOL)
        case Choice():
            yield Leaf(PY_INT)
    for part in layout.inside:
        for leaf in leaves(part):
            yield from _lifted(leaf) if isinstance(layout, Listed) else (leaf,)


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
    own = layout.is_object if isinstance(layout, Group) else isinstance(layout, Listed) and layout.cls is list
    return own or any(map(has_objects, layout.inside))


def object_classes(layout: Layout) -> Iterator[type]:
    """The classes of the instances that are in elements."""
    if isinstance(layout, Group) and layout.is_object and layout.cls not in (None, list, dict):
        yield layout.cls
    for part in layout.inside:
        yield from object_classes(part)


def has_arrays(layout: Layout) -> bool:
    """Whether elements are, or have in them, arrays."""
    return layout.type.kind is Kind.ARRAY if isinstance(layout, Leaf) else any(map(has_arrays, layout.inside))


def map_leaves(layout: Layout, change: Callable[[Leaf], Leaf]) -> Layout:
    """The layout with each column's type changed."""
    match layout:
        case Leaf():
            return change(layout)
        case Group(parts=parts) | Choice(parts):
            return replace(layout, parts=tuple(map_leaves(p, change) for p in parts))
        case Around(inner):
            return replace(layout, inner=map_leaves(inner, change))  # type: ignore[arg-type]
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


MAX_ALTERNATIVES = 64
"""An element is one of up to this many things."""


def alternatives(layout: Layout) -> tuple[Layout, ...] | None:
    """What an element may be: numbers of one class each, and things that are known; None for anything else."""
    match layout:
        case Choice(parts):
            return parts
        case Classed(leaf):
            return tuple(Leaf(replace(leaf.type, kind=kind)) for kind in (Kind.PYTHON, Kind.NUMPY))
        case Leaf(type_):
            return None if type_.rank or type_.kind is Kind.ARRAY else (layout,)
        case Same(Static() as value) if not is_numeric_static(value) and value.value is not None:
            return (layout,)
    return None


def choice_of(layouts: Sequence[Layout]) -> Choice | None:
    """The layout of elements that are one of several things."""
    found: list[Layout] = []
    for layout in layouts:
        these = alternatives(layout)
        if these is None:
            return None
        found += [new for new in these if number_in(found, new) is None]
    return Choice(tuple(found)) if len(found) <= MAX_ALTERNATIVES else None


def number_in(parts: Sequence[Layout], layout: Layout) -> int | None:
    """Which of some alternatives one is."""
    return next((i for i, part in enumerate(parts) if _same(part, layout)), None)


def _same(a: Layout, b: Layout) -> bool:
    return same_value(a.value, b.value) if isinstance(a, Same) and isinstance(b, Same) else a == b


def choice_covers(layout: Choice, other: Layout) -> bool:
    """Whether an element may be all that one of another layout is."""
    theirs = alternatives(other)
    return theirs is not None and all(number_in(layout.parts, part) is not None for part in theirs)


def has_host(layout: Layout) -> bool:
    """Whether elements are objects on the host, or have some in them."""
    return isinstance(layout, OnHost) or any(map(has_host, layout.inside))


def is_of_host(layout: Layout) -> bool:
    """Whether elements are objects on the host, known things, and structures of them."""
    return isinstance(layout, OnHost | Same) or (bool(layout.inside) and all(map(is_of_host, layout.inside)))


def host_common(a: Layout, b: Layout) -> OnHost | None:
    """The layout of objects on the host beside strings and other known things, which are handed over."""
    host, other = (a, b) if isinstance(a, OnHost) else (b, a)
    known = known_things(other)
    if known is None:
        return None
    assert isinstance(host, OnHost)
    texts = all(type(v.value) is str for v in known)
    return OnHost(host.inner, str if texts and host.note is str else None)


def known_things(layout: Layout) -> list[Static] | None:
    """The strings and other known things that elements are; None for anything else, also where some are None."""
    parts = layout.parts if isinstance(layout, Choice) else (layout,)
    found = [p.value for p in parts if isinstance(p, Same) and isinstance(p.value, Static)]
    return found if len(found) == len(parts) and not any(v.value is None for v in found) else None
