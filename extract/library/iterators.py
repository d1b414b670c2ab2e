"""What `iter` gives of a sequence: the sequence and a position, which `next` moves on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

OUT_OF_REACH = 2**56
"""No loop takes so many steps."""
STOP = "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize."
INDICES = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize."
STEP = "Step for islice() must be a positive integer or None."


class iterator:
    """An iterator over a list, tuple, array or range."""

    def __init__(self, items: Any) -> None:
        self._items = items
        self._next = 0
        self._gone = False

    @staticmethod
    def __graph_program_build__(fields: dict[str, Any]) -> Iterator[Any]:
        """The object that the caller gets."""
        made: Iterator[Any] = iter(fields["_items"])
        for _ in range(len(fields["_items"]) if fields["_next"] < 0 else fields["_next"]):
            next(made)
        return made

    def __iter__(self) -> iterator:
        return self

    def __next__(self) -> Any:
        k = self._next
        if k < 0 or k >= len(self._items):
            self._next = -1
            raise StopIteration
        self._next = k + 1
        return self._items[k]

    def _left(self) -> Any:
        """All that is left."""
        if self._next == 0:
            return self._items
        return self._items[self._next :] if self._next > 0 else self._items[:0]

    def _rest(self) -> Any:
        """All that is left; then there is nothing."""
        found = self._left()
        self._next = -1
        return found


class keys(iterator):
    """An iterator over a dict, which must not get or lose keys meanwhile."""

    def __init__(self, items: Any, of: Any) -> None:
        super().__init__(items)
        self._of = of

    def _rest(self) -> Any:
        if len(self._of) != len(self._items):
            raise RuntimeError("dictionary changed size during iteration")
        return super()._rest()

    def __next__(self) -> Any:
        if len(self._of) != len(self._items):
            raise RuntimeError("dictionary changed size during iteration")
        return super().__next__()


class counter(iterator):
    """`itertools.count`, which never ends."""

    def __init__(self, start: Any, step: int) -> None:
        super().__init__(None)
        self._start, self._step = start, step

    @staticmethod
    def __graph_program_build__(fields: dict[str, Any]) -> Iterator[Any]:
        return itertools.count(fields["_start"] + fields["_next"] * fields["_step"], fields["_step"])

    def __next__(self) -> Any:
        value = self._start + self._next * self._step
        self._next += 1
        return value

    def _rest(self) -> Any:
        first = self._start + self._next * self._step
        return range(first, first + OUT_OF_REACH * self._step, self._step)


def check_bounds(start: Any, stop: Any, step: Any) -> None:
    """Raise what `islice` raises for its bounds."""
    if stop is not None and stop == -1:
        raise ValueError(STOP)
    if (start is not None and start < 0) or (stop is not None and stop < 0):
        raise ValueError(INDICES)
    if step is not None and step < 1:
        raise ValueError(STEP)


class sliced:
    """`itertools.islice` of an iterator that a program steps itself as well."""

    def __init__(self, iterable: Any, start: Any, stop: Any, step: Any) -> None:
        check_bounds(start, stop, step)
        self._next = 0 if start is None else start
        self._stop = OUT_OF_REACH if stop is None else stop
        self._step = 1 if step is None else step
        self._iterator = iter(iterable)
        self._taken = 0

    @staticmethod
    def __graph_program_build__(fields: dict[str, Any]) -> Iterator[Any]:
        taken = fields["_taken"]
        return itertools.islice(fields["_iterator"], fields["_next"] - taken, fields["_stop"] - taken, fields["_step"])

    def __iter__(self) -> sliced:
        return self

    def __next__(self) -> Any:
        while self._taken < self._next:
            self._iterator.__next__()
            self._taken += 1
        if self._taken >= self._stop:
            raise StopIteration
        found = self._iterator.__next__()
        self._taken += 1
        self._next = min(self._next + self._step, self._stop)
        return found


class together:
    """`zip` of iterators that a program steps itself as well."""

    def __init__(self, *iterables: Any) -> None:
        self._iterators = tuple([iter(iterable) for iterable in iterables])

    @staticmethod
    def __graph_program_build__(fields: dict[str, Any]) -> Iterator[Any]:
        return zip(*fields["_iterators"], strict=False)

    def __iter__(self) -> together:
        return self

    def __next__(self) -> Any:
        return tuple([iterator.__next__() for iterator in self._iterators])


class numbered:
    """`enumerate` of one."""

    def __init__(self, iterable: Any, start: int) -> None:
        self._iterator = iter(iterable)
        self._count = start

    @staticmethod
    def __graph_program_build__(fields: dict[str, Any]) -> Iterator[Any]:
        return enumerate(fields["_iterator"], fields["_count"])

    def __iter__(self) -> numbered:
        return self

    def __next__(self) -> Any:
        value = self._iterator.__next__()
        k = self._count
        self._count = k + 1
        return k, value


def left(iterator: Any) -> Any:
    """All that one of ours has left, where it stays there."""
    return iterator._left()


def rest(iterator: Any) -> Any:
    """All that one of ours has left."""
    return iterator._rest()


def collected(iterator: Any) -> list[Any]:
    """All that an iterator of the user's has left."""
    found = []
    for value in iterator:
        found.append(value)
    return found


def following(iterator: Any) -> Any:
    """`next(iterator)`."""
    return iterator.__next__()


def first(iterable: Any) -> Any:
    """`next` of what gives its elements only once, such as `zip(x, y)`."""
    for value in iterable:
        return value
    raise StopIteration


def first_or(iterable: Any, default: Any) -> Any:
    """`next` of that, with a default."""
    for value in iterable:
        return value
    return default


def following_or(iterator: Any, default: Any) -> Any:
    """`next(iterator, default)`."""
    try:
        return iterator.__next__()
    except StopIteration:
        return default
