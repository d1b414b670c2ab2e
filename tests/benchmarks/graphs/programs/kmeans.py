"""Lloyd's algorithm: points are parted among the centres that are next to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program

SIZES = (60, 9)


@graph_program
def kmeans(points: Float64[Tensor, "n d"], centres: Float64[Tensor, "k d"], rounds: int) -> Any:
    """Centres and the number of the centre of each point, after at most so many rounds (Lloyd, 1982)."""
    centres = centres.copy()
    labels = np.zeros(len(points), np.int64)
    for _ in range(rounds):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        new = np.argmin(distances, axis=1)
        for k in range(len(centres)):
            members = points[new == k]
            if len(members) > 0:
                centres[k] = members.mean(axis=0)
        if np.array_equal(new, labels):
            break
        labels = new
    return centres, labels


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Clouds around three places, and a fourth centre that is far from all of them; few points are all far away."""
    places = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 5.0], [90.0, 90.0]]) + (1e8 if size < 10 else 0.0)
    points = places[rng.integers(0, 3, size)] + rng.standard_normal((size, 2))
    return {"points": points, "centres": places + rng.standard_normal((4, 2)), "rounds": 20}
