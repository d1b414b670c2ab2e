"""Host work h beside graph work g in each round of a loop: the time of a round against max(h, g) and h + g."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, graph_program, host_function
from tests.benchmarks.measure import Row, interleaved, three_digits

ROUNDS = 20
SIZE = 384
Matrix = Float64[np.ndarray, "384 384"]
pause = 0.002
"""Seconds that the host works in a round."""


@host_function
def wait(k: int) -> float:
    """Wait, as for a camera."""
    time.sleep(pause)
    return 1.0


@host_function
def spin(k: int) -> float:
    """Work in Python."""
    end = time.perf_counter() + pause
    while time.perf_counter() < end:
        pass
    return 1.0


@host_function
def report(k: int) -> None:
    """Wait, as for a display."""
    time.sleep(pause)


@graph_program(copies="ignore", threads=1)
def graph_alone(x: Matrix, w: Matrix, n: int) -> Any:
    for _ in range(n):
        x = np.tanh(x @ w)
    return x


@graph_program(copies="ignore", threads=1)
def waited_for(x: Matrix, w: Matrix, n: int) -> Any:
    for k in range(n):
        v = wait(k)
        x = np.tanh(x @ w) * v
    return x


@graph_program(copies="ignore", threads=1)
def used_at_once(x: Matrix, w: Matrix, n: int) -> Any:
    for k in range(n):
        v = wait(k)
        x = np.tanh((x * v) @ w)
    return x


@graph_program(copies="ignore", threads=1)
def computed(x: Matrix, w: Matrix, n: int) -> Any:
    for k in range(n):
        v = spin(k)
        x = np.tanh((x * v) @ w)
    return x


@graph_program(copies="ignore", threads=1)
def told(x: Matrix, w: Matrix, n: int) -> Any:
    for k in range(n):
        x = np.tanh(x @ w)
        report(k)
    return x


@graph_program(copies="ignore", threads=1)
def needs_the_last(x: Matrix, w: Matrix, n: int) -> Any:
    for _ in range(n):
        x = np.tanh(x @ w) * wait(int(x[0, 0]))
    return x


def rows(quick: bool) -> list[Row]:
    """For host work of about half, the same and twice the graph's: ratios to max(h, g), and to h + g."""
    global pause
    # An orthogonal matrix, enlarged a little: the values neither grow nor vanish.
    w = 1.5 * np.linalg.qr(np.random.default_rng(0).normal(size=(SIZE, SIZE)))[0]
    x = w / 2
    programs = [waited_for, used_at_once, computed, told, needs_the_last]
    for program in (graph_alone, *programs):
        program(x, w, 2)
    repeat = 3 if quick else 15
    graph = interleaved({"graph": lambda: graph_alone(x, w, ROUNDS)}, rounds=repeat)["graph"] / ROUNDS
    found: list[Row] = []
    for factor in (0.5, 1.0, 2.0):
        pause = max(factor * graph, 0.002)
        work: dict[str, Callable[[], object]] = {"g": lambda: graph_alone(x, w, ROUNDS), "h": host_alone}
        work |= {p.__name__: lambda p=p: p(x, w, ROUNDS) for p in programs}
        seconds = {name: s / ROUNDS for name, s in interleaved(work, rounds=repeat).items()}
        found += _compared(seconds)
    return found


def host_alone() -> None:
    """What the host does in a call."""
    for k in range(ROUNDS):
        wait(k)


def _compared(seconds: dict[str, float]) -> list[Row]:
    g, h = seconds.pop("g"), seconds.pop("h")
    topic = f"g {three_digits(g * 1e3)} ms, h {three_digits(h * 1e3)} ms"
    return [
        Row(
            topic,
            name.replace("_", " "),
            f"{three_digits(s * 1e3)} ms",
            f"{three_digits(s / max(g, h))} of max, {three_digits(s / (g + h))} of sum",
        )
        for name, s in seconds.items()
    ]
