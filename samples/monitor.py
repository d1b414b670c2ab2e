"""Watching a long computation: every few sweeps of a solver the host prints how far it is, and may end it.

Run with `python samples/monitor.py`.  The solver is the graph; what the host sees of it is one number, now and then.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program, to_host


@graph_program
def heat(plate: Float64[Tensor, "rows columns"], sweeps: int, every: int, enough: float) -> Any:
    """Temperatures of a plate whose edges keep theirs, after Jacobi's method; and how many sweeps that took."""
    began = time.perf_counter()
    for sweep in range(sweeps):
        inner = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
        change = np.abs(inner - plate[1:-1, 1:-1]).max()
        plate[1:-1, 1:-1] = inner
        if change < enough:
            return plate.copy(), sweep + 1
        if sweep % every == 0:
            print(f"sweep {sweep}: change {to_host(float(change)):.5f}")
            if time.perf_counter() - began > 60:
                raise TimeoutError("a minute is enough")
    return plate.copy(), sweeps


def hot_edge(size: int) -> Any:
    """A cold plate with one hot edge."""
    plate = np.zeros((size, size))
    plate[0] = 100.0
    return plate


def main() -> None:
    """Heat a plate."""
    plate, sweeps = heat(hot_edge(32), 2000, 250, 1e-4)
    print(f"{sweeps} sweeps, {plate[16, 16]:.2f} degrees in the middle")


if __name__ == "__main__":
    main()
