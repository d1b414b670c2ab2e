"""Calls of Python functions that are given up where they take long: what has no end is not compared."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

STEPS = 20_000
"""Lines that Python may run for one call."""


class TooLong(BaseException):
    """Python runs too many lines for a call."""


@contextmanager
def few_lines() -> Iterator[None]:
    """Raise `TooLong` after so many lines."""
    left, before = STEPS, sys.gettrace()

    def watch(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooLong
        return watch

    sys.settrace(watch)
    try:
        yield
    finally:
        sys.settrace(before)


__all__ = ["TooLong", "few_lines"]
