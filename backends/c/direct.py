"""A compiled program as one of Python's own functions: called with its arguments in order, it gives its outputs."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
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
from graph_program.extract.ir.graph import GraphProgram, Value
from graph_program.extract.types.rules.facts import SizeTest

HIDDEN = ("-fvisibility=hidden",)
"""All but the entry: a function of the program's name may be in another library."""


class DirectSession:
    """A program as machine code that Python calls without `ctypes`.

    Attributes
    ----------
    library : Path
    dtypes : tuple of dtype
        The element types that it is bound to.
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
        source, dtypes = entry.source, tuple(map(_shared, entry.dtypes))
        self.library, self.dtypes = library(source, (*flags, *HIDDEN)), dtypes
        loaded = ctypes.PyDLL(str(self.library))
        own = step if program.host else None
        self.call: Callable[..., tuple[Any, ...]] = builtin(loaded, BIND, ENTRY, dtypes, own)
        taken = {p.value for p in source.parameters if p.value is not None and not p.is_result}
        self._inputs = [value for value in program.graph.inputs if value in taken]
        self.inputs = tuple(value.name for value in self._inputs)
        self.tested = {value.name: value.type for value in self._inputs} if entry.tests else {}
        self.outputs = tuple(value.name for value in program.graph.outputs)
        self._dtypes = [value.type.dtype for value in program.graph.outputs]

    def run(self, names: Sequence[str] | None, feed: Mapping[str, Any], options: None = None) -> list[Any]:
        """The outputs asked for, or all, as arrays; as onnxruntime's sessions do it."""
        found = self.call(*(_read(feed[value.name], value) for value in self._inputs))
        arrays = [None if v is None else np.asarray(v, dtype) for v, dtype in zip(found, self._dtypes, strict=True)]
        values = dict(zip(self.outputs, arrays, strict=True))
        return [values[name] for name in (self.outputs if names is None else names)]


def _shared(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The object that the arrays of an element type have; another one that is equal may have come with a constant."""
    return np.dtype(dtype.char) if dtype.char in np.typecodes["All"] and dtype.isnative else dtype


def _read(given: Any, value: Value) -> Any:
    return given if value.type.rank else np.asarray(given, value.type.dtype)[()]


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


__all__ = ["DirectSession", "native_session"]
