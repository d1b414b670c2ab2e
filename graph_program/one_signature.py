"""One extraction of a program, and what makes it runnable once it is called."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from graph_program.backends.onnxruntime.cache import Specs
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, ProgramValueError
from graph_program.extract.ir.interface import Interface
from graph_program.extract.pipeline import Extraction, ExtractOptions, extract

if TYPE_CHECKING:
    from graph_program.backends.onnxruntime.compiled import Compiled
    from graph_program.calls import Calls, Values


BACKEND = "GRAPH_PROGRAM_BACKEND"
"""The environment variable with the back end of all programs that do not say theirs."""


class Signature:
    """One extraction, and what makes it runnable once it is called."""

    def __init__(self, calls: Calls, extraction: Extraction, specs: Specs, options: ExtractOptions):
        self._calls = calls
        self.specs = specs
        self._options = options
        self.extraction = extraction
        self._again: Compiled | None = None
        self._is_alone = False
        """There is no such graph."""

    @property
    def interface(self) -> Interface:
        return self.extraction.interface

    @cached_property
    def compiled(self) -> Compiled:
        found = self.extraction
        compiled = self._runnable(found, self._fail_again)
        if found.copies:
            self._calls.tallies.append((found.copies, compiled.tally))
        return compiled

    def _runnable(self, found: Extraction, again: Callable[[tuple[Any, ...]], None] | None) -> Compiled:
        from graph_program.backends.onnxruntime.compiled import Compiled, RunOptions

        calls, options = self._calls, self._calls.options
        run = RunOptions(options.freeze, options.providers, options.threads)
        checked = lambda: found.unoptimized  # noqa: E731
        if again is not None and is_native(calls, found):  # else it says what was written, as operations fail
            from graph_program.backends.c.compiled import NativeCompiled

            given = found.interface, calls.callee, run, calls.loc, checked, found.residual, again
            return NativeCompiled(found.native, *given)
        return Compiled(found.session, found.interface, calls.callee, run, calls.loc, checked, found.residual, again)

    def _fail_again(self, given: tuple[Any, ...]) -> None:
        """Run a call that raises once more, in a graph that says what it has written by then, and write that.

        Where there is no such graph, or it does not take the arguments, nothing is written.
        """
        with self._calls.lock, suppress(GraphProgramError):
            if self._again is None and not self._is_alone:
                self._is_alone = True
                values = dict(zip(self._calls.callee.signature.parameters, given, strict=True))
                values.pop(self._calls.callee.bound or "", None)
                found = self.keeping_writes(values)
                if found.interface.parameters == self.interface.parameters:  # else for lists of these lengths only
                    self._again = self._runnable(found, None)
        if self._again is not None:
            with suppress(GraphProgramError):
                self._again.call(*given)

    def keeping_writes(self, values: Values | None) -> Extraction:
        """An extraction whose outputs say what was written, also where the call raises."""
        options = replace(self._options, keeps_writes=True, copies="ignore")
        return extract(self._calls.fn, dict(self.specs), values=values, options=options)


def is_native(calls: Calls, found: Extraction) -> bool:
    """Whether machine code runs a graph.

    Raises
    ------
    ProgramValueError
        GP516 where the program asks for that and has host code.
    """
    if calls.options.backend != "native":
        return os.environ.get(BACKEND) == "native" and not found.session.host
    if found.session.host:
        text = 'backend="native" is for programs without host code'
        hint = f"leave it out; {found.session.host[0].loc.where} needs Python"
        raise ProgramValueError(Diagnostic("GP516", text, calls.loc, hint=hint))
    return True


__all__ = ["Signature"]
