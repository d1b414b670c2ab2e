"""Voice activity: frames louder than the noise, and some more after each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program import Float32, Tensor, graph_program

SIZES = (50, 3)
FRAME = 160


@graph_program
def vad(samples: Float32[Tensor, "n"], factor: float, hangover: int) -> Any:
    """Whether each frame of 160 samples is speech; the noise is followed where there is none."""
    frames = len(samples) // FRAME
    speech = np.zeros(frames, dtype=bool)
    noise = np.float32(1e-4)
    left = 0
    for k in range(frames):
        frame = samples[k * FRAME : (k + 1) * FRAME]
        energy = np.mean(frame * frame)
        if energy > factor * noise:
            left = hangover
            speech[k] = True
        elif left > 0:
            left -= 1
            speech[k] = True
        else:
            noise = np.float32(0.9) * noise + np.float32(0.1) * energy
    return speech


def arguments(size: int, rng: np.random.Generator) -> dict[str, Any]:
    """Noise that grows a little, with bursts; the last frame is not full."""
    loudness = np.where(np.arange(size) % 12 < 3, 0.2, 0.01 + 0.0001 * np.arange(size))
    samples = rng.standard_normal(size * FRAME + 30) * np.append(np.repeat(loudness, FRAME), np.zeros(30))
    return {"samples": samples.astype(np.float32), "factor": 4.0, "hangover": 3}
