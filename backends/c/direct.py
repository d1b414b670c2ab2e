"""A compiled program as one of Python's own functions: called with its arguments in order, it gives its outputs."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from graph_program.backends.c.c_names import identifier
from graph_program.backends.c.cache import library
from graph_program.backends.c.compiler import FAST
from graph_program.backends.c.emit import emit
from graph_program.backends.c.entry import BIND, ENTRY, Entry, with_entry
from graph_program.backends.c.host_steps import step
from graph_program.backends.c.library import NativeSession
from graph_program.backends.c.python_api import builtin, is_usable
from graph_program.backends.host.results import shared_dtype
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.types.rules.facts import SizeTest

HIDDEN = ("-fvisibility=hidden",)
"""All but the entry: a function of the program's name may be in another library."""


@dataclass(frozen=True)
class Library:
    """What a process needs to call a compiled program.

    Attributes
    ----------
    path : Path
    dtypes : tuple of dtype
        The element types that it is bound to.
    inputs : tuple of (str, dtype, bool)
        Names, element types, and whether they are numbers.
    outputs : tuple of (str, dtype)
    """

    path: Path
    dtypes: tuple[np.dtype[Any], ...]
    inputs: tuple[tuple[str, np.dtype[Any], bool], ...]
    outputs: tuple[tuple[str, np.dtype[Any]], ...]

    def opened(self, own: Any = None) -> Callable[..., tuple[Any, ...]]:
        """The program as a function, which takes the inputs in order; `own` makes its steps on the host."""
        return builtin(ctypes.PyDLL(str(self.path)), BIND, ENTRY, tuple(map(shared_dtype, self.dtypes)), own)

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


class DirectSession:
    """A program as machine code that Python calls without `ctypes`.

    Attributes
    ----------
    library : Library
    inputs, outputs : tuple of str
    tested : dict of str to TensorType
        What `call` tests the inputs for, where it is given one more argument.
    call : callable
        Takes the inputs in order, gives a tuple of all outputs: numbers as Python's, None for what there is not.

    Raises
    ------
    CompilerError
    """

    def __init__(self, program: GraphProgram, entry: Entry, flags: Iterable[str]):
        source = entry.source
        taken = {p.value for p in source.parameters if p.value is not None and not p.is_result}
        inputs = [value for value in program.graph.inputs if value in taken]
        self.library = Library(
            library(source, (*flags, *HIDDEN)),
            tuple(map(shared_dtype, entry.dtypes)),
            tuple((value.name, value.type.dtype, not value.type.rank) for value in inputs),
            tuple((value.name, value.type.dtype) for value in program.graph.outputs),
        )
        self.call = self.library.opened(step if program.host else None)
        self.inputs = tuple(value.name for value in inputs)
        self.tested = {value.name: value.type for value in inputs} if entry.tests else {}
        self.outputs = tuple(value.name for value in program.graph.outputs)

    def run(self, names: Sequence[str] | None, feed: Mapping[str, Any], options: None = None) -> list[Any]:
        """The outputs asked for, or all, as arrays; as onnxruntime's sessions do it."""
        return self.library.run(self.call, names, feed)


def _read(given: Any, dtype: np.dtype[Any], is_number: bool) -> Any:
    return np.asarray(given, dtype)[()] if is_number else given


def native_session(
    program: GraphProgram,
    constants: Mapping[str, np.ndarray[Any, Any]],
    flags: Iterable[str] = FAST,
    size_tests: Sequence[SizeTest] = (),
) -> DirectSession | NativeSession:
    """A program as machine code, called by the shorter way where this Python has it.

    Raises
    ------
    CompilerError
    UnsupportedError
    """
    named = replace(program, name=f"program_{program.name}")  # C's library has functions named exp and step
    stem, is_direct = identifier(program.name), is_usable()
    interruptible = is_direct and os.name != "nt"
    source = emit(named, constants, stem=stem, interruptible=interruptible, in_process=True, into_python=is_direct)
    if not is_direct:
        return NativeSession(program, source, flags)
    return DirectSession(program, with_entry(program, source, size_tests), flags)


__all__ = ["DirectSession", "Library", "LibraryApart", "native_session"]
