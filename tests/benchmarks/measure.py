"""Rows of the table, and interleaved timing."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MISSING = "not installed"
PATIENCE = 90.0
"""Seconds until `backend="auto"` has to have chosen."""


@dataclass(frozen=True)
class Row:
    """One line of the table; `ratio` compares with the topic's first line unless the topic says otherwise."""

    topic: str
    subject: str
    median: str
    ratio: str = ""


def interleaved(
    work: Mapping[str, Callable[[], object]],
    rounds: int,
    repeat: int = 1,
    pause: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
    least: float = 0.0,
) -> dict[str, float]:
    """The median seconds of one call of each, all of them measured in turn in every round.

    Taking turns spreads drifts of the machine over all of them alike. `pause` seconds before each
    measurement let the threads of the one before go to sleep.  A measurement is of `repeat` calls, or as many as
    take `least` seconds: a call of microseconds, measured alone, is mostly the memory that the one before has used.
    """
    seconds: dict[str, list[float]] = {name: [] for name in work}
    repeats = {name: max(repeat, math.ceil(least / _seconds_of(call, clock))) for name, call in work.items() if least}
    for _ in range(rounds):
        for name, call in work.items():
            time.sleep(pause)
            times = repeats.get(name, repeat)
            start = clock()
            for _ in range(times):
                call()
            seconds[name].append((clock() - start) / times)
    return {name: statistics.median(values) for name, values in seconds.items()}


def _seconds_of(call: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return max(clock() - start, 1e-7)


def own_time() -> Callable[[], float]:
    """This thread's own time, where that clock is fine enough: beside other processes, long calls seem longer."""
    fine = time.get_clock_info("thread_time").resolution <= 1e-6
    return time.thread_time if fine else time.perf_counter


def decided(program: Any, call: Callable[[], object]) -> str:
    """The back end that is chosen for a program while it is called."""
    began = time.perf_counter()
    while time.perf_counter() - began < PATIENCE:
        call()
        if program.extractions[-1].backend != "auto":
            break
        time.sleep(0.001)
    return str(program.extractions[-1].backend)


def compared(topic: str, names: Iterable[str], seconds: Mapping[str, float], unit: str) -> list[Row]:
    """One row per name in the given unit, with its ratio to the first; a name without a time is missing."""
    scale = {"us": 1e6, "ms": 1e3, "s": 1.0}[unit.split("/")[0]]
    rows = []
    names = list(names)
    for name in names:
        if name not in seconds:
            rows.append(Row(topic, name, MISSING))
            continue
        ratio = seconds[name] / seconds[names[0]]
        rows.append(Row(topic, name, f"{three_digits(seconds[name] * scale)} {unit}", three_digits(ratio)))
    return rows


def three_digits(number: float) -> str:
    """The number with three significant digits, never in exponents."""
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def render(rows: Iterable[Row]) -> str:
    """The rows as a table of aligned columns."""
    lines = [(row.topic, row.subject, row.median, row.ratio) for row in rows]
    return aligned([("topic", "subject", "median", "ratio"), *lines], texts=2)


def aligned(lines: Sequence[Sequence[str]], heads: int = 1, texts: int = 1) -> str:
    """Lines as a table, of which the first ones are its head and the first columns are texts, not numbers."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    ruled = [*lines[:heads], ["-" * width for width in widths], *lines[heads:]]
    return "\n".join(
        "  ".join(f"{cell:{'<' if k < texts else '>'}{widths[k]}}" for k, cell in enumerate(line)).rstrip()
        for line in ruled
    )
