"""A compiled program as one of Python's own functions: called with its arguments in order, it gives its outputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.backends.c.apart import Library
from graph_program.backends.c.c_names import identifier
from graph_program.backends.c.cache import library, opening
from graph_program.backends.c.compiler import FAST
from graph_program.backends.c.emit import emit
from graph_program.backends.c.entry import BIND, ENTRY, Entry, with_entry
from graph_program.backends.c.host_steps import step
from graph_program.backends.c.library import NativeSession
from graph_program.backends.c.python_api import is_usable
from graph_program.backends.host.dtypes import shared_dtype
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.types.rules.facts import SizeTest

HIDDEN = ("-fvisibility=hidden",)
"""All but the entry: a function of the program's name may be in another library."""


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
            (BIND, ENTRY),
            tuple(map(shared_dtype, entry.dtypes)),
            tuple((value.name, value.type.dtype, not value.type.rank) for value in inputs),
            tuple((value.name, value.type.dtype) for value in program.graph.outputs),
        )
        with opening(self.library.path):
            self.call = self.library.opened(step if program.host else None)
        self.inputs = tuple(value.name for value in inputs)
        self.tested = {value.name: value.type for value in inputs} if entry.tests else {}
        self.outputs = tuple(value.name for value in program.graph.outputs)

    def run(self, names: Sequence[str] | None, feed: Mapping[str, Any], options: None = None) -> list[Any]:
        """The outputs asked for, or all, as arrays; as onnxruntime's sessions do it."""
        return self.library.run(self.call, names, feed)


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
