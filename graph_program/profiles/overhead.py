"""Taking the profiler's own time out of what it has measured.

For each event, onnxruntime's profiler takes some microseconds, often more than the operation that it tells of: a loop
over numbers runs ten times slower with it.  How much it is in all is known from runs without it.  A part of it lies
between events, as is seen there, and makes what they happen in look slow; the rest lies inside of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from graph_program.profiles.measured import Measurement, Run, Times

OUTLYING = 5
"""In median absolute deviations, from where on a run is an outlier."""
CHEAP = 0.2
"""Microseconds that the cheapest operations take without the profiler."""
MOST_INSIDE = 2
"""How many times as long as after an event the profiler takes inside of it, at most."""
SLOWER = 1.5
"""Of the median, which an outlier takes at least."""


@dataclass(frozen=True)
class Corrected:
    """What operations take without the profiler; times in microseconds.

    Attributes
    ----------
    nodes : dict of str to Times
        By name, over a typical run.
    between : float
        What is between operations, for the whole model.
    total : float
        Of a typical run; the sum of the others.
    profiled : float
        The same with the profiler.
    outliers : tuple of int
        Of the runs without the profiler, those that were left out.
    """

    nodes: dict[str, Times]
    between: float
    total: float
    profiled: float
    outliers: tuple[int, ...]


def corrected(measured: Measurement) -> Corrected:
    """The times of a typical run, which sum up to what a run takes without the profiler."""
    outliers = outlying(measured.plain)
    total = median(time for i, time in enumerate(measured.plain) if i not in outliers)
    slow = outlying([run.total for run in measured.profiled])
    runs = [run for i, run in enumerate(measured.profiled) if i not in slow]
    nodes = {name: _typical([run.nodes[name] for run in runs if name in run.nodes], len(runs)) for name in _names(runs)}
    between = _typical([run.between for run in runs], len(runs))
    everything = [*nodes.values(), between]
    cost = _cost(everything, [gap for run in runs for gap in run.gaps], sum(t.own for t in everything) - total)
    for times in everything:
        times.own = max(0.0, times.own - cost.of(times))
    found = sum(times.own for times in everything)
    for times in everything:
        times.own *= total / found if found else 0.0
    return Corrected(nodes, between.own if found else total, total, median(run.total for run in runs), outliers)


def _names(runs: Sequence[Run]) -> list[str]:
    return list(dict.fromkeys(name for run in runs for name in run.nodes))


def _typical(times: Sequence[Times], runs: int) -> Times:
    """The lower quartile over runs, since what disturbs a run makes it longer; in some, a node may not have run."""
    absent = [0.0] * (runs - len(times))
    columns = ([*absent, *(getattr(t, name) for t in times)] for name in ("count", "inner", "graphs", "own"))
    return Times(times[0].operator, *(sorted(column)[(runs - 1) // 4] for column in columns))


@dataclass(frozen=True)
class _Cost:
    """Microseconds of the profiler: inside of an operation, after each event, and around a graph that is executed."""

    inside: float = 0
    after: float = 0
    around: float = 0

    def of(self, times: Times) -> float:
        operations = times.count if times.operator else 0
        return operations * self.inside + times.inner * self.after + times.graphs * self.around


def _cost(everything: Sequence[Times], gaps: Sequence[int], extra: float) -> _Cost:
    """What the profiler costs, when it is `extra` in all.

    The cheapest operations take next to nothing but the profiler's time; what is left is that of inner graphs.
    """
    operations = [times for times in everything if times.operator and times.count]
    count, events = sum(times.count for times in operations), sum(times.inner for times in everything)
    graphs = sum(times.graphs for times in everything)
    if extra <= 0 or not operations:
        return _Cost()
    usual = sorted(gaps)[: max(1, len(gaps) * 9 // 10)]
    after = min(fmean(usual) if usual else 0.0, extra / events / 2)
    left = extra - after * events
    inside = max(0.0, min(_cheapest(operations) - CHEAP, left / count, MOST_INSIDE * after or left / count))
    return _Cost(inside, after, max(0.0, left - inside * count) / graphs if graphs else 0.0)


def _cheapest(operations: Sequence[Times]) -> float:
    """What one in ten operations takes at most; those with operations inside do not count."""
    each = sorted((times.own / times.count, times.count) for times in operations if not times.graphs)
    tenth, seen = sum(count for _, count in each) / 10, 0.0
    for time, count in each:
        seen += count
        if seen >= tenth:
            return time
    return 0.0


def outlying(times: Sequence[float]) -> tuple[int, ...]:
    """Which times are far above the others."""
    middle = median(times)
    deviation = median(abs(time - middle) for time in times)
    limit = max(SLOWER * middle, middle + OUTLYING * deviation)
    return tuple(i for i, time in enumerate(times) if time > limit)


__all__ = ["Corrected", "corrected", "outlying"]
