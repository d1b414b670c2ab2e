"""Where graph and host meet: what each call has on the host, and the operations on it.

A call of a program with host steps has an `Exchange`.  The graph carries one number that says which call
it is and how many objects it has made so far; every operation gets that number first, so that calls in
several threads, and calls inside calls, keep apart.
"""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from graph_program.backends.host.handover import Handover
from graph_program.backends.host.object_table import Objects, ObjectTable
from graph_program.backends.host.packing import Packing
from graph_program.extract.ir.host import EXCHANGE, FAILED, START, WAIT

OBJECT_BITS = 44
"""Each call may make this many (as a power of two) objects; the bits above say which call it is."""
CALLS = 1 << 63 - OBJECT_BITS
"""There are fewer calls than this at one time."""
Step = Callable[[Sequence[Any], Sequence[Any]], tuple[tuple[Any, ...], tuple[Any, ...]]]
"""What runs a step: objects and sent values in, new objects and told values out."""

_calls = itertools.count(1)
_active: dict[int, Exchange] = {}


class Steps(list[Any]):
    """The host steps of a program; `packing(number)` is how what one is sent and what it tells travel."""

    def __init__(self, steps: Sequence[Any]):
        super().__init__(steps)
        self.packing = cache(lambda number: (Packing(self[number].sends, 1), Packing(self[number].receives)))


