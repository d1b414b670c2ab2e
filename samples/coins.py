"""Counting coins in a photograph: threshold, fill, label, drop what is too small.

The program is ordinary imperative NumPy. Its loops run until something stops changing, so how often
each runs depends on the picture: in the ONNX model they are `Loop` nodes.

Run with `python samples/coins.py`; without scikit-image, which ships the photograph, coins are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import Bool, Int64, Tensor, UInt8, graph_program


@dataclass
class Settings:
    """What to look for.

    Attributes
    ----------
    smoothing : int
        Radius in pixels of the averaging window that removes noise.
    background : int
        Radius in pixels of the window whose average counts as background.
    tolerance : float
        The threshold is found when a round moves it by less than this many grey levels.
    smallest : int
        Area in pixels below which a spot is not a coin.
    """

    smoothing: int = 1
    background: int = 60
    tolerance: float = 0.01
    smallest: int = 400


@dataclass
class Coins:
    """The coins found: how many, which pixel belongs to which (0 for none), and their outlines."""

    count: int
    labels: Int64[Tensor, "h w"]
    outline: Bool[Tensor, "h w"]


def mean_over_rows(x: Any, radius: int) -> Any:
    """The average of up to `2 * radius + 1` rows around each row; the window is cut off at the edges."""
    rows = np.arange(x.shape[0])
    first = np.maximum(rows - radius, 0)
    stop = np.minimum(rows + radius + 1, x.shape[0])
    running = np.concatenate((np.zeros((1, x.shape[1])), np.cumsum(x, axis=0)))
    return (running[stop] - running[first]) / (stop - first)[:, None]


def local_mean(image: Any, radius: int) -> Any:
    """The average over a square window around each pixel."""
    return mean_over_rows(mean_over_rows(image, radius).T, radius).T


def find_threshold(image: Any, tolerance: float) -> Any:
    """A level halfway between the means of what is above and below it (Ridler and Calvard, 1978)."""
    threshold = np.mean(image)
    while True:
        above = image > threshold
        high = np.sum(np.where(above, image, 0.0)) / np.sum(above)
        low = np.sum(np.where(above, 0.0, image)) / np.sum(~above)
        previous = threshold
        threshold = (high + low) / 2
        if np.abs(threshold - previous) < tolerance:
            return threshold


def largest_neighbour(x: Any) -> Any:
    """The largest of each pixel and the four next to it."""
    vertical = np.maximum(np.concatenate((x[1:], x[-1:])), np.concatenate((x[:1], x[:-1])))
    horizontal = np.maximum(
        np.concatenate((x[:, 1:], x[:, -1:]), axis=1), np.concatenate((x[:, :1], x[:, :-1]), axis=1)
    )
    return np.maximum(x, np.maximum(vertical, horizontal))


def spread(labels: Any, mask: Any) -> Any:
    """Let the largest label of each connected part of `mask` spread until nothing changes."""
    changed = True
    while changed:
        grown = np.where(mask, largest_neighbour(labels), 0)
        changed = bool(np.any(grown != labels))
        labels = grown
    return labels


def fill_holes(mask: Any) -> Any:
    """`mask` with everything that the background cannot reach from the border of the image."""
    border = np.ones(mask.shape, dtype=np.int64)
    border[1:-1, 1:-1] = 0
    outside = spread(np.where(mask, 0, border), ~mask)
    return outside == 0


def number_parts(mask: Any, smallest: int) -> Any:
    """Number the connected parts of `mask` with at least `smallest` pixels, from the top down."""
    height, width = mask.shape
    positions = np.arange(height * width, 0, -1).reshape(height, width)
    remaining = spread(np.where(mask, positions, 0), mask)
    labels = np.zeros(mask.shape, dtype=np.int64)
    count = 0
    while np.any(remaining):
        part = remaining == np.max(remaining)
        remaining = np.where(part, 0, remaining)
        if np.sum(part) < smallest:
            continue
        count += 1
        labels = np.where(part, count, labels)
    return count, labels


@graph_program
def count_coins(photo: UInt8[Tensor, "h w"], settings: Settings) -> Coins:
    """Find the coins, brighter than their background, in a grey photograph."""
    nothing = np.zeros(photo.shape, dtype=np.int64)
    if photo.size == 0 or np.max(photo) == np.min(photo):
        return Coins(0, nothing, nothing > 0)
    image = photo.astype(np.float64)
    contrast = local_mean(image, settings.smoothing) - local_mean(image, settings.background)
    mask = fill_holes(contrast > find_threshold(contrast, settings.tolerance))
    count, labels = number_parts(mask, settings.smallest)
    outline = (labels == 0) & (largest_neighbour(labels) > 0)
    return Coins(count, labels, outline)


def photograph() -> Any:
    """The coins from Pompeii that scikit-image ships: `uint8[303, 384]`; where it is not installed, drawn ones."""
    try:
        from skimage import data
    except ImportError:
        return drawn()
    photos: Any = data
    return photos.coins()


def drawn(height: int = 303, width: int = 384) -> Any:
    """Four rows of six coins of different sizes, lit from the right, with noise: `uint8[height, width]`."""
    rng = np.random.default_rng(0)
    y, x = np.indices((height, width))
    photo = 40 + 60 * x / width + rng.normal(scale=4, size=(height, width))
    for row in range(4):
        for column in range(6):
            away = np.hypot(y - (row + 0.5) * height / 4, x - (column + 0.5) * width / 6)
            photo += 90 * (away < rng.uniform(0.05, 0.08) * height)
    return photo.astype(np.uint8)


def main() -> None:
    photo = photograph()
    found = count_coins(photo, Settings())
    areas = [int(np.sum(found.labels == k + 1)) for k in range(found.count)]
    print(f"{found.count} coins; areas in pixels: {areas}")


if __name__ == "__main__":
    main()
