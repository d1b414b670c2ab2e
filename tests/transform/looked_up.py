"""Vectors and indices into them, some of which are outside: arguments for programs whose rounds look something up."""

from __future__ import annotations

import numpy as np

from graph_program import Float64, Int64, Tensor

Vector, Indices = Float64[Tensor, "n"], Int64[Tensor, "m"]
VECTORS = (np.array([1.0, 5, -2, 4]), np.array([0.5]), np.zeros(0))
INDICES = tuple(np.array(k, np.int64) for k in ([0, 3, -1], [1, 4], [0, -5, 9, 0], [], [0], [3, 2, 1, 0, 4, 5]))
PAIRS = tuple((x, k) for x in VECTORS for k in INDICES)
