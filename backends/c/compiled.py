"""One extraction as machine code behind the shim, where onnxruntime stands else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from graph_program.backends.c import libraries
from graph_program.backends.c.apart import LibraryApart
from graph_program.backends.c.compiler import INSTALL, CompilerError
from graph_program.backends.c.direct import DirectSession, native_session
from graph_program.backends.c.host_steps import NativeHost
from graph_program.backends.c.library import NativeSession
from graph_program.backends.host.direct_calls import Direct
from graph_program.backends.host.runnable import Runnable, RunOptions
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError
from graph_program.extract.extraction import Extraction
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.interface import CapturedInput

LARGE = 65536
"""Captured arrays of more bytes are no text for a compiler in process."""
HINT = f'{INSTALL}, or leave out backend="native"'


def graph_in_process(extraction: Extraction) -> GraphProgram:
    """The graph of an extraction for the compiler and the libraries that there are here."""
    return extraction.linked if libraries.has_lapack() else extraction.native


class NativeCompiled(Runnable):
    """A signature of a program, ready to be called, compiled by the machine's C compiler.

    Attributes
    ----------
    direct_session : DirectSession or None
        The machine code, where Python calls it itself and it has no host code.
    """

    direct_session: DirectSession | None = None

    def apart(self, threads: int) -> LibraryApart | None:
        session = self.direct_session
        return None if session is None else LibraryApart(session.library, tuple(self.names))

    def _start(self, results: int, options: RunOptions) -> None:
        program = self.program
        if program.host:
            self._start_with_host()
            return
        if self.interface.effects:  # which are done before an exception is raised, too
            program = replace(program, keeps_writes=True)
        session = self._library(program)
        self._all_names = list(session.outputs)
        self.names = self._all_names[: results + (self.error_index is not None)]
        if self.interface.keeps_writes:
            self.names = self._all_names
        self.inputs = frozenset(session.inputs)
        self.errors = (MemoryError,)
        self.run = session.run
        if isinstance(session, DirectSession):
            self.direct_session = session
            types = [value.type for value in program.graph.outputs]
            numbers = {place: type_.dtype for place, type_ in enumerate(types) if not type_.rank}
            arrays = {place: type_.dtype for place, type_ in enumerate(types) if type_.rank}
            self.direct = Direct(session.call, session.inputs, session.tested, numbers, arrays)

    def _start_with_host(self) -> None:
        """A run cannot be repeated, so that all outputs are results: the number of an error, and what it tells, too."""
        names = [value.name for value in self.program.graph.outputs]
        program = replace(self.program, output_names=names, errors=[], error_args=[], keeps_writes=True)
        session = self._library(program)
        self.names = names[:-1] or names  # with no result it has its effects all the same
        self._all_names = names
        self.inputs = frozenset(session.inputs)
        self.run = self._keeping(NativeHost(session.run, self.program, self.interface.guards, self.tally).run)
        self.errors = ()

    def _constants(self) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays that stand in the C file; a large one that nobody may write to is given at each call."""
        captured = {i.name: i.array for i in self.interface.inputs if isinstance(i, CapturedInput)}
        return {
            name: array
            for name, array in self.frozen.items()
            if array.nbytes <= LARGE or captured[name].flags.writeable
        }

    def _library(self, program: GraphProgram) -> DirectSession | NativeSession:
        try:
            return native_session(program, self._constants(), size_tests=self.interface.size_tests)
        except CompilerError as error:
            raise GraphProgramError(Diagnostic("GP603", str(error), self.loc, hint=HINT)) from None

    def _mismatch(self, error: Exception | None) -> Exception:
        """NumPy has had the memory, in which no two calls are alike."""
        return (
            super()._mismatch(error) if error is None else MemoryError(f"no memory for a call of `{self.program.name}`")
        )

    def fail(self, number: Any, source: Mapping[str, Any] | Sequence[Any], given: tuple[Any, ...] = ()) -> NoReturn:
        """Raise the exception of an error number; what the function does not tell is computed once more."""
        if self.program.host:  # all of it is told
            super().fail(number, source, given)
        outputs, wanted = self.program.graph.outputs, self.program.error_args[int(number) - 1]
        if not isinstance(source, Mapping):  # numbers are Python's own
            source = [None if v is None else np.asarray(v, o.type.dtype) for v, o in zip(source, outputs, strict=True)]
        if isinstance(source, Mapping) and any(outputs[place].type.rank for place in wanted):
            self.replay(None, source, given)
        super().fail(number, source, given)


__all__ = ["NativeCompiled"]
