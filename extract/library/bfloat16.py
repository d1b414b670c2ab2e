"""Sums and products of bfloat16 as NumPy makes them: one element after the other, rounded each time.

256 + 1 is 256 there, so the order and the roundings are most of the result: a sum in float32, rounded at the
end, would be another number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.types.tensors.bfloat16 import bfloat16

Array = np.ndarray[Any, Any]


def number(value: float) -> Array:
    """A bfloat16 number as an array."""
    return np.asarray(value, bfloat16())


def total(rows: Array) -> Array:
    """The sum of the rows of a matrix."""
    found = np.zeros(rows.shape[1], rows.dtype)
    for row in rows:
        found = found + row
    return found


def product(rows: Array) -> Array:
    """The product of the rows of a matrix."""
    found = np.ones(rows.shape[1], rows.dtype)
    for row in rows:
        found = found * row
    return found


def running_total(rows: Array) -> Array:
    """The sum of the rows up to each one."""
    found = rows.copy()
    last = -np.zeros(rows.shape[1], rows.dtype)  # -0.0 changes no number
    for i in range(rows.shape[0]):
        last = last + rows[i]
        found[i] = last
    return found


def running_product(rows: Array) -> Array:
    """The product of the rows up to each one."""
    found = rows.copy()
    last = np.ones(rows.shape[1], rows.dtype)
    for i in range(rows.shape[0]):
        last = last * rows[i]
        found[i] = last
    return found
