"""Arrays for programs that go through rows, numbers and integers: some, all negative, none."""

from __future__ import annotations

import numpy as np

ROWS = np.random.default_rng(0).normal(size=(6, 3))
NEGATIVE = -np.ones((3, 3))
NO_ROWS = np.zeros((0, 3))
NUMBERS = np.array([3.0, -1.0, 2.0, 5.0, -4.0])
SIX_NUMBERS = np.array([3.0, -1.0, 2.0, 5.0, -4.0, 8.0])
NONE = np.zeros(0)
INTS = np.array([3, 1, 4, 1, 5, 9, 2, 6])
