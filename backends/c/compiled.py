"""One extraction as machine code behind the shim, where onnxruntime stands else."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from graph_program.backends.c.emit import emit
from graph_program.backends.c.library import NativeSession
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
        self.run = session.run

    def fail(self, number: Any, source: Mapping[str, Any] | Sequence[Any], given: tuple[Any, ...] = ()) -> NoReturn:
        """Raise the exception of an error number; what the function does not tell is computed once more."""
        outputs, wanted = self.program.graph.outputs, self.program.error_args[int(number) - 1]
        if isinstance(source, Mapping) and any(outputs[place].type.rank for place in wanted):
            self.replay(None, source, given)
        super().fail(number, source, given)


def chosen(backend: str) -> str:
    """The back end that is asked for, by the program or for all of them."""
    return os.environ.get(VARIABLE, "") or backend


__all__: list[Any] = ["VARIABLE", "NativeCompiled", "chosen"]
