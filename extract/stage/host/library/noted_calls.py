"""What is known of a call of a library function: its arguments with their notes, and rules for that of its result."""

from __future__ import annotations

import collections
import collections.abc
from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from typing import Any

from graph_program.extract.library import iterators
from graph_program.extract.records import dataclass
from graph_program.extract.stage.values.values import (
    Host,
    Iteration,
    Range,
    Ref,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
    static_type,
)
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, PY_TYPES, Kind, TensorType


@dataclass(frozen=True)
class Given:
    """What a call is given.

    Attributes
    ----------
    owner : object
        The note of the object whose method it is; None for a function.
    """

    owner: Any
    args: Sequence[Value]
    keywords: Mapping[str, Value]
    notes: Sequence[Any] | None = None
    """What is known of the arguments, where more is than they say themselves."""

    def note(self, position: int) -> Any:
        """The note of an argument."""
        if self.notes is not None:
            return self.notes[position] if position < len(self.notes) else None
        return note_of(self.args[position]) if position < len(self.args) else None


Rule = Callable[[Given], Any]


@dataclass(frozen=True)
class Ruled:
    """An entry that depends on the arguments."""

    rule: Rule


@dataclass(frozen=True)
class Method:
    """A method of an object on the host, before it is called."""

    owner: Any
    name: str
    function: Any
    """Its Python function, if it has one."""
    shipped: Any
    """Its entry in the table of signatures."""


@singledispatch
def note_of(value: Value) -> Any:
    """The note of a value on whatever side."""
    return None


note_of.register(Host, lambda value: value.note if value.told is None else value.told.type)
note_of.register(Tensor, lambda value: value.type)
note_of.register(Text, lambda *_: str)


@note_of.register
def _of_known(value: Static) -> Any:
    obj = value.value
    if isinstance(obj, list | tuple) and obj:
        return of(list, type(obj[0])) if len({type(one) for one in obj}) == 1 else None
    if isinstance(obj, dict) and obj and len({type(v) for v in obj.values()}) == 1:
        return of(dict, type(next(iter(obj))), type(next(iter(obj.values()))))
    return static_type(obj) if type(obj) in PY_TYPES else type(obj)


note_of.register(Range, lambda *_: collections.abc.Sequence[int])


@note_of.register
def _of_iterator(value: Iteration) -> Any:
    return note_of(value.parts[0]) if value.kind == "iter" and len(value.parts) == 1 else None


note_of.register(Ref, lambda value: collections.abc.Iterator[int] if value.cls is iterators.counter else None)


@note_of.register
def _of_tuple(value: Tuple) -> Any:
    notes = [note_of(e) for e in value.elts] if value.cls is None else [None]
    return None if None in notes else tuple_of(*notes)


def is_whole(note: Any) -> bool:
    """Whether a note is that of a Python int or bool."""
    return isinstance(note, TensorType) and note in (PY_INT, PY_BOOL)


def tuple_of(*notes: Any) -> Any:
    """The note of a tuple."""
    return tuple.__class_getitem__(notes)


def of(origin: Any, *notes: Any) -> Any:
    """`origin[notes]`; the origin alone where a part is not known."""
    return origin if None in notes else origin.__class_getitem__(notes if len(notes) > 1 else notes[0])


def row_of(type_: TensorType) -> TensorType | None:
    """What an array gives when it is gone through."""
    if not type_.rank:
        return None
    return TensorType(type_.dtype, type_.shape[1:], Kind.ARRAY if type_.rank > 1 else Kind.NUMPY)
