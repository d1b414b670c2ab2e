"""Signals while a graph runs: Python's handler waits until the runtime gives control back, so the run is ended for it.

The system's handler writes a byte to a socket, which a thread reads; that thread has the run ended.  Then Python's
handler runs as usual, and raises what it raises.  Where it returns, the run begins again, and is not ended once more
for the same signal, as it may be that of a timer; but for Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import onnxruntime

End = Callable[[bytes], None]


class _Watch:
    """A thread that waits for signals, one in a process."""

    def __init__(self) -> None:
        self._reading, self._writing = socket.socketpair()
        self._writing.setblocking(False)
        self.number = self._writing.fileno()
        self.end: End | None = None
        self.before = -1
        threading.Thread(target=self._work, name="graph_program: signals", daemon=True).start()

    def begin(self, end: End) -> tuple[End | None, int]:
        """Have signals call this with their numbers; what `finish` is to put back."""
        before = signal.set_wakeup_fd(self.number, warn_on_full_buffer=False)
        outer = self.end, before
        self.end, self.before = end, -1 if before == self.number else before
        if self.before != -1 and sys.platform == "win32":  # a socket, which only its owner can write to
            self.finish(outer)
        return outer

    def finish(self, outer: tuple[End | None, int]) -> None:
        """Put back what was before."""
        self.end, before = outer
        signal.set_wakeup_fd(before, warn_on_full_buffer=False)

    def _work(self) -> None:
        while numbers := self._reading.recv(64):
            end, before = self.end, self.before
            if before != -1:
                os.write(before, numbers)
            if end is not None:
                end(numbers)


@cache
def _watch() -> _Watch:
    return _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watch.cache_clear)  # threads stay behind


@contextmanager
def ending(end: Callable[[], None]) -> Iterator[None]:
    """While this lasts, Ctrl-C calls `end` at once, on another thread; Python's own handler comes later."""
    if not _on_main_thread():
        yield
        return
    watch = _watch()
    outer = watch.begin(lambda numbers: end() if signal.SIGINT in numbers else None)
    try:
        yield
    finally:
        watch.finish(outer)


def _on_main_thread() -> bool:
    return threading.get_ident() == threading.main_thread().ident


Run = Callable[[Sequence[str], dict[str, Any], Any], list[Any]]


def interruptible(run: Run, errors: tuple[type[Exception], ...]) -> Run:
    """A run of a session that signals end; where the handler of one does not raise, the run begins again."""
    settings = onnxruntime.RunOptions()  # only one run at a time is on the main thread
    seen: set[int] = set()
    """The signals that have ended this run before."""

    def end(numbers: bytes) -> None:
        if signal.SIGINT in numbers or not seen.issuperset(numbers):
            seen.update(numbers)
            settings.terminate = True

    def running(names: Sequence[str], feed: dict[str, Any], options: Any) -> list[Any]:
        if options is not None or not _on_main_thread():  # whoever gives these ends the run
            return run(names, feed, options)
        watch = _watch()
        seen.clear()
        while True:
            settings.terminate = False
            outer = watch.begin(end)
            try:
                return run(names, feed, settings)
            except errors:
                if not settings.terminate:
                    raise
            except KeyboardInterrupt as interrupt:
                raise interrupt.with_traceback(None) from None
            finally:
                watch.finish(outer)

    return running


__all__ = ["ending", "interruptible"]
