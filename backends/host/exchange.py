"""Where graph and host meet: what each call has on the host, and the operations on it.

A call of a program with host steps has an `Exchange`.  The graph carries one number that says which call
it is and how many objects it has made so far; every operation gets that number first, so that calls in
several threads, and calls inside calls, keep apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.backends.host.packing import Packing
from graph_program.extract.ir.host import EXCHANGE, FAILED, HostStep

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
    sent, told : list, dict
        Large values that travel apart: those of the next step, and by number those of a step that has run.
    """

    def __init__(self, steps: Sequence[HostStep], run: Sequence[Step], given: Sequence[Any], stop: Callable[[], None]):
        self.steps = steps
        self.run = run
        self.start = next(_calls) << OBJECT_BITS
        self.objects: dict[int, Any] = {-1 - i: value for i, value in enumerate(given)}
        self.failure: BaseException | None = None
        self.stop = stop
        self.in_step = False
        self.sent: list[np.ndarray[Any, Any]] = []
        self.told: dict[int, list[np.ndarray[Any, Any]]] = {}
        self._packings: dict[int, tuple[Packing, Packing]] = {}

    def __enter__(self) -> Exchange:
        _active[self.start >> OBJECT_BITS] = self
        return self

    def __exit__(self, *_: object) -> None:
        del _active[self.start >> OBJECT_BITS]

    def exchange(self, number: int, last: int, objects: Sequence[int], sent: Sequence[Any]) -> tuple[int, list[Any]]:
        """Run a step: the number of the last object that there is now, and what it tells.

        Where none can run any more, something of the right types.
        """
        types = self.steps[number].receives
        if self.failure is None:
            try:
                self.in_step = True
                made, told = self.run[number](Objects([self.objects[n] for n in objects], self.objects), sent)
                for i, value in enumerate(made, last + 1):
                    self.objects[i] = value
                return last + len(made), list(told)
            except BaseException as error:  # nothing may pass through the runtime; the caller raises it
                if error.__traceback__ is not None:
                    error.__traceback__ = error.__traceback__.tb_next  # our own call is none of the user's
                self.fail(error)
            finally:
                self.in_step = False
        return last, [np.zeros([size.constant or 0 for size in type_.shape], type_.dtype) for type_ in types]

    def operate(self, last: int, ints: Any, floats: Any) -> tuple[int, Any, Any]:
        """The same with what is sent and told in vectors; see `Packing`."""
        number = int(ints[0])
        if number not in self._packings:
            step = self.steps[number]
            self._packings[number] = Packing(step.sends, 1), Packing(step.receives)
        sends, receives = self._packings[number]
        apart, self.sent = self.sent, []
        objects = ints[sends.lengths["ints"] :].tolist()
        last, told = self.exchange(number, last, objects, sends.unpacked(ints, floats, apart))
        told_ints, told_floats, self.told[number] = receives.packed(told)
        return last, np.array(told_ints, np.int64), np.array(told_floats, np.float64)

    def fail(self, error: BaseException) -> None:
        """End the call: the graph stops, and the caller raises."""
        self.failure = error
        self.stop()

    def receive(self, step: int, place: int) -> np.ndarray[Any, Any]:
        """What a step told apart when it last ran."""
        return self.told[step][place]


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


def exchange(host: Any, *values: Any, step: int) -> list[Any]:
    """`host_exchange`."""
    call = of_call(host)
    first = len(values) - len(call.steps[step].sends)
    last, told = call.exchange(step, int(host), [int(n) for n in values[:first]], values[first:])
    types = (type_.dtype for type_ in call.steps[step].receives)
    return [np.array(last, np.int64), *map(np.asarray, told, types)]


def failed(host: Any) -> list[Any]:
    """`host_failed`."""
    return [np.array(of_call(host).failure is not None)]


OPERATIONS: dict[str, Callable[..., list[Any]]] = {EXCHANGE: exchange, FAILED: failed}
