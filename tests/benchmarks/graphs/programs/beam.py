"""Beam search over words of which each depends on the one before."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program

SIZES = (12, 5)
WIDTH = 3
END = 0


@graph_program
def beam(table: Float32[Tensor, "words words"], first: int, longest: int) -> Any:
    """The best sequences with their sums of logarithms of probabilities; `END` ends a sequence and fills it."""
    words = table.shape[0]
    tokens = np.zeros((WIDTH, longest), np.int64)
    last = np.full(WIDTH, first)
    scores = np.array([0.0, -np.inf, -np.inf], np.float32)
    for t in range(longest):
        steps = table[last]
        for b in range(WIDTH):
            if t > 0 and last[b] == END:
                steps[b] = -np.inf
                steps[b, END] = 0.0
        flat = (scores[:, None] + steps).ravel()
        best = np.argsort(-flat, kind="stable")[:WIDTH]
        scores = flat[best]
        last = best % words
        tokens = tokens[best // words]
        tokens[:, t] = last
        if np.all(last == END):
            break
    return tokens, scores


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Twenty words of which one ends the sequence."""
    table = np.log(rng.dirichlet(np.full(20, 0.3), 20) + 1e-6)
    return {"table": table.astype(np.float32), "first": 1, "longest": size}
