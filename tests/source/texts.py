"""Functions made from text as a notebook makes them: the text is in `linecache`, there is no file."""

from __future__ import annotations

import itertools
import linecache
import textwrap
from types import FunctionType
from typing import Any

_numbers = itertools.count()


def run_text(text: str, **names: Any) -> dict[str, Any]:
    """Run `text`, dedented, as a cell of a notebook; the namespace it leaves, with its `__file__`."""
    text = textwrap.dedent(text).lstrip("\n")
    file = f"<cell {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"__name__": "cell", "__file__": file, **names}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    return namespace


def from_text(text: str, name: str, **names: Any) -> FunctionType:
    """The function that `text` leaves under `name`."""
    found = run_text(text, **names)[name]
    assert isinstance(found, FunctionType)
    return found
