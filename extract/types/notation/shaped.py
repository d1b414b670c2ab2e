"""Array annotations in the shape language: `Shaped[Tensor, "float32 [*a, n, *b]"]`.

jaxtyping's strings have one part of unknown length at most.  In the shape language there may be
several, an element type variable (`t [*s, n]`), a kind (`float [n]`), and a ragged dim (`int64 [n, *]`, a
list of arrays of different lengths).

The names that `graph_program` exports (`Float32`, `Shaped`, ...) are jaxtyping's behind an `ArrayForm`,
which defers the refusal of a text that cannot be read to where the annotation is used, so that it names
its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.annotations import Annotation, ArrayAnnotation, SequenceAnnotation
from graph_program.extract.types.notation.dims_strings import AnnotationSyntaxError, Entry, malformed, read_dims
from graph_program.extract.types.notation.shape_language import ShapeSyntaxError, parse_type
from graph_program.extract.types.notation.terms import DTypeVar, Ragged, RankVar, TypeTerm, Weak
from graph_program.extract.types.tensors.element_types import KIND_WORDS, DType, is_supported, of_kinds

GRAMMAR = (
    "`TYPE [DIM, DIM, ...]`: TYPE is an element type `float32`, a kind `float`, `int`, or a variable `t`; DIM is a "
    "name `n`, a size `4`, an expression `2*n + 1`, `_` for any size, `*s` for any number of dims (`*_` "
    "without a name), or `*` for a ragged dim"
)


class ArrayForm:
    """`Float32`, `Shaped`, ...: subscripted, it gives jaxtyping's annotation, or ours.

    Parameters
    ----------
    form : class
        jaxtyping's, of the same name.
    """

    def __init__(self, form: Any):
        self._form = form
        self.__name__ = self.__qualname__ = form.__name__
        self.__module__ = "graph_program"
        self.__doc__ = form.__doc__

    def __getitem__(self, parameters: Any) -> Any:
        text = parameters[-1] if isinstance(parameters, tuple) and len(parameters) == 2 else parameters
        if self.__name__ == "Shaped" and isinstance(text, str) and ("[" in text or not isinstance(parameters, tuple)):
            return _shaped(text)
        if not isinstance(parameters, tuple) or not isinstance(text, str):
            shown = ", ".join(map(_shown, parameters)) if isinstance(parameters, tuple) else _shown(parameters)
            message = f"`{self.__name__}[{shown}]` lacks the class of the array, or the text of its dims"
            instead = f'write {self.__name__}[Tensor, "n"]'
            whole = shown if isinstance(text, str) else ""
            return malformed(AnnotationSyntaxError(message, whole, 0, len(whole), instead))
        try:
            return self._form[parameters]
        except (ValueError, SyntaxError) as error:
            return malformed(_reason(text, error))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._form, name)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _form, (self.__name__,)

    def __repr__(self) -> str:
        return f"graph_program.{self.__name__}"


def _shown(parameter: Any) -> str:
    return parameter.__name__ if isinstance(parameter, type) else repr(parameter)


def _reason(text: str, error: Exception) -> AnnotationSyntaxError:
    """What is wrong with a text that jaxtyping refuses, in our words where we refuse it, too."""
    try:
        read_dims(text)
    except AnnotationSyntaxError as ours:
        return ours
    return AnnotationSyntaxError(str(error), text, 0, len(text), "")


def _shaped(text: str) -> type:
    """The annotation, a class, so that `|` and `typing.Optional` take it."""
    return type(f"Shaped[{text!r}]", (), {"__shape_text__": text, "__module__": "graph_program"})


# ---------------------------------------------------------------- reading


def parse_shaped(cls: Any) -> Annotation:
    """What an annotation in the shape language says.

    Raises
    ------
    AnnotationSyntaxError
        Where its text cannot be read.
    """
    text: str = cls.__shape_text__
    term = _read(text)
    dtypes, word, variable = _element_type(term, text)
    shape = list(term.shape)
    lists: list[Entry] = []
    if Ragged() in shape:
        last = len(shape) - 1 - shape[::-1].index(Ragged())
        lists = [_entry(s, text) for s in shape[:last]]
        shape[:last] = []
    if any(isinstance(e, RankVar) for e in lists):
        raise _error("a part of unknown length before a ragged dim", text)
    entries = tuple(None if isinstance(s, Ragged) else _entry(s, text) for s in shape)
    note: Annotation = ArrayAnnotation(dtypes, entries, word=word, variable=variable)
    for size in reversed(lists):
        note = SequenceAnnotation(note, size if isinstance(size, Dim) else None)
    return note


def _read(text: str) -> TypeTerm:
    try:
        return parse_type(text)
    except ShapeSyntaxError as error:
        start = min(error.column - 1, max(0, len(text) - 1))
        found = re.match(r"\w+|.?", text[start:])
        end = start + (found.end() if found else 0)
        raise AnnotationSyntaxError(error.message, text, start, end, _advice(text)) from None


_ADVICE: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r".*[<>].*", lambda text: 'names in the annotation, and bounds in the decorator: dims={"n": (1, 8)}'),
    (r"[^\[]*", lambda text: f"the shape, too, `{text.strip()} []` for a number" if text.strip() else "`float32 [n]`"),
    (r"\s*\[.*", lambda text: f"an element type before it: `t {text.strip()}` for any"),
    (r"[^\]]*", lambda text: f"`{text.rstrip()}]`"),
    (r"[^\[]*\[[^\],]*\w\s+[\w*][^\],]*\]\s*", lambda text: f"commas between dims: `{_with_commas(text)}`"),
)
"""Texts that cannot be read, and what to write instead."""


def _with_commas(text: str) -> str:
    head, _, dims = text.strip().rstrip("]").partition("[")
    return f"{head.strip()} [{', '.join(dims.split())}]"


def _advice(text: str) -> str:
    instead = next((advice(text) for pattern, advice in _ADVICE if re.fullmatch(pattern, text)), "")
    return f"write {instead}; an annotation is {GRAMMAR}" if instead else GRAMMAR


def _element_type(term: TypeTerm, text: str) -> tuple[frozenset[DType] | None, str, str | None]:
    dtype = term.dtype
    if isinstance(dtype, Weak):
        dtype = DTypeVar(dtype.python.__name__)
    if isinstance(dtype, DTypeVar):
        if dtype.name in KIND_WORDS:
            return of_kinds(KIND_WORDS[dtype.name]), dtype.name, None
        return (of_kinds(dtype.kinds) if dtype.kinds else None), dtype.name, dtype.name
    if isinstance(dtype, np.dtype) and is_supported(dtype):
        return frozenset([dtype]), dtype.name, None
    raise _error(f"`{dtype}` is no element type of an array", text)


def _entry(segment: Any, text: str) -> Entry:
    if isinstance(segment, RankVar):
        return RankVar("") if segment.name in ("", "_") else segment
    if isinstance(segment, Dim):
        return None if str(segment) == "_" else segment
    if isinstance(segment, Ragged):
        return None
    raise _error(f"`{segment}` cannot stand in an annotation", text)


def _error(message: str, text: str) -> AnnotationSyntaxError:
    return AnnotationSyntaxError(message, text, 0, len(text), GRAMMAR)


def __getattr__(name: str) -> Any:
    """jaxtyping's annotations, imported when they are first asked for."""
    if name.startswith("_"):
        raise AttributeError(name)
    return _form(name)


def _form(name: str) -> ArrayForm:
    import jaxtyping

    return ArrayForm(getattr(jaxtyping, name))
