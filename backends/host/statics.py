"""When two static values are the same for a cached program, and keys and snapshots of such values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


def same_static(a: Any, b: Any) -> bool:
    """Whether a program extracted for `b` may be used for `a`.

    Classes count (`1`, `1.0` and `True` differ), numbers are compared bit by bit (`0.0` and `-0.0`
    differ, NaN is itself), containers element by element, arrays and objects without a hash by identity.
    """
    if a is b:
        return True
    if isinstance(b, Held):
        return type(a) is b.cls and same_static(_parts(a), b.parts)
    if type(a) is not type(b):
        return False
    if isinstance(a, (float, np.generic)):
        return static_key(a) == static_key(b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same_static, a, b))
    if isinstance(a, (set, frozenset)):
        return {static_key(v) for v in a} == {static_key(v) for v in b}
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


class Held(NamedTuple):
    """What an object of a class that is derived from list, dict or set holds."""

    cls: type
    parts: Any


def snapshot(value: Any) -> Any:
    """The value with its lists, dicts and sets copied, so that a later change of them can be seen."""
    if type(value) is list:
        return [snapshot(v) for v in value]
    if type(value) is dict:
        return {k: snapshot(v) for k, v in value.items()}
    if type(value) is set:
        return set(value)
    if type(value) is tuple:
        return tuple(snapshot(v) for v in value)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return tuple.__new__(type(value), map(snapshot, tuple.__iter__(value)))
    if isinstance(value, (list, dict, set)):
        return Held(type(value), snapshot(_parts(value)))
    return value


def _parts(value: Any) -> Any:
    """The elements of an object whose class is derived from list, dict or set, as that class has them."""
    base = next(cls for cls in (list, dict, set) if isinstance(value, cls))
    return dict(base.items(value)) if base is dict else base(base.__iter__(value))
