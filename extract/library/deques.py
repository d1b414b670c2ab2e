"""A double-ended queue as `collections.deque` is one: a list, and a length that it may not exceed."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any


def _text(call: Callable[[], Any]) -> str:
    """What an exception of the real class says in this version of Python."""
    try:
        call()
    except (IndexError, ValueError, TypeError) as error:
        return str(error)
    raise AssertionError


POP = _text(lambda: collections.deque[int]().pop())
INDEX = _text(lambda: collections.deque[int]()[0])
REMOVE, _, REMOVE_END = _text(lambda: collections.deque[int]([1]).remove(12345)).partition("12345")
FULL = _text(lambda: collections.deque([1], 1).insert(0, 1))
NEGATIVE = _text(lambda: collections.deque[int]([], -1))


class deque:
    """`collections.deque`, as far as its methods have a graph form."""

    def __init__(self, iterable: Any = (), maxlen: int | None = None) -> None:
        if maxlen is not None and maxlen < 0:
            raise ValueError(NEGATIVE)
        self._items = list(iterable)
        self.maxlen = maxlen
        if maxlen is not None and len(self._items) > maxlen:
            self._items = self._items[len(self._items) - maxlen :]

    @staticmethod
    def __graph_program_build__(fields: dict[str, Any]) -> collections.deque[Any]:
        """The object that the caller gets."""
        return collections.deque(fields["_items"], fields["maxlen"])

    def append(self, x: Any, /) -> None:
        self._items.append(x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop(0)

    def appendleft(self, x: Any, /) -> None:
        self._items.insert(0, x)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items.pop()

    def extend(self, iterable: Any, /) -> None:
        self._items.extend(iterable)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items = self._items[len(self._items) - self.maxlen :]

    def extendleft(self, iterable: Any, /) -> None:
        self._items = list(reversed(list(iterable))) + self._items
        if self.maxlen is not None and len(self._items) > self.maxlen:
            self._items = self._items[: self.maxlen]

    def pop(self) -> Any:
        if not self._items:
            raise IndexError(POP)
        return self._items.pop()

    def popleft(self) -> Any:
        if not self._items:
            raise IndexError(POP)
        return self._items.pop(0)

    def insert(self, i: int, x: Any, /) -> None:
        if self.maxlen is not None and len(self._items) >= self.maxlen:
            raise IndexError(FULL)
        self._items.insert(i, x)

    def remove(self, value: Any, /) -> None:
        if value not in self._items:
            raise ValueError(f"{REMOVE}{value!r}{REMOVE_END}" if REMOVE_END else REMOVE)
        self._items.remove(value)

    def rotate(self, n: int = 1, /) -> None:
        size = len(self._items)
        if size > 0:
            first = (size - n) % size
            self._items = self._items[first:] + self._items[:first]

    def clear(self) -> None:
        self._items = []

    def reverse(self) -> None:
        self._items.reverse()

    def count(self, x: Any, /) -> int:
        return self._items.count(x)

    def index(self, x: Any, /) -> int:
        if x not in self._items:
            raise ValueError(f"{x!r} is not in deque")
        return self._items.index(x)

    def copy(self) -> deque:
        return deque(self._items, self.maxlen)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Any:
        return iter(self._items)

    def __contains__(self, x: Any) -> bool:
        return x in self._items

    def __getitem__(self, i: int) -> Any:
        if isinstance(i, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        if not -len(self._items) <= i < len(self._items):
            raise IndexError(INDEX)
        return self._items[i]

    def __setitem__(self, i: int, x: Any) -> None:
        if not -len(self._items) <= i < len(self._items):
            raise IndexError(INDEX)
        self._items[i] = x

    def __delitem__(self, i: int) -> None:
        if not -len(self._items) <= i < len(self._items):
            raise IndexError(INDEX)
        self._items.pop(i)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, deque) and self._items == other._items

    def __ne__(self, other: object) -> bool:
        return not (isinstance(other, deque) and self._items == other._items)

    def __add__(self, other: deque) -> deque:
        joined = deque(self._items, self.maxlen)
        joined.extend(other._items)
        return joined

    def __iadd__(self, iterable: Any) -> deque:  # type: ignore[misc]
        self.extend(iterable)
        return self

    __hash__ = None  # type: ignore[assignment]
