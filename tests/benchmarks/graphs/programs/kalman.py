"""A Kalman filter of four states and two measurements, with any matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program

SIZES = (50, 3)


@graph_program
def kalman(
    F: Float64[Tensor, "4 4"],
    H: Float64[Tensor, "2 4"],
    Q: Float64[Tensor, "4 4"],
    R: Float64[Tensor, "2 2"],
    x: Float64[Tensor, "4"],
    P: Float64[Tensor, "4 4"],
    zs: Float64[Tensor, "t 2"],
) -> Any:
    """The state after each measurement (Kalman, 1960)."""
    out = np.zeros((zs.shape[0], 4))
    for t in range(zs.shape[0]):
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ (zs[t] - H @ x)
        P = (np.eye(4) - K @ H) @ P
        out[t] = x
    return out


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """A point that moves with almost constant velocity, seen with noise."""
    F = np.eye(4) + 0.1 * np.eye(4, k=2)
    track = np.cumsum(rng.standard_normal((size, 2)), axis=0)
    return {
        "F": F,
        "H": np.eye(2, 4),
        "Q": 0.1 * np.eye(4),
        "R": np.eye(2),
        "x": np.zeros(4),
        "P": F @ F.T,
        "zs": track,
    }
