"""The attitude that a gyroscope gives: quaternions multiplied by what each interval turns."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program

SIZES = (50, 3)


def product(p: Any, q: Any) -> Any:
    """Hamilton's product; the real part is first."""
    pw, px, py, pz = p
    qw, qx, qy, qz = q
    return np.array(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ]
    )


@graph_program
def attitude(q: Float64[Tensor, "4"], rates: Float64[Tensor, "t 3"], dt: float) -> Any:
    """The attitude after each interval, for angular rates in rad/s in the frame of the body."""
    track = np.zeros((len(rates), 4))
    for t, rate in enumerate(rates):
        angle = np.linalg.norm(rate) * dt
        if angle > 1e-12:
            axis = rate * dt / angle
            turn = np.concatenate(([np.cos(angle / 2)], np.sin(angle / 2) * axis))
            q = product(q, turn)
            q = q / np.linalg.norm(q)
        track[t] = q
    return track


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Random rates; the second interval turns nothing."""
    rates = rng.standard_normal((size, 3))
    rates[1] = 0
    return {"q": np.array([1.0, 0.0, 0.0, 0.0]), "rates": rates, "dt": 0.01}
