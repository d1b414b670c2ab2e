"""Where graph and host meet: what each call has on the host, and the three operations on it.

A call of a program with host steps has an `Exchange`.  The graph carries one number that says which call
it is and how many objects it has made so far; every operation gets that number first, so that calls in
several threads, and calls inside calls, keep apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.extract.ir.host import RECEIVE, SEND, STEP, HostStep

OBJECT_BITS = 32
"""Each call may make this many (as a power of two) objects."""
Step = Callable[[Sequence[Any], Sequence[Any]], tuple[tuple[Any, ...], tuple[Any, ...]]]
"""What runs a step: objects and sent values in, new objects and told values out."""

_calls = itertools.count(1)
_active: dict[int, Exchange] = {}


class Objects(list[Any]):
    """The objects that a step is given, and all that there are."""

    def __init__(self, found: Sequence[Any], table: dict[int, Any]):
        super().__init__(found)
        self.table = table


class Exchange:
    """What one call has on the host.

    Attributes
    ----------
    steps, run : sequence
        The host steps of the program, and what runs each.
    start : int
        The number that the graph begins with.
    objects : dict of int to object
        What is on the host, by the numbers that the graph has for them.
    failure : BaseException or None
        What a step has raised; nothing is run after it.
    stop : callable
        Ends the graph's run.
    """

    def __init__(self, steps: Sequence[HostStep], run: Sequence[Step], given: Sequence[Any], stop: Callable[[], None]):
        self.steps = steps
        self.run = run
        self.start = next(_calls) << OBJECT_BITS
        self.objects: dict[int, Any] = {-1 - i: value for i, value in enumerate(given)}
        self.failure: BaseException | None = None
        self.stop = stop
        self.in_step = False
        self._sent: list[np.ndarray[Any, Any]] = []
        self._told: dict[int, tuple[Any, ...]] = {}

    def __enter__(self) -> Exchange:
        _active[self.start >> OBJECT_BITS] = self
        return self

    def __exit__(self, *_: object) -> None:
        del _active[self.start >> OBJECT_BITS]

    def send(self, value: np.ndarray[Any, Any]) -> None:
        """Keep a value for the next step; the graph's memory is its own."""
        copy = np.array(value)
        copy.flags.writeable = False
        self._sent.append(copy)

    def step(self, number: int, last: int, objects: Sequence[int]) -> int:
        """Run a step; the number of the last object that there is now."""
        sent, self._sent = self._sent, []
        if self.failure is not None:
            return last
        try:
            self.in_step = True
            made, told = self.run[number](Objects([self.objects[n] for n in objects], self.objects), sent)
        except BaseException as error:  # nothing may pass through the runtime; the caller raises it
            if error.__traceback__ is not None:
                error.__traceback__ = error.__traceback__.tb_next  # our own call is none of the user's
            self.fail(error)
            return last
        finally:
            self.in_step = False
        for value in made:
            last += 1
            self.objects[last] = value
        self._told[number] = told
        return last

    def fail(self, error: BaseException) -> None:
        """End the call: the graph stops, and the caller raises."""
        self.failure = error
        self.stop()

    def receive(self, step: int, slot: int) -> np.ndarray[Any, Any]:
        """What a step told when it last ran; something of the type where none could run."""
        if step < 0:  # `FAILED`
            return np.array(self.failure is not None)
        type_ = self.steps[step].receives[slot]
        if self.failure is not None:
            return np.zeros([size.constant or 0 for size in type_.shape], type_.dtype)
        return np.asarray(self._told[step][slot], type_.dtype)


def share(place: dict[str, Any]) -> bool:
    """Have the calls of this process in common with all that use `place`; whether there were others before."""
    global _calls, _active
    shared = place.setdefault("graph_program_calls", {"calls": _calls, "active": _active})
    _calls, _active = shared["calls"], shared["active"]
    known = "registered" in shared
    shared["registered"] = True
    return known


def of_call(host: Any) -> Exchange:
    """The exchange of the call that a number belongs to."""
    return _active[int(host) >> OBJECT_BITS]


def send(host: Any, value: Any, step: int, slot: int) -> Any:
    """`host_send`."""
    of_call(host).send(value)
    return host


def step(host: Any, *objects: Any, step: int) -> Any:
    """`host_step`."""
    return np.array(of_call(host).step(step, int(host), [int(n) for n in objects]), np.int64)


def receive(host: Any, step: int, slot: int) -> Any:
    """`host_receive`."""
    return of_call(host).receive(step, slot)


OPERATIONS: dict[str, Callable[..., Any]] = {SEND: send, STEP: step, RECEIVE: receive}
