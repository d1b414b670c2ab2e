"""Which numbers a Python number may be, and whether a NumPy element type has all of them exactly.

    found = -1                      known: -1
    for v in x:                     at the loop's head: -1, as long as no round leaves another Python number
        if v > 9: found = v

Of a merged number this is asked through its sources.  What is found at the head of a loop that is being
evaluated is an assumption: the leaf is marked as relied on, and `loop_heads` sees whether rounds keep to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.values.structure import number_bits, same_static
from graph_program.extract.stage.values.values import Tensor, Value, is_numeric_static, type_of
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

MOST_KNOWN = 8
"""Of more numbers than this, a number is not said to be one."""


def known_numbers(value: Value, besides: Value | None = None) -> list[Any] | None:
    """All that a Python number may be, where these are a few known ones; `besides` is not looked into."""
    found: list[Any] = []
    seen: dict[int, Value] = {} if besides is None else {id(besides): besides}
    if not _collect(value, found, seen):
        return None
    for leaf in seen.values():
        leaf.relied = leaf.relied or leaf is not besides
    return found


def _collect(value: Value, found: list[Any], seen: dict[int, Value]) -> bool:
    number: Any
    if is_numeric_static(value):
        number = value.value
    elif not isinstance(value, Tensor) or not value.is_python:
        return False
    elif isinstance(value.operand, Const):
        number = value.operand.value.item()
    elif id(value) in seen:
        return True
    else:
        seen[id(value)] = value
        return value.join >= 0 and bool(value.sources) and all(_collect(s, found, seen) for s in value.sources)
    if not any(same_static(number, other) for other in found):
        found.append(number)
    return len(found) <= MOST_KNOWN


def is_exact(value: Value, type_: TensorType) -> bool:
    """Whether a number is certainly the same number in a type that it is merged to."""
    given = type_of(value)
    if given.kind is not Kind.PYTHON or type_.kind is Kind.PYTHON or type_.dtype.kind == "b":
        return True
    numbers = known_numbers(value)
    if numbers is not None:
        return all(_has(type_.dtype, n) for n in numbers)
    if given.dtype.kind in "fc":
        wide = type_.dtype.kind in ("fc" if given.dtype.kind == "f" else "c")
        return wide and np.finfo(type_.dtype).nmant >= np.finfo(given.dtype).nmant
    bits = 1 if given.dtype.kind == "b" else number_bits(value)
    return bits <= _exact_bits(type_.dtype)


def _has(dtype: np.dtype[Any], number: Any) -> bool:
    """Whether an element type has a number exactly."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return type(number) is int and info.min <= number <= info.max
    if type(number) is complex and dtype.kind != "c":
        return False
    if number != number:
        return dtype.kind in "fc"
    with np.errstate(all="ignore"):
        try:
            return bool(np.asarray(number).astype(dtype).item() == number)
        except (OverflowError, TypeError):
            return False


def _exact_bits(dtype: np.dtype[Any]) -> int:
    """The width up to which an element type has every int, of both signs."""
    if dtype.kind in "fc":
        return int(np.finfo(dtype).nmant) + 1
    return 8 * dtype.itemsize - 1 if dtype.kind == "i" else -1
