"""Running a graph that has steps on the host."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
import onnxruntime

from graph_program.backends.host.captures import watched
from graph_program.backends.host.exchange import Exchange, Steps
from graph_program.backends.host.operators import run_in_step
from graph_program.backends.host.steps import compile_steps
from graph_program.backends.host.tally import Tally
from graph_program.backends.onnxruntime.interruption import ending
from graph_program.backends.onnxruntime.session import RUN_ERRORS, Session
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.host import HOST
from graph_program.extract.ir.interface import Guard
from graph_program.extract.slice.overlap import overlaps


class CoExecution:
    """A session whose graph and host run in step.

    `run` is that of the session, but for the objects that the host has when the call begins, which stand in
    the feed under `host`; the last output is all objects on the host, by number.
    """

    def __init__(
        self, session: Session, program: GraphProgram, guards: Sequence[Guard] = (), tally: Tally | None = None
    ):
        steps = program.host
        self._session = session
        self._steps = Steps(steps)
        self._beside = overlaps(program)
        self._compiled = watched(compile_steps(steps, tally), steps, guards)

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

            def interrupted() -> None:
                if not exchange.in_step:
                    stop()

            try:
                run = partial(self._session.run, list(names), feed, settings)
                with nullcontext() if self._beside else ending(interrupted):
                    outputs = run_in_step(exchange, run, self._beside)
            except RUN_ERRORS:
                if exchange.failure is None and settings.terminate:
                    raise KeyboardInterrupt from None
                if exchange.failure is None:
                    raise
            objects = exchange.end()
            return [*outputs, objects]
