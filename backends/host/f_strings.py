"""The texts that generated code makes: f-strings, as a person would write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

PLAIN = re.compile(r"[^'\"\\{}:!\n]+")
"""Expressions that can stand in an f-string of single quotes, also before Python 3.12."""


def f_string(parts: Iterable[str | tuple[str, str, str]]) -> str:
    """Code of a text: strings, and (expression, conversion, format specification) of what is formatted.

    Returns
    -------
    str
        `'text'`, `f'n = {n:.2f}'`, or `'n = {:.2f}'.format(d['n'])` where an expression needs quotes.
    """
    pieces = [part if isinstance(part, str) else _field(*part) for part in parts]
    fields = [piece for piece in pieces if not isinstance(piece, str)]
    if not fields:
        return repr("".join(pieces))  # type: ignore[arg-type]
    inside = all(PLAIN.fullmatch(expression) for expression, _ in fields)
    text = "".join(
        _literal(piece) if isinstance(piece, str) else f"{{{piece[0] if inside else ''}{piece[1]}}}" for piece in pieces
    )
    return f"f'{text}'" if inside else f"'{text}'.format({', '.join(expression for expression, _ in fields)})"


def _field(expression: str, conversion: str, specification: str) -> tuple[str, str]:
    """An expression, and what stands behind it in its field."""
    shown = f"!{conversion}" if conversion else ""
    if "{" in specification or "}" in specification:
        held = f_string([(expression, conversion, "")]) if conversion else f"({expression})"
        return f"{held}.__format__({specification!r})", ""
    return expression, shown + (f":{_quoted(specification)}" if specification else "")


def _literal(text: str) -> str:
    return _quoted(text).replace("{", "{{").replace("}", "}}")


def _quoted(text: str) -> str:
    """What stands between single quotes."""
    return repr('"' + text)[2:-1]


__all__ = ["f_string"]
