"""What programs that stand for NumPy's functions ask of their arguments.

The evaluator answers in ways of its own (`stage/numpy/program_arguments`): it refuses for certain where the user calls
NumPy, and what is asked of sizes becomes part of the signature where it can.
"""

from __future__ import annotations

import operator
from typing import Any, NoReturn

import numpy as np

OF_SIZES: dict[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "min": min,
    "max": max,
}
"""Operations on sizes, by their names."""


def refuse(error: type[Exception], text: str) -> NoReturn:
    """Raise the ValueError or TypeError that NumPy raises whatever the elements."""
    raise error(text)


def without_form(code: str, text: str, hint: str = "") -> NoReturn:
    """Refuse what has no graph form, with the code that the catalogue of errors has for it."""
    raise NotImplementedError(f"{code}: {text}; {hint}")


def check(bad: Any, error: type[Exception], *text: Any) -> None:
    """Raise what NumPy raises for some elements: a check that is no branch."""
    if bad:
        raise error("".join(map(str, text)))


def raise_where(bad: Any, error: type[Exception], *text: Any) -> None:
    """Raise what NumPy raises for sizes that do not fit; where all of several conditions hold."""
    if all(bad) if isinstance(bad, tuple) else bad:
        raise error("".join(map(str, text)))


def require_same_shapes(x: Any, y: Any, error: type[Exception], text: str) -> None:
    """Raise what NumPy raises for arrays of one rank with different shapes."""
    if x.shape != y.shape:
        raise error(text)


def limited(bad: Any, code: str, text: str, hint: str = "") -> None:
    """End a call where only Python goes on."""
    if bad:
        without_form(code, text, hint)


def known(value: Any, what: str) -> Any:
    """An argument that must be known at extraction."""
    return value


def known_int(value: Any, what: str) -> int:
    """An int that must be known at extraction."""
    return operator.index(value)


def known_size(size: int) -> int | None:
    """A size, where it is known at extraction."""
    return size


def last_place(x: Any) -> Any:
    """Where the last element of a vector is, as an array: the very one that looks at places have."""
    return np.asarray(len(x) - 1)


def may_be_empty(x: Any, axes: tuple[int, ...]) -> bool:
    """Whether there may be no elements along some axes, by what is known of their sizes."""
    return 0 in [x.shape[i] for i in axes]


def is_empty(x: Any) -> bool | None:
    """Whether there are no elements, which the arguments tell where their sizes decide; None where only a run does."""
    return bool(x.size == 0)


def selected(test: bool, one: Any, other: Any) -> Any:
    """`one` where a test holds, else `other`; which of them, where that is known."""
    return one if test else other


def of_sizes(op: str, a: int, b: int) -> int:
    """Arithmetic on sizes, which need no check of a range."""
    found: int = OF_SIZES[op](a, b)
    return found


def flat(x: Any) -> Any:
    """The elements in row-major order."""
    return x if x.ndim == 1 else x.reshape(-1)


def reduced_axes(axis: Any, rank: int, of_scalars: bool = True, lists: bool = False) -> tuple[int, ...]:
    """The axes to reduce, ascending, all of them for None.

    NumPy's own loops take 0 and -1 of an array of rank 0, too; its functions that are written in Python take lists.
    """
    if axis is None or (rank == 0 and of_scalars and axis in (0, -1)):
        return tuple(range(rank))
    return tuple(sorted(listed_axes(tuple(axis) if lists and isinstance(axis, list) else axis, rank)))


def listed_axes(axis: Any, rank: int, name: str = "", repeats: bool = False) -> tuple[int, ...]:
    """The axes that an argument names, in its order."""
    found: tuple[int, ...] = np.lib.array_utils.normalize_axis_tuple(axis, rank, name or None, repeats)
    return found


def one_axis(axis: Any, rank: int, name: str = "") -> int:
    """An axis counted from 0."""
    return np.lib.array_utils.normalize_axis_index(axis, rank, name or None)


__all__ = [
    "check",
    "flat",
    "is_empty",
    "known",
    "known_int",
    "known_size",
    "last_place",
    "limited",
    "listed_axes",
    "may_be_empty",
    "of_sizes",
    "one_axis",
    "raise_where",
    "reduced_axes",
    "refuse",
    "require_same_shapes",
    "selected",
    "without_form",
]
