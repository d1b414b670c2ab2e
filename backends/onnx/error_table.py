"""The errors of a program, as its file tells them in its metadata."""

from __future__ import annotations

import json
from collections.abc import Sequence

from graph_program.extract.ir.errors import ErrorInfo, Piece, RowsType, message_pieces
from graph_program.extract.types.tensors.tensor_type import TensorType


def error_table(errors: Sequence[ErrorInfo], arguments: Sequence[tuple[int, ...]]) -> str:
    """The errors as JSON: `[{"exception", "message", "source", "arguments"}, ...]`.

    In a message, a literal stands as a string and the i-th argument as the integer i, or as
    `{"argument": i, "conversion": ..., "format": ...}` where it is formatted; `{"argument": i, "rows": "list"}` is
    a list of the rows of an array.  `arguments` are indices into the program's outputs.
    """
    rows = [
        {
            "exception": error.exception.__name__,
            "message": [_piece(piece, error.arg_types) for piece in message_pieces(error)] if error.args else None,
            "source": error.loc.where,
            "arguments": list(indices),
        }
        for error, indices in zip(errors, arguments, strict=True)
    ]
    return json.dumps(rows)


def _piece(piece: Piece, types: Sequence[TensorType]) -> str | int | dict[str, str | int]:
    if isinstance(piece, str):
        return piece
    number, conversion, specification = piece
    type_ = types[number]
    said: dict[str, str | int] = {"rows": type_.cls.__name__} if isinstance(type_, RowsType) else {}
    if conversion or specification:
        said |= {"conversion": conversion, "format": specification}
    return {"argument": number, **said} if said else number


__all__ = ["error_table"]
