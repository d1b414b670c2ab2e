"""Calls whose runs are made elsewhere: begun ahead, ended in their turn, on the caller's thread.

    begin    the arguments are taken apart, and the feed of the graph is copied and sent to a process
    end      the outputs come, and the rest of the call is made of them: prints, exceptions, the result

Both are the two halves of one generated function, a generator: see `Shim`.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.host.runner import OnlyRun
from graph_program.backends.host.shim import Shim
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc, ProgramValueError
from graph_program.extract.ir.interface import CapturedInput, Interface
from graph_program.extract.ir.paths import path_text
from graph_program.sessions.messages import packed, unpacked
from graph_program.sessions.processes import Ended, Processes, Task
from graph_program.sessions.worker import Failed, Keep, Model, Run

if TYPE_CHECKING:
    from graph_program.calls.one_signature import Signature

Half = Generator[dict[str, Any], Any, Any]
HINT = "leave out `processes`, so that the calls are made one after the other"


class Turns(OnlyRun):
    """The calls of one signature, begun and ended.

    Parameters
    ----------
    found : Signature
    number : int
        By which processes know its model.
    threads : int
        Inside of one operation of onnxruntime.

    Attributes
    ----------
    dispatch, call : callable
        See `Shim`; both give generators.
    runs : bool
        Whether there is anything to run.

    Raises
    ------
    ProgramValueError
        GP561 where a call writes what another one may read, GP562 where it needs this process.
    """

    pauses = True

    def __init__(self, found: Signature, number: int, threads: int):
        self._compiled = compiled = found.compiled
        _require_no_writes(found.interface, compiled.callee.name, compiled.loc)
        self.name, self.loc = compiled.callee.name, compiled.loc
        self.names, self.inputs, self.error_index = compiled.names, compiled.inputs, compiled.error_index
        self.run = compiled.run  # of which nobody asks anything, as the functions pause instead
        self.errors: tuple[type[Exception], ...] = (*compiled.errors, _RunError, MemoryError)
        self.replay, self.judge, self.fail = compiled.replay, compiled.judge, compiled.fail
        self.runs = bool(self.names)
        apart = compiled.apart(threads) if self.runs else None
        if self.runs and apart is None:
            raise _needs_this_process(found, compiled.callee.name)
        self._number, self._apart = number, apart
        self._kept: dict[str, _Kept] = {i.name: _Kept() for i in found.interface.inputs if isinstance(i, CapturedInput)}
        self._model: list[bytes] = []
        shim = Shim(compiled.callee, compiled.interface, self)
        self.dispatch, self.call = shim.dispatch, shim.call

    def begin(self, half: Half, feed: dict[str, Any], processes: Processes) -> Begun:
        """Have the run made of a call that has been begun."""
        own = {name: np.asarray(value) for name, value in feed.items() if name not in self._kept}
        kept = {name: one.sent(self._number, name, feed[name]) for name, one in self._kept.items() if name in feed}
        task = Task(self._number, self._packed_model, packed(Run(self._number, own)), kept)
        processes.make(task)
        return Begun(half, task, feed, self)

    def _packed_model(self) -> list[bytes]:
        self._model = self._model or packed(Model(self._number, self._apart))
        return self._model


class _Kept:
    """A captured array, as processes have it."""

    def __init__(self) -> None:
        self._version, self._contents, self._message = 0, b"", [b""]

    def sent(self, number: int, name: str, array: Any) -> tuple[int, list[bytes]]:
        """The message with its contents, and their version: another one where they have changed."""
        contents = np.asarray(array).tobytes()
        if not self._version or contents != self._contents:
            self._version, self._contents = self._version + 1, contents
            self._message = packed(Keep(number, {name: np.array(array)}))
        return self._version, self._message


class _RunError(Exception):
    """A run in a process that gave nothing."""


@dataclass(frozen=True)
class Begun:
    """A call whose run is made elsewhere."""

    half: Half
    task: Task
    feed: dict[str, Any]
    turns: Turns

    def end(self) -> Any:
        """The rest of the call: what it gives or raises.

        Raises
        ------
        GraphProgramError
            GP563 where the process has ended.
        """
        try:
            answer = self.task.answer.result()
        except Ended as ended:
            text = f"a process that made a call of `{self.turns.name}` {ended}"
            hint = "a process that needs too much memory is ended by the system: `processes` may be less"
            raise GraphProgramError(Diagnostic("GP563", text, self.turns.loc, hint=hint)) from None
        try:
            if isinstance(answer, Failed):
                self._tell_as_it_was()
                self.half.throw(MemoryError(answer.text) if answer.kind == "memory" else _RunError(answer.text))
            if self.turns.error_index is not None and answer.arrays[self.turns.error_index]:
                self._tell_as_it_was()
            self.half.send(answer.arrays)
        except StopIteration as end:
            return end.value
        raise AssertionError(f"a call of {self.turns.name} pauses twice")

    def _tell_as_it_was(self) -> None:
        """Have the arguments that are told of an exception be those with which the call began."""
        self.feed.update(unpacked(self.task.run).feed)


def _require_no_writes(interface: Interface, name: str, loc: Loc) -> None:
    written = [back.path for back in (*interface.write_backs, *interface.set_backs)]
    if written:
        text = f"a call of `{name}` writes to `{path_text(written[0])}`, which the next one may read"
        raise ProgramValueError(Diagnostic("GP561", text, loc, hint=HINT))


def _needs_this_process(found: Signature, name: str) -> ProgramValueError:
    steps = found.extraction.host
    if steps:
        text, loc = f"`{name}` needs Python in the middle of a call, which is in this process", steps[0].loc
        hint = f"{HINT}, or make a program of the part that only computes"
        return ProgramValueError(Diagnostic("GP562", text, loc, hint=hint))
    text = f"`{name}` takes or gives bfloat16, or runs as machine code in a way that only this process has"
    return ProgramValueError(Diagnostic("GP562", text, found.compiled.loc, hint=HINT))


__all__ = ["Begun", "Turns"]
