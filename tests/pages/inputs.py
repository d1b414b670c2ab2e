"""Pictures and a sound, as arrays."""

from __future__ import annotations

import numpy as np

RANDOM = np.random.default_rng(0)
GREY = RANDOM.integers(0, 256, (60, 80), dtype=np.uint8)
COLOURS = RANDOM.integers(0, 256, (40, 50, 3), dtype=np.uint8)
TONE = np.round(20000 * np.sin(2 * np.pi * 441 * np.arange(8000) / 8000)).astype(np.int16)
