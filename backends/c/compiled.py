"""One extraction as machine code behind the shim, where onnxruntime stands else."""

from __future__ import annotations

import os
from typing import Any

from graph_program.backends.c.emit import emit
from graph_program.backends.c.library import NativeSession
from graph_program.backends.onnxruntime.bfloat16 import converting
from graph_program.backends.onnxruntime.compiled import Compiled, RunOptions

VARIABLE = "GRAPH_PROGRAM_BACKEND"
"""The environment variable that chooses for all programs."""


class NativeCompiled(Compiled):
    """A signature of a program, ready to be called, compiled by the machine's C compiler."""

    def _start(self, results: int, options: RunOptions) -> None:
        session = NativeSession(self.program, emit(self.program, self.frozen))
        self._all_names = list(session.outputs)
        self.names = self._all_names[: results + (self.error_index is not None)]
        if self.interface.keeps_writes:
            self.names = self._all_names
        self.inputs = frozenset(session.inputs)
        self.errors = (MemoryError,)
        self.run = converting(session.run, session, self.program)  # type: ignore[arg-type]


def chosen(backend: str) -> str:
    """The back end that is asked for, by the program or for all of them."""
    return os.environ.get(VARIABLE, "") or backend


__all__: list[Any] = ["VARIABLE", "NativeCompiled", "chosen"]
