"""Finds the piece of a file that is one `def` or one `lambda`, by tokens alone.

Only this piece is parsed, so that a function costs what it measures and not what its file measures,
and so that text around it (a notebook cell's magics, a later syntax error) does not matter.
"""

from __future__ import annotations

import tokenize
from collections.abc import Iterator
from functools import lru_cache

from graph_program.extract.records import dataclass

Place = tuple[int, int]
"""Line from 1 and column from 0, in characters."""


@dataclass(frozen=True)
class Segment:
    """The text of one function in the columns of its file.

    Attributes
    ----------
    row : int
        The line of the file on which `text` begins.
    text : str
        Whole lines for a `def`, decorators first.  For a `lambda`, what precedes it on its first
        line is blanked and what follows it is cut off.
    is_lambda : bool
        Which of the two it is.
    prefix : str
        What a lambda's blanks stand for.
    """

    row: int
    text: str
    is_lambda: bool
    prefix: str = ""

    @property
    def indented(self) -> bool:
        return self.text[:1] in (" ", "\t", "\f")


def def_segment(lines: list[str], row: int) -> Segment | None:
    """The decorated `def` that begins on line `row`, or None if none does."""
    if not 1 <= row <= len(lines):
        return None
    count = _def_length(lines[row - 1 :])
    if count is None:
        return None
    text = "".join(lines[row - 1 : row - 1 + count])
    return Segment(row, text if text.endswith("\n") else text + "\n", False)


def _def_length(lines: list[str]) -> int | None:
    """How many of `lines` the function takes that begins on the first one."""
    indent = base = 0
    length: int | None = None
    line_start = True
    header_done = in_header = False
    for token in _tokens(lines):
        if token.type == tokenize.INDENT:
            indent += 1
        elif token.type == tokenize.DEDENT:
            indent -= 1
        elif token.type in (tokenize.COMMENT, tokenize.NL):
            pass
        else:
            if header_done and line_start and indent <= base:
                break
            if length is None and line_start and token.start[0] != 1:
                return None
            if not header_done and line_start:
                base = indent
                in_header = token.string in ("def", "async")
                if not in_header and token.string != "@":
                    return None
            line_start = token.type == tokenize.NEWLINE
            if line_start:
                header_done = header_done or in_header
                length = token.start[0]
    return length if header_done else None


def lambda_segments(lines: list[str], row: int) -> list[Segment]:
    """The lambdas whose keyword stands on line `row`, left to right."""
    spans = _lambda_spans("".join(lines)).get(row, ())
    return [_cut(lines, start, end) for start, end in spans]


def _cut(lines: list[str], start: Place, end: Place) -> Segment:
    row, column = start
    picked = lines[row - 1 : end[0]]
    picked[-1] = picked[-1][: end[1]]
    prefix = lines[row - 1][:column]
    picked[0] = " " * column + picked[0][column:]
    return Segment(row, "".join(picked), True, prefix)


@lru_cache(maxsize=32)
def _lambda_spans(text: str) -> dict[int, tuple[tuple[Place, Place], ...]]:
    """The spans of all lambdas of a file, by the line of their keyword."""
    scanner = _LambdaScanner()
    for token in _tokens([line + "\n" for line in text.split("\n")]):
        scanner.take(token)
    rows: dict[int, tuple[tuple[Place, Place], ...]] = {}
    for start, end in sorted(scanner.spans):
        rows[start[0]] = (*rows.get(start[0], ()), (start, end))
    return rows


_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_ENDS = frozenset({",", ":", ";", "=", "!", "for", "async", "from", "as"})
_BLANK = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT})
_STOPS = frozenset({tokenize.NEWLINE, tokenize.ENDMARKER})


@dataclass
class _Open:
    """A lambda whose end has not been seen."""

    start: Place
    depth: int
    in_parameters: bool = True


class _LambdaScanner:
    """Notes where lambdas begin and end, token by token."""

    def __init__(self) -> None:
        self.spans: list[tuple[Place, Place]] = []
        self.depth = 0
        self.open: list[_Open] = []
        self.last: Place = (1, 0)

    def take(self, token: tokenize.TokenInfo) -> None:
        if token.type in _BLANK:
            return
        text = token.string
        plain = token.type in (tokenize.OP, tokenize.NAME)
        if token.type in _STOPS or (plain and (text in _ENDS or text in _CLOSING)):
            self._close_finished()
        if plain:
            self._follow(text, token.start)
        self.last = token.end

    def _close_finished(self) -> None:
        while self.open and not self.open[-1].in_parameters and self.open[-1].depth == self.depth:
            self.spans.append((self.open.pop().start, self.last))

    def _follow(self, text: str, place: Place) -> None:
        if text in _OPENING:
            self.depth += 1
        elif text in _CLOSING:
            self.depth -= 1
        elif text == "lambda":
            self.open.append(_Open(place, self.depth))
        elif text == ":" and self.open and self.open[-1].depth == self.depth:
            self.open[-1].in_parameters = False


def _tokens(lines: list[str]) -> Iterator[tokenize.TokenInfo]:
    """The tokens of `lines`, ending early where the text stops making sense.

    A function may be followed by anything: dedents to a column that only the enclosing block knows
    are errors to a tokenizer that begins in the middle of a file.
    """
    try:
        yield from tokenize.generate_tokens(iter([*lines, ""]).__next__)
    except (tokenize.TokenError, SyntaxError):
        return
