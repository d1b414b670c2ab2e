"""What was kept of a program by earlier processes, and what a call of it is told to the program's slow half."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_program.calls.back_end import Choice, wanted
from graph_program.calls.kept_programs.keeping import loaded, records_of
from graph_program.calls.kept_programs.reached import NotKept, Reached
from graph_program.calls.program_options import AUTO, NATIVE

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.calls.program_options import ProgramOptions

Given = tuple[tuple[Any, ...], Mapping[str, Any]]


class KeptProgram:
    """Machine code of earlier processes for a program.

    Parameters
    ----------
    function : function
    options : ProgramOptions
    again : callable
        Makes a call that fails once more, by an extraction, for its arguments by parameter.

    Attributes
    ----------
    known : list of callable
        The shims that there are by now.
    """

    def __init__(self, function: Any, options: ProgramOptions, again: Callable[[tuple[Any, ...]], Any]):
        self._again = again
        self.known: list[Callable[..., Any]] = []
        self._reached: Reached | None = None
        self._waiting: list[Path] = []
        self._seconds: list[float] = []
        self._last: Given | None = None
        if wanted(options) in (NATIVE, AUTO) and options.providers is None and options.threads is None:
            with suppress(NotKept, OSError, RecursionError):
                self._reached, self._waiting = records_of(function, options)

    def shims(self) -> Iterator[Callable[..., Any]]:
        """What was not tried yet, each for another signature."""
        while self._waiting:
            began = time.perf_counter()
            try:
                path = self._waiting.pop(0)
            except IndexError:  # another thread has taken it
                return
            assert self._reached is not None
            shim = loaded(path, self._reached, lambda *told: self._again(told[-1]))
            if shim is not None:
                self._seconds.append(time.perf_counter() - began)
                self.known.append(shim)
                yield shim

    def note(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Note a call; `args` and `kwargs` are what it was given."""
        self._last = args, kwargs

    def tell(self, calls: Calls) -> None:
        """Tell the slow half, which comes into being, what was done without it."""
        for seconds in self._seconds:
            calls.log.note_kept(seconds, Choice(NATIVE, "an earlier process has made machine code of it"))
        if self._last is not None:
            calls.remember(*self._last)


__all__ = ["KeptProgram"]
