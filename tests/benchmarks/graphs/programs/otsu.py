"""Otsu's threshold: the grey that parts a picture best into dark and bright."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Tensor, UInt8, graph_program

SIZES = (48, 5)


@graph_program
def otsu(image: UInt8[Tensor, "h w"]) -> Any:
    """The threshold with the greatest variance between the classes (Otsu, 1979)."""
    histogram = np.bincount(image.ravel(), minlength=256)
    total = image.size
    sum_all = 0
    for grey in range(256):
        sum_all += grey * histogram[grey]
    dark, sum_dark = 0, 0
    best, threshold = 0.0, 0
    for grey in range(256):
        dark += histogram[grey]
        if dark == 0:
            continue
        bright = total - dark
        if bright == 0:
            break
        sum_dark += grey * histogram[grey]
        difference = sum_dark / dark - (sum_all - sum_dark) / bright
        between = dark * bright * difference**2
        if between > best:
            best, threshold = between, grey
    return threshold


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Two humps of grey."""
    bright = rng.random((size, size + 1)) < 0.4
    grey = rng.normal(np.where(bright, 180, 70), 25)
    return {"image": np.clip(grey, 0, 255).astype(np.uint8)}
