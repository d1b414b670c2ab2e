"""Greedy decoding of connectionist temporal classification: repeated symbols are one, blanks are none."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program

SIZES = (50, 4)
BLANK = 0


@graph_program
def ctc(scores: Float32[Tensor, "t symbols"]) -> Any:
    """The symbols of the best path (Graves et al., 2006)."""
    decoded = []
    previous = BLANK
    for t in range(scores.shape[0]):
        best = np.argmax(scores[t])
        if best != previous and best != BLANK:
            decoded.append(best)
        previous = best
    return decoded


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Scores of six symbols, of which a few come again and again."""
    wanted = np.repeat(rng.integers(0, 6, size), 3)[:size]
    return {"scores": (rng.random((size, 6)) + 0.8 * np.eye(6)[wanted]).astype(np.float32)}
