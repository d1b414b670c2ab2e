"""The most likely states of a hidden Markov model."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program

SIZES = (50, 4)


@graph_program
def viterbi(
    obs: Int64[Tensor, "t"],
    start: Float64[Tensor, "s"],
    trans: Float64[Tensor, "s s"],
    emit: Float64[Tensor, "s o"],
) -> Any:
    """The path with the greatest sum of logarithms of probabilities (Viterbi, 1967)."""
    T = obs.shape[0]
    S = start.shape[0]
    score = start + emit[:, obs[0]]
    back = np.zeros((T, S), np.int64)
    for t in range(1, T):
        cand = score[:, None] + trans
        back[t] = np.argmax(cand, axis=0)
        score = np.max(cand, axis=0) + emit[:, obs[t]]
    path = np.zeros(T, np.int64)
    path[T - 1] = np.argmax(score)
    for t in range(T - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Five states that give four kinds of observations."""
    start, trans, emit = (np.log(rng.random(shape)) for shape in ((5,), (5, 5), (5, 4)))
    return {"obs": rng.integers(0, 4, size), "start": start, "trans": trans, "emit": emit}
