"""Reads dims from text: everything that is printed, and what people write.

    dim    = sum ("&" sum)*                     broadcast, binds weakest, as in Python
    sum    = term (("+" | "-") term)*
    term   = factor (("*" | "//" | "%") factor)*
    factor = "-" factor | INTEGER | NAME | ("max" | "min") "(" dim ("," dim)* ")" | "(" dim ")"

Spaces may stand between the parts.  A name is letters, digits, `_`, `.` and `?`, not a digit first.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim, dim, maximum, minimum, symbol

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+)|(?P<name>[^\W\d][\w.?]*|\?[\w.?]*)|(?P<sign>//|[-+*%&(),]))")
MAX_NESTING = 50
"""Deeper parentheses are refused."""


class DimSyntaxError(ValueError):
    """A text that is not a dim; `position` is where it goes wrong."""

    def __init__(self, message: str, text: str, position: int):
        super().__init__(f"{message} at {position} in {text!r}")
        self.message = message
        self.position = position


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int


def parse_dim(text: str) -> Dim:
    """The dim that a text denotes: `parse_dim(str(d)) == d`.

    Raises
    ------
    DimSyntaxError
        A ValueError, for a text outside the grammar or a division by zero.
    """
    return _Parser(text).whole()


def _tokens(text: str) -> list[_Token]:
    found, position, end = [], 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            raise DimSyntaxError(f"unexpected {text[start]!r}", text, start)
        kind = match.lastgroup or ""
        found.append(_Token(kind, match[kind], match.start(kind)))
        position = match.end()
    found.append(_Token("end", "", end))
    return found


_EXTREMES: dict[str, Callable[[Dim, Dim], Dim]] = {"max": maximum, "min": minimum}
_OPERATORS: tuple[dict[str, Callable[[Dim, Dim], Dim]], ...] = (
    {"&": lambda a, b: a & b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "//": lambda a, b: a // b, "%": lambda a, b: a % b},
)
"""Binary operators, those that bind weakest first."""


class _Parser:
    def __init__(self, text: str):
        self.text = text
        self.tokens = _tokens(text)
        self.next = 0
        self.depth = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.next]

    def fail(self, message: str = "") -> DimSyntaxError:
        token = self.token
        found = repr(token.text) if token.text else "end"
        return DimSyntaxError(message or f"unexpected {found}", self.text, token.position)

    def take(self, sign: str) -> bool:
        """Whether the next token is this sign; if so, it is consumed."""
        found = self.token.kind == "sign" and self.token.text == sign
        self.next += found
        return found

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise self.fail()

    def whole(self) -> Dim:
        result = self.binary(0)
        if self.token.kind != "end":
            raise self.fail()
        return result

    def binary(self, level: int) -> Dim:
        """A chain of operators of one precedence."""
        if level == len(_OPERATORS):
            return self.factor()
        left = self.binary(level + 1)
        while self.token.kind == "sign" and self.token.text in _OPERATORS[level]:
            place = self.next
            self.next += 1
            right = self.binary(level + 1)
            try:
                left = _OPERATORS[level][self.tokens[place].text](left, right)
            except (ZeroDivisionError, ValueError) as error:
                if isinstance(error, DimSyntaxError):
                    raise
                self.next = place
                raise self.fail(str(error)) from None
        return left

    def factor(self) -> Dim:
        negative = False
        while self.take("-"):
            negative = not negative
        result = self.primary()
        return -result if negative else result

    def primary(self) -> Dim:
        token = self.token
        if token.kind == "number":
            self.next += 1
            return dim(int(token.text))
        if token.kind == "name":
            self.next += 1
            extreme = _EXTREMES.get(token.text)
            return symbol(token.text) if extreme is None else functools.reduce(extreme, self.arguments())
        self.expect("(")
        result = self.nested()
        self.expect(")")
        return result

    def arguments(self) -> list[Dim]:
        self.expect("(")
        found = [self.nested()]
        while self.take(","):
            found.append(self.nested())
        self.expect(")")
        return found

    def nested(self) -> Dim:
        if self.depth == MAX_NESTING:
            raise self.fail("nested too deeply")
        self.depth += 1
        result = self.binary(0)
        self.depth -= 1
        return result
