"""A process that runs models for another one, and ends when that one does; it knows nothing of their programs.

Messages come through the standard input, each is answered through the standard output, in order:

    Model             what can be run, by number; no answer
    Keep              inputs for all runs from now on: captured arrays, when they have changed; no answer
    Run               a run, with the other inputs
    Outputs, Failed   its answer
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from graph_program.sessions.messages import packed, receive, send

PATIENCE = 0.001
"""Seconds that an answer waits for others, which are then sent with it."""
Ready = Callable[[Mapping[str, Any]], list[Any]]


@dataclass(frozen=True)
class Model:
    """What can be run, by its number; `apart.ready()` gives what runs it."""

    number: int
    apart: Any


@dataclass(frozen=True)
class Keep:
    """Inputs of the later runs of a model."""

    number: int
    feed: dict[str, Any]


@dataclass(frozen=True)
class Run:
    """A run of a model, with the inputs that are its own."""

    number: int
    feed: dict[str, Any]


@dataclass(frozen=True)
class Outputs:
    """What a run has given."""

    arrays: list[Any]


@dataclass(frozen=True)
class Failed:
    """A run that gives nothing: for want of "memory", or of something else."""

    kind: str
    text: str


class _Models:
    """Models, and what is known of their inputs."""

    def __init__(self) -> None:
        self._models: dict[int, Model] = {}
        self._ready: dict[int, Ready] = {}
        self._kept: dict[int, dict[str, Any]] = {}

    def take(self, model: Model) -> None:
        self._models[model.number], self._kept[model.number] = model, {}

    def keep(self, given: Keep) -> None:
        self._kept[given.number].update(given.feed)

    def answer(self, asked: Run) -> Outputs | Failed:
        """Run a model."""
        feed = {**self._kept[asked.number], **asked.feed}
        try:
            if asked.number not in self._ready:
                self._ready[asked.number] = self._models[asked.number].apart.ready()
            return Outputs(self._ready[asked.number](feed))
        except MemoryError as error:
            return Failed("memory", str(error))
        except Exception as error:  # onnxruntime's classes of exceptions have no common base
            return Failed("run", str(error))


def main() -> None:
    """Answer until there is no more to come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process is told, and ends this one
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed does not come between the answers
    models, asked, waits = _Models(), queue.SimpleQueue[Any](), threading.Event()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    threading.Thread(target=_flush, args=(answers, waits), daemon=True).start()
    while True:
        message = asked.get()
        if isinstance(message, Run):
            send(answers, packed(models.answer(message)))
            if asked.empty():
                answers.flush()
            else:
                waits.set()
        elif isinstance(message, Keep):
            models.keep(message)
        else:
            models.take(message)


def _flush(answers: BinaryIO, waits: threading.Event) -> None:
    """Send answers that wait for those of other runs, of which one may take long."""
    with contextlib.suppress(OSError):  # nobody is there to answer, and `_listen` ends the process
        while waits.wait():
            time.sleep(PATIENCE)
            waits.clear()
            answers.flush()


def _listen(stream: BinaryIO, asked: queue.SimpleQueue[Any]) -> None:
    """Take messages also while a model runs, and end the process when nobody is there to answer."""
    try:
        while True:
            asked.put(receive(stream))
    except BaseException:
        os._exit(0)


__all__ = ["Failed", "Keep", "Model", "Outputs", "Run", "main"]
