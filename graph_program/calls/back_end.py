"""Which back end runs a signature: onnxruntime or machine code, by what the caller wants, what there is, and the work.

By itself a signature begins in onnxruntime.  When that has taken so long that a compiler is worth its time, machine
code is made beside the calls, if a model of the costs says that it is clearly faster; once it is there, calls run it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from graph_program.calls.program_options import AUTO, BACKENDS, NATIVE, ONNXRUNTIME, ProgramOptions
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc, ProgramValueError
from graph_program.extract.ir.models import CALL

if TYPE_CHECKING:
    from graph_program.extract.extraction import Extraction

VARIABLE = "GRAPH_PROGRAM_BACKEND"
"""The environment variable with the back end of all programs that do not say theirs."""
SECONDS = 0.1
"""Calls that have taken so long are worth a compiler."""

Run = Callable[..., list[Any]]


@dataclass(frozen=True)
class Choice:
    """The back end of a signature, and why."""

    backend: str
    why: str


def chosen(options: ProgramOptions, found: Extraction, loc: Loc) -> Choice:
    """The back end of an extraction; "auto" where that depends on the calls.  Refusals name the place `loc`.

    Raises
    ------
    ProgramValueError
        GP516 where the program asks for machine code and has host code.
    ValueError
        For another name in the environment.
    """
    from graph_program.extract.slice.overlap import overlaps

    host = found.host
    if options.backend == NATIVE and host and not _calls_back():
        text = 'backend="native" has no host code with this Python'
        hint = f"leave it out; {host[0].loc.where} needs Python"
        raise ProgramValueError(Diagnostic("GP516", text, loc, hint=hint))
    if options.backend != AUTO:
        return Choice(options.backend, f'backend="{options.backend}"')
    own = wanted(options)
    call = next((node for node in found.session.graph.walk() if node.op == CALL), None)
    if call is not None:
        return Choice(ONNXRUNTIME, f"{call.loc.where} calls a model, of which machine code has no form")
    if host and not _calls_back():
        return Choice(ONNXRUNTIME, f"{host[0].loc.where} needs Python")
    if own == AUTO and overlaps(found.session):
        return Choice(ONNXRUNTIME, "host and graph work at the same time")
    if own != AUTO:
        return Choice(own, f"{VARIABLE}={own}")
    if options.providers is not None or options.threads is not None:
        return Choice(ONNXRUNTIME, "providers and threads are onnxruntime's")
    from graph_program.backends.c.compiler import compiler

    if compiler() is None:
        return Choice(ONNXRUNTIME, "there is no C compiler")
    return Choice(AUTO, f"until calls have taken {SECONDS} s")


def wanted(options: ProgramOptions) -> str:
    """The back end that the program or the environment names.

    Raises
    ------
    ValueError
        For another name in the environment.
    """
    if options.backend != AUTO:
        return options.backend
    found = os.environ.get(VARIABLE) or AUTO
    if found not in BACKENDS:
        raise ValueError(f"{VARIABLE} must be 'onnxruntime', 'native' or 'auto', not {found!r}")
    return found


def _calls_back() -> bool:
    """Whether machine code can call Python here."""
    from graph_program.backends.c.python_api import is_usable

    return is_usable()


class Trial:
    """The calls of a signature in onnxruntime, and the machine code that is made beside them.

    Parameters
    ----------
    found : Extraction
    make : callable
        Makes what runs machine code.
    switch : callable
        Has later calls run what was made; or what there was, without looking at its calls, for None.
    tell : callable
        Told the choice when it is made.
    """

    def __init__(
        self,
        found: Extraction,
        make: Callable[[], Any],
        switch: Callable[[Any], None],
        tell: Callable[[Choice], None],
    ):
        self._found, self._make, self._switch, self._tell = found, make, switch, tell
        self._restart()
        self._may_be_long = any(node.op == "loop" for node in found.session.graph.walk())
        _TRIALS.add(self)

    def _restart(self) -> None:
        self._seconds, self._calls = 0.0, 0
        self._begun = threading.Lock()
        self._first_is_over = threading.Event()

    def watched(self, run: Run) -> Run:
        """The same run, with its time noted."""

        def running(names: Sequence[str], feed: Mapping[str, Any], options: Any) -> list[Any]:
            began = time.perf_counter()
            if not self._calls and self._may_be_long and not self._begun.locked():
                threading.Thread(target=self._beside_the_first, args=(feed,), daemon=True).start()
            try:
                return run(names, feed, options)
            finally:
                self._note(time.perf_counter() - began, feed)

        return running

    def _note(self, seconds: float, feed: Mapping[str, Any]) -> None:
        self._seconds += seconds
        self._calls += 1
        self._first_is_over.set()
        if self._seconds >= SECONDS and self._begun.acquire(blocking=False):
            threading.Thread(target=self._work, args=(feed,), daemon=True).start()

    def _beside_the_first(self, feed: Mapping[str, Any]) -> None:
        """Begin in the middle of a long first call."""
        if not self._first_is_over.wait(SECONDS) and self._begun.acquire(blocking=False):
            self._seconds += SECONDS
            self._work(feed)

    def _work(self, feed: Mapping[str, Any]) -> None:
        """Find out what is faster, and have it run; whatever fails here is only noted."""
        from graph_program.backends.c.beside import working

        with working():
            made = None
            try:
                choice = self._judged(feed)
                made = self._make() if choice.backend == NATIVE else None
            except GraphProgramError as error:
                choice = Choice(ONNXRUNTIME, f"there is no machine code: {error.diagnostic.message}")
            except Exception as error:
                choice = Choice(ONNXRUNTIME, f"there is no machine code: {error!r}")
            self._switch(made)
            self._tell(choice)

    def _judged(self, feed: Mapping[str, Any]) -> Choice:
        from graph_program.backends.c import cost
        from graph_program.backends.c.compiled import graph_in_process

        slow = cost.estimate(self._found.session, cost.ONNXRUNTIME, feed)
        fast = cost.estimate(graph_in_process(self._found), cost.native_prices(), feed)
        measured = self._seconds / max(self._calls, 1) * 1e9
        told = f"{cost.told(slow)} in onnxruntime, {cost.told(fast)} as machine code, by the model of costs"
        return Choice(NATIVE if cost.native_wins(slow, fast, measured) else ONNXRUNTIME, told)


_TRIALS: WeakSet[Trial] = WeakSet()


def _begin_anew() -> None:
    """In a child process the threads are not there."""
    for trial in list(_TRIALS):
        trial._restart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


__all__ = ["Choice", "Trial", "chosen", "wanted"]
