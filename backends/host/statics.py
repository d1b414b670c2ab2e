"""When two static values are the same for a cached program, and keys and snapshots of such values."""

from __future__ import annotations

from typing import Any

import numpy as np


def same_static(a: Any, b: Any) -> bool:
    """Whether a program extracted for `b` may be used for `a`.

    Classes count (`1`, `1.0` and `True` differ), numbers are compared bit by bit (`0.0` and `-0.0`
    differ, NaN is itself), containers element by element, arrays and objects without a hash by identity.
    """
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, np.generic)):
        return static_key(a) == static_key(b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same_static, a, b))
    if isinstance(a, dict):
        return same_static(list(a), list(b)) and same_static(list(a.values()), list(b.values()))
    try:
        hash(b)
    except TypeError:
        return False
    return bool(a == b)


def static_key(number: Any) -> tuple[Any, ...]:
    """A hashable stand-in for a number: equal exactly if the numbers are the same."""
    if isinstance(number, float):
        return (type(number), number.hex())
    if isinstance(number, np.generic):
        return (number.dtype.str, number.tobytes())
    return (type(number), number)


def snapshot(value: Any) -> Any:
    """The value with its lists and dicts copied, so that a later change of them can be seen."""
    if type(value) is list:
        return [snapshot(v) for v in value]
    if type(value) is dict:
        return {k: snapshot(v) for k, v in value.items()}
    if type(value) is tuple:
        return tuple(snapshot(v) for v in value)
    return value
