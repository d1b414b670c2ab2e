"""Non-maximum suppression: of boxes that overlap much, the one with the best score is kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program

SIZES = (40, 7)


@graph_program
def nms(boxes: Float32[Tensor, "n 4"], scores: Float32[Tensor, "n"], threshold: float) -> Any:
    """The numbers of the boxes that are kept, the best first."""
    x1, y1, x2, y2 = boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3]
    areas = (x2 - x1) * (y2 - y1)
    suppressed = np.zeros(len(boxes), dtype=bool)
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if suppressed[i]:
            continue
        kept.append(i)
        width = np.maximum(np.minimum(x2, x2[i]) - np.maximum(x1, x1[i]), 0)
        height = np.maximum(np.minimum(y2, y2[i]) - np.maximum(y1, y1[i]), 0)
        overlap = width * height
        suppressed |= overlap / (areas + areas[i] - overlap) > threshold
    return kept


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Boxes around a few places."""
    places = rng.uniform(0, 50, (max(size // 3, 1), 2))[rng.integers(0, max(size // 3, 1), size)]
    corners = places + rng.uniform(-2, 2, (size, 2))
    boxes = np.concatenate((corners, corners + rng.uniform(5, 9, (size, 2))), axis=1)
    return {"boxes": boxes.astype(np.float32), "scores": rng.random(size, dtype=np.float32), "threshold": 0.5}
