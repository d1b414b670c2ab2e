"""The catalogue of Python constructs that have no meaning in the language.

The source stage leaves such a construct in the tree under its key; who would execute it calls
`refuse_construct`.
"""

from __future__ import annotations

from graph_program.extract.diagnostics import Diagnostic, Loc, UnsupportedError
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Construct:
    """Why a construct is refused and what to write instead."""

    code: str
    message: str
    hint: str


_HOST = "do it outside the program and pass its result in"

CONSTRUCTS: dict[str, Construct] = {
    "yield": Construct(
        "GP201",
        "`yield` makes this function a generator, which cannot be part of a graph",
        "collect the values in a list and return it, or " + _HOST,
    ),
    "await": Construct(
        "GP202",
        "`await` suspends the program, which a graph cannot",
        "await before calling the program and pass the result in",
    ),
    "async_for": Construct(
        "GP203",
        "`async for` suspends the program, which a graph cannot",
        "collect the items before calling the program and pass them in",
    ),
    "async_with": Construct(
        "GP204",
        "`async with` suspends the program, which a graph cannot",
        "enter the context around the call of the program",
    ),
    "async_comprehension": Construct(
        "GP205",
        "an asynchronous comprehension suspends the program, which a graph cannot",
        "collect the items before calling the program and pass them in",
    ),
    "async_function": Construct(
        "GP206",
        "a coroutine cannot be part of a graph",
        "write it as a plain function, and call it from the coroutine",
    ),
    "generator": Construct(
        "GP207",
        "a generator function cannot be part of a graph",
        "collect the values in a list and return it, or " + _HOST,
    ),
    "class": Construct(
        "GP208",
        "a class defined inside a program has no meaning in a graph",
        "define the class at module level; programs may create and use its instances",
    ),
    "star_import": Construct(
        "GP209",
        "`from ... import *` is not allowed inside a function",
        "import the names that are used",
    ),
    "type_alias": Construct(
        "GP210",
        "a `type` statement inside a program has no meaning in a graph",
        "define the alias at module level",
    ),
    "template_string": Construct(
        "GP211",
        "a template string (t-string) has no meaning in the language",
        "use an f-string, or " + _HOST,
    ),
    "except_star": Construct(
        "GP212",
        "`except*` handles groups of exceptions, which programs do not raise",
        "use `except`",
    ),
    "expression": Construct(
        "GP298",
        "this expression has no meaning in the language",
        "write it differently, or " + _HOST,
    ),
    "statement": Construct(
        "GP299",
        "this statement has no meaning in the language",
        "write it differently, or " + _HOST,
    ),
}


def refuse_construct(construct: str, loc: Loc) -> UnsupportedError:
    """The error for the construct with key `construct` at `loc`, to be raised by the caller."""
    entry = CONSTRUCTS[construct]
    return UnsupportedError(Diagnostic(entry.code, entry.message, loc, hint=entry.hint))
