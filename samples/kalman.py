"""A Kalman smoother for a noisy track in the plane: forward filter, then a backward pass.

Run with `python samples/kalman.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program


@dataclass
class Motion:
    """A point that moves with almost constant velocity, seen with noise.

    Attributes
    ----------
    interval : float
        Time between two measurements.
    acceleration : float
        Standard deviation of the acceleration that disturbs the velocity.
    noise : float
        Standard deviation of each measured coordinate.
    """

    interval: float = 1.0
    acceleration: float = 0.05
    noise: float = 1.0


def transition(m: Motion) -> Any:
    """The matrix that moves the state (x, y, vx, vy) on by one interval."""
    step = np.eye(4)
    step[0, 2] = m.interval
    step[1, 3] = m.interval
    return step


def disturbance(m: Motion) -> Any:
    """The covariance that one interval of random acceleration adds."""
    effect = np.zeros((4, 2))
    for axis in range(2):
        effect[axis, axis] = 0.5 * m.interval**2
        effect[axis + 2, axis] = m.interval
    return effect @ effect.T * m.acceleration**2


def inverse(a: Any) -> Any:
    """The inverse of a symmetric positive definite matrix, by Gauss-Jordan elimination."""
    n = a.shape[0]
    work = np.concatenate((a, np.eye(n)), axis=1)
    for i in range(n):
        work[i] = work[i] / work[i, i]
        for j in range(n):
            if j != i:
                work[j] = work[j] - work[j, i] * work[i]
    return work[:, n:]


@graph_program
def smooth_track(m: Motion, measured: Float64[Tensor, "n 2"]) -> Float64[Tensor, "n 2"]:
    """The most likely positions, given all measurements (Rauch, Tung and Striebel, 1965)."""
    n = measured.shape[0]
    if n == 0:
        return measured.copy()
    move = transition(m)
    seen = np.eye(4)[:2]
    states = np.zeros((n, 4))
    covariances = np.zeros((n, 4, 4))
    state = np.concatenate((measured[0], np.zeros(2)))
    covariance = np.eye(4) * 10.0
    for k in range(n):
        if k > 0:
            state = move @ state
            covariance = move @ covariance @ move.T + disturbance(m)
        gain = covariance @ seen.T @ inverse(seen @ covariance @ seen.T + np.eye(2) * m.noise**2)
        state = state + gain @ (measured[k] - seen @ state)
        covariance = covariance - gain @ seen @ covariance
        states[k] = state
        covariances[k] = covariance
    for k in range(n - 2, -1, -1):
        predicted = move @ covariances[k] @ move.T + disturbance(m)
        weight = covariances[k] @ move.T @ inverse(predicted)
        states[k] = states[k] + weight @ (states[k + 1] - move @ states[k])
    return states[:, :2]


def noisy_circle(n: int, noise: float, seed: int = 0) -> Any:
    """A quarter of a circle of radius 50 and the same with noise on each coordinate."""
    angle = np.linspace(0, np.pi / 2, n)
    track = 50 * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    return track, track + noise * np.random.default_rng(seed).standard_normal(track.shape)


def main() -> None:
    track, measured = noisy_circle(60, noise=1.0)
    smooth = smooth_track(Motion(), measured)
    for name, points in (("measured", measured), ("smoothed", smooth)):
        error = np.sqrt(np.mean(np.sum((points - track) ** 2, axis=1)))
        print(f"{name}: {error:.3f} from the true track (root mean square)")


if __name__ == "__main__":
    main()
