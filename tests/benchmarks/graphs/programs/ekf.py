"""An extended Kalman filter: a point that moves, seen from the origin as range and bearing."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program

SIZES = (50, 3)


@graph_program
def ekf(
    x: Float32[Tensor, "4"],
    P: Float32[Tensor, "4 4"],
    F: Float32[Tensor, "4 4"],
    Q: Float32[Tensor, "4 4"],
    R: Float32[Tensor, "2 2"],
    zs: Float32[Tensor, "t 2"],
) -> Any:
    """The state (x, y, vx, vy) after each measurement."""
    track = np.zeros((len(zs), 4), np.float32)
    for t, z in enumerate(zs):
        x = F @ x
        P = F @ P @ F.T + Q
        px, py = x[0], x[1]
        squared = px * px + py * py
        distance = np.sqrt(squared)
        H = np.zeros((2, 4), np.float32)
        H[0, 0] = px / distance
        H[0, 1] = py / distance
        H[1, 0] = -py / squared
        H[1, 1] = px / squared
        y = z - np.array([distance, np.arctan2(py, px)])
        y[1] = (y[1] + np.pi) % (2 * np.pi) - np.pi
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(4, dtype=np.float32) - K @ H) @ P
        track[t] = x
    return track


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """A straight line that passes the origin on the left, where the bearing jumps."""
    F = np.eye(4) + 0.1 * np.eye(4, k=2)
    place = np.array([-4.0, 3.0]) + np.arange(size)[:, None] * np.array([0.01, -0.15])
    seen = np.stack((np.hypot(*place.T), np.arctan2(place[:, 1], place[:, 0])), axis=1)
    zs = seen + rng.normal(0, [0.1, 0.02], (size, 2))
    start = {"x": np.array([-4.0, 3.0, 0.0, -1.0]), "P": np.eye(4)}
    noise = {"Q": 0.01 * np.eye(4), "R": np.diag([0.01, 0.0004])}
    return {name: value.astype(np.float32) for name, value in {**start, "F": F, **noise, "zs": zs}.items()}
