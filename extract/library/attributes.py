"""`hasattr` and `getattr` of objects whose class has a `__getattr__`."""

from __future__ import annotations

from typing import Any


def is_given(obj: Any, name: str) -> bool:
    """Whether an object's `__getattr__` knows an attribute."""
    try:
        obj.__getattr__(name)
    except AttributeError:
        return False
    return True


def given_or(obj: Any, name: str, default: Any) -> Any:
    """What an object's `__getattr__` gives, or else `default`."""
    try:
        return obj.__getattr__(name)
    except AttributeError:
        return default


__all__ = ["given_or", "is_given"]
