"""What is made when somebody first asks for it, once for all who hold it and from whichever thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class OnDemand(Generic[T]):
    """A value and how it is made; what cannot be made raises for everybody who asks.

    Parameters
    ----------
    make : callable
        Makes the value; it is let go of behind that.
    """

    def __init__(self, make: Callable[[], T]):
        self._make: Callable[[], T] | None = make
        self._made: T | None = None
        self._lock = threading.Lock()

    def get(self) -> T:
        """The value."""
        with self._lock:
            if self._make is not None:
                self._made = self._make()
                self._make = None
        return cast(T, self._made)


__all__ = ["OnDemand"]
