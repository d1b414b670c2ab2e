"""Making host code fail at every point where it is reached, in plain Python and in the graph program alike."""

from __future__ import annotations

import copy
import gc
import threading
import traceback
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

from graph_program import graph_program
from graph_program.backends.host import exchange
from tests.programs.plain import differs


class Fault(Exception):
    """An exception of the user's own."""


KINDS: tuple[type[BaseException], ...] = (Fault, KeyboardInterrupt, GeneratorExit, SystemExit, MemoryError)


class Points:
    """The places that host code has come to in a run; at one of them it raises."""

    def __init__(self) -> None:
        self.begin(None, Fault)

    def begin(self, number: int | None, kind: type[BaseException]) -> None:
        """Start a run that fails at a place."""
        self.log: list[str] = []
        self.number = number
        self.error = kind("injected")

    def reach(self, what: str) -> None:
        """Host code is at a place."""
        self.log.append(what)
        if self.number == len(self.log):
            raise self.error


points = Points()


class Living:
    """An object of the host, which is known while it lives."""

    all: ClassVar[weakref.WeakSet[Any]] = weakref.WeakSet()

    def __init__(self) -> None:
        Living.all.add(self)


Run = tuple[str, Any, list[str], list[str], Any]


def run(function: Callable[..., Any], args: tuple[Any, ...], number: int | None, kind: type[BaseException]) -> Run:
    """What a run comes to: its result or exception, what host code did, the frames of the exception, its arguments."""
    points.begin(number, kind)
    given = copy.deepcopy(args)
    try:
        result = function(*given)
    except BaseException as error:
        assert error is points.error, repr(error)
        files = [(frame.filename, frame.name) for frame in traceback.extract_tb(error.__traceback__)]
        frames = [name for file, name in files if "test_host_faults" in file]
        return "raised", type(error), points.log, frames, given
    return "returned", result, points.log, [], given


def assert_nothing_left(threads: int) -> None:
    """No thread, no call and no object stays behind."""
    points.begin(None, Fault)
    gc.collect()
    assert threading.active_count() == threads
    assert not exchange._active
    assert not Living.all


def check_all_points(function: Callable[..., Any], *args: Any) -> int:
    """Fail at each point in turn, each time as plain Python does; how many there are."""
    program = graph_program(function, copies="ignore")
    _, expected, log, _, _ = run(function, args, None, Fault)
    run(program, args, None, Fault)
    threads = threading.active_count()
    for number in range(1, len(log) + 1):
        kind = KINDS[number % len(KINDS)]
        plain, found = run(function, args, number, kind), run(program, args, number, kind)
        assert found[0] == plain[0] and found[2] == plain[2], (number, plain, found)
        if plain[0] == "raised":
            assert found[1] is plain[1]
            assert found[3][-1:] == plain[3][-1:] and set(found[3]) == set(plain[3]), (plain[3], found[3])
            assert not differs(found[4], args)  # as before the call
        else:
            assert not differs((found[1], found[4]), (plain[1], plain[4])), (number, plain, found)
        del plain, found
        assert_nothing_left(threads)
        again = run(program, args, None, Fault)
        assert not differs(again[1], expected) and again[2] == log
    return len(log)
