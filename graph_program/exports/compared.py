"""Whether two results are the same: classes, shapes and element types exactly, floats but for rounding."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from graph_program.extract.ir.graph import GraphProgram

MERGED: Mapping[type, str] = {bool: "b", int: "iufc", float: "fc", complex: "c"}
"""The kinds of NumPy numbers that a Python number is one of where it meets one."""
BFLOAT16 = 2.0**-8
"""Its precision, of which NumPy knows nothing."""
CANCELLED = 16.0
"""How many times the rounding of the largest number is left where numbers cancel."""


@dataclass(frozen=True)
class Rounding:
    """What floats of a call may differ by, beside the rounding of what is compared.

    Attributes
    ----------
    precision : float
        That of the narrowest floats that the program computes: its float64 may be `float(x)` of such a number.
    largest : float
        The largest float that goes in or comes out.  What is left of such numbers where they cancel, as in the
        residual of a fit, is rounding.
    """

    precision: float = 0.0
    largest: float = 0.0


def rounding(program: GraphProgram, numbers: Iterable[Any], precision: float = 0.0) -> Rounding:
    """That of a call, with these numbers and arrays as its arguments and results; computed in a precision at most."""
    values = (value for node in program.graph.walk() for value in (*node.inputs, *node.outputs))
    types = {value.type.dtype for value in values if value.type.dtype.kind in "fV"}
    arrays = (np.asarray(number) for number in numbers)
    largest = max((_largest(array) for array in arrays if array.dtype.kind in "fcV"), default=0.0)
    return Rounding(max([precision, *map(_precision, types)]), largest)


def _precision(dtype: np.dtype[Any]) -> float:
    """The distance from 1 to the next number."""
    return BFLOAT16 if dtype.kind == "V" else float(np.finfo(dtype).eps)


def _largest(array: np.ndarray[Any, Any]) -> float:
    array = array.astype(np.float32) if array.dtype.kind == "V" else array
    return float(np.abs(array[np.isfinite(array)]).max(initial=0))


NO_ROUNDING = Rounding()
SAME = "", ""
"""No difference."""


def difference(expected: Any, found: Any, call: Rounding = NO_ROUNDING) -> str:
    """Where two values differ, and how, as in `[1].x is 2 instead of 3`; "" where they are the same."""
    return "".join(difference_at(expected, found, call))


def difference_at(
    expected: Any, found: Any, call: Rounding = NO_ROUNDING, seen: frozenset[tuple[int, int]] = frozenset()
) -> tuple[str, str]:
    """Where two values differ, as `[1].x`, and how, as ` is 2 instead of 3`; without the latter they are the same.

    Floats may differ by the square root of their precision, relative to the largest number of the array: sums are made
    in another order.  So they may by the rounding of their call.  A Python number may be one of NumPy's,
    which it is where paths merge.  Objects that are neither arrays nor numbers nor built of them are not looked at.
    """
    pair = (id(expected), id(found))
    if expected is found or pair in seen:
        return SAME
    if isinstance(expected, np.ndarray | np.generic | bool | int | float | complex):
        return _of_numbers(expected, found, call)
    for kinds, parts in _PARTS:
        if isinstance(expected, kinds):
            if type(expected) is not type(found):
                return "", f" is a {type(found).__name__} instead of a {type(expected).__name__}"
            return _of_parts(parts(expected), parts(found), call, seen | {pair})
    if isinstance(expected, str | bytes | None):
        return SAME if expected == found else ("", f" is {found!r} instead of {expected!r}")
    if type(expected) is type(found) and _fields(expected) is not None:
        return _of_parts(_fields(expected) or {}, _fields(found) or {}, call, seen | {pair})
    return SAME


def _of_parts(
    expected: Mapping[str, Any], found: Mapping[str, Any], call: Rounding, seen: frozenset[tuple[int, int]]
) -> tuple[str, str]:
    if expected.keys() != found.keys():
        return "", f" has {len(found)} elements instead of {len(expected)}"
    for name, part in expected.items():
        where, how = difference_at(part, found[name], call, seen)
        if how:
            return f"{name}{where}", how
    return SAME


def _of_numbers(expected: Any, found: Any, call: Rounding) -> tuple[str, str]:
    if _is_merged(expected, found):
        expected = found.dtype.type(expected)
    if type(expected) is not type(found):
        return "", f" is a {type(found).__name__} instead of a {type(expected).__name__}"
    want, got = np.asarray(expected), np.asarray(found)
    if (want.dtype, want.shape) != (got.dtype, got.shape):
        return "", f" is {got.dtype}{list(got.shape)} instead of {want.dtype}{list(want.shape)}"
    same = _close(want, got, call) if want.dtype.kind in "fcV" else np.asarray(want == got)
    if same.all():
        return SAME
    place = np.unravel_index(np.argmin(same), same.shape)
    index = f"[{', '.join(map(str, place))}]" if place else ""
    return index, f" is {got[place]} instead of {want[place]}"


def _is_merged(expected: Any, found: Any) -> bool:
    """Whether a number of Python's is the same one of NumPy's, as it may be where paths merge: docs/language.md."""
    if not isinstance(found, np.generic) or found.dtype.kind not in MERGED.get(type(expected), ""):
        return False
    number = found.item()
    is_exact = number == expected or (number != number and expected != expected)
    return found.dtype == np.asarray(expected).dtype or bool(is_exact)


def _close(want: np.ndarray[Any, Any], got: np.ndarray[Any, Any], call: Rounding) -> np.ndarray[Any, Any]:
    precision = max(call.precision, _precision(want.dtype))
    if want.dtype.kind == "V":  # bfloat16 has no arithmetic of NumPy's own
        want, got = want.astype(np.float32), got.astype(np.float32)
    relative = precision**0.5
    absolute = max(relative * _largest(want), CANCELLED * precision * call.largest)
    same: np.ndarray[Any, Any] = np.isclose(got, want, rtol=relative, atol=absolute, equal_nan=True)
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

__all__ = ["Rounding", "difference", "difference_at", "rounding"]
