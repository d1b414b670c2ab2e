"""One extraction as machine code behind the shim, where onnxruntime stands else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from graph_program.backends.c.compiler import CompilerError
from graph_program.backends.c.direct import DirectSession, native_session
from graph_program.backends.onnxruntime.compiled import Compiled, RunOptions
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError

HINT = 'install gcc or clang (or `pip install ziglang`), name another one in $CC, or leave out backend="native"'


class NativeCompiled(Compiled):
    """A signature of a program, ready to be called, compiled by the machine's C compiler."""

    def _start(self, results: int, options: RunOptions) -> None:
        program = self.program
        if self.interface.effects:  # which are done before an exception is raised, too
            program = replace(program, keeps_writes=True)
        try:
            session = native_session(program, self.frozen)
        except CompilerError as error:
            raise GraphProgramError(Diagnostic("GP603", str(error), self.loc, hint=HINT)) from None
        self._all_names = list(session.outputs)
        self.names = self._all_names[: results + (self.error_index is not None)]
        if self.interface.keeps_writes:
            self.names = self._all_names
        self.inputs = frozenset(session.inputs)
        self.errors = (MemoryError,)
        self.run = session.run
        if isinstance(session, DirectSession):
            self.direct, self.order = session.call, session.inputs
            types = [value.type for value in program.graph.outputs]
            self.numbers = {place: type_.dtype for place, type_ in enumerate(types) if not type_.rank}

    def fail(self, number: Any, source: Mapping[str, Any] | Sequence[Any], given: tuple[Any, ...] = ()) -> NoReturn:
        """Raise the exception of an error number; what the function does not tell is computed once more."""
        outputs, wanted = self.program.graph.outputs, self.program.error_args[int(number) - 1]
        if not isinstance(source, Mapping):  # numbers are Python's own
            source = [None if v is None else np.asarray(v, o.type.dtype) for v, o in zip(source, outputs, strict=True)]
        if isinstance(source, Mapping) and any(outputs[place].type.rank for place in wanted):
            self.replay(None, source, given)
        super().fail(number, source, given)


__all__ = ["NativeCompiled"]
