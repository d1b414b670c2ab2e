"""The graph on a thread of its own, the host steps on the caller's: both can work at once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

AHEAD = 8
"""How many steps may wait for their turn; the graph then waits too."""
POLL = 0.1
"""Seconds until it is seen whether a call has been ended from outside."""


class Handover:
    """One call whose graph runs beside its host steps.

    Parameters
    ----------
    ended : callable
        Whether the call is to end early.
    end : callable
        Ends it with an exception: what Ctrl-C raises on the caller's thread between two steps.
    """

    def __init__(self, ended: Callable[[], bool], end: Callable[[BaseException], None]):
        self._ended = ended
        self._end = end
        self._steps: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._room = threading.Semaphore(AHEAD)

    def hand(self, step: Callable[[], Any], nothing: Callable[[], Any]) -> Callable[[], Any]:
        """From the graph: have a step done in its turn; what waits for its result.

        Where the call has been ended, the result may be `nothing`'s.
        """
        done, results = threading.Lock(), []
        done.acquire()

        def run() -> None:
            try:
                results.append(step())
            finally:
                self._room.release()
                done.release()

        def wait() -> Any:
            while not done.acquire(timeout=POLL):
                if self._ended():
                    return nothing()
            return results[0] if results else nothing()

        while not self._room.acquire(timeout=POLL) and not self._ended():
            pass
        self._steps.put(run)
        return wait

    def run(self, graph: Callable[[], Any]) -> Any:
        """From the caller: run the graph, and the steps that it hands over; what the graph gives or raises."""
        outcome: list[Any] = []
        failure: list[BaseException] = []

        def work() -> None:
            try:
                outcome.append(graph())
            except BaseException as error:
                failure.append(error)
            finally:
                self._steps.put(None)

        thread = threading.Thread(target=work, name="graph_program", daemon=True)
        serving = True
        while serving:
            try:
                if thread.ident is None:
                    thread.start()
                while serving:
                    serving = self._serve(thread)
            except BaseException as error:  # also a signal's, between two steps
                self._end(error)
                if thread.ident is None:
                    raise
        if failure:
            raise failure[0]
        return outcome[0]

    def _serve(self, thread: threading.Thread) -> bool:
        """Run the next step, if there is one; whether there may be more."""
        try:
            step = self._steps.get(timeout=POLL)
        except queue.Empty:
            return thread.is_alive()
        if step is None:
            thread.join()
            return False
        step()
        return True
