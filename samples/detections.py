"""Non-maximum suppression: of boxes that overlap much, only the one with the best score is kept.

How many boxes are kept depends on the boxes, so `kept` is a list of computed length, and each round of
the `while` loop has fewer candidates left. In an exported model the fields are stacked: one output of
box numbers, one of scores, one of votes.

Run with `python samples/detections.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graph_program import Float64, Tensor, graph_program


class Detection(NamedTuple):
    """A box that was kept: its number, its score, and how many boxes it stands for."""

    box: int
    score: float
    votes: int


def area(boxes: Float64[Tensor, "n 4"]) -> Float64[Tensor, "n"]:
    """The areas of boxes given as left, top, right, bottom."""
    sides: np.ndarray = boxes[:, 2:] - boxes[:, :2]
    areas: np.ndarray = sides[:, 0] * sides[:, 1]
    return areas


def overlap(box: Float64[Tensor, "4"], others: Float64[Tensor, "n 4"]) -> Float64[Tensor, "n"]:
    """The intersection over the union of a box with others (Jaccard, 1912)."""
    left_top = np.maximum(box[:2], others[:, :2])
    right_bottom = np.minimum(box[2:], others[:, 2:])
    shared = area(np.concatenate([left_top, np.maximum(left_top, right_bottom)], axis=1))
    ratios: np.ndarray = shared / (area(box[None]) + area(others) - shared)
    return ratios


@graph_program
def suppress(boxes: Float64[Tensor, "n 4"], scores: Float64[Tensor, "n"], most: float = 0.5) -> list[Detection]:
    """The boxes to keep, best first; `most` is the overlap up to which two boxes are two things."""
    kept = []
    order = np.argsort(-scores)
    while len(order) > 0:
        best, rest = order[0], order[1:]
        same = overlap(boxes[best], boxes[rest]) > most
        kept.append(Detection(int(best), float(scores[best]), 1 + int(same.sum())))
        order = rest[~same]
    return kept


def noisy_boxes(things: int, each: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Boxes around some things far apart, several around each, and their scores."""
    rng = np.random.default_rng(seed)
    corners = np.arange(things)[:, None] * 20 + rng.uniform(0, 1, (each, things, 2))
    corners = corners.reshape(-1, 2)
    boxes = np.concatenate([corners, corners + 8 + rng.uniform(0, 1, corners.shape)], axis=1)
    return boxes, rng.permutation(len(boxes)) / len(boxes)


def main() -> None:
    """Find what many boxes stand for."""
    boxes, scores = noisy_boxes(things=3, each=5)
    for found in suppress(boxes, scores):
        print(f"box {found.box:2d}  score {found.score:.2f}  {found.votes} votes")


if __name__ == "__main__":
    main()
