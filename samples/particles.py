"""A particle filter for a track that jumps between two valleys; random numbers are part of the model.

The system is the usual test of such filters (Gordon, Salmond and Smith, 1993): its measurement does not tell the sign
of the state. Run with `python samples/particles.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Tensor, UInt32, graph_program
from graph_program.tensor_api import control, random

DISTURBANCE, NOISE = 10.0, 1.0
"""Variances of what moves the state, and of a measurement."""


def moved(x: Any, time: Any) -> Any:
    """The state one step later, before it is disturbed."""
    return x / 2 + 25 * x / (1 + x * x) + 8 * np.cos(1.2 * time)


def resampled(key: Any, x: Any, weights: Any) -> Any:
    """As many particles, each as often as its weight says: one random number, and equal steps from there."""
    count = x.shape[0]
    places = (np.arange(count) + random.uniform(key)) / count
    return np.take(x, np.searchsorted(np.cumsum(weights), places), mode="clip")


@graph_program
def filtered(key: UInt32[Tensor, "2"], measured: Float64[Tensor, "n"], particles: int) -> Any:
    """The expected state after each measurement, and how often particles were drawn anew."""
    start, rounds = random.split(key)
    n = measured.shape[0]

    def step(state: Any, given: Any) -> Any:
        x, weights, drawn = state
        time, value, own = given
        move, pick = random.split(own)
        x = moved(x, time) + np.sqrt(DISTURBANCE) * random.normal(move, particles)
        logs = np.log(weights) - (value - x * x / 20) ** 2 / (2 * NOISE)
        weights = np.exp(logs - np.max(logs))
        weights = weights / np.sum(weights)
        expected = np.sum(weights * x)
        if 1 / np.sum(weights * weights) < particles / 2:
            x, weights, drawn = resampled(pick, x, weights), np.full(particles, 1 / particles), drawn + 1
        return (x, weights, drawn), expected

    first = random.normal(start, particles), np.full(particles, 1 / particles), 0
    times = np.arange(1.0, n + 1)
    (_, _, drawn), expected = control.scan(step, first, (times, measured, random.split(rounds, n)), like=0.0)
    return expected, drawn


@graph_program
def track(key: UInt32[Tensor, "2"], steps: int) -> Any:
    """States of the system, and a measurement of each."""

    def step(x: Any, given: Any) -> Any:
        time, own = given
        x = moved(x, time) + np.sqrt(DISTURBANCE) * random.normal(own)
        return x, x

    jolts, errors = random.split(key)
    times = np.arange(1.0, steps + 1)
    _, states = control.scan(step, 0.1, (times, random.split(jolts, steps)), like=0.0)
    return states, states * states / 20 + np.sqrt(NOISE) * random.normal(errors, steps)


def main() -> None:
    states, measured = track(random.key(1), 100)
    expected, drawn = filtered(random.key(2), measured, 1000)
    guess = np.sqrt(np.maximum(20 * measured, 0))
    print(f"error of the particle filter {np.abs(expected - states).mean():.1f}", end=", ")
    print(f"without knowing the sign {np.abs(guess - states).mean():.1f}; drawn anew {drawn} times")


if __name__ == "__main__":
    main()
