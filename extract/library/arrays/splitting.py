"""Arrays taken apart, as programs over NumPy: extracted like a user's own functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import check, known, known_int, known_size, of_sizes, one_axis, refuse

Array = np.ndarray[Any, Any]


def split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """`np.split`: views of equal parts."""
    return split_at(ary, one_axis(axis, ary.ndim), indices_or_sections, True)


def array_split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """`np.array_split`: views of nearly equal parts."""
    return split_at(ary, one_axis(axis, ary.ndim), indices_or_sections, False)


def vsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """`np.vsplit`."""
    if ary.ndim < 2:
        refuse(ValueError, "vsplit only works on arrays of 2 or more dimensions")
    return split_at(ary, 0, indices_or_sections, True)


def hsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """`np.hsplit`."""
    if ary.ndim < 1:
        refuse(ValueError, "hsplit only works on arrays of 1 or more dimensions")
    return split_at(ary, min(ary.ndim - 1, 1), indices_or_sections, True)


def dsplit(ary: Array, indices_or_sections: Any) -> list[Array]:
    """`np.dsplit`."""
    if ary.ndim < 3:
        refuse(ValueError, "dsplit only works on arrays of 3 or more dimensions")
    return split_at(ary, 2, indices_or_sections, True)


def split_at(x: Array, axis: int, where: Any, even: bool) -> list[Array]:
    """The parts between places, or as many as are asked for, of which the first may be longer by one."""
    if isinstance(where, list | tuple) or np.ndim(where):
        return pieces(x, axis, [None, *where, None])
    sections = known_int(where, "the number of sections")
    if even and not sections:
        check(True, ZeroDivisionError, "integer modulo by zero")
    if sections <= 0:
        refuse(ValueError, "number sections must be larger than 0.")
    size = x.shape[axis]
    part = of_sizes("//", size, sections)
    rest = size - part * sections
    if not even:
        return pieces(x, axis, [*[part * i + of_sizes("min", rest, i) for i in range(sections)], size])
    if known_size(size) is not None and rest:
        refuse(ValueError, "array split does not result in an equal division")
    check(rest != 0, ValueError, "array split does not result in an equal division")
    return pieces(x, axis, [*[part * i for i in range(sections)], size])


def pieces(x: Array, axis: int, cuts: list[Any]) -> list[Array]:
    """Views of the parts between cuts."""
    every = (slice(None),) * axis
    return [x[(*every, slice(cuts[k], cuts[k + 1]))] for k in range(len(cuts) - 1)]


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """`np.unstack`: the parts along an axis of known length."""
    if x.ndim == 0:
        refuse(ValueError, "Input array must be at least 1-d.")
    place = one_axis(axis, x.ndim)
    every: Any = (slice(None),) * place
    return tuple([x[(*every, k)] for k in range(known(x.shape[place], "the number of parts"))])


__all__ = ["array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"]
