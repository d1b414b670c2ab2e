"""Frames of a camera: the host gives one after the other, the graph looks for what moves in them.

Run with `python samples/camera.py`.  The camera is a generator here; `cv2.VideoCapture` would be read in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from graph_program import Float32, Tensor, UInt8, graph_program, host_function, to_device

GREY = np.array([0.299, 0.587, 0.114], np.float32)
"""How bright the eye sees red, green and blue (ITU-R BT.601)."""


class Motion(NamedTuple):
    """Where something moves in a frame."""

    frame: int
    row: float
    column: float


@host_function
def camera(frames: int, height: int, width: int) -> Iterator[UInt8[np.ndarray, "height width 3"]]:
    """A bright ball that crosses a noisy picture."""
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[:height, :width]
    for k in range(frames):
        frame = rng.integers(0, 40, (height, width, 3), dtype=np.uint8)
        ball = (rows - height // 2) ** 2 + (columns - 4 - 3 * k) ** 2 < 9
        frame[ball] = 220
        yield frame


def prepared(frame: UInt8[Tensor, "height width 3"]) -> Float32[Tensor, "height width"]:
    """Grey, from 0 to 1, smoothed over a square of nine."""
    grey: Any = (frame @ GREY) / np.float32(255)
    padded = np.pad(grey, 1)
    height, width = grey.shape
    total = np.zeros_like(grey)
    for i in range(3):
        for j in range(3):
            total = total + padded[i : i + height, j : j + width]
    return total / np.float32(9)  # type: ignore[no-any-return]


@graph_program
def track(frames: int, height: int, width: int, threshold: float) -> Any:
    """The middle of what moves, for each frame in which anything does."""
    background: Any = np.zeros((height, width), np.float32)
    found = []
    for k, raw in enumerate(camera(frames, height, width)):
        seen = prepared(to_device(raw))
        moving = np.abs(seen - background) > threshold
        if k > 0 and moving.any():
            rows, columns = np.arange(height), np.arange(width)
            count = moving.sum()
            row = (moving.sum(1) * rows).sum() / count
            column = (moving.sum(0) * columns).sum() / count
            found.append(Motion(k, float(row), float(column)))
        background = np.float32(0.9) * background + np.float32(0.1) * seen if k > 0 else seen
    return found


def main() -> None:
    """Follow the ball."""
    motions = track(12, 32, 48, 0.3)
    print(f"{len(motions)} frames with something that moves")
    for motion in motions[::4]:
        print(f"frame {motion.frame}: row {motion.row:.1f}, column {motion.column:.1f}")


if __name__ == "__main__":
    main()
