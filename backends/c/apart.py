"""A compiled program as another process has it; this file needs nothing of what has made it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graph_program.backends.c.python_api import builtin
from graph_program.backends.host.dtypes import shared_dtype
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Library:
    """What a process needs to call a compiled program.

    Attributes
    ----------
    path : Path
    entry : (str, str)
        The names of its functions that bind it and are called.
    dtypes : tuple of dtype
        The element types that it is bound to.
    inputs : tuple of (str, dtype, bool)
        Names, element types, and whether they are numbers.
    outputs : tuple of (str, dtype)
    """

    path: Path
    entry: tuple[str, str]
    dtypes: tuple[np.dtype[Any], ...]
    inputs: tuple[tuple[str, np.dtype[Any], bool], ...]
    outputs: tuple[tuple[str, np.dtype[Any]], ...]

    def opened(self, own: Any = None) -> Callable[..., tuple[Any, ...]]:
        """The program as a function, which takes the inputs in order; `own` makes its steps on the host."""
        return builtin(ctypes.PyDLL(str(self.path)), *self.entry, tuple(map(shared_dtype, self.dtypes)), own)

    def run(
        self, call: Callable[..., tuple[Any, ...]], names: Sequence[str] | None, feed: Mapping[str, Any]
    ) -> list[Any]:
        """The outputs asked for, or all, as arrays."""
        found = call(*(_read(feed[name], dtype, is_number) for name, dtype, is_number in self.inputs))
        of_output = zip(found, self.outputs, strict=True)
        values: dict[str, Any] = dict.fromkeys(name for name, _ in self.outputs)
        values |= {name: np.asarray(v, dtype) for v, (name, dtype) in of_output if v is not None}  # one may be twice
        return [values[name] for name in (values if names is None else names)]


@dataclass(frozen=True)
class LibraryApart:
    """A compiled program for another process, which can be sent there."""

    library: Library
    names: tuple[str, ...]

    def ready(self) -> Callable[[Mapping[str, Any]], list[Any]]:
        """What runs it there: a feed to outputs."""
        call = self.library.opened()
        return lambda feed: self.library.run(call, self.names, feed)


def _read(given: Any, dtype: np.dtype[Any], is_number: bool) -> Any:
    return np.asarray(given, dtype)[()] if is_number else given


__all__ = ["Library", "LibraryApart"]