class Exchange:
    """What one call has on the host.

    Attributes
    ----------
    steps : Steps
        The host steps of the program.
    run : sequence of callable
        What runs each.
    start : int
        The number that the graph begins with.
    objects : ObjectTable
        What is on the host and may still be asked for, by the numbers that the graph has for them.
    failure : BaseException or None
        What a step has raised; nothing is run after it.
    stop : callable
        Ends the graph's run.
    sent, told : list, dict
        Large values that travel apart: those of the next step, and by number those of a step that has run.
    line : Handover or None
        Where the graph runs on another thread: what has steps done on the caller's.
    begun : dict of int to deque
        By number, what waits for a step that was begun and gives what it tells, once for each time.
    """

    def __init__(self, steps: Steps, run: Sequence[Step], given: Sequence[Any], stop: Callable[[], None]):
        self.steps = steps
        self.run = run
        self.start = _unused() << OBJECT_BITS
        self.objects = ObjectTable(given)
        self.failure: BaseException | None = None
        self.stop = stop
        self.in_step = False
        self.sent: list[np.ndarray[Any, Any]] = []
        self.told: dict[int, list[np.ndarray[Any, Any]]] = {}
        self.line: Handover | None = None
        self.begun: defaultdict[int, deque[Callable[[], list[Any]]]] = defaultdict(deque)

    def __enter__(self) -> Exchange:
        _active[self.start >> OBJECT_BITS] = self
        return self

    def __exit__(self, *_: object) -> None:
        del _active[self.start >> OBJECT_BITS]
        self.line = None  # these lead back here, and objects of the host are to go when the call ends
        self.begun.clear()

    def exchange(self, number: int, last: int, objects: Sequence[int], sent: Sequence[Any]) -> tuple[int, list[Any]]:
        """Run a step: the number of the last object that there is now, and what it tells.

        Where none can run any more, something of the right types.
        """
        if self.failure is None:
            try:
                self.in_step = True
                lifetimes = self.steps[number].lifetimes
                reads = len(objects) - lifetimes.keeps
                if lifetimes.over:
                    self.objects.drop(lifetimes.over)
                read = Objects([self.objects[n] for n in objects[:reads]], self.objects)
                made, told = self.run[number](read, sent)
                self.objects.put(made, last, lifetimes.groups, lifetimes.ends, objects[reads:])
                last += len(made)
                del made  # an exception among them leads to this frame
                return last, list(told)
            except BaseException as error:  # nothing may pass through the runtime; the caller raises it
                if error.__traceback__ is not None:
                    error.__traceback__ = error.__traceback__.tb_next  # our own call is none of the user's
                self.fail(error)
            finally:
                self.in_step = False
        return last, self.nothing(number)

    def nothing(self, number: int) -> list[Any]:
        """What stands for what a step tells where it has not run."""
        types = self.steps[number].receives
        return [np.zeros([size.constant or 0 for size in type_.shape], type_.dtype) for type_ in types]

    def begin(self, number: int, last: int, objects: Sequence[int], sent: Sequence[Any]) -> int:
        """Have a step done, perhaps later; the number of the last object that there will be."""
        if self.line is None:
            last, told = self.exchange(number, last, objects, sent)
            waiting: Callable[[], list[Any]] = lambda: told  # noqa: E731
        else:
            run = partial(self.exchange, number, last, objects, sent)
            waiting = self.line.hand(lambda: run()[1], partial(self.nothing, number))
            last += self.steps[number].results
        if self.steps[number].receives:
            self.begun[number].append(waiting)
        return last

    def told_by(self, number: int) -> list[Any]:
        """What a step that was begun tells, when it is done."""
        return self.begun[number].popleft()() if self.steps[number].receives else []

    def launch(self, last: int, ints: Any, floats: Any) -> int:
        """Begin a step of which all is in vectors; see `Packing`."""
        number = int(ints[0])
        return self.begin(number, last, *self._read(number, ints, floats))

    def wait(self, number: int) -> tuple[Any, Any]:
        """What a step tells, in vectors."""
        return self._packed(number, self.told_by(number))

    def operate(self, last: int, ints: Any, floats: Any) -> tuple[int, Any, Any]:
        """Have a step done of which all is in vectors, and what it tells."""
        number = int(ints[0])
        objects, sent = self._read(number, ints, floats)
        if self.line is None:
            last, told = self.exchange(number, last, objects, sent)
        else:
            last = self.begin(number, last, objects, sent)
            told = self.told_by(number)
        return last, *self._packed(number, told)

    def _read(self, number: int, ints: Any, floats: Any) -> tuple[list[int], list[Any]]:
        sends = self.steps.packing(number)[0]
        apart, self.sent = self.sent, []
        return ints[sends.lengths["ints"] :].tolist(), sends.unpacked(ints, floats, apart)

    def _packed(self, number: int, told: Sequence[Any]) -> tuple[Any, Any]:
        if not told:
            return np.zeros(0, np.int64), np.zeros(0)
        ints, floats, self.told[number] = self.steps.packing(number)[1].packed(told)
        return np.array(ints, np.int64), np.array(floats, np.float64)

    def end(self) -> dict[int, Any]:
        """What is on the host at the end.

        Raises
        ------
        BaseException
            What a step has raised; then nothing is kept, as the exception leads here.
        """
        error, self.failure = self.failure, None
        if error is None:
            return self.objects
        self.objects.close()
        context = error.__context__
        try:
            raise error
        finally:
            if error.__context__ is not context:  # the caller handles one, which this one's has behind it
                error.__context__ = context
            del error, context

    def fail(self, error: BaseException) -> None:
        """End the call: the graph stops, and the caller raises."""
        self.failure = error
        self.stop()

    def receive(self, step: int, place: int) -> np.ndarray[Any, Any]:
        """What a step told apart when it last ran."""
        return self.told[step][place]


def _unused() -> int:
    """A number that no call has that is running."""
    while True:
        number = next(_calls) % CALLS
        if number and number not in _active:
            return number


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


def start(host: Any, *values: Any, step: int) -> list[Any]:
    """`host_start`."""
    call = of_call(host)
    first = len(values) - len(call.steps[step].sends)
    last = call.begin(step, int(host), [int(n) for n in values[:first]], values[first:])
    return [np.array(last, np.int64)]


def wait(host: Any, *behind: Any, step: int) -> list[Any]:
    """`host_wait`."""
    call = of_call(host)
    return list(map(np.asarray, call.told_by(step), (type_.dtype for type_ in call.steps[step].receives)))


def exchange(host: Any, *values: Any, step: int) -> list[Any]:
    """`host_exchange`."""
    return [*start(host, *values, step=step), *wait(host, step=step)]


def failed(host: Any) -> list[Any]:
    """`host_failed`."""
    return [np.array(of_call(host).failure is not None)]


OPERATIONS: dict[str, Callable[..., list[Any]]] = {EXCHANGE: exchange, START: start, WAIT: wait, FAILED: failed}
