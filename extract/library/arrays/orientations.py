"""Arrays turned, as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known, known_int, one_axis, reduced_axes, refuse

Array = np.ndarray[Any, Any]


def flip(m: Array, axis: Any = None) -> Array:
    """`np.flip`: a view."""
    return backwards(m, reduced_axes(axis, m.ndim, lists=True))


def fliplr(m: Array) -> Array:
    """`np.fliplr`."""
    if m.ndim < 2:
        refuse(ValueError, "Input must be >= 2-d.")
    return backwards(m, (1,))


def flipud(m: Array) -> Array:
    """`np.flipud`."""
    if m.ndim < 1:
        refuse(ValueError, "Input must be >= 1-d.")
    return backwards(m, (0,))


def backwards(x: Array, axes: tuple[int, ...]) -> Array:
    """A view that goes backwards along some axes."""
    found: Array = x[tuple([slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim)])]
    return found


def rot90(m: Array, k: int = 1, axes: Any = (0, 1)) -> Array:
    """`np.rot90`: quarter turns in the plane of two axes."""
    if len(known(axes, "the axes")) != 2:
        refuse(ValueError, "len(axes) must be 2.")
    i, j = one_axis(axes[0], m.ndim), one_axis(axes[1], m.ndim)
    if i == j:
        refuse(ValueError, "Axes must be different.")
    turns = known_int(k, "the number of turns") % 4
    if turns == 1:
        return np.swapaxes(backwards(m, (j,)), i, j)
    if turns == 3:
        return backwards(np.swapaxes(m, i, j), (j,))
    return backwards(m, (i, j) if turns == 2 else ())


def rollaxis(a: Array, axis: int, start: int = 0) -> Array:
    """`np.rollaxis`: one axis moved to before another."""
    moved, place = one_axis(axis, a.ndim), known_int(start, "an axis")
    place = place + a.ndim if place < 0 else place
    if not 0 <= place <= a.ndim:
        text = f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {place} was passed in"
        refuse(ValueError, text)
    rest = [k for k in range(a.ndim) if k != moved]
    place = place - 1 if place > moved else place
    return np.transpose(a, (*rest[:place], moved, *rest[place:]))


__all__ = ["flip", "fliplr", "flipud", "rollaxis", "rot90"]
