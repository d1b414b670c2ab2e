"""Loops over samples that remember something, as users write them first: what was set last, switches, runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def held(x: Any, ok: Any) -> Any:
    """The last sample that was good."""
    out = np.zeros(len(x))
    last = 0.0
    for i in range(len(x)):
        if ok[i]:
            last = x[i]
        out[i] = last
    return out


def filled(x: Any) -> Any:
    """Gaps take what stands before them."""
    out = x.copy()
    for i in range(1, len(x)):
        if np.isnan(out[i]):
            out[i] = out[i - 1]
    return out


def longest(c: Any) -> Any:
    """How many in a row there are at most."""
    run = 0
    best = 0
    for i in range(len(c)):
        if c[i]:
            run += 1
        else:
            run = 0
        best = max(best, run)
    return best


def segments(c: Any) -> Any:
    """Where something begins and ends."""
    starts = []
    ends = []
    start = -1
    for i in range(len(c)):
        if c[i] and start < 0:
            start = i
        elif not c[i] and start >= 0:
            starts.append(start)
            ends.append(i)
            start = -1
    return (starts, ends)


def pulses(x: Any, high: Any, low: Any) -> Any:
    """How long a signal was high."""
    on = False
    since = 0
    lengths = []
    for i in range(len(x)):
        if on and x[i] < low:
            on = False
            lengths.append(i - since)
        elif not on and x[i] > high:
            on = True
            since = i
    return lengths


def spikes(x: Any, high: Any) -> Any:
    """How often each channel has risen above a threshold."""
    n, channels = x.shape
    counts = np.zeros(channels, np.int64)
    for c in range(channels):
        armed = True
        for i in range(n):
            if armed and x[i, c] > high:
                counts[c] += 1
                armed = False
            elif x[i, c] < -high:
                armed = True
    return counts


def runs(x: Any) -> Any:
    """Values and lengths of runs of equal elements."""
    values = []
    counts = []
    n = 1
    for i in range(1, len(x)):
        if x[i] == x[i - 1]:
            n += 1
        else:
            values.append(x[i - 1])
            counts.append(n)
            n = 1
    values.append(x[-1])
    counts.append(n)
    return (values, counts)


def drawdown(x: Any) -> Any:
    """How far a curve has fallen from its peak at most."""
    peak = x[0]
    worst = 0.0
    for i in range(1, len(x)):
        peak = max(peak, x[i])
        worst = max(worst, peak - x[i])
    return worst


def debounced(b: Any, k: Any) -> Any:
    """A key that counts as pressed when it has been so for some samples."""
    out = np.zeros(len(b), bool)
    state = False
    n = 0
    for i in range(len(b)):
        if b[i] == state:
            n = 0
        else:
            n += 1
            if n >= k:
                state = b[i]
                n = 0
        out[i] = state
    return out


def phases(x: Any) -> Any:
    """A machine of three states."""
    out = np.zeros(len(x), np.int64)
    state = 0
    for i in range(len(x)):
        if state == 0:
            if x[i] > 1.0:
                state = 1
        elif state == 1:
            if x[i] < 0.0:
                state = 2
        elif x[i] > 0.5:
            state = 0
        out[i] = state
    return out


def settled(c: Any) -> Any:
    """A switch that follows when it has seen the other side three times in a row."""
    out = np.zeros(len(c), bool)
    on = False
    count = 0
    for i in range(len(c)):
        if c[i] == on:
            count = 0
        else:
            count += 1
            if count == 3:
                on = not on
                count = 0
        out[i] = on
    return out


def apart(x: Any) -> Any:
    """Peaks with at least five samples between them."""
    found = []
    wait = 0
    for i in range(len(x)):
        if wait > 0:
            wait -= 1
        elif x[i] > 1.0:
            found.append(i)
            wait = 5
    return found


def beats(x: Any, high: Any, gap: Any) -> Any:
    """Peaks that are far enough from the last one."""
    found = []
    last = -gap
    for i in range(1, len(x) - 1):
        if x[i] > high and x[i] >= x[i - 1] and x[i] > x[i + 1] and i - last >= gap:
            found.append(i)
            last = i
    return found


def held_off(x: Any, high: Any, pause: Any) -> Any:
    """Triggers, with a pause behind each."""
    out = np.zeros(len(x), bool)
    wait = 0
    for i in range(len(x)):
        if wait > 0:
            wait -= 1
        elif x[i] > high:
            wait = pause
            out[i] = True
    return out


def cases() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Each with its arguments."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(500)
    seldom, often = rng.random(500) < 0.3, rng.random(500) < 0.7
    return {
        "held": (held, (x, seldom)),
        "filled": (filled, (np.where(seldom, np.nan, x),)),
        "longest": (longest, (often,)),
        "segments": (segments, (often,)),
        "pulses": (pulses, (x, 1.0, -0.5)),
        "spikes": (spikes, (rng.standard_normal((200, 4)), 1.0)),
        "runs": (runs, (rng.integers(0, 2, 500),)),
        "drawdown": (drawdown, (np.cumsum(x),)),
        "debounced": (debounced, (often, 3)),
        "phases": (phases, (x,)),
        "settled": (settled, (often,)),
        "apart": (apart, (x,)),
        "beats": (beats, (x, 0.5, 20)),
        "held off": (held_off, (x, 0.5, 20)),
    }
