"""Copies between graph and host on the samples, beside the fewest that a person finds by hand."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from graph_program.samples import camera, cartpole, monitor
from tests.benchmarks.measure import Row, three_digits


def rows(quick: bool) -> list[Row]:
    """Copies made; the ratio is that to the fewest."""
    table = []
    for name, (made, fewest) in counted().items():
        table.append(Row("copies", name, f"{made} of {fewest} at least", three_digits(made / fewest)))
    return table


def counted() -> dict[str, tuple[int, int]]:
    """By sample: how many copies a call makes, and how many there have to be."""
    with contextlib.redirect_stdout(io.StringIO()):
        return {"cartpole": _cartpole(), "monitor": _monitor(), "camera": _camera()}


def _cartpole() -> tuple[int, int]:
    """What is seen at the start; in each step, what is done and what is seen then."""
    before = _times(cartpole.episode)
    steps, _ = cartpole.episode(cartpole.random_policy(), 0)
    return _times(cartpole.episode) - before, 1 + 2 * int(steps)


def _monitor() -> tuple[int, int]:
    """One number for each line that is printed."""
    before = _times(monitor.heat)
    _, sweeps = monitor.heat(monitor.hot_edge(32), 2000, 250, 1e-4)
    return _times(monitor.heat) - before, -(-(sweeps - 1) // 250)


def _camera() -> tuple[int, int]:
    """Each frame; that there is no other one comes with nothing."""
    before = _times(camera.track)
    camera.track(12, 32, 48, 0.3)
    return _times(camera.track) - before, 12


def _times(program: Any) -> int:
    return sum(copy.times for copy in program.copies)
