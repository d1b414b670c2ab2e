"""What the note of an object on the host says of its class, without the names and marks around it."""

from __future__ import annotations

import types
import typing
from typing import Any

from graph_program.extract.stage.values.values import Value
from graph_program.extract.types.tensors.tensor_type import TensorType

UNIONS = (typing.Union, types.UnionType)


def present(note: Any) -> Any:
    """The note of what is there if it is not None: `Reading` for `Reading | None`."""
    note = plain(note)
    if typing.get_origin(note) in UNIONS:
        options = [o for o in typing.get_args(note) if o is not types.NoneType]
        return plain(options[0]) if len(options) == 1 else None
    return note


def plain(note: Any) -> Any:
    """A note without names for it and marks on it."""
    while hasattr(note, "__value__") or typing.get_origin(note) is typing.Annotated:
        note = note.__value__ if hasattr(note, "__value__") else typing.get_args(note)[0]
    return None if note is Any else note


def is_plain(value: Value) -> bool:
    """Whether a value is known to be none that can be changed."""
    note = present(value.note)
    return value.told is not None or isinstance(note, TensorType) or note in (int, float, complex, bool, str, bytes)
