"""Arguments that a model was not exported with: other sizes, none, NaN, other signs, no trips and one."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Arguments = tuple[Any, ...]


def others(args: Arguments) -> Iterator[tuple[str, Arguments]]:
    """Variations of arguments, each with its name; those that change nothing are left out."""
    for name, change in VARIATIONS.items():
        changed: list[bool] = []

        def leaf(value: Any, change: Callable[[Any], Any] = change, changed: list[bool] = changed) -> Any:
            new = change(value)
            changed.append(new is not value)
            return new

        made = _with_leaves(copy.deepcopy(args), leaf)
        if any(changed):
            yield name, made


def _with_leaves(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """A structure with other arrays and numbers in it."""
    if type(value) in (tuple, list):
        return type(value)(_with_leaves(part, leaf) for part in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_with_leaves(part, leaf) for part in value))
    if type(value) is dict:
        return {key: _with_leaves(part, leaf) for key, part in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            if hasattr(value, field.name):
                object.__setattr__(value, field.name, _with_leaves(getattr(value, field.name), leaf))
        return value
    return leaf(value) if type(value) in (int, float, np.ndarray) or isinstance(value, np.number) else value


def _sized(size: Callable[[int], int]) -> Callable[[Any], Any]:
    """All axes get the size that a function has for theirs: what was equal stays equal."""

    def change(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or not value.ndim:
            return value
        shape = tuple(map(size, value.shape))
        return value if shape == value.shape else _filled(value, shape)

    return change


def _filled(value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array of this shape with the same elements, again and again."""
    count = math.prod(shape)
    elements = value.ravel() if value.size else np.zeros(1, value.dtype)
    return np.resize(elements, count).reshape(shape)


def _signed(value: Any) -> Any:
    """Negative where it was positive."""
    dtype = np.asarray(value).dtype
    return -value if dtype.kind in "if" else value


def _nan(value: Any) -> Any:
    """NaN as the number, or as every third one from the second on."""
    if isinstance(value, float):
        return type(value)("nan")
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not value.size:
        return value
    value = value.copy()
    value.reshape(-1)[1 % value.size :: 3] = np.nan
    return value


def _number(new: int) -> Callable[[Any], Any]:
    """Another number of Python's as every int: trips, indices and counts."""

    def change(value: Any) -> Any:
        return new if type(value) is int and value != new else value

    return change


VARIATIONS: dict[str, Callable[[Any], Any]] = {
    "empty": _sized(lambda n: 0),
    "longer": _sized(lambda n: n if n == 1 else n + 2),
    "of one": _sized(lambda n: min(n, 1)),
    "negative": _signed,
    "nan": _nan,
    "zero": _number(0),
    "one": _number(1),
    "five": _number(5),
}

__all__ = ["others"]
