"""Whether two results are the same: classes, shapes and element types exactly, floats but for rounding."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from graph_program.extract.ir.graph import GraphProgram

MERGED: Mapping[type, str] = {bool: "b", int: "iufc", float: "fc", complex: "c"}
"""The kinds of NumPy numbers that a Python number is one of where it meets one."""
BFLOAT16 = 2.0**-8
"""Its precision, of which NumPy knows nothing."""


def precision_of(program: GraphProgram) -> float:
    """That of the narrowest floats that a program computes: its float64 may be `float(x)` of such a number."""
    values = (value for node in program.graph.walk() for value in (*node.inputs, *node.outputs))
    types = {value.type.dtype for value in values if value.type.dtype.kind in "fV"}
    return max((_precision(dtype) for dtype in types), default=0.0)


def _precision(dtype: np.dtype[Any]) -> float:
    """The distance from 1 to the next number."""
    return BFLOAT16 if dtype.kind == "V" else float(np.finfo(dtype).eps)


def difference(
    expected: Any, found: Any, precision: float = 0.0, seen: frozenset[tuple[int, int]] = frozenset()
) -> str:
    """Where two values differ, and how; "" where they are the same.

    Floats may differ by the square root of their precision, or of the `precision` that they were computed with,
    relative to the largest number of the array: sums are made in another order.  A Python number may be one of NumPy's,
    which it is where paths merge.  Objects that are neither arrays nor numbers nor built of them are not looked at.
    """
    pair = (id(expected), id(found))
    if expected is found or pair in seen:
        return ""
    if isinstance(expected, np.ndarray | np.generic | bool | int | float | complex):
        return _of_numbers(expected, found, precision)
    for kinds, parts in _PARTS:
        if isinstance(expected, kinds):
            if type(expected) is not type(found):
                return f" is a {type(found).__name__} instead of a {type(expected).__name__}"
            return _of_parts(parts(expected), parts(found), precision, seen | {pair})
    if isinstance(expected, str | bytes | None):
        return "" if expected == found else f" is {found!r} instead of {expected!r}"
    if type(expected) is type(found) and _fields(expected) is not None:
        return _of_parts(_fields(expected) or {}, _fields(found) or {}, precision, seen | {pair})
    return ""


def _of_parts(
    expected: Mapping[str, Any], found: Mapping[str, Any], precision: float, seen: frozenset[tuple[int, int]]
) -> str:
    if expected.keys() != found.keys():
        return f" has {len(found)} elements instead of {len(expected)}"
    for name, part in expected.items():
        where = difference(part, found[name], precision, seen)
        if where:
            return f"{name}{where}"
    return ""


def _of_numbers(expected: Any, found: Any, precision: float) -> str:
    if _is_merged(expected, found):
        expected = found.dtype.type(expected)
    if type(expected) is not type(found):
        return f" is a {type(found).__name__} instead of a {type(expected).__name__}"
    want, got = np.asarray(expected), np.asarray(found)
    if (want.dtype, want.shape) != (got.dtype, got.shape):
        return f" is {got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    same = _close(want, got, precision) if want.dtype.kind in "fcV" else np.asarray(want == got)
    if same.all():
        return ""
    place = np.unravel_index(np.argmin(same), same.shape)
    index = f"[{', '.join(map(str, place))}]" if place else ""
    return f"{index} is {got[place]} instead of {want[place]}"


def _is_merged(expected: Any, found: Any) -> bool:
    """Whether a number of Python's is the same one of NumPy's, as it may be where paths merge: docs/language.md."""
    if not isinstance(found, np.generic) or found.dtype.kind not in MERGED.get(type(expected), ""):
        return False
    number = found.item()
    is_exact = number == expected or (number != number and expected != expected)
    return found.dtype == np.asarray(expected).dtype or bool(is_exact)


def _close(want: np.ndarray[Any, Any], got: np.ndarray[Any, Any], precision: float) -> np.ndarray[Any, Any]:
    relative = max(precision, _precision(want.dtype)) ** 0.5
    if want.dtype.kind == "V":  # bfloat16 has no arithmetic of NumPy's own
        want, got = want.astype(np.float32), got.astype(np.float32)
    finite = np.abs(want[np.isfinite(want)])
    same: np.ndarray[Any, Any] = np.isclose(
        got, want, rtol=relative, atol=relative * float(finite.max(initial=0)), equal_nan=True
    )
    return same


def _numbered(parts: Iterable[Any]) -> dict[str, Any]:
    return {f"[{i}]": part for i, part in enumerate(parts)}


def _keyed(parts: Mapping[Any, Any]) -> dict[str, Any]:
    return {f"[{key!r}]": part for key, part in parts.items()}


def _fields(thing: Any) -> dict[str, Any] | None:
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {f".{field.name}": getattr(thing, field.name, None) for field in dataclasses.fields(thing)}
    own = getattr(thing, "__dict__", None)
    return None if not isinstance(own, dict) or callable(thing) else {f".{name}": part for name, part in own.items()}


_PARTS: tuple[tuple[Any, Any], ...] = (((tuple, list), _numbered), (dict, _keyed))

__all__ = ["difference", "precision_of"]
