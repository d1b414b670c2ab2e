"""What a call raises when it ends with an error: the class, and how its arguments are made.

    raise Overshoot(f"step {k} of {n}", x)       Overshoot, (text("step ", 0, " of ", 1), value 2)

A number stands for the value that the `Check` or `Raise` in the program gives at that place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graph_program.extract.diagnostics import Loc
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

Piece = str | tuple[int, str, str]
"""A literal, or (number, conversion, format specification) of a value that is formatted."""


@dataclass(frozen=True)
class RowsType(TensorType):
    """Of a list or tuple of computed length, as an array whose rows are its elements.

    Attributes
    ----------
    cls : type
        `list` or `tuple`.
    element : TensorType
        Of each element.
    """

    cls: type = list
    element: TensorType = PY_INT


@dataclass(frozen=True)
class TextArgument:
    """A string with values formatted into it."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class ValueArgument:
    """A number or array of the graph, as it is, or a list of computed length."""

    number: int


@dataclass(frozen=True)
class ConstantArgument:
    """Any object that is known at extraction."""

    value: Any


@dataclass(frozen=True)
class SequenceArgument:
    """A tuple or a list."""

    cls: type
    items: tuple[Argument, ...]


@dataclass(frozen=True)
class ObjectArgument:
    """An object of the user's class, and its texts where nothing knows the class: as `str` and as `repr` show it."""

    cls: type
    fields: tuple[tuple[str, Argument], ...]
    text: TextArgument
    shown: TextArgument


Argument = TextArgument | ValueArgument | ConstantArgument | SequenceArgument | ObjectArgument


@dataclass(frozen=True)
class OwnContents:
    """What an exception is behind its class's own code, for who has no such class.

    `text` is there where the class says it by itself.
    """

    args: tuple[Argument, ...]
    fields: tuple[tuple[str, Argument], ...]
    text: TextArgument | None


@dataclass(frozen=True)
class ErrorInfo:
    """What a call raises when it ends with this error: `exception(*args, **keywords)`.

    `arg_types` are the types of the values that the arguments' numbers stand for.  With `has_cause`,
    `cause` is what stood behind `from`, None included; its numbers are those of the same values.
    `context` is what was being handled, which may be the very cause.  `after_writes` says whether the program
    may have written something of the caller's by then, `explicit` whether `raise` or `assert` of the program
    raises it; else it is an operation that fails.  `replayed` stands for any of the program's other errors, which a
    repeated run tells.  `own` is there where the class has code of its own that a graph can do.
    """

    exception: type[BaseException]
    args: tuple[Argument, ...]
    loc: Loc
    arg_types: tuple[TensorType, ...] = ()
    keywords: tuple[tuple[str, Argument], ...] = ()
    has_cause: bool = False
    cause: ErrorInfo | None = None
    context: ErrorInfo | None = None
    after_writes: bool = False
    explicit: bool = False
    replayed: bool = False
    own: OwnContents | None = None


def message_pieces(info: ErrorInfo) -> list[Piece]:
    """The text of the exception, as far as its arguments make it where only its class knows more."""
    args = info.args if info.own is None else info.own.args
    if info.own is not None and info.own.text is not None:
        return [piece for piece in info.own.text.pieces if piece]
    if not args:
        return []
    alone = len(args) == 1
    shown = args[0] if alone else SequenceArgument(tuple, args)
    return [piece for piece in _shown(shown, "r" if alone and issubclass(info.exception, KeyError) else "") if piece]


def _shown(argument: Argument, conversion: str) -> Iterator[Piece]:
    match argument:
        case TextArgument(pieces) if conversion == "r":
            yield "'"
            yield from pieces
            yield "'"
        case TextArgument(pieces):
            yield from pieces
        case ValueArgument(number):
            yield (number, conversion, "")
        case ObjectArgument():
            yield from (argument.shown if conversion == "r" else argument.text).pieces
        case ConstantArgument(value):
            yield repr(value) if conversion == "r" else str(value)
        case SequenceArgument(cls, items):
            yield "[" if cls is list else "("
            for position, item in enumerate(items):
                yield from (", ",) if position else ()
                yield from _shown(item, "r")
            yield "]" if cls is list else ",)" if len(items) == 1 else ")"


__all__ = [
    "Argument",
    "ConstantArgument",
    "ErrorInfo",
    "ObjectArgument",
    "OwnContents",
    "Piece",
    "RowsType",
    "SequenceArgument",
    "TextArgument",
    "ValueArgument",
    "message_pieces",
]
