"""Running a graph that has steps on the host."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np
import onnxruntime

from graph_program.backends.host.captures import watched
from graph_program.backends.host.exchange import Exchange
from graph_program.backends.host.steps import compile_steps
from graph_program.backends.onnxruntime.session import RUN_ERRORS, Session
from graph_program.extract.ir.host import HOST, HostStep
from graph_program.extract.ir.interface import Guard


@contextmanager
def interruptible(exchange: Exchange) -> Iterator[None]:
    """Ctrl-C during a run: it ends the call; raised anywhere but in a step it would end the process."""
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if not callable(before):
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        if exchange.in_step:
            before(number, frame)
        else:
            exchange.fail(KeyboardInterrupt())

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class CoExecution:
    """A session whose graph and host run in step.

    `run` is that of the session, but for the objects that the host has when the call begins, which stand in
    the feed under `host`; the last output is all objects on the host, by number.
    """

    def __init__(self, session: Session, steps: Sequence[HostStep], guards: Sequence[Guard] = ()):
        self._session = session
        self._steps = steps
        self._compiled = watched(compile_steps(steps), steps, guards)

    def run(self, names: Sequence[str], feed: dict[str, Any], options: None) -> list[Any]:
        """One call.

        Raises
        ------
        BaseException
            What a step on the host raises, as it is.
        """
        settings = onnxruntime.RunOptions()

        def stop() -> None:
            settings.terminate = True

        given = feed.get(HOST, ())
        with Exchange(self._steps, self._compiled, given, stop) as exchange:
            feed = {**feed, HOST: np.array(exchange.start, np.int64)}
            try:
                with interruptible(exchange):
                    outputs = self._session.run(list(names), feed, settings)
            except RUN_ERRORS:
                if exchange.failure is None:
                    raise
            if exchange.failure is not None:
                raise exchange.failure
            return [*outputs, exchange.objects]
