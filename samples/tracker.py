"""A tracking filter with its state in an object: an alpha-beta filter that loses and finds its target.

The class is an ordinary one.  What its methods write is the state of the program: `tracker.position` and
the others are inputs and outputs of the exported model, so that whoever runs it carries the state.

Run with `python samples/tracker.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program


class Tracker:
    """Follows a point in the plane from noisy measurements, some of which are missing.

    Parameters
    ----------
    interval : float
        Time between two measurements.
    alpha, beta : float
        How far position and velocity follow a measurement (Benedict and Bordner, 1962).
    patience : int
        After how many missing measurements the target is lost.
    """

    def __init__(self, interval: float = 1.0, alpha: float = 0.5, beta: float = 0.1, patience: int = 3):
        self.interval, self.alpha, self.beta, self.patience = interval, alpha, beta, patience
        self.position = np.zeros(2)
        self.velocity = np.zeros(2)
        self.found = False
        self.missed = 0

    def start(self, measured: Any) -> None:
        """Begin at a measurement, at rest."""
        self.position = measured.copy()
        self.velocity = np.zeros(2)
        self.found = True
        self.missed = 0

    def predict(self) -> None:
        """Move on by one interval."""
        self.position = self.position + self.interval * self.velocity

    def correct(self, measured: Any) -> None:
        """Follow a measurement."""
        error = measured - self.position
        self.position = self.position + self.alpha * error
        self.velocity = self.velocity + self.beta / self.interval * error
        self.missed = 0

    @graph_program
    def step(self, measured: Float64[Tensor, "2"]) -> Any:
        """Take one measurement, NaN where there is none; give the position, NaN where the target is lost."""
        there = not np.any(np.isnan(measured))
        if self.found:
            self.predict()
            if there:
                self.correct(measured)
            else:
                self.missed += 1
                self.found = self.missed < self.patience
        elif there:
            self.start(measured)
        return self.position if self.found else np.full(2, np.nan)


def noisy_line(n: int, seed: int = 0) -> Any:
    """A straight track, and its measurements with noise and gaps."""
    random = np.random.default_rng(seed)
    track = np.arange(n)[:, None] * np.array([2.0, -1.0])
    measured = track + random.standard_normal(track.shape)
    measured[random.random(n) < 0.2] = np.nan
    return track, measured


def main() -> None:
    tracker = Tracker()
    track, measured = noisy_line(40)
    found = np.array([tracker.step(point) for point in measured])
    error = np.sqrt(np.nanmean(np.sum((found - track) ** 2, axis=1)))
    print(f"{np.isnan(measured[:, 0]).sum()} of {len(track)} measurements are missing")
    print(f"{error:.2f} from the true track (root mean square), velocity {tracker.velocity.round(2)}")


if __name__ == "__main__":
    main()
