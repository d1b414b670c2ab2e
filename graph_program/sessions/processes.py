"""Processes that make runs for this one, and are gone when it has no more of them."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from graph_program.sessions.messages import receive, send

START = "import sys; sys.path[:] = {path!r}; from graph_program.sessions.worker import main; main()"
TOGETHER = 16
"""A process is sent so many runs at once, at most."""

PIPE = 2**20
"""Bytes that a pipe holds, where that can be said."""


class Ended(Exception):
    """A process has ended that had a run to make; the text says how."""


@dataclass
class Task:
    """A run to be made.

    Attributes
    ----------
    number : int
        Of the model.
    model : callable
        Gives the message with the model, for a process that does not have it.
    run : list of bytes
        The message.
    kept : dict of str to (int, list of bytes)
        The messages with inputs that stay from run to run, and their versions.
    """

    number: int
    model: Callable[[], list[bytes]]
    run: list[bytes]
    kept: Mapping[str, tuple[int, list[bytes]]]
    answer: Future[Any] = field(default_factory=Future)


class Processes:
    """Processes that run models.

    Parameters
    ----------
    count : int
    """

    def __init__(self, count: int):
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._workers: list[_Worker] = []
        try:
            for _ in range(count):
                self._workers.append(_Worker(self._tasks, count))
        except BaseException:
            self.close()
            raise

    def make(self, task: Task) -> None:
        """Have a run made; its answer is to come."""
        self._tasks.put(task)

    def close(self) -> None:
        """End the processes, whatever they do."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.join()


class _Worker:
    """One process, and the thread that talks with it."""

    def __init__(self, tasks: queue.SimpleQueue[Task | None], count: int):
        self._tasks, self._count = tasks, count
        apart: dict[str, Any] = {"start_new_session": True}  # Ctrl-C is for this process, which ends the others
        if os.name == "nt":
            apart = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
        command = [sys.executable, "-c", START.format(path=list(map(str, sys.path)))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **apart)
        for pipe in (self._process.stdin, self._process.stdout):
            _widen(pipe)
        self._models: set[int] = set()
        self._kept: dict[tuple[int, str], int] = {}
        self._thread = threading.Thread(target=self._work, name="graph_program: processes", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            tasks = [task, *self._more()]
            try:
                self._make(tasks)
            except (OSError, EOFError, ValueError):  # ValueError: the pipe is closed on this side
                _fail(tasks, Ended(self._how()))
                return
            except BaseException as error:  # whoever waits for an answer has it raised
                _fail(tasks, error)
                return

    def _more(self) -> list[Task]:
        """Other tasks that wait, as far as they are not for other processes."""
        found: list[Task] = []
        with contextlib.suppress(queue.Empty):
            while len(found) < min(TOGETHER - 1, self._tasks.qsize() // self._count):
                task = self._tasks.get_nowait()
                if task is None:
                    self._tasks.put(None)
                    break
                found.append(task)
        return found

    def _make(self, tasks: Sequence[Task]) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        for task in tasks:
            if task.number not in self._models:
                self._models.add(task.number)
                send(self._process.stdin, task.model())  # type: ignore[arg-type]
            for name, (version, parts) in task.kept.items():
                if self._kept.get((task.number, name)) != version:
                    self._kept[task.number, name] = version
                    send(self._process.stdin, parts)  # type: ignore[arg-type]
            send(self._process.stdin, task.run)  # type: ignore[arg-type]
        self._process.stdin.flush()
        for task in tasks:
            task.answer.set_result(receive(self._process.stdout))  # type: ignore[arg-type]

    def _how(self) -> str:
        """How the process has ended."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "does not answer"
        with contextlib.suppress(ValueError):
            return f"has ended with {signal.Signals(-code).name}" if code < 0 else f"has ended with exit code {code}"
        return f"has ended with exit code {code}"

    def kill(self) -> None:
        """End the process."""
        self._tasks.put(None)
        self._process.kill()

    def join(self) -> None:
        """Wait until it has ended, and let go of its pipes."""
        self._process.wait()
        self._thread.join(timeout=5)
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # what was not sent any more
                if pipe is not None:
                    pipe.close()


def _fail(tasks: Iterable[Task], error: BaseException) -> None:
    for task in tasks:
        if not task.answer.done():
            task.answer.set_exception(error)


def _widen(pipe: Any) -> None:
    """Let a pipe hold more than the 64 KiB of Linux, so that large arrays go through in fewer turns."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):  # more than a user may have
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)


__all__ = ["Ended", "Processes", "Task"]
