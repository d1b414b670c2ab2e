"""One extraction of a program, and what makes it runnable once it is called."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from graph_program.backends.host.runnable import RunOptions
from graph_program.backends.onnxruntime.cache import Specs
from graph_program.calls.back_end import Choice, Trial, chosen
from graph_program.calls.program_options import AUTO, NATIVE, ONNXRUNTIME
from graph_program.calls.subject import Subject, Values
from graph_program.extract.diagnostics import GraphProgramError, LostWritesWarning
from graph_program.extract.extraction import Extraction, ExtractOptions
from graph_program.extract.ir.interface import Interface
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.specs import ListSpec, RowsSpec, rows_in, with_lists
from graph_program.extract.pipeline import extract
from graph_program.extract.purpose import FOR_A_CALL

if TYPE_CHECKING:
    from graph_program.backends.host.runnable import Runnable
    from graph_program.backends.onnxruntime.compiled import Compiled


Lists = tuple[ListSpec | None, ...]
"""The lists of a call, as they are taken apart."""
MOST_LENGTHS = 8
"""Graphs for lists of so many lengths are kept."""
Again = Callable[[tuple[Any, ...]], None]
Run = Callable[..., list[Any]]


class Switched(Protocol):
    """Whoever keeps something that is made of what runs calls."""

    def forget(self, signature: Signature) -> None:
        """Something else runs the calls of a signature from now on."""


class Signature:
    """One extraction, and what makes it runnable once it is called."""

    def __init__(self, subject: Subject, extraction: Extraction, specs: Specs, options: ExtractOptions):
        self._subject = subject
        self.specs = specs
        self._options = options
        self.extraction = extraction
        self._again: Runnable | None = None
        """The graph that says what a call that raises has written by then, once there is one for all calls."""
        self._again_for: dict[Lists, Runnable | str] = {}
        """Graphs that do so for lists of some lengths only, or why there is none."""
        self.switched: WeakSet[Switched] = WeakSet()
        """Who is told when something else runs calls."""
        self.choice: Choice | None = None
        """The back end, as far as it is known; None before the first call."""

    @property
    def interface(self) -> Interface:
        return self.extraction.interface

    @cached_property
    def compiled(self) -> Runnable:
        """What calls run; machine code may take its place."""
        found = self.extraction
        compiled = self._first()
        if found.copies:
            self._subject.tallies.append((found.copies, compiled.tally))
        return compiled

    def in_onnxruntime(self) -> Compiled:
        """What runs the graph in onnxruntime, whatever calls run."""
        from graph_program.backends.onnxruntime.compiled import Compiled

        return self.compiled if isinstance(self.compiled, Compiled) else self._runnable(self.extraction, None)

    def _first(self) -> Runnable:
        """What runs the first call."""
        self.choice = chosen(self._subject.options, self.extraction, self._subject.loc)
        if self.choice.backend == NATIVE:
            return self._native()
        if self.choice.backend == ONNXRUNTIME:
            return self._runnable(self.extraction, self._fail_again)
        trial = Trial(self.extraction, self._native, self._switch, self._note)
        return self._runnable(self.extraction, self._fail_again, trial.watched)

    def _switch(self, made: Runnable | None) -> None:
        """Have later calls run something else, or what there is without looking at them; no call may wait for this."""
        if made is None:
            made = self.compiled
            made.unwatched()
        elif self.extraction.copies:
            self._subject.tallies.append((self.extraction.copies, made.tally))
        self.__dict__["compiled"] = made
        self._subject.prefer(made.dispatch)
        for one in list(self.switched):
            one.forget(self)

    def choose_native(self, why: str) -> None:
        """Have machine code run the calls, where the choice has not fallen and there is a compiler."""
        choice = self.choice or chosen(self._subject.options, self.extraction, self._subject.loc)
        if choice.backend == AUTO:
            with suppress(GraphProgramError):
                self._switch(self._native())
                self.choice = Choice(NATIVE, why)

    def _note(self, choice: Choice) -> None:
        self.choice = choice

    def _runnable(
        self, found: Extraction, again: Again | None, watched: Callable[[Run], Run] | None = None
    ) -> Compiled:
        from graph_program.backends.onnxruntime.compiled import Compiled

        return Compiled(found.session, **self._given(found, again), watched=watched)

    def _native(self) -> Runnable:
        from graph_program.backends.c.compiled import NativeCompiled, graph_in_process

        made = NativeCompiled(graph_in_process(self.extraction), **self._given(self.extraction, self._fail_again))
        if self._options.purpose == FOR_A_CALL:
            from graph_program.calls.kept_programs.writing import keep

            keep(self._subject, self.extraction, made)
        return made

    def _given(self, found: Extraction, again: Again | None) -> dict[str, Any]:
        subject, options = self._subject, self._subject.options
        run = RunOptions(options.freeze, options.providers, options.threads)
        checked = lambda: found.unoptimized  # noqa: E731
        return {
            "interface": found.interface,
            "callee": subject.callee,
            "options": run,
            "loc": subject.loc,
            "checked": checked,
            "residual": found.residual,
            "again": again,
        }

    def _fail_again(self, given: tuple[Any, ...]) -> None:
        """Run a call that raises once more, in a graph that says what it has written by then, and write that.

        Where there is no such graph, or it does not take the arguments, nothing is written, which is told.
        """
        with self._subject.lock:
            again = self._again or self._made_again(given)
        if isinstance(again, str):
            self._warn_of_lost_writes(again)
            return
        try:
            again.call(*given)
        except GraphProgramError as refusal:
            self._warn_of_lost_writes(str(refusal))

    def _made_again(self, given: tuple[Any, ...]) -> Runnable | str:
        """That graph; why there is none, if so."""
        values = dict(zip(self._subject.callee.signature.parameters, given, strict=True))
        values.pop(self._subject.callee.bound or "", None)
        now = {name: dict(rows_in(spec)) for name, spec in self._subject.specs_of(values)}
        lists = tuple(rows.static for found in now.values() for rows in found.values())
        if lists not in self._again_for:
            if len(self._again_for) == MOST_LENGTHS:
                del self._again_for[next(iter(self._again_for))]
            self._again_for[lists] = self._make_again(values, now)
        return self._again_for[lists]

    def _make_again(self, values: Values, lists: Mapping[str, Mapping[Path, RowsSpec]]) -> Runnable | str:
        try:
            found = self.keeping_writes(values, lists)
        except GraphProgramError as refusal:
            return str(refusal)
        made = self._runnable(found, None)
        if found.interface.parameters == self.interface.parameters:
            self._again = made
        return made

    def _warn_of_lost_writes(self, why: str) -> None:
        loc = self._subject.loc
        text = f"{self._subject.fn.__name__}() has raised, and its arguments are as they were before the call: {why}"
        warnings.warn_explicit(text, LostWritesWarning, loc.file, loc.line)

    def keeping_writes(
        self, values: Values | None, lists: Mapping[str, Mapping[Path, RowsSpec]] = MappingProxyType({})
    ) -> Extraction:
        """An extraction whose outputs say what was written, also where the call raises.

        What this one is fixed to, that one is, too: which values a program needs may depend on what it gives back.
        `lists` are those of the call, whose lengths may be needed there.
        """
        parameters = {name: with_lists(spec, lists.get(name, {})) for name, spec in self.interface.parameters}
        options = replace(self._options, keeps_writes=True, copies="ignore")
        return extract(self._subject.fn, parameters, values=values, options=options)


__all__ = ["Signature"]
