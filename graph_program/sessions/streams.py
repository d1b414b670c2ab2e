"""Streams of calls: the arguments of one call after the other, in this process or in several."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from graph_program.extract.diagnostics import GraphProgramError, ProgramValueError
from graph_program.sessions.processes import Processes
from graph_program.sessions.turns import Half, Turns

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.calls.one_signature import Signature

AHEAD = 16
"""So many calls for each process are begun before the results of the first is asked for, unless they are large."""
BYTES = 64 * 2**20
"""Calls whose arguments are so large together are not begun ahead, but for one for each process."""


_Halved = tuple[Turns, Half, dict[str, Any]]
"""A call that has been begun, with its feed."""


class Arguments(NamedTuple):
    """The arguments of a call."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


def arguments(one: Any) -> Arguments:
    """The arguments of a call in a stream: a tuple has them in order, a dict by name; else it is the only one."""
    if type(one) is tuple:
        return Arguments(one, {})
    if type(one) is dict:
        return Arguments((), one)
    return Arguments((one,), {})


def in_turn(call: Callable[..., Any], stream: Iterable[Any]) -> Iterator[Any]:
    """What the calls give, each made when its result is asked for."""
    for one in stream:
        args, kwargs = arguments(one)
        yield call(*args, **kwargs)


def in_processes(
    calls: Calls, first: tuple[Any, ...], call: Callable[..., Any], stream: Iterable[Any], count: int, is_native: bool
) -> Generator[Any, None, None]:
    """The same, of which runs are made by processes meanwhile.

    Parameters
    ----------
    calls : Calls
    first : tuple
        The object of a method.
    call : callable
        Makes a call in this process, which tells as in a loop what is wrong with its arguments.
    stream : iterable
    count : int
        Of processes.
    is_native : bool
        Whether machine code runs what has no back end yet, as it has done in earlier processes.
    """
    processes = Processes(count)
    ahead = _Ahead(calls, (first, call), processes, count, is_native)
    waiting: deque[Callable[[], Any]] = deque()
    source, sizes = iter(stream), deque[int]()
    is_over = False
    try:
        while True:
            while not is_over and len(waiting) < AHEAD * count and (len(waiting) < count or sum(sizes) < BYTES):
                try:
                    one = next(source)
                except StopIteration:
                    is_over = True
                except Exception as error:  # comes when its turn does
                    is_over = True
                    waiting.append(partial(_raise, error))
                    sizes.append(0)
                else:
                    end, size = ahead.begun(*arguments(one))
                    waiting.append(end)
                    sizes.append(size)
            if not waiting:
                return
            sizes.popleft()
            yield waiting.popleft()()
    finally:
        processes.close()


def _raise(error: Exception) -> None:
    raise error


class _Ahead:
    """Calls that are begun ahead."""

    def __init__(
        self,
        calls: Calls,
        own: tuple[tuple[Any, ...], Callable[..., Any]],
        processes: Processes,
        count: int,
        is_native: bool,
    ):
        self._calls, self._processes, self._is_native = calls, processes, is_native
        self._first, self._call = own
        self._threads = max(1, cores() // count)
        self._turns: dict[int, tuple[Signature, Turns]] = {}

    def begun(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Callable[[], Any], int]:
        """What ends a call, and how many bytes are on their way for it; one that fails so early is made in its turn."""
        given, found = (*self._first, *args), None
        with suppress(Exception):
            found = self._fitting(given, kwargs) or self._other(given, kwargs)
        if isinstance(found, GraphProgramError):
            raise found
        if found is None:
            return partial(self._call, *args, **kwargs), 0
        turns, half, feed = found
        begun = turns.begin(half, feed, self._processes)
        return begun.end, sum(map(len, begun.task.run))

    def _fitting(self, given: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Halved | None:
        """A call of a known signature."""
        for _, turns in self._turns.values():
            half = turns.dispatch(*given, **kwargs) if turns.runs else iter(())
            with suppress(StopIteration):  # the arguments do not fit
                return turns, half, next(half)
        return None

    def _other(self, given: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Halved | GraphProgramError | None:
        """A call of any signature; why there is none in other processes, if so."""
        bound = self._calls.bind(*given, **kwargs)
        found = self._calls.found_for_call(bound)
        if id(found) not in self._turns:
            if self._is_native:
                found.choose_native("an earlier process has made machine code of it")
            try:
                self._turns[id(found)] = found, Turns(found, len(self._turns), self._threads)
            except ProgramValueError as refusal:
                return refusal
        _, turns = self._turns[id(found)]
        if not turns.runs:
            return None
        half = turns.call(*bound)
        return turns, half, next(half)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


__all__ = ["arguments", "in_processes", "in_turn"]
